// A JSON value to be printed: members keep their order. It is written as nlohmann::ordered_json is,
// without its header: Json{{"keys", 5}, {"fpr", 0.01}} is an object, Json::array() an array.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : kind_{Kind::kBool}, bool_{value} {}
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) Json(Number value)
      : kind_{Kind::kUnsigned}, unsigned_{value} {}
  Json(std::signed_integral auto value) : kind_{Kind::kSigned}, signed_{value} {}
  Json(double value) : kind_{Kind::kDouble}, double_{value} {}
  Json(std::string value) : kind_{Kind::kText}, text_{std::move(value)} {}
  Json(std::string_view value) : kind_{Kind::kText}, text_{value} {}
  Json(const char* value) : kind_{Kind::kText}, text_{value} {}
  // An object where every element is a name and a value, and otherwise an array.
  Json(std::initializer_list<Json> elements);

  template <std::convertible_to<Json> Element>
  Json(const std::vector<Element>& elements) : kind_{Kind::kArray} {
    for (const Element& element : elements) items_.emplace_back(element);
  }

  static Json array();
  static Json object();

  void push_back(Json element);             // null becomes an array
  Json& operator[](std::string_view name);  // null becomes an object; a new member is null
  void update(const Json& other);           // takes the members of another object
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

  // On one line. Bytes that are not UTF-8 become U+FFFD.
  std::string dump() const;

 private:
  enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kUnsigned,
    kSigned,
    kDouble,
    kText,
    kArray,
    kObject
  };
  bool is_member() const;
  void append_to(std::string& out) const;

  Kind kind_ = Kind::kNull;
  bool bool_ = false;
  std::uint64_t unsigned_ = 0;
  std::int64_t signed_ = 0;
  double double_ = 0;
  std::string text_ = {};
  std::vector<std::string> names_ = {};  // of an object, one for each item
  std::vector<Json> items_ = {};
};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Whether dump() would keep these bytes as they are.
bool is_utf8(const std::string& bytes);

}  // namespace bloomery
