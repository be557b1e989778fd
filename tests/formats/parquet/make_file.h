// Small Parquet files with one column, written byte by byte for tests of the reader.
#pragma once
#include <zlib.h>

#include "bloomery/base/endian.h"
#include "bloomery/formats/parquet/values.h"
#include "tests/formats/golden.h"

namespace bloomery::testing {

// Thrift's compact protocol, as far as Parquet's headers need it.
class ThriftWriter {
 public:
  ThriftWriter& i32(int id, std::int64_t value) { return integer(id, 5, value); }
  ThriftWriter& i64(int id, std::int64_t value) { return integer(id, 6, value); }
  ThriftWriter& boolean(int id, bool value) {
    head(id, value ? 1 : 2);
    return *this;
  }
  ThriftWriter& binary(int id, std::string_view text) {
    head(id, 8);
    put_binary(text);
    return *this;
  }
  ThriftWriter& structure(int id, const ThriftWriter& inner) {
    head(id, 12);
    return append(inner.done());
  }
  ThriftWriter& list(int id, const std::vector<ThriftWriter>& elements) {
    head(id, 9);
    put(static_cast<unsigned>(elements.size() << 4U | 12U));  // fewer than 15
    for (const ThriftWriter& element : elements) append(element.done());
    return *this;
  }
  Bytes done() const {
    Bytes all = bytes_;
    all.push_back(std::byte{0});
    return all;
  }

 private:
  ThriftWriter& integer(int id, unsigned type, std::int64_t value) {
    head(id, type);
    put_varint(static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63));
    return *this;
  }
  void head(int id, unsigned type) {
    put(static_cast<unsigned>(id - last_) << 4U | type);
    last_ = id;
  }
  void put(unsigned byte) { bytes_.push_back(static_cast<std::byte>(byte)); }
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) put(static_cast<unsigned>(value & 0x7fU) | 0x80U);
    put(static_cast<unsigned>(value));
  }
  void put_binary(std::string_view text) {
    put_varint(text.size());
    append(bytes_of(text));
  }
  ThriftWriter& append(ByteView bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  Bytes bytes_;
  int last_ = 0;
};

struct MadePage {
  int type = 0;  // 0 data, 2 dictionary, 3 data of version 2
  int entries = 0;
  int encoding = 0;
  Bytes bytes = {};  // levels and values
  int definition_bytes = 0;
  int repetition_bytes = 0;
  std::optional<std::uint32_t> crc = {};
  int level_encoding = 3;
  std::optional<std::int64_t> plain_bytes = {};  // else the truth
};

struct MadeFile {
  int type = 2;  // of the column; 2 is INT64
  int repetition = 0;
  int fixed_bytes = 0;
  int converted = -1;
  int codec = 0;
  std::string name = "id";
  std::vector<MadePage> pages = {};
  std::int64_t rows = 0;
  bool is_encrypted = false;
  std::string elsewhere = {};

  Bytes bytes() const {
    Bytes file = copied(bytes_of("PAR1"));
    for (const MadePage& page : pages) append_page(file, page);
    const auto footer_begin = file.size();
    ThriftWriter element;
    element.i32(1, type);
    if (fixed_bytes > 0) element.i32(2, fixed_bytes);
    element.i32(3, repetition).binary(4, name);
    if (converted >= 0) element.i32(6, converted);
    ThriftWriter metadata;
    metadata.i32(1, type)
        .i32(4, codec)
        .i64(5, rows)
        .i64(7, static_cast<std::int64_t>(footer_begin) - 4)
        .i64(9, 4);
    ThriftWriter chunk;
    if (!elsewhere.empty()) chunk.binary(1, elsewhere);
    chunk.structure(3, metadata);
    if (is_encrypted) chunk.structure(8, ThriftWriter{});
    const Bytes footer = ThriftWriter{}
                             .i32(1, 2)
                             .list(2, {ThriftWriter{}.binary(4, "root").i32(5, 1), element})
                             .i64(3, rows)
                             .list(4, {ThriftWriter{}.list(1, {chunk}).i64(3, rows)})
                             .done();
    file.insert(file.end(), footer.begin(), footer.end());
    append_le32(file, static_cast<std::uint32_t>(footer.size()));
    const Bytes magic = copied(bytes_of("PAR1"));
    file.insert(file.end(), magic.begin(), magic.end());
    return file;
  }

  static Bytes copied(ByteView bytes) { return {bytes.begin(), bytes.end()}; }
  static void append_le32(Bytes& to, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }

 private:
  static void append_page(Bytes& file, const MadePage& page) {
    ThriftWriter header;
    const auto size = static_cast<std::int64_t>(page.bytes.size());
    header.i32(1, page.type).i32(2, page.plain_bytes.value_or(size)).i32(3, size);
    if (page.crc) header.i32(4, static_cast<std::int32_t>(*page.crc));
    ThriftWriter kind;
    kind.i32(1, page.entries);
    if (page.type == 3) {
      kind.i32(2, 0)
          .i32(3, 0)
          .i32(4, page.encoding)
          .i32(5, page.definition_bytes)
          .i32(6, page.repetition_bytes)
          .boolean(7, false);
    } else {
      kind.i32(2, page.encoding);
      if (page.type == 0) kind.i32(3, page.level_encoding).i32(4, page.level_encoding);
    }
    header.structure(page.type == 3 ? 8 : page.type == 2 ? 7 : 5, kind);
    const Bytes head = header.done();
    file.insert(file.end(), head.begin(), head.end());
    file.insert(file.end(), page.bytes.begin(), page.bytes.end());
  }
};

inline std::uint32_t crc_of_page(ByteView bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace bloomery::testing
