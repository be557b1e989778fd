#include "bloomery/formats/json/value.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bloomery {
namespace {

// The digits of floating-point numbers and the escapes of strings are nlohmann's: scripts compare
// them as text.
template <class Value>
std::string dumped(const Value& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

bool is_utf8(const std::string& bytes) {
  try {
    (void)nlohmann::json(bytes).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

Json::Json(std::initializer_list<Json> elements) : kind_{Kind::kArray} {
  if (!std::ranges::all_of(elements, &Json::is_member)) {
    items_ = elements;
    return;
  }
  kind_ = Kind::kObject;
  for (const Json& member : elements) {
    names_.push_back(member.items_[0].text_);
    items_.push_back(member.items_[1]);
  }
}

Json Json::array() {
  Json value;
  value.kind_ = Kind::kArray;
  return value;
}

Json Json::object() {
  Json value;
  value.kind_ = Kind::kObject;
  return value;
}

bool Json::is_member() const {
  return kind_ == Kind::kArray && items_.size() == 2 && items_[0].kind_ == Kind::kText;
}

void Json::push_back(Json element) {
  kind_ = Kind::kArray;
  items_.push_back(std::move(element));
}

Json& Json::operator[](std::string_view name) {
  kind_ = Kind::kObject;
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return items_[static_cast<std::size_t>(found - names_.begin())];
  names_.emplace_back(name);
  return items_.emplace_back();
}

void Json::update(const Json& other) {
  for (std::size_t i = 0; i < other.items_.size(); ++i) (*this)[other.names_[i]] = other.items_[i];
}

std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

void Json::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += bool_ ? "true" : "false";
      return;
    case Kind::kUnsigned:
      out += std::to_string(unsigned_);
      return;
    case Kind::kSigned:
      out += std::to_string(signed_);
      return;
    case Kind::kDouble:
      out += dumped(double_);
      return;
    case Kind::kText:
      out += dumped(text_);
      return;
    case Kind::kArray:
    case Kind::kObject:
      break;
  }
  const bool is_object = kind_ == Kind::kObject;
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) out += ',';
    if (is_object) out += dumped(names_[i]) + ":";
    items_[i].append_to(out);
  }
  out += is_object ? '}' : ']';
}

}  // namespace bloomery
