#include "bloomery/funnel/json_key.h"

#include <algorithm>
#include <vector>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

void append_json_string(std::string_view raw, std::string& to) {
  std::string text;
  append_unescaped_json(raw, text);
  to += 's';
  to += std::to_string(text.size());
  to += ':';
  to += text;
}

bool append_json_number(JsonReader& json, std::string& to) {
  const std::size_t place = json.at();
  std::string_view raw;
  if (!json.read_number(raw)) return false;
  to += 'd';
  const bool negative = raw.starts_with('-');
  if (negative) raw.remove_prefix(1);
  const std::size_t e = raw.find_first_of("eE");
  const std::string_view mantissa = raw.substr(0, e);
  const std::size_t point = mantissa.find('.');
  std::string digits{mantissa.substr(0, point)};
  if (point != std::string_view::npos) digits += mantissa.substr(point + 1);
  const std::size_t decimals = point == std::string_view::npos ? 0 : mantissa.size() - point - 1;
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) {
    to += "0;";
    return true;
  }
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view power = raw.substr(e + 1);
    const bool down = power.starts_with('-');
    if (down || power.starts_with('+')) power.remove_prefix(1);
    for (const char c : power) {
      exponent = exponent * 10 + (c - '0');
      if (exponent > kLargestExponent)
        return json.fail_at(place, message("a number has an exponent beyond ", kLargestExponent));
    }
    if (down) exponent = -exponent;
  }
  const std::size_t last = digits.find_last_not_of('0');
  exponent -= static_cast<std::int64_t>(decimals);
  exponent += static_cast<std::int64_t>(digits.size() - 1 - last);
  if (negative) to += '-';
  to.append(digits, first, last - first + 1);
  to += 'e';
  to += std::to_string(exponent);
  to += ';';
  return true;
}

bool append_json_value(JsonReader& json, std::string& to);

bool append_json_array(JsonReader& json, std::string& to) {
  if (!json.enter()) return false;
  to += '[';
  bool more = !json.take(']');
  while (more)
    if (!append_json_value(json, to) || !json.end_of_value(']', more)) return false;
  to += ']';
  json.leave();
  return true;
}

struct JsonMember {
  std::string name;  // unescaped
  std::size_t place;
  std::string encoded;
};

bool append_json_object(JsonReader& json, std::string& to) {
  if (!json.enter()) return false;
  std::vector<JsonMember> members;
  bool more = !json.take('}');
  while (more) {
    JsonMember& member = members.emplace_back();
    (void)json.next();
    member.place = json.at();
    std::string_view raw;
    if (!json.read_name(raw)) return false;
    append_unescaped_json(raw, member.name);
    append_json_string(raw, member.encoded);
    if (!append_json_value(json, member.encoded) || !json.end_of_value('}', more)) return false;
  }
  std::ranges::sort(members, [](const JsonMember& a, const JsonMember& b) {
    return a.name != b.name ? a.name < b.name : a.place < b.place;
  });
  const auto twice = std::ranges::adjacent_find(members, {}, &JsonMember::name);
  if (twice != members.end())
    return json.fail_at(std::next(twice)->place,
                        message("the member \"", twice->name,
                                "\" occurs twice in an object, and readers disagree "
                                "on which of the two counts"));
  to += '{';
  for (const JsonMember& member : members) to += member.encoded;
  to += '}';
  json.leave();
  return true;
}

bool append_json_word(JsonReader& json, std::string_view word, std::string& to) {
  to += word[0];
  return json.read_word(word);
}

bool append_json_value(JsonReader& json, std::string& to) {
  const char first = json.next();
  if (first == '{') return append_json_object(json, to);
  if (first == '[') return append_json_array(json, to);
  if (first == 't') return append_json_word(json, "true", to);
  if (first == 'f') return append_json_word(json, "false", to);
  if (first == 'n') return append_json_word(json, "null", to);
  if (first == '-' || (first >= '0' && first <= '9')) return append_json_number(json, to);
  if (first != '"') return json.skip_value();  // which says what is wrong
  std::string_view raw;
  if (!json.read_string(raw)) return false;
  append_json_string(raw, to);
  return true;
}

}  // namespace

Status put_json_key(std::string_view text, ByteSink& sink, std::size_t offset) {
  JsonReader json{text, offset};
  std::string key;
  if (!append_json_value(json, key) || !json.end()) return json.error();
  sink.put_bytes(bytes_of(key));
  return ok();
}

void put_absent_json_key(ByteSink& sink) { sink.put_bytes(bytes_of("u")); }

}  // namespace bloomery
