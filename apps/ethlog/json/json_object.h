// An object of JSON-RPC whose members stand in the order of their names, as go-ethereum writes its
// maps.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/model/hex.h"

namespace bloomery::ethlog {

// Big-endian bytes of any length as a QUANTITY.
inline std::string quantity_of(ByteView big_endian) {
  std::string hex = to_hex(big_endian);
  const std::size_t first = hex.find_first_not_of('0', 2);
  return "0x" + (first == std::string::npos ? std::string{"0"} : hex.substr(first));
}

class JsonObject {
 public:
  void raw(std::string_view name, std::string json) {
    members_.insert_or_assign(std::string{name}, std::move(json));
  }
  // Precondition: nothing in it must be escaped.
  void text(std::string_view name, std::string_view text) {
    raw(name, "\"" + std::string{text} + "\"");
  }
  void data(std::string_view name, ByteView bytes) { text(name, to_hex(bytes)); }
  void quantity(std::string_view name, std::uint64_t value) { text(name, to_quantity(value)); }

  const auto& members() const { return members_; }

  void append_to(std::string& out) const {
    char before = '{';
    for (const auto& [name, json] : members_) {
      out += before;
      out += '"';
      out += name;
      out += "\":";
      out += json;
      before = ',';
    }
    out += members_.empty() ? "{}" : "}";
  }

 private:
  std::map<std::string, std::string, std::less<>> members_;
};

// The members of a stored object as they stand there; nothing where the text is no object.
inline void add_members(JsonObject& object, const std::string& json) {
  if (!is_json(json) || json_kind(json) != JsonKind::kObject) return;
  for (const auto& [name, value] : json_members(json)) {
    std::string quoted;
    append_json_text(quoted, name);
    // Names are written unescaped; no client uses a name that would need escapes.
    if (quoted.size() == name.size() + 2) object.raw(name, std::string{value});
  }
}

}  // namespace bloomery::ethlog
