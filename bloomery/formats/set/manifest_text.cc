#include "bloomery/formats/set/manifest_text.h"

#include <charconv>
#include <locale>
#include <sstream>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/funnel/json_reader.h"

namespace bloomery::internal {
namespace {

template <class Number>
bool whole_number(std::string_view digits, Number& number, int base = 10) {
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return error == std::errc{} && end == digits.data() + digits.size();
}

// Reads the text once, member by member.
class Parser {
 public:
  explicit Parser(std::string_view text) : json_{text} {
    manifest_.whole.keys_inserted = kNativeCountUnknown;
  }

  Result<SetManifest> parse() {
    const bool read = json_.next() == '{' &&
                      object([&](std::string_view name) { return member(name); }) && json_.end();
    if (later_version_)
      return Error{ErrorCode::kUnsupported,
                   message("this is version ", version_,
                           " of the manifest, and only version 1 is known here")};
    if (!read) return json_.error();
    if (version_ != kManifestVersion) return malformed("the manifest has no version");
    return std::move(manifest_);
  }

 private:
  template <class Member>
  bool object(Member member) {
    if (json_.next() != '{') return json_.fail("an object is expected");
    if (!json_.enter()) return false;
    if (json_.take('}')) return json_.leave(), true;
    for (bool more = true; more;) {
      std::string_view name;
      if (!json_.read_name(name) || !member(name) || !json_.end_of_value('}', more)) return false;
    }
    return json_.leave(), true;
  }
  bool member(std::string_view name) {
    if (name == "version") return version();
    if (name == "filter") return object([&](std::string_view inner) { return filter(inner); });
    if (name == "parts") return parts();
    return json_.skip_value();
  }
  bool version() {
    if (!number(version_)) return false;
    later_version_ = version_ > kManifestVersion;
    return !later_version_ || json_.fail("a later version");
  }
  bool filter(std::string_view name) {
    NativeHeader& whole = manifest_.whole;
    std::string_view text;
    if (name == "bits") return number(whole.bits);
    if (name == "probes") return number(whole.probes);
    if (name == "seed") return number(whole.seed);
    if (name == "keys") return is_null() || number(whole.goal_keys);
    if (name == "rate") return is_null() || real(whole.goal_rate);
    if (name == "keys_inserted") return is_null() || number(whole.keys_inserted);
    if (name == "seeded") return seeded();
    if (name == "secret_check") return hex(whole.secret_check);
    if (name == "layout") return string(text) && layout(text);
    if (name == "hash") return string(text) && hash(text);
    if (name == "funnel") return string(text) && funnel(text);
    return json_.skip_value();
  }
  bool seeded() {
    if (json_.next() == 't') {
      manifest_.whole.flags |= kNativeSeeded;
      return json_.read_word("true");
    }
    return json_.next() == 'f' ? json_.read_word("false") : json_.fail("true or false is expected");
  }
  bool layout(std::string_view name) {
    if (name != "block" && name != "lines") return json_.fail("the layout must be block or lines");
    manifest_.whole.kind = name == "lines" ? NativeKind::kLines : NativeKind::kBlock;
    return true;
  }
  bool hash(std::string_view name) {
    const auto profile = find_profile(name);
    if (!profile) return json_.fail("the hash is not known here");
    manifest_.whole.profile = static_cast<std::uint32_t>(*profile);
    if (*profile == Profile::kSiphash) manifest_.whole.flags |= kNativeKeyed;
    return true;
  }
  bool funnel(std::string_view name) {
    const auto found = name == "user" ? FunnelName::kUser : find_funnel(name);
    if (!found) return json_.fail("the funnel is not known here");
    manifest_.whole.funnel = *found;
    return true;
  }
  bool parts() {
    if (json_.next() != '[') return json_.fail("an array is expected");
    if (!json_.enter()) return false;
    if (json_.take(']')) return json_.leave(), true;
    for (bool more = true; more;) {
      if (manifest_.parts.size() == kMaxParts) return json_.fail("there are too many parts");
      ManifestPart& part = manifest_.parts.emplace_back();
      if (!object([&](std::string_view name) { return part_member(part, name); }) ||
          !json_.end_of_value(']', more))
        return false;
    }
    return json_.leave(), true;
  }
  bool part_member(ManifestPart& part, std::string_view name) {
    std::string_view raw;
    if (name == "bytes") return number(part.bytes);
    if (name == "checksum") return hex(part.body_checksum);
    if (name == "keys_inserted") return is_null() || number(part.keys_inserted.emplace());
    if (name != "file") return json_.skip_value();
    if (!string(raw)) return false;
    part.file.clear();
    append_unescaped_json(raw, part.file);
    return true;
  }

  bool is_null() { return json_.next() == 'n' && json_.read_word("null"); }
  bool string(std::string_view& raw) {
    return json_.next() == '"' ? json_.read_string(raw) : json_.fail("a string is expected");
  }
  bool hex(std::uint64_t& value) {
    std::string_view raw;
    if (!string(raw)) return false;
    return (raw.size() == 16 && whole_number(raw, value, 16)) ||
           json_.fail("16 hexadecimal digits are expected");
  }
  bool digits(std::string_view& raw) {
    const char c = json_.next();
    return (c >= '0' && c <= '9') ? json_.read_number(raw) : json_.fail("a number is expected");
  }
  template <class Number>
  bool number(Number& value) {
    std::string_view raw;
    return digits(raw) && (whole_number(raw, value) || json_.fail("the number is too large"));
  }
  bool real(double& value) {
    std::string_view raw;
    if (!digits(raw)) return false;
    std::istringstream in{std::string{raw}};
    in.imbue(std::locale::classic());
    return (in >> value && in.eof()) || json_.fail("the number is no double");
  }

  JsonReader json_;
  SetManifest manifest_{};
  std::uint32_t version_ = 0;
  bool later_version_ = false;
};

}  // namespace

std::string hex_text(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; number >>= 4)
    text[i] = "0123456789abcdef"[number % 16];
  return text;
}

std::string escaped(std::string_view utf8) {
  std::string text;
  for (const char c : utf8) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

Result<SetManifest> parse_manifest(std::string_view text) { return Parser{text}.parse(); }

}  // namespace bloomery::internal

namespace bloomery {

bool is_part_file_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.back() == '/') return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view step = name.substr(at, end - at);
    if (step.empty() || step == "." || step == "..") return false;
    at = end + 1;
  }
  // As the reader of the manifest will read it.
  const std::string quoted = '"' + internal::escaped(name) + '"';
  JsonReader reader{quoted};
  std::string_view raw;
  return reader.read_string(raw) && reader.end();
}

}  // namespace bloomery
