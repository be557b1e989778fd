// Readers of the members of an object of JSON. Sources only: it includes the JSON library.
#pragma once
#include <nlohmann/json.hpp>

#include "apps/ethlog/model/chain.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {

inline Error bad_member(std::string_view name, std::string_view expected,
                        const nlohmann::json& found) {
  std::string text = found.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 80) + "...";
  return {ErrorCode::kMalformed,
          message("the member \"", name, "\" should be ", expected, "; it is ", text)};
}

// Null counts as absent.
inline const nlohmann::json* member(const nlohmann::json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// The text of a member; null where it is absent or no text.
inline const std::string* text_member(const nlohmann::json& object, std::string_view name) {
  const nlohmann::json* found = member(object, name);
  return found == nullptr ? nullptr : found->get_ptr<const std::string*>();
}

// A compact object; empty where it has no member.
inline std::string compact(const nlohmann::json& object) {
  return object.empty() ? std::string{}
                        : object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Readers of one member: they fill `out` and say false only where the member is there and wrong.
class Members {
 public:
  explicit Members(const nlohmann::json& object) : object_{object} {}

  template <std::size_t Size>
  bool fixed(std::string_view name, std::optional<FixedBytes<Size>>& out) {
    const nlohmann::json* found = member(object_, name);
    if (found == nullptr) return true;
    if (found->is_string()) out = FixedBytes<Size>::from_hex(found->get_ref<const std::string&>());
    return out || fail(name, message(Size, " bytes written as 0x and hexadecimal digits"), *found);
  }
  // A JSON number or a quantity.
  bool number(std::string_view name, std::optional<std::uint64_t>& out) {
    const nlohmann::json* found = member(object_, name);
    if (found == nullptr) return true;
    if (found->is_number_unsigned()) out = found->get<std::uint64_t>();
    if (found->is_string()) out = number_from_quantity(found->get_ref<const std::string&>());
    return out || fail(name, "a number below 2^64, as JSON writes one or as 0x and digits", *found);
  }
  bool bytes(std::string_view name, std::optional<std::vector<std::byte>>& out) {
    const nlohmann::json* found = member(object_, name);
    if (found == nullptr) return true;
    if (found->is_string()) out = bytes_from_hex(found->get_ref<const std::string&>());
    return out || fail(name, "bytes written as 0x and hexadecimal digits", *found);
  }
  bool fail(std::string_view name, std::string_view expected, const nlohmann::json& found) {
    error_ = bad_member(name, expected, found);
    return false;
  }
  bool missing(std::string_view name) {
    error_ = Error{ErrorCode::kMalformed, message("the member \"", name, "\" is missing")};
    return false;
  }
  // Precondition: one of the above said false.
  const Error& error() const { return *error_; }

 private:
  const nlohmann::json& object_;
  std::optional<Error> error_;
};

}  // namespace bloomery::ethlog
