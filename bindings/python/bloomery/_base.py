"""What all filters have in common. Keys, batches and threads are in the extension module."""
import json

from . import _bloomery
from ._types import VERDICTS, Health, Info

_KEY_TYPES = ("bytes", "i64", "u64", "i32", "i16", "i8", "f64", "f32", "bool", "utf16")
_ARRAY = None  # makes an array of a bytearray, once numpy was looked for


def mask_of(answers):
    """Answers as numpy's bool array, which shares their memory; without numpy, the bytearray."""
    global _ARRAY
    if _ARRAY is None:
        try:
            import numpy
        except ImportError:
            _ARRAY = bytearray
        else:
            _ARRAY = lambda answers: numpy.frombuffer(answers, dtype=bool)
    return answers if _ARRAY is bytearray else _ARRAY(answers)


def options_of(**given):
    """The options that were given, as the extension module wants them."""
    options = {name: value for name, value in given.items() if value is not None}
    if options.get("key_type", "bytes") not in _KEY_TYPES:
        raise ValueError(f"key_type is {options['key_type']!r}; use \"bytes\" for str and bytes, \"i64\" or "
                         f"\"u64\" for whole numbers, or one of {', '.join(_KEY_TYPES[3:])}")
    for name in ("secret", "user_data"):
        if name in options:
            value = options[name]
            options[name] = value.encode() if isinstance(value, str) else bytes(memoryview(value))
    return options


class Filter(_bloomery.Filter):
    """What all filters have in common.

    Make a Bloom, CountingBloom, ScalableBloom or ConcurrentBloom. load() and loads() of this class
    return whichever of them the file holds.
    """

    __slots__ = ()
    _layouts = ()  # of the format bloomery
    _fixed_load_options = {}  # of the class

    def __init__(self, *args, **options):
        raise TypeError("Filter has no layout; make a Bloom, CountingBloom, ScalableBloom or ConcurrentBloom")

    # Answers for many keys.

    def contains_many(self, keys, /):
        """For each key: whether the filter may contain it. A numpy array of bool, or a bytearray
        where numpy is not installed. Nulls of Arrow are answered False.

        >>> from bloomery import Bloom
        >>> seen = Bloom(1000)
        >>> seen.update(["apple", "pear"])
        2
        >>> list(map(bool, seen.contains_many(["apple", "fig"])))
        [True, False]
        """
        return mask_of(self._contains_many(keys))

    def add_many(self, keys, /):
        """Inserts the keys, as update(). For each: whether it was certainly new, also against the
        keys before it.

        >>> from bloomery import Bloom
        >>> list(map(bool, Bloom(1000).add_many(["apple", "pear", "apple"])))
        [True, True, False]
        """
        return mask_of(self._add_many(keys))

    # Two filters.

    def __or__(self, other):
        return self.copy().__ior__(other) if isinstance(other, Filter) else NotImplemented

    def __ior__(self, other):
        if not isinstance(other, Filter):
            return NotImplemented
        self._merge(other.copy() if other is self else other)
        return self

    def __and__(self, other):
        return self.copy().__iand__(other) if isinstance(other, Filter) else NotImplemented

    def __iand__(self, other):
        if not isinstance(other, Filter):
            return NotImplemented
        if other is not self:
            self._intersect(other)
        return self

    def __eq__(self, other):
        return self._equal(other) if isinstance(other, Filter) else NotImplemented

    __hash__ = None

    def __le__(self, other):
        return self._is_subset(other) if isinstance(other, Filter) else NotImplemented

    def __ge__(self, other):
        return other._is_subset(self) if isinstance(other, Filter) else NotImplemented

    def __lt__(self, other):
        return self <= other and self != other if isinstance(other, Filter) else NotImplemented

    def __gt__(self, other):
        return self >= other and self != other if isinstance(other, Filter) else NotImplemented

    def compatible(self, other, /):
        """Whether the two can be merged: same layout, size, hash and type of keys."""
        return self._compatible(other)

    # Copies.

    def copy(self):
        """An independent copy in memory."""
        new = type(self).__new__(type(self))
        new._clone(self)
        return with_attributes(new, self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def fold(self, factor, /):
        """A filter with 1/factor of the bits and the same keys, at a higher false-positive rate.

        >>> from bloomery import Bloom
        >>> seen = Bloom(bits=1 << 20)
        >>> seen.fold(4).bits
        262144
        """
        new = type(self).__new__(type(self))
        new._fold(self, factor)
        return with_attributes(new, self)

    def __reduce__(self):
        info = self.info
        if info.keyed:
            raise TypeError(
                "a filter with a secret cannot be pickled, because the pickle would have to contain "
                "the secret; use dumps() and loads(secret=...)")
        shape = {"key_type": info.key_type}
        if info.format.startswith(("go-bloom", "eventhorizon")):  # their bytes have no header
            shape.update(bits=info.bits, probes=info.probes)
        data = self.dumps()
        return (restore, (type(self), data, info.format, shape, self._get_key()),
                getattr(self, "__dict__", None))

    # Bytes and files.

    def dumps(self, format=None):
        """The filter as bytes, in its own format or in another one that finds the bits of a key in
        the same way.

        >>> from bloomery import Bloom
        >>> seen = Bloom(1000, format="guava")
        >>> Bloom.loads(seen.dumps()) == seen
        True
        """
        return self._encode(format)

    def save(self, path, format=None):
        """Writes the filter to a file, which is replaced in one step: a crash leaves the old file
        or the new one."""
        self._save(path, format)

    @classmethod
    def loads(cls, data, format="auto", *, max_bytes=None, secret=None, key=None, key_type=None,
              keys=None, rate=None, bits=None, probes=None):
        """A filter from bytes, all of which are validated. max_bytes limits its memory (1 GiB).

        Formats without a header need what made them: go-bloom keys and rate, eventhorizon bits and
        probes. key_type is for formats that do not record it.

        >>> import bloomery
        >>> bloomery.Bloom.loads(b"no filter")
        Traceback (most recent call last):
        bloomery.FormatError: the format is not recognised by the bytes; name it
        """
        new = cls.__new__(cls)
        new._decode(data, format, max_bytes, new._load_options(secret, key_type, keys, rate, bits, probes))
        return finished(new, cls, key)

    @classmethod
    def load(cls, path, format="auto", *, max_bytes=None, secret=None, key=None, key_type=None,
             keys=None, rate=None, bits=None, probes=None):
        """A filter from a file or pipe, as loads()."""
        new = cls.__new__(cls)
        new._load(path, format, max_bytes, new._load_options(secret, key_type, keys, rate, bits, probes))
        return finished(new, cls, key)

    @classmethod
    def open(cls, path, *, mmap=True, secret=None, key=None, key_type=None, max_bytes=None):
        """A file of the format bloomery, queried where it lies and read-only. Opening costs a page
        or two whatever its size, and processes share the memory. verify() compares the checksum.

        To change the file, replace it as save() does: a program that truncates it in place ends its
        readers with SIGBUS. With mmap=False this is load().
        """
        if not mmap:
            return cls.load(path, secret=secret, key=key, key_type=key_type, max_bytes=max_bytes)
        new = cls.__new__(cls)
        new._map(path, new._load_options(secret, key_type, None, None, None, None))
        return finished(new, cls, key)

    def _load_options(self, secret, key_type, keys, rate, bits, probes):
        return {**options_of(secret=secret, key_type=key_type, keys=keys, rate=rate, bits=bits, probes=probes),
                **self._fixed_load_options}

    def verify(self):
        """Reads a mapped file and compares its checksum; raises FormatError where it is damaged."""
        self._verify()

    def close(self):
        """Releases the memory or the mapped file. Further calls raise ValueError."""
        self._close()

    @property
    def closed(self):
        """Whether close() was called."""
        return self._is_closed()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    # What the filter says of itself.

    @property
    def health(self):
        """Fill, estimated keys, false-positive rate now, and a verdict: a Health.

        >>> from bloomery import Bloom
        >>> seen = Bloom(1000)
        >>> seen.update(f"key {i}" for i in range(1000)) > 990
        True
        >>> 950 < seen.health.estimated_keys < 1050, seen.health.verdict
        (True, 'ok')
        """
        values = self._health()
        fill, keys, rate = (value + 0.0 for value in values[:3])  # no -0.0
        return Health(fill, keys, rate, *values[3:6], VERDICTS[values[6]], values[7])

    @property
    def info(self):
        """Format, layout, hash, bits and more, without reading the bits: an Info."""
        return Info(*self._info())

    def describe(self, *, measured=False):
        """All about the filter as a dict, as `bloomery inspect --json` prints it. With measured the
        rate is also measured by lookups of absent keys, which takes up to a second."""
        return json.loads(self._describe(measured))

    bits = property(lambda self: self.info.bits, doc="Size in bits; 0 where it has no single number.")
    probes = property(lambda self: self.info.probes, doc="Bits per key; 0 where it has no single number.")
    nbytes = property(lambda self: self.info.nbytes, doc="Memory in bytes; of a mapped filter, of the file.")
    format = property(lambda self: self.info.format, doc="Name of the format, as in bloomery.formats().")
    layout = property(lambda self: self.info.layout, doc='"block", "classic", ...; "foreign" of other formats.')
    key_type = property(lambda self: self.info.key_type, doc='"bytes" (str and bytes), "u64", "i64", ...')
    hash = property(lambda self: self.info.hash, doc='Name of the hash; "" of other formats.')
    seed = property(lambda self: self.info.seed, doc="Seed of the hash.")
    mapped = property(lambda self: self.info.mapped, doc="Whether the filter is a file, read-only.")
    key = property(lambda self: self._get_key(), doc="The function that makes keys of objects, or None.")

    def __sizeof__(self):
        here = object.__sizeof__(self)
        return here if self.closed or self.mapped else here + self.nbytes

    def __repr__(self):
        name = type(self).__name__
        if self.closed:
            return f"<{name}, closed>"
        try:
            health = self.health
        except ValueError:  # of many filters in one file
            return f"<{name}, format {self.format}, {self.nbytes:,} bytes>"
        goal = f" of {health.goal_keys:,}" if health.goal_keys else ""
        return (f"<{name}: about {health.estimated_keys:,.0f} keys{goal}, fill {health.fill:.1%}, "
                f"false-positive rate {percent(health.rate)}, {self.nbytes:,} bytes>")


def percent(rate):
    return f"{rate:.2%}" if rate >= 1e-4 or rate == 0 else f"{rate:.2g}"


def finished(new, cls, key):
    from ._kinds import class_of
    kind = class_of(new.info)
    if cls is Filter:
        typed = kind.__new__(kind)
        typed._take(new)
        new = typed
    elif not issubclass(cls, kind):
        layout = new.layout if new.layout != "foreign" else new.format
        new.close()
        raise ValueError(f"the filter is {layout!r}, which is a {kind.__name__}; "
                         f"load it with {kind.__name__}.load() or bloomery.load()")
    new._set_key(key)
    return new


def with_attributes(new, old):
    """Copies what a subclass keeps in its __dict__."""
    if hasattr(old, "__dict__"):
        new.__dict__.update(old.__dict__)
    return new


def restore(cls, data, format, shape, key):
    """What a pickle calls."""
    new = cls.__new__(cls)
    new._decode(data, format, 1 << 62, {**shape, **new._fixed_load_options})
    new._set_key(key)
    return new


Filter.__module__ = "bloomery"
