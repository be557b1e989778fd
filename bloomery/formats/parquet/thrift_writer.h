// Thrift's compact protocol, written: what the headers and the footer of a Parquet file need of it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery {

// One struct. Precondition: the ids of its fields ascend, by at most 15.
class ThriftWriter {
 public:
  ThriftWriter& i16(int id, std::int64_t value) { return integer(id, 4, value); }
  ThriftWriter& i32(int id, std::int64_t value) { return integer(id, 5, value); }
  ThriftWriter& i64(int id, std::int64_t value) { return integer(id, 6, value); }
  ThriftWriter& boolean(int id, bool value) {
    head(id, value ? 1 : 2);
    return *this;
  }
  ThriftWriter& i8(int id, unsigned value) {
    head(id, 3);
    put(value);
    return *this;
  }
  ThriftWriter& binary(int id, std::string_view text) {
    head(id, 8);
    put_binary(text);
    return *this;
  }
  ThriftWriter& structure(int id, const ThriftWriter& inner) {
    head(id, 12);
    bytes_ += inner.bytes_;
    put(0);
    return *this;
  }
  ThriftWriter& structures(int id, const std::vector<ThriftWriter>& elements) {
    list(id, 12, elements.size());
    for (const ThriftWriter& element : elements) {
      bytes_ += element.bytes_;
      put(0);
    }
    return *this;
  }
  ThriftWriter& i32s(int id, const std::vector<std::int64_t>& values) {
    list(id, 5, values.size());
    for (const std::int64_t value : values) put_zigzag(value);
    return *this;
  }
  ThriftWriter& binaries(int id, const std::vector<std::string_view>& texts) {
    list(id, 8, texts.size());
    for (const std::string_view text : texts) put_binary(text);
    return *this;
  }
  std::string done() const { return bytes_ + '\0'; }

 private:
  ThriftWriter& integer(int id, unsigned type, std::int64_t value) {
    head(id, type);
    put_zigzag(value);
    return *this;
  }
  void head(int id, unsigned type) {
    put(static_cast<unsigned>(id - last_) << 4U | type);
    last_ = id;
  }
  void list(int id, unsigned element, std::size_t size) {
    head(id, 9);
    const bool is_short = size < 15;
    put((is_short ? static_cast<unsigned>(size) : 15U) << 4U | element);
    if (!is_short) put_varint(size);
  }
  void put(unsigned byte) { bytes_ += static_cast<char>(byte); }
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) put(static_cast<unsigned>(value & 0x7fU) | 0x80U);
    put(static_cast<unsigned>(value));
  }
  void put_zigzag(std::int64_t value) {
    put_varint(static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63));
  }
  void put_binary(std::string_view text) {
    put_varint(text.size());
    bytes_ += text;
  }

  std::string bytes_;
  int last_ = 0;
};

}  // namespace bloomery
