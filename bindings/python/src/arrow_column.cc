// The layouts of Arrow's columns: text, bytes and numbers as they lie, views and dictionaries
// gathered a chunk at a time.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "bindings/python/src/arrow.h"
#include "bindings/python/src/batches.h"

namespace bloomery::python {
namespace {

constexpr std::size_t kChunkRows = 8192;

struct Column {
  std::string_view format;
  const ArrowArray* array;
  const ArrowSchema* schema;

  std::size_t length() const { return static_cast<std::size_t>(array->length); }
  std::size_t offset() const { return static_cast<std::size_t>(array->offset); }
  const void* buffer(std::int64_t i) const {
    return array->n_buffers > i ? array->buffers[i] : nullptr;
  }
  const std::uint8_t* validity() const {
    return array->null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(buffer(0));
  }
  bool is_null(std::size_t row) const {
    const std::uint8_t* bits = validity();
    const std::size_t at = offset() + row;
    return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
  }
};

bool refuse_column(const char* sentence) {
  PyErr_SetString(PyExc_ValueError, sentence);
  return false;
}

bool refuse_type(const Batch& batch, const Column& column, bool is_whole_number) {
  char what[80];
  PyOS_snprintf(what, sizeof what, "Arrow data of the type '%.40s'", column.schema->format);
  raise_wrong_kind(batch.filter(), what, is_whole_number);
  return false;
}

bloomery_keys column_keys(const Column& column, std::uint32_t type, const void* data) {
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.type = type;
  keys.data = data;
  keys.count = column.length();
  keys.offset = column.offset();
  keys.validity = column.validity();
  return keys;
}

template <class Offset>
bool add_offsets(Batch& batch, const Column& column, std::uint32_t type) {
  const auto* offsets = static_cast<const Offset*>(column.buffer(1));
  if (offsets == nullptr) return refuse_column("the Arrow data has no offsets");
  bloomery_keys keys = column_keys(column, type, column.buffer(2));
  keys.offsets = offsets;
  // Arrow does not say how long the data is: the last offset does.
  keys.data_size = static_cast<std::size_t>(offsets[column.offset() + column.length()]);
  return batch.add(keys);
}

bool add_column_fixed(Batch& batch, const Column& column, std::uint32_t width) {
  if (column.buffer(1) == nullptr && width > 0) return refuse_column("the Arrow data is missing");
  bloomery_keys keys = column_keys(column, BLOOMERY_KEYS_FIXED, column.buffer(1));
  keys.width = width;
  return batch.add(keys);
}

// Gathers rows a chunk at a time: get(row, &item) -> false where it is null. T is an item.
template <class T, class Get>
bool add_gathered(Batch& batch, const Column& column, bloomery_keys keys, Get get) {
  const Scratch<T> items{kChunkRows};
  const Scratch<std::uint8_t> validity{kChunkRows / 8};
  if (items.data() == nullptr || validity.data() == nullptr) return false;
  keys.offset = 0;
  keys.data = items.data();
  for (std::size_t start = 0; start < column.length(); start += keys.count) {
    keys.count = std::min(kChunkRows, column.length() - start);
    keys.validity = nullptr;
    std::memset(validity.data(), 0xFF, kChunkRows / 8);
    for (std::size_t i = 0; i < keys.count; ++i) {
      items[i] = T{};
      if (!column.is_null(start + i) && get(start + i, &items[i])) continue;
      validity[i / 8] = static_cast<std::uint8_t>(validity[i / 8] & ~(1u << i % 8));
      keys.validity = validity.data();
    }
    if (PyErr_Occurred() != nullptr || !batch.add(keys)) return false;
  }
  return true;
}

template <class Number>
bool add_column_integers(Batch& batch, const Column& column) {
  const auto* numbers = static_cast<const Number*>(column.buffer(1));
  if (numbers == nullptr) return refuse_column("the Arrow data is missing");
  const bool is_unsigned = sizeof(Number) == 8 && static_cast<Number>(-1) > Number{0};
  const std::uint32_t type = is_unsigned ? BLOOMERY_KEYS_U64 : BLOOMERY_KEYS_I64;
  const bloomery_keys keys = column_keys(column, type, numbers);
  if constexpr (sizeof(Number) == 8) return batch.add(keys);
  return add_gathered<std::int64_t>(batch, column, keys, [&](std::size_t row, std::int64_t* item) {
    *item = static_cast<std::int64_t>(numbers[column.offset() + row]);
    return true;
  });
}

bool add_bools(Batch& batch, const Column& column) {
  const auto* bits = static_cast<const std::uint8_t*>(column.buffer(1));
  if (bits == nullptr) return refuse_column("the Arrow data is missing");
  bloomery_keys keys = column_keys(column, BLOOMERY_KEYS_FIXED, nullptr);
  keys.width = 1;
  return add_gathered<std::uint8_t>(batch, column, keys, [&](std::size_t row, std::uint8_t* item) {
    const std::size_t at = column.offset() + row;
    *item = bits[at / 8] >> (at % 8) & 1;
    return true;
  });
}

// Finds a row's bytes in a column of text or bytes, however it is laid out.
class Texts {
 public:
  explicit Texts(const Column& column) : column_{column}, kind_{column.format[0]} {
    if (kind_ == 'w') width_ = std::strtoul(column.format.data() + 2, nullptr, 10);
    if (kind_ == 'v') buffers_ = column.array->n_buffers - 3;
  }
  bool is_whole() const {
    if (kind_ == 'v') return buffers_ >= 0 && column_.buffer(1) != nullptr;
    if (kind_ == 'w') return column_.buffer(1) != nullptr || width_ == 0;
    return column_.buffer(1) != nullptr;
  }
  // False where the row contradicts itself.
  bool find(std::size_t row, bloomery_key* key) const {
    const std::size_t at = column_.offset() + row;
    switch (kind_) {
      case 'u':
      case 'z':
        return between(static_cast<const std::int32_t*>(column_.buffer(1)) + at, key);
      case 'U':
      case 'Z':
        return between(static_cast<const std::int64_t*>(column_.buffer(1)) + at, key);
      case 'w':
        *key = {static_cast<const char*>(column_.buffer(1)) + at * width_, width_};
        return true;
      default:
        return view(static_cast<const char*>(column_.buffer(1)) + at * 16, key);
    }
  }

 private:
  template <class Offset>
  bool between(const Offset* offsets, bloomery_key* key) const {
    if (offsets[0] < 0 || offsets[1] < offsets[0]) return false;
    const auto size = static_cast<std::size_t>(offsets[1] - offsets[0]);
    const auto* data = static_cast<const char*>(column_.buffer(2));
    if (data == nullptr && size > 0) return false;
    *key = {data + offsets[0], size};
    return true;
  }
  // Sixteen bytes: a length, and up to twelve bytes or a place in one of the further buffers.
  bool view(const char* at, bloomery_key* key) const {
    std::int32_t parts[4];
    std::memcpy(parts, at, sizeof parts);
    const auto [size, prefix, buffer, start] = parts;
    if (size < 0) return false;
    if (size <= 12) {
      *key = {at + 4, static_cast<std::size_t>(size)};
      return true;
    }
    if (buffer < 0 || buffer >= buffers_ || start < 0) return false;
    const auto* sizes = static_cast<const std::int64_t*>(column_.buffer(buffers_ + 2));
    const auto* data = static_cast<const char*>(column_.buffer(buffer + 2));
    if (sizes == nullptr || data == nullptr || sizes[buffer] - start < size) return false;
    *key = {data + start, static_cast<std::size_t>(size)};
    return true;
  }

  Column column_;
  char kind_;
  std::size_t width_ = 0;
  std::int64_t buffers_ = 0;  // of views, with data
};

bool add_views(Batch& batch, const Column& column) {
  const Texts texts{column};
  if (!texts.is_whole()) return refuse_column("the Arrow data is missing");
  const bloomery_keys keys = column_keys(column, BLOOMERY_KEYS_BYTES, nullptr);
  return add_gathered<bloomery_key>(batch, column, keys, [&](std::size_t row, bloomery_key* key) {
    return texts.find(row, key) || refuse_column("a row of the Arrow data points outside of it");
  });
}

std::int64_t index_at(const Column& column, std::size_t row) {
  const std::size_t at = column.offset() + row;
  const void* indices = column.buffer(1);
  switch (column.format[0]) {
    case 'c':
      return static_cast<const std::int8_t*>(indices)[at];
    case 'C':
      return static_cast<const std::uint8_t*>(indices)[at];
    case 's':
      return static_cast<const std::int16_t*>(indices)[at];
    case 'S':
      return static_cast<const std::uint16_t*>(indices)[at];
    case 'i':
      return static_cast<const std::int32_t*>(indices)[at];
    case 'I':
      return static_cast<const std::uint32_t*>(indices)[at];
    default:
      return static_cast<const std::int64_t*>(indices)[at];
  }
}

bool is_text(std::string_view format) {
  return format == "u" || format == "U" || format == "z" || format == "Z" || format == "vu" ||
         format == "vz" || (format.starts_with("w:") && format.size() > 2);
}

// Categories: rows are indices into another column.
bool add_dictionary(Batch& batch, const Column& column) {
  const Column values{column.schema->dictionary->format, column.array->dictionary,
                      column.schema->dictionary};
  if (values.array == nullptr || column.format.size() != 1 ||
      std::strchr("cCsSiIlL", column.format[0]) == nullptr)
    return refuse_column("the Arrow dictionary is malformed");
  if (!is_text(values.format)) return refuse_type(batch, values, false);
  const Texts texts{values};
  if (column.buffer(1) == nullptr || (values.length() > 0 && !texts.is_whole()))
    return refuse_column("the Arrow data is missing");
  const bloomery_keys keys = column_keys(column, BLOOMERY_KEYS_BYTES, nullptr);
  return add_gathered<bloomery_key>(batch, column, keys, [&](std::size_t row, bloomery_key* key) {
    const std::int64_t index = index_at(column, row);
    if (index < 0 || index >= values.array->length)
      return refuse_column("an index of the Arrow dictionary is out of range");
    if (values.is_null(static_cast<std::size_t>(index))) return false;
    return texts.find(static_cast<std::size_t>(index), key) ||
           refuse_column("a row of the Arrow data points outside of it");
  });
}

bool add_text(Batch& batch, const Column& column) {
  switch (column.format[0]) {
    case 'u':
    case 'z':
      return add_offsets<std::int32_t>(batch, column, BLOOMERY_KEYS_OFFSETS32);
    case 'U':
    case 'Z':
      return add_offsets<std::int64_t>(batch, column, BLOOMERY_KEYS_OFFSETS64);
    case 'w':
      return add_column_fixed(
          batch, column,
          static_cast<std::uint32_t>(std::strtoul(column.format.data() + 2, nullptr, 10)));
    default:
      return add_views(batch, column);
  }
}

bool add_numbers(Batch& batch, const Column& column) {
  switch (column.format[0]) {
    case 'c':
      return add_column_integers<std::int8_t>(batch, column);
    case 'C':
      return add_column_integers<std::uint8_t>(batch, column);
    case 's':
      return add_column_integers<std::int16_t>(batch, column);
    case 'S':
      return add_column_integers<std::uint16_t>(batch, column);
    case 'i':
      return add_column_integers<std::int32_t>(batch, column);
    case 'I':
      return add_column_integers<std::uint32_t>(batch, column);
    case 'l':
      return add_column_integers<std::int64_t>(batch, column);
    default:
      return add_column_integers<std::uint64_t>(batch, column);
  }
}

}  // namespace

bool add_column(Batch& batch, const ArrowSchema& schema, const ArrowArray& array) {
  const Column column{schema.format, &array, &schema};
  if (array.length < 0 || array.offset < 0)
    return refuse_column("the Arrow data has a negative length");
  if (column.format.starts_with("+s"))
    return refuse_column("the Arrow data is a table; pass one column of it");
  const bool is_integer =
      column.format.size() == 1 && std::strchr("cCsSiIlL", column.format[0]) != nullptr;
  const KeyType wanted = batch.filter()->key_type;
  if (column.length() == 0) return true;
  if (column.format == "n") return batch.add_nulls(column.length());
  if (schema.dictionary != nullptr && wanted == KeyType::kBytes)
    return add_dictionary(batch, column);
  if (schema.dictionary == nullptr) {
    if (wanted == KeyType::kBytes && is_text(column.format)) return add_text(batch, column);
    if (has_integer_keys(wanted) && is_integer) return add_numbers(batch, column);
    if (wanted == KeyType::kF32 && column.format == "f") return add_column_fixed(batch, column, 4);
    if (wanted == KeyType::kF64 && column.format == "g") return add_column_fixed(batch, column, 8);
    if (wanted == KeyType::kBool && column.format == "b") return add_bools(batch, column);
  }
  return refuse_type(batch, column, is_integer);
}

}  // namespace bloomery::python
