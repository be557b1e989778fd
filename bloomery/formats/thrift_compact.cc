#include "bloomery/formats/thrift_compact.h"

#include "bloomery/base/varint.h"

namespace bloomery {
namespace {

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace

bool ThriftReader::enter() {
  ++nesting_;
  if (nesting_ <= kMostNesting && !failed()) return true;
  fail();
  leave();
  return false;
}

std::uint64_t ThriftReader::varint() {
  if (failed()) return 0;
  const auto value = read_varint(reader_);
  if (!value) fail();
  return value.value_or(0);
}

ThriftType ThriftReader::checked(unsigned type) {
  if (type >= 1 && type <= static_cast<unsigned>(ThriftType::kUuid))
    return static_cast<ThriftType>(type);
  fail();
  return ThriftType::kStop;
}

ThriftType ThriftReader::next_field(std::int64_t& id) {
  if (failed()) return ThriftType::kStop;
  const auto head = reader_.le<std::uint8_t>();
  if (failed() || head == 0) return ThriftType::kStop;
  const unsigned step = head >> 4;
  id = step != 0 ? id + step : read_integer();
  // Field numbers are 16-bit in Thrift; a sum of larger ones would overflow.
  if (id < INT16_MIN || id > INT16_MAX) fail();
  const ThriftType type = checked(head & 15U);
  return failed() ? ThriftType::kStop : type;
}

std::int64_t ThriftReader::read_integer() { return unzigzag(varint()); }

ByteView ThriftReader::read_binary() {
  const std::uint64_t size = varint();
  return failed() ? ByteView{} : reader_.take(size);
}

ThriftReader::List ThriftReader::list_header() {
  const auto head = reader_.le<std::uint8_t>();
  List list;
  list.size = head >> 4;
  if (list.size == 15) list.size = varint();
  if (list.size == 0) return {};  // writers differ in the type of no elements
  list.element = checked(head & 15U);
  // Every element has at least one byte, so a longer list is a lie.
  if (list.size > reader_.remaining()) fail();
  return failed() ? List{} : list;
}

void ThriftReader::skip_element(ThriftType type) {
  const bool is_bool = type == ThriftType::kTrue || type == ThriftType::kFalse;
  if (is_bool) {
    reader_.take(1);
  } else {
    skip(type);
  }
}

void ThriftReader::skip_map() {
  if (!enter()) return;
  const std::uint64_t size = varint();
  if (size > 0 && !failed()) {
    const auto types = reader_.le<std::uint8_t>();
    const ThriftType key = checked(types >> 4);
    const ThriftType value = checked(types & 15U);
    if (size > reader_.remaining()) fail();
    for (std::uint64_t i = 0; i < size && !failed(); ++i) {
      skip_element(key);
      skip_element(value);
    }
  }
  leave();
}

void ThriftReader::skip(ThriftType type) {
  if (failed()) return;
  switch (type) {
    case ThriftType::kStop:
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      return;
    case ThriftType::kI8:
      reader_.take(1);
      return;
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      varint();
      return;
    case ThriftType::kDouble:
      reader_.take(8);
      return;
    case ThriftType::kUuid:
      reader_.take(16);
      return;
    case ThriftType::kBinary:
      read_binary();
      return;
    case ThriftType::kList:
    case ThriftType::kSet:
      read_list([](ThriftType) { return false; });
      return;
    case ThriftType::kMap:
      skip_map();
      return;
    case ThriftType::kStruct:
      read_struct([](std::int64_t, ThriftType) { return false; });
      return;
  }
}

Error ThriftReader::error(std::string_view what) const {
  if (!malformed_at_) return reader_.truncated(what);
  return {ErrorCode::kMalformed, message(what, ": the bytes at ", *malformed_at_,
                                         " are not Thrift's compact protocol, or nest too deeply")};
}

}  // namespace bloomery
