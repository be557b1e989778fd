"""Bloom filters: sets that answer "maybe" or "certainly not", in 10 bits per key.

>>> from bloomery import Bloom
>>> seen = Bloom(1_000_000, 0.01)
>>> seen.update(["apple", "pear"])
2
>>> "apple" in seen, "fig" in seen
(True, False)
>>> seen
<Bloom: about 2 keys of 1,000,000, fill 0.0%, false-positive rate 3.6e-19, 1,265,664 bytes>

Filters are read and written in the formats of Guava, RedisBloom, Parquet, LevelDB and others, and
hold the same bits as those of the command bloomery.
"""
from . import _bloomery
from ._bloomery import FormatError
from ._base import Filter, options_of
from ._kinds import Bloom, ConcurrentBloom, CountingBloom, ScalableBloom
from ._types import Format, Health, Info, Size

__version__ = _bloomery.version
__all__ = [
    "Bloom", "ConcurrentBloom", "CountingBloom", "Filter", "Format", "FormatError", "Health", "Info",
    "ScalableBloom", "Size", "formats", "load", "loads", "size",
]


def size(keys=None, rate=None, *, bits=None, probes=None, bits_per_key=None, layout=None, hash=None,
         counter_bits=None, growth=None, tightening=None, max_layers=None):
    """What a filter for so many keys at that false-positive rate would be, without making it.

    >>> import bloomery
    >>> bloomery.size(1_000_000, 0.01).bytes
    1265664
    """
    return Size(*_bloomery.size(options_of(
        keys=keys, rate=rate, bits=bits, probes=probes, bits_per_key=bits_per_key, layout=layout,
        hash=hash, counter_bits=counter_bits, growth=growth, tightening=tightening,
        max_layers=max_layers)))


def formats():
    """All formats, as a list of Format.

    >>> import bloomery
    >>> [format.name for format in bloomery.formats() if format.name.startswith("guava")]
    ['guava', 'guava:mitz32']
    """
    return [Format(*row) for row in _bloomery.formats()]


load = Filter.load
loads = Filter.loads
