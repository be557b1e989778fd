"""A producer of Arrow's C data interface in ctypes: what pyarrow, polars and pandas export, without them."""
import ctypes
import struct

RELEASED = []  # names of what was released, for tests


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowStream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ArrowStream))
ArrowSchema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                        ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
                        ("dictionary", ctypes.POINTER(ArrowSchema)), ("release", RELEASE_SCHEMA),
                        ("private_data", ctypes.c_void_p)]
ArrowArray._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                       ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                       ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p),
                       ("dictionary", ctypes.POINTER(ArrowArray)), ("release", RELEASE_ARRAY),
                       ("private_data", ctypes.c_void_p)]
ArrowStream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR),
                        ("release", RELEASE_STREAM), ("private_data", ctypes.c_void_p)]


@RELEASE_SCHEMA
def release_schema(schema):
    RELEASED.append("schema")
    schema.contents.release = RELEASE_SCHEMA()


@RELEASE_ARRAY
def release_array(array):
    RELEASED.append("array")
    array.contents.release = RELEASE_ARRAY()


def capsule(structure, name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(structure), name, None)


def bitmap(bits):
    data = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        data[i // 8] |= bool(bit) << i % 8
    return bytes(data)


class Column:
    """One array of Arrow, with its buffers kept alive."""

    def __init__(self, format, length, buffers, *, offset=0, nulls=0, dictionary=None):
        self.kept = [None if data is None else ctypes.create_string_buffer(bytes(data), max(1, len(data)))
                     for data in buffers]
        self.pointers = (ctypes.c_void_p * max(1, len(buffers)))(
            *[None if data is None else ctypes.addressof(data) for data in self.kept])
        self.schema = ArrowSchema(format=format.encode(), release=release_schema)
        self.array = ArrowArray(length=length, null_count=nulls, offset=offset, n_buffers=len(buffers),
                                buffers=self.pointers, release=release_array)
        if dictionary is not None:
            self.dictionary = dictionary
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")


class Stream:
    """Columns of one type after each other, as a ChunkedArray or a Series of polars. fail: the number
    of the column at which it breaks."""

    def __init__(self, columns, fail=None):
        self.columns, self.fail, self.next = columns, fail, 0
        self.error = ctypes.create_string_buffer(b"the disk is gone")
        self.stream = ArrowStream(get_schema=GET_SCHEMA(self.get_schema), get_next=GET_NEXT(self.get_next),
                                  get_last_error=GET_ERROR(lambda _: ctypes.addressof(self.error)),
                                  release=RELEASE_STREAM(lambda _: None))

    def get_schema(self, _, schema):
        ctypes.memmove(schema, ctypes.byref(self.columns[0].schema), ctypes.sizeof(ArrowSchema))
        return 0

    def get_next(self, _, array):
        if self.next == self.fail:
            return 5
        if self.next == len(self.columns):
            ctypes.memset(array, 0, ctypes.sizeof(ArrowArray))
            return 0
        ctypes.memmove(array, ctypes.byref(self.columns[self.next].array), ctypes.sizeof(ArrowArray))
        self.next += 1
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule(self.stream, b"arrow_array_stream")


def encoded(values):
    return [None if value is None else value.encode() if isinstance(value, str) else value for value in values]


def column_of(values, format, *, skip=0):
    """A column of these values, None for null. `skip`: so many rows come before the first."""
    before = [values[0]] * skip
    rows = encoded([*before, *values])
    validity = bitmap([row is not None for row in rows]) if None in rows else None
    shape = dict(offset=skip, nulls=-1 if None in rows else 0)
    if format in ("u", "z", "U", "Z"):
        width = "i" if format in "uz" else "q"
        data, offsets = b"", [0]
        for row in rows:
            data += row or b""
            offsets.append(len(data))
        return Column(format, len(values), [validity, struct.pack(f"<{len(offsets)}{width}", *offsets), data], **shape)
    if format in ("vu", "vz"):
        views, long = b"", [b"", b""]
        for i, row in enumerate(rows):
            row = row or b""
            if len(row) <= 12:
                views += struct.pack("<i12s", len(row), row)
            else:
                views += struct.pack("<i4sii", len(row), row[:4], i % 2, len(long[i % 2]))
                long[i % 2] += row
        sizes = struct.pack("<2q", *map(len, long))
        return Column(format, len(values), [validity, views, *long, sizes], **shape)
    if format.startswith("w:"):
        width = int(format[2:])
        return Column(format, len(values), [validity, b"".join(row or bytes(width) for row in rows)], **shape)
    if format == "b":
        return Column(format, len(values), [validity, bitmap(rows)], **shape)
    code = {"l": "q", "L": "Q", "i": "i", "I": "I", "s": "h", "S": "H", "c": "b", "C": "B", "g": "d", "f": "f"}[format]
    return Column(format, len(values), [validity, struct.pack(f"<{len(rows)}{code}", *[row or 0 for row in rows])], **shape)
