// Apache Thrift's compact protocol, read only: what Parquet's headers and footers are written in.
// Fields that the caller does not read are skipped; nesting is bounded, and no work exceeds
// the bytes there are.
#pragma once
#include <optional>

#include "bloomery/base/byte_reader.h"

namespace bloomery {

enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kI8 = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};

// Like ByteReader, it stays failed once it has failed: read all, then ask once.
class ThriftReader {
 public:
  static constexpr unsigned kMostNesting = 32;

  explicit ThriftReader(ByteView bytes) : reader_{bytes} {}

  // Reads a struct. Calls visit(id, type) for each field; visit reads the value and returns true,
  // or returns false without reading, and the field is skipped. A boolean is in its type.
  template <class Visit>
  void read_struct(Visit visit) {
    if (!enter()) return;
    std::int64_t id = 0;
    for (ThriftType type = next_field(id); type != ThriftType::kStop; type = next_field(id))
      if (!visit(id, type)) skip(type);
    leave();
  }
  // Reads a list or set. Calls visit(type) for each element, which reads it and returns true, or
  // returns false without reading, and the element is skipped.
  template <class Visit>
  void read_list(Visit visit) {
    if (!enter()) return;
    const List list = list_header();
    for (std::uint64_t i = 0; i < list.size && !failed(); ++i)
      if (!visit(list.element)) skip_element(list.element);
    leave();
  }
  std::int64_t read_integer();  // i16, i32 or i64
  ByteView read_binary();
  void skip(ThriftType type);

  bool failed() const { return reader_.failed() || malformed_at_.has_value(); }
  std::size_t position() const { return reader_.position(); }
  Error error(std::string_view what) const;  // Precondition: failed().

 private:
  struct List {
    ThriftType element = ThriftType::kStop;
    std::uint64_t size = 0;
  };
  bool enter();
  void leave() { --nesting_; }
  ThriftType next_field(std::int64_t& id);  // kStop at the end, and when failed
  List list_header();
  void skip_element(ThriftType type);
  void skip_map();
  std::uint64_t varint();
  ThriftType checked(unsigned type);
  void fail() {
    if (!failed()) malformed_at_ = reader_.position();
  }

  ByteReader reader_;
  unsigned nesting_ = 0;
  std::optional<std::size_t> malformed_at_;
};

}  // namespace bloomery
