// Batches of numbers and text in memory: numpy arrays, array.array, memoryview.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

#include "bindings/python/src/batches.h"

namespace bloomery::python {
namespace {

constexpr std::size_t kChunkItems = 8192;

// A type of numpy as its buffer spells it: "<Q", "12s", "=5w".
struct ItemType {
  char code;
  bool is_swapped;
};

class Array {
 public:
  explicit Array(PyObject* object) {
    is_open_ = PyObject_GetBuffer(object, &view_, PyBUF_FULL_RO) == 0;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (is_open_) PyBuffer_Release(&view_);
  }
  bool is_open() const { return is_open_; }
  const char* format() const { return view_.format != nullptr ? view_.format : "B"; }
  int dimensions() const { return view_.ndim; }
  bool is_indirect() const { return view_.suboffsets != nullptr && view_.suboffsets[0] >= 0; }
  const char* data() const { return static_cast<const char*>(view_.buf); }
  const char* item(std::size_t i) const { return data() + static_cast<Py_ssize_t>(i) * stride(); }
  std::size_t item_size() const { return static_cast<std::size_t>(view_.itemsize); }
  Py_ssize_t stride() const { return view_.strides != nullptr ? view_.strides[0] : view_.itemsize; }
  std::size_t count() const {
    return static_cast<std::size_t>(view_.shape != nullptr ? view_.shape[0]
                                                           : view_.len / view_.itemsize);
  }
  bool lies_in_order_of(std::size_t alignment) const {
    return stride() == view_.itemsize && reinterpret_cast<std::uintptr_t>(data()) % alignment == 0;
  }

 private:
  Py_buffer view_;
  bool is_open_;
};

ItemType type_of(const Array& array) {
  const char* format = array.format();
  bool is_swapped = false;
  if (std::strchr("@=<>!", *format) != nullptr && *format != '\0') {
    is_swapped = *format == '>' || *format == '!';
    ++format;
  }
  while (std::isdigit(static_cast<unsigned char>(*format)) != 0) ++format;
  const bool is_one = *format != '\0' && format[1] == '\0';
  return {is_one ? *format : '\0', is_swapped && array.item_size() > 1};
}

bool is_one_of(char code, const char* codes) {
  return code != '\0' && std::strchr(codes, code) != nullptr;
}
constexpr char kSignedCodes[] = "bhilqn";
constexpr char kUnsignedCodes[] = "BHILQN";
bool is_integer_code(char code) {
  return is_one_of(code, kSignedCodes) || is_one_of(code, kUnsignedCodes);
}

// The item's bytes with the lowest first.
std::uint64_t read_little(const char* from, std::size_t size, bool is_swapped) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  return is_swapped ? __builtin_bswap64(value) >> (64 - 8 * size) : value;
}

std::uint64_t widened(std::uint64_t value, std::size_t size, bool is_signed) {
  const auto unused = static_cast<unsigned>(64 - 8 * size);
  if (!is_signed || unused == 0) return value;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

bloomery_keys array_keys(std::uint32_t type, const void* data, std::size_t count) {
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.type = type;
  keys.data = data;
  keys.count = count;
  return keys;
}

bool add_array_integers(Batch& batch, const Array& array, ItemType type) {
  const std::size_t size = array.item_size();
  const bool is_signed = is_one_of(type.code, kSignedCodes);
  // Narrower ones, signed or not, have a place in 64 bits with a sign.
  const std::uint32_t stored =
      is_signed || size < sizeof(std::uint64_t) ? BLOOMERY_KEYS_I64 : BLOOMERY_KEYS_U64;
  if (size == sizeof(std::uint64_t) && !type.is_swapped && array.lies_in_order_of(size))
    return batch.add(array_keys(stored, array.data(), array.count()));
  const Scratch<std::uint64_t> numbers{kChunkItems};
  if (numbers.data() == nullptr) return false;
  for (std::size_t start = 0; start < array.count(); start += kChunkItems) {
    const std::size_t count = std::min(kChunkItems, array.count() - start);
    for (std::size_t i = 0; i < count; ++i)
      numbers[i] =
          widened(read_little(array.item(start + i), size, type.is_swapped), size, is_signed);
    if (!batch.add(array_keys(stored, numbers.data(), count))) return false;
  }
  return true;
}

// float32, float64 and bool: their bytes are the key.
bool add_array_fixed(Batch& batch, const Array& array, ItemType type) {
  const std::size_t size = array.item_size();
  bloomery_keys keys = array_keys(BLOOMERY_KEYS_FIXED, array.data(), array.count());
  keys.width = static_cast<std::uint32_t>(size);
  if (!type.is_swapped && array.lies_in_order_of(1)) return batch.add(keys);
  const Scratch<char> copies{kChunkItems * size};
  if (copies.data() == nullptr) return false;
  for (std::size_t start = 0; start < array.count(); start += keys.count) {
    keys.count = std::min(kChunkItems, array.count() - start);
    keys.data = copies.data();
    for (std::size_t i = 0; i < keys.count; ++i) {
      char* to = copies.data() + i * size;
      std::memcpy(to, array.item(start + i), size);
      if (type.is_swapped) std::reverse(to, to + size);
    }
    if (!batch.add(keys)) return false;
  }
  return true;
}

// Runs fill(item) -> bloomery_key, or false with an exception, for every item. `per_chunk` items
// are filled before they are used.
template <class Fill>
bool add_texts(Batch& batch, const Array& array, std::size_t per_chunk, Fill fill) {
  const Scratch<bloomery_key> keys{per_chunk};
  if (keys.data() == nullptr) return false;
  for (std::size_t start = 0; start < array.count(); start += per_chunk) {
    const std::size_t count = std::min(per_chunk, array.count() - start);
    for (std::size_t i = 0; i < count; ++i)
      if (!fill(array.item(start + i), i, &keys[i])) return false;
    if (!batch.add(array_keys(BLOOMERY_KEYS_BYTES, keys.data(), count))) return false;
  }
  return true;
}

// dtype S: numpy fills short ones up with zero bytes, which are no part of the key.
bool add_byte_strings(Batch& batch, const Array& array, bool is_padded) {
  return add_texts(batch, array, kChunkItems,
                   [&](const char* item, std::size_t, bloomery_key* key) {
                     std::size_t size = array.item_size();
                     while (is_padded && size > 0 && item[size - 1] == '\0') --size;
                     *key = {item, size};
                     return true;
                   });
}

bool raise_not_encodable(const char* item, std::size_t size, bool is_swapped) {
  int order = is_swapped ? 1 : -1;
  PyObject* text =
      PyUnicode_DecodeUTF32(item, static_cast<Py_ssize_t>(size), "surrogatepass", &order);
  PyObject* bytes = text != nullptr ? PyUnicode_AsUTF8String(text) : nullptr;
  Py_XDECREF(text);
  if (bytes != nullptr) PyErr_SetString(PyExc_ValueError, "a key is not Unicode text");
  Py_XDECREF(bytes);
  return false;
}

// Returns the end, or null for a code point that has no UTF-8.
char* put_utf8(std::uint32_t point, char* to) {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    if (point >= 0xD800 && point < 0xE000) return nullptr;
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    if (point > 0x10FFFF) return nullptr;
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
  return to;
}

// dtype U: UTF-32, filled up with zeros. UTF-8 never needs more bytes.
bool add_unicode(Batch& batch, const Array& array, bool is_swapped) {
  const std::size_t size = array.item_size();
  const std::size_t per_chunk = std::clamp<std::size_t>((1 << 18) / (size + 1), 1, kChunkItems);
  const Scratch<char> texts{per_chunk * size};
  if (texts.data() == nullptr) return false;
  return add_texts(batch, array, per_chunk,
                   [&](const char* item, std::size_t i, bloomery_key* key) {
                     std::size_t points = size / 4;
                     const auto point = [&](std::size_t at) {
                       return static_cast<std::uint32_t>(read_little(item + 4 * at, 4, is_swapped));
                     };
                     while (points > 0 && point(points - 1) == 0) --points;
                     char* begin = texts.data() + i * size;
                     char* end = begin;
                     for (std::size_t at = 0; at < points; ++at) {
                       end = put_utf8(point(at), end);
                       if (end == nullptr) return raise_not_encodable(item, points * 4, is_swapped);
                     }
                     *key = {begin, static_cast<std::size_t>(end - begin)};
                     return true;
                   });
}

bool refuse_array(Batch& batch, const Array& array, ItemType type) {
  char what[64];
  PyOS_snprintf(what, sizeof what, "an array of the type '%.30s'", array.format());
  raise_wrong_kind(batch.filter(), what, is_integer_code(type.code));
  return false;
}

bool add_array(Batch& batch, PyObject* object, const Array& array) {
  const ItemType type = type_of(array);
  const KeyType wanted = batch.filter()->key_type;
  if (type.code == 'O') return add_object_array(batch, array.data(), array.stride(), array.count());
  switch (wanted) {
    case KeyType::kBytes:
      if (type.code == 's') return add_byte_strings(batch, array, true);
      if (type.code == 'x') return add_byte_strings(batch, array, false);
      if (type.code == 'w') return add_unicode(batch, array, type.is_swapped);
      break;
    case KeyType::kU64:
    case KeyType::kSigned:
      if (is_integer_code(type.code)) return add_array_integers(batch, array, type);
      break;
    case KeyType::kF64:
      if (type.code == 'd') return add_array_fixed(batch, array, type);
      break;
    case KeyType::kF32:
      if (type.code == 'f') return add_array_fixed(batch, array, type);
      break;
    case KeyType::kBool:
      if (type.code == '?') return add_array_fixed(batch, array, type);
      break;
    case KeyType::kUtf16:
      if (type.code == 'w') return add_iterable(batch, object);
      break;
  }
  return refuse_array(batch, array, type);
}

}  // namespace

bool add_buffer(Batch& batch, PyObject* object) {
  // The buffer of a masked array of numpy holds what the mask hides.
  if (PyObject_HasAttrString(object, "mask") != 0 &&
      PyObject_HasAttrString(object, "fill_value") != 0) {
    PyErr_SetString(PyExc_TypeError,
                    "the array has a mask; pass array.compressed() to leave out what it hides");
    return false;
  }
  const Array array{object};
  if (!array.is_open()) {
    // dtypes that no buffer can describe, such as datetime64: one object after the other.
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
    PyErr_Clear();
    return add_iterable(batch, object);
  }
  if (array.dimensions() != 1 || array.is_indirect()) {
    PyErr_Format(PyExc_ValueError,
                 "the array has %d dimensions; pass one column of it, or array.ravel()",
                 array.dimensions());
    return false;
  }
  return array.count() == 0 || add_array(batch, object, array);
}

}  // namespace bloomery::python
