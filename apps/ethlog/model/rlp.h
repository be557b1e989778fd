// RLP, Ethereum's encoding of nested byte strings. Only the canonical form is read: every value has
// one encoding, so what was decoded can be encoded to the same bytes and the same hash.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "apps/ethlog/model/chain.h"
#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// The first thing that went wrong in a decode, shared by the readers of all nested lists.
class RlpFailure {
 public:
  explicit operator bool() const { return error_.has_value(); }
  // Precondition: something failed.
  const Error& error() const { return *error_; }
  void set(ErrorCode code, std::string sentence) {
    if (!error_) error_ = Error{code, std::move(sentence)};
  }

 private:
  std::optional<Error> error_;
};

// A cursor over the items of one list. A read that fails returns an empty value and everything that
// shares the failure stays failed, so a decoder reads a whole structure and asks once. Memory is
// never allocated: views point into the input. `what` names the thing in the error.
class RlpReader {
 public:
  // Over a sequence of items without a list's head.
  RlpReader(ByteView items, RlpFailure& failure) : rest_{items}, failure_{&failure} {}
  // Over the items of the one list that is all of `bytes`.
  static RlpReader of_list(ByteView bytes, RlpFailure& failure, std::string_view what);

  // No item is left, or something failed: loops over items end either way.
  bool done() const { return rest_.empty() || *failure_; }
  bool failed() const { return static_cast<bool>(*failure_); }
  bool next_is_list() const;

  ByteView bytes(std::string_view what);  // a string of any length
  RlpReader list(std::string_view what);
  ByteView item(std::string_view what);  // whole, head included; what is inside is not looked at
  // Big-endian, without leading zeros, of at most `max_bytes`.
  ByteView integer(std::string_view what, std::size_t max_bytes = 32);
  std::uint64_t number(std::string_view what);
  template <std::size_t Size>
  FixedBytes<Size> fixed(std::string_view what) {
    const ByteView raw = sized(what, Size);
    return raw.size() == Size ? FixedBytes<Size>::from_bytes(raw) : FixedBytes<Size>{};
  }
  void expect_end(std::string_view what);

 private:
  struct Item {
    bool is_list = false;
    ByteView payload;
    ByteView whole;
  };
  Item take(std::string_view what);
  Item read_head(std::string_view what);
  ByteView sized(std::string_view what, std::size_t size);
  Item fail(ErrorCode code, std::string_view what, std::string_view why);

  ByteView rest_;
  RlpFailure* failure_;
};

class RlpWriter {
 public:
  void bytes(ByteView raw);
  void number(std::uint64_t value);
  void integer(ByteView big_endian);  // leading zeros are left out
  void item(ByteView encoded) { out_.insert(out_.end(), encoded.begin(), encoded.end()); }
  void begin_list() { open_.push_back(out_.size()); }
  void end_list();  // Precondition: a list is open.
  std::size_t size() const { return out_.size(); }
  // Precondition: every list is ended.
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
  std::vector<std::size_t> open_;
};

}  // namespace bloomery::ethlog
