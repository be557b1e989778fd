#include "apps/cli/records/json_keys.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bloomery/base/message.h"
#include "bloomery/funnel/json_key.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kNoIndex = UINT64_MAX;
using PointerSet = std::uint64_t;  // bit i: the pointer i

std::uint64_t index_of(std::string_view token) {
  std::uint64_t index = kNoIndex;
  if (token.empty() || (token[0] == '0' && token.size() > 1)) return kNoIndex;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), index);
  return read.ec == std::errc{} && read.ptr == token.data() + token.size() ? index : kNoIndex;
}

// Calls use(i) for each member of the set.
template <class Use>
void for_each_pointer(PointerSet set, Use use) {
  for (; set != 0; set &= set - 1) use(static_cast<std::size_t>(std::countr_zero(set)));
}

// Two different numbers are two keys, even where a double could not distinguish them.
std::string number_text(std::string_view raw) {
  constexpr std::ptrdiff_t kDigitsOfADouble = 15;
  const char* const end = raw.data() + raw.size();
  if (raw.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t number = 0;
    const auto read = std::from_chars(raw.data(), end, number);
    return read.ec == std::errc{} ? std::to_string(number) : std::string{raw};
  }
  const auto digits = std::ranges::count_if(raw, [](char c) { return c >= '0' && c <= '9'; });
  if (digits > kDigitsOfADouble) return std::string{raw};
  const double number = std::strtod(std::string{raw}.c_str(), nullptr);
  return std::isfinite(number) ? nlohmann::json(number).dump() : std::string{raw};
}

}  // namespace

std::optional<JsonKeys::Pointer> JsonKeys::parse_one(std::string_view text) {
  Pointer pointer{text.empty() ? "\"\"" : std::string{text}, {}, {}};
  if (!text.empty() && text[0] != '/') return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      pointer.tokens.emplace_back();
    } else if (text[i] == '~') {
      const char kind = ++i < text.size() ? text[i] : '\0';
      if (kind != '0' && kind != '1' && kind != '2') return std::nullopt;
      pointer.tokens.back() += kind == '0' ? '~' : kind == '1' ? '/' : ',';
    } else {
      pointer.tokens.back() += text[i];
    }
  }
  if (pointer.tokens.size() > JsonReader::kDeepest) return std::nullopt;
  for (const std::string& token : pointer.tokens) pointer.indexes.push_back(index_of(token));
  return pointer;
}

Result<JsonKeys> JsonKeys::parse(const std::string& list) {
  const auto invalid = [](std::string sentence) {
    return Error{ErrorCode::kInvalidArgument, std::move(sentence)};
  };
  JsonKeys keys;
  std::string_view rest = list;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view text = rest.substr(0, comma);
    auto pointer = parse_one(text);
    const bool lacks_one = text.empty() && (more || !keys.pointers_.empty());
    if (!pointer || lacks_one)
      return invalid(
          message("'", text, "' is not a JSON Pointer such as /user/id",
                  more || !keys.pointers_.empty() ? "; a comma in a name is written ~2" : ""));
    if (keys.size() == kMost) return invalid(message("more than ", kMost, " JSON Pointers"));
    keys.pointers_.push_back(std::move(*pointer));
    if (more) rest.remove_prefix(comma + 1);
  }
  return keys;
}

// One pass over a record.
class JsonKeys::Search {
 public:
  Search(const std::vector<Pointer>& pointers, std::string_view record, Values& values)
      : pointers_{pointers}, json_{record}, values_{values} {}

  Status run() {
    if (json_.text().starts_with("\xef\xbb\xbf"))
      json_.fail("it is not JSON: it begins with a UTF-8 byte order mark");
    const auto all =
        pointers_.size() == kMost ? ~PointerSet{0} : (PointerSet{1} << pointers_.size()) - 1;
    if (!value(all, 0) || !json_.end()) return json_.error();
    return ok();
  }

 private:
  // Reads the value that the first `level` tokens of these pointers lead to.
  bool value(PointerSet here, std::size_t level) {
    PointerSet below = 0;
    for_each_pointer(here, [&](std::size_t i) {
      if (pointers_[i].tokens.size() > level) below |= PointerSet{1} << i;
    });
    const char first = json_.next();
    const std::size_t begin = json_.at();
    const bool read = below != 0 && first == '{'   ? object(below, level)
                      : below != 0 && first == '[' ? array(below, level)
                                                   : json_.skip_value();
    if (!read) return false;
    for_each_pointer(here & ~below, [&](std::size_t i) {
      values_[i] = json_.text().substr(begin, json_.at() - begin);
    });
    return true;
  }

  bool object(PointerSet here, std::size_t level) {
    PointerSet met = 0;
    if (!json_.enter()) return false;
    bool more = !json_.take('}');
    while (more) {
      (void)json_.next();
      const std::size_t place = json_.at();
      std::string_view raw;
      if (!json_.read_name(raw)) return false;
      const PointerSet leads = called(here, level, raw);
      if ((leads & met) != 0)
        return json_.fail_at(place,
                             message("the member ", json_.text().substr(place, raw.size() + 2),
                                     " occurs twice, and readers disagree on which of the "
                                     "two counts"));
      met |= leads;
      if (!(leads != 0 ? value(leads, level + 1) : json_.skip_value())) return false;
      if (!json_.end_of_value('}', more)) return false;
    }
    json_.leave();
    return true;
  }

  bool array(PointerSet here, std::size_t level) {
    if (!json_.enter()) return false;
    bool more = !json_.take(']');
    for (std::uint64_t index = 0; more; ++index) {
      PointerSet leads = 0;
      for_each_pointer(here, [&](std::size_t i) {
        if (pointers_[i].indexes[level] == index) leads |= PointerSet{1} << i;
      });
      if (!(leads != 0 ? value(leads, level + 1) : json_.skip_value())) return false;
      if (!json_.end_of_value(']', more)) return false;
    }
    json_.leave();
    return true;
  }

  PointerSet called(PointerSet here, std::size_t level, std::string_view raw) {
    if (!raw.empty() && std::memchr(raw.data(), '\\', raw.size()) != nullptr) {
      name_.clear();
      append_unescaped_json(raw, name_);
      raw = name_;
    }
    PointerSet leads = 0;
    for_each_pointer(here, [&](std::size_t i) {
      if (pointers_[i].tokens[level] == raw) leads |= PointerSet{1} << i;
    });
    return leads;
  }

  const std::vector<Pointer>& pointers_;
  JsonReader json_;
  Values& values_;
  std::string name_;
};

Status JsonKeys::find(std::string_view record, Values& values) const {
  values.assign(pointers_.size(), std::nullopt);
  if (record.find_first_not_of(" \t\r\n") == std::string_view::npos) return ok();
  return Search{pointers_, record, values}.run();
}

Status append_json_text(std::string_view raw, std::size_t offset, std::string& to) {
  const char first = raw[0];
  if (first == '"') {
    append_unescaped_json(raw.substr(1, raw.size() - 2), to);
    return ok();
  }
  if (first == '-' || (first >= '0' && first <= '9')) {
    to += number_text(raw);
    return ok();
  }
  if (first != '{' && first != '[') {
    to += raw;
    return ok();
  }
  ByteSink typed;  // finds members that occur twice
  if (auto put = put_json_key(raw, typed, offset); !put) return put;
  const auto value = nlohmann::json::parse(raw, nullptr, false);
  if (value.is_discarded())
    return Error{ErrorCode::kInvalidArgument,
                 message("a number is too large for a key of this kind; --json-typed takes numbers "
                         "of any size (byte ",
                         offset + 1, ")")};
  to += value.dump();
  return ok();
}

}  // namespace bloomery::cli
