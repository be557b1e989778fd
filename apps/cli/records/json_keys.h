// Keys inside JSON records: the values at one or more JSON Pointers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// JSON Pointers (RFC 6901), checked once.
class JsonKeys {
 public:
  static constexpr std::size_t kMost = 64;

  // "/user/id" or "/user,/time": a comma in a name is written ~2, besides ~0 for ~ and ~1 for /.
  // The empty text is the whole record.
  static Result<JsonKeys> parse(const std::string& list);

  std::size_t size() const { return pointers_.size(); }
  // As it was written, "" in quotes.
  const std::string& name(std::size_t i) const { return pointers_[i].name; }

  // The raw texts of the values, nothing where a record has none; a blank record has none at all.
  // The whole record is checked. kInvalidArgument with the byte for what is no JSON, and for an
  // object that has a member on the way to a value twice.
  using Values = std::vector<std::optional<std::string_view>>;
  Status find(std::string_view record, Values& values) const;

 private:
  struct Pointer {
    std::string name;
    std::vector<std::string> tokens;
    std::vector<std::uint64_t> indexes;  // of the tokens, for arrays; UINT64_MAX: none
  };
  class Search;

  static std::optional<Pointer> parse_one(std::string_view text);
  std::vector<Pointer> pointers_;
};

// The key of one raw value without its type: a string gives its bytes, anything else its compact
// text; a number with more digits than a double holds gives the text it is written as. `offset` is
// where the value begins in its record, for errors. Precondition: JsonKeys::find gave it.
Status append_json_text(std::string_view raw, std::size_t offset, std::string& to);

}  // namespace bloomery::cli
