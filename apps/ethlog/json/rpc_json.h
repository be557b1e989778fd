// A parser for untrusted JSON that builds no tree: is_json() checks the whole text once, and the
// other functions cut it into pieces of itself. An id is returned byte for byte, and members with
// equal names are all visited.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bloomery::ethlog {

// Whether the text is one value by RFC 8259, in UTF-8 without lone surrogates, and nested at most
// `most_depth` deep.
bool is_json(std::string_view text, std::size_t most_depth = 64);

// ---- The rest is for text that is_json, or a piece of it.

enum class JsonKind : unsigned char { kNull, kBool, kNumber, kString, kArray, kObject };
JsonKind json_kind(std::string_view value);
std::string_view json_kind_name(std::string_view value);  // as go-ethereum's errors have it
std::string_view json_trimmed(std::string_view value);    // without white space around it

// Precondition: an array. At most `most` items.
std::vector<std::string_view> json_items(std::string_view array, std::size_t most);
// The same, one after the other, until the visitor returns false: an untrusted array may have many.
void visit_json_items(std::string_view array, const std::function<bool(std::string_view)>& visit);

// Precondition: an object. In the order of the text.
using JsonMember = std::pair<std::string, std::string_view>;
std::vector<JsonMember> json_members(std::string_view object);
// The same, one after the other: an untrusted object may have many.
using VisitMember = std::function<void(const std::string& name, std::string_view value)>;
void visit_json_members(std::string_view object, const VisitMember& visit);

// Precondition: a string. Without quotes and escapes.
std::string json_text(std::string_view string);

// Without surrogates and overlong forms.
bool is_utf8_text(std::string_view text);
// With quotes. What is not UTF-8 is replaced.
void append_json_text(std::string& out, std::string_view text);

}  // namespace bloomery::ethlog
