// A value of a file that this module cannot decode. It is kept with all its fields: the server
// starts, commands on it reply the reason, and it is saved unchanged.
#pragma once
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "apps/redis/server/rdb_io.h"

namespace bloomery::redis_module {

// The fields of a value in their order, read before any of them is judged.
class RawFields {
 public:
  std::uint64_t read_unsigned(ServerReader& reader) {
    return add_unsigned(reader.unsigned_value());
  }
  std::uint64_t add_unsigned(std::uint64_t value) {
    kinds_.push_back(kUnsigned);
    numbers_.push_back(value);
    return value;
  }
  double read_double(ServerReader& reader) {
    const double value = reader.double_value();
    kinds_.push_back(kDouble);
    numbers_.push_back(std::bit_cast<std::uint64_t>(value));
    return value;
  }
  void read_string(ServerReader& reader) {
    kinds_.push_back(kString);
    texts_.push_back(reader.string_value());
  }

  template <class Writer>
  void write(Writer& writer) const {
    std::size_t number = 0;
    std::size_t text = 0;
    for (const char kind : kinds_) {
      if (kind == kUnsigned) writer.unsigned_value(numbers_[number++]);
      if (kind == kDouble) writer.double_value(std::bit_cast<double>(numbers_[number++]));
      if (kind == kString) writer.string_value(view(texts_[text++]));
    }
  }
  RawFields clone() const;  // throws std::bad_alloc
  std::size_t size_bytes() const;

 private:
  friend class RawReader;
  static constexpr char kUnsigned = 'u';
  static constexpr char kDouble = 'd';
  static constexpr char kString = 's';
  static ByteView view(const ServerText& text) {
    return bytes_of(std::string_view{text.text.get(), text.size});
  }

  std::string kinds_;
  std::vector<std::uint64_t> numbers_;
  std::vector<ServerText> texts_;
};

// Reads the fields again, as formats/redisbloom_rdb.h asks of a reader. Another kind of field than
// asked for is an error.
class RawReader {
 public:
  struct Text {
    std::size_t size = 0;
    ByteView bytes = {};
    Status unpack(ByteSpan out) const {  // Precondition: out.size() == size
      if (size > 0) std::memcpy(out.data(), bytes.data(), size);
      return ok();
    }
  };

  explicit RawReader(const RawFields& fields) : fields_{fields} {}

  std::uint64_t unsigned_value() {
    return is_next(RawFields::kUnsigned) ? fields_.numbers_[number_++] : 0;
  }
  double double_value() {
    return is_next(RawFields::kDouble) ? std::bit_cast<double>(fields_.numbers_[number_++]) : 0;
  }
  Text string_value() {
    if (!is_next(RawFields::kString)) return {};
    const ByteView bytes = RawFields::view(fields_.texts_[text_++]);
    return {bytes.size(), bytes};
  }
  void end() {}
  bool failed() const { return error_.has_value(); }
  void fail(Error error) {
    if (!failed()) error_ = std::move(error);
  }
  Error error() const {
    return error_.value_or(Error{ErrorCode::kTruncated, "the value ends before its last member"});
  }

 private:
  bool is_next(char kind) {
    if (failed()) return false;
    if (at_ < fields_.kinds_.size() && fields_.kinds_[at_] == kind) return ++at_, true;
    fail({ErrorCode::kTruncated, "the value ends before its last member"});
    return false;
  }

  const RawFields& fields_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
  std::size_t text_ = 0;
  std::optional<Error> error_;
};

struct Unreadable {
  RawFields fields;
  std::string reason;
};

}  // namespace bloomery::redis_module
