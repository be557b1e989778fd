"""The classes of filters."""
from ._base import Filter, mask_of, options_of, with_attributes


class Bloom(Filter):
    """A Bloom filter: a set that answers "maybe" or "certainly not", in 10 bits per key.

    keys and rate are what it is for: after that many keys, an absent one is answered "maybe" at
    that rate. bits, and perhaps probes, size it directly. Keys are str and bytes; with key_type
    "i64" or "u64" whole numbers ("i32", "i16", "i8", "f64", "f32", "bool" and "utf16" serve other
    systems' filters); with key, a function that makes such a key of any object. Python's hash() is
    never used, so the same keys set the same bits in every process and in the command bloomery.

    >>> from bloomery import Bloom
    >>> seen = Bloom(1_000_000, 0.01)
    >>> seen.add("apple")
    True
    >>> "apple" in seen, "pear" in seen
    (True, False)
    >>> points = Bloom(1000, key=lambda point: b"%d,%d" % point)
    >>> points.add((1, 2))
    True
    """

    __slots__ = ()
    _layouts = ("auto", "block", "lines", "classic", "foreign")

    def __init__(self, keys=None, rate=None, *, bits=None, probes=None, bits_per_key=None, layout=None,
                 hash=None, seed=None, secret=None, key_type=None, key=None, format=None,
                 max_bytes=None, blocks=None, expansion=None, base_lg=None, guava_release=None,
                 user_data=None):
        check_layout(self, layout)
        if format is not None and format.startswith("rediscuckoo"):
            raise ValueError(f"filters of the format {format!r} can remove keys; make a CountingBloom")
        self._set_key(key)
        self._create(options_of(
            keys=keys, rate=rate, bits=bits, probes=probes, bits_per_key=bits_per_key, layout=layout,
            hash=hash, seed=seed, secret=secret, key_type=key_type, format=format,
            max_bytes=max_bytes, blocks=blocks, expansion=expansion, base_lg=base_lg,
            guava_release=guava_release, user_data=user_data))


class CountingBloom(Filter):
    """A Bloom filter whose keys can be removed: counters in place of bits.

    Remove only keys that were added: removing others may remove keys that share their counters.
    format="rediscuckoo" makes a cuckoo filter of RedisBloom.

    >>> from bloomery import CountingBloom
    >>> open_orders = CountingBloom(1000)
    >>> open_orders.add("order 17")
    True
    >>> open_orders.remove("order 17")
    >>> "order 17" in open_orders
    False
    """

    __slots__ = ()
    _layouts = ("counting",)

    def __init__(self, keys=None, rate=None, *, bits=None, probes=None, counter_bits=None, hash=None,
                 seed=None, secret=None, key_type=None, key=None, format=None, expansion=None,
                 max_bytes=None):
        if not (format is None or format == "bloomery" or format.startswith("rediscuckoo")):
            raise ValueError(f"filters of the format {format!r} cannot remove keys; make a Bloom")
        self._set_key(key)
        self._create(options_of(
            keys=keys, rate=rate, bits=bits, probes=probes, counter_bits=counter_bits, hash=hash,
            seed=seed, secret=secret, key_type=key_type, format=format, expansion=expansion,
            max_bytes=max_bytes, layout="counting" if format in (None, "bloomery") else None))

    def remove(self, key, /):
        """Removes a key; raises KeyError where the filter certainly does not contain it."""
        if not self._discard(key):
            raise KeyError(key)

    def discard(self, key, /):
        """Removes a key if the filter may contain it. Returns whether it did."""
        return self._discard(key)

    def remove_many(self, keys, /):
        """Removes the keys. For each: whether the filter contained it."""
        return mask_of(self._remove_many(keys))


class ScalableBloom(Filter):
    """A Bloom filter that grows: layers are added as keys come, and the rate of the whole is kept.

    keys is the size of the first layer, growth that of each next one against it, and tightening how
    much smaller its rate is.

    >>> from bloomery import ScalableBloom
    >>> seen = ScalableBloom(100, 0.01)
    >>> seen.update(f"key {i}" for i in range(10_000)) > 9900
    True
    >>> seen.health.rate < 0.02
    True
    """

    __slots__ = ()
    _layouts = ("scalable",)

    def __init__(self, keys=1000, rate=None, *, growth=None, tightening=None, max_layers=None, hash=None,
                 seed=None, secret=None, key_type=None, key=None, max_bytes=None):
        self._set_key(key)
        self._create(options_of(
            keys=keys, rate=rate, growth=growth, tightening=tightening, max_layers=max_layers,
            hash=hash, seed=seed, secret=secret, key_type=key_type, max_bytes=max_bytes,
            layout="scalable"))


class ConcurrentBloom(Filter):
    """A Bloom filter that several threads fill at the same time.

    Batches of all threads run in parallel, because they release the GIL and need not wait for each
    other. The other classes are as safe, but one batch of keys enters them at a time.

    >>> from bloomery import ConcurrentBloom
    >>> from threading import Thread
    >>> seen = ConcurrentBloom(1000)
    >>> threads = [Thread(target=seen.update, args=([f"{n} {i}" for i in range(100)],)) for n in range(4)]
    >>> for thread in threads: thread.start()
    >>> for thread in threads: thread.join()
    >>> seen.count([f"3 {i}" for i in range(100)])
    100
    """

    __slots__ = ()
    _layouts = ("concurrent",)
    _fixed_load_options = {"concurrent": 1}

    def __init__(self, keys=None, rate=None, *, bits=None, hash=None, seed=None, secret=None,
                 key_type=None, key=None, max_bytes=None):
        self._set_key(key)
        self._create(options_of(
            keys=keys, rate=rate, bits=bits, hash=hash, seed=seed, secret=secret, key_type=key_type,
            max_bytes=max_bytes, layout="concurrent"))

    def copy(self):
        """An independent copy with every key that was added before."""
        return self._of(self.snapshot())

    __copy__ = copy

    def fold(self, factor, /):
        """As Filter.fold()."""
        return self._of(self.snapshot().fold(factor))

    def _of(self, bloom):
        new = type(self).__new__(type(self))
        new._decode(bloom.dumps(), "bloomery", 1 << 62, self._fixed_load_options)
        new._set_key(self._get_key())
        return with_attributes(new, self)

    def snapshot(self):
        """A Bloom with every key that was added before."""
        new = Bloom.__new__(Bloom)
        new._clone(self)
        return new

    @classmethod
    def open(cls, path, *, mmap=False, secret=None, key=None, key_type=None, max_bytes=None):
        """As load(): a mapped file is read-only, and Bloom.open() is for that."""
        if mmap:
            raise ValueError("a mapped file is read-only and cannot be a ConcurrentBloom; use Bloom.open()")
        return cls.load(path, secret=secret, key=key, key_type=key_type, max_bytes=max_bytes)


def check_layout(new, layout):
    if layout is None or layout in new._layouts:
        return
    for other in (CountingBloom, ScalableBloom, ConcurrentBloom):
        if layout in other._layouts:
            raise ValueError(f"the layout {layout!r} is a {other.__name__}")


def class_of(info):
    """The class for what a file holds."""
    if info.format.startswith("rediscuckoo"):
        return CountingBloom
    for kind in (CountingBloom, ScalableBloom, ConcurrentBloom):
        if info.layout in kind._layouts:
            return kind
    return Bloom


for _class in (Bloom, CountingBloom, ScalableBloom, ConcurrentBloom):
    _class.__module__ = "bloomery"
