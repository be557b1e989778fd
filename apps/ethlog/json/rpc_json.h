// JSON from strangers, taken apart without being built: checked as a whole first, then cut into
// pieces of its own text. An id goes back as it came, and of equal members none is lost.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bloomery::ethlog {

// One value and nothing else, by RFC 8259: in UTF-8, without halves of surrogate pairs, and nested
// no deeper than that.
bool is_json(std::string_view text, std::size_t most_depth = 64);

// ---- The rest is for text that is_json, or a piece of it.

enum class JsonKind : unsigned char { kNull, kBool, kNumber, kString, kArray, kObject };
JsonKind json_kind(std::string_view value);
std::string_view json_trimmed(std::string_view value);  // without white space around it

// Precondition: an array. No more pieces than that are cut; the last one tells that there are more.
std::vector<std::string_view> json_items(std::string_view array, std::size_t most);

// Precondition: an object. In the order of the text.
using JsonMember = std::pair<std::string, std::string_view>;
std::vector<JsonMember> json_members(std::string_view object);
// The same, one after the other: a stranger's object may have very many.
using VisitMember = std::function<void(const std::string& name, std::string_view value)>;
void visit_json_members(std::string_view object, const VisitMember& visit);

// Precondition: a string. Without quotes and escapes.
std::string json_text(std::string_view string);

// With quotes. What is not UTF-8 is replaced.
void append_json_text(std::string& out, std::string_view text);

}  // namespace bloomery::ethlog
