"""The checksums within a dump of our own type, made right again after it was tampered with."""
import ctypes
import struct

_LIBRARY = ctypes.CDLL("libxxhash.so.0")  # the module itself needs it
_LIBRARY.XXH3_64bits.restype = ctypes.c_uint64
_LIBRARY.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    return struct.pack("<Q", _LIBRARY.XXH3_64bits(data, len(data)))


def manifest_with_checksum(manifest):
    """The first chunk of a dump, its last eight bytes made right."""
    return manifest[:-8] + checksum(manifest[:-8])


def header_with_checksum(header, body=None):
    """The header of a layer's file: its own checksum, and with a body that of the body too."""
    if len(header) != 128:
        return header
    if body is not None:
        header = header[:88] + checksum(body) + header[96:]
    return header[:120] + checksum(header[:120])
