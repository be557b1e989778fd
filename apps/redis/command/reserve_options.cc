#include "apps/redis/command/reserve_options.h"

#include <algorithm>

#include "apps/redis/server/numbers.h"
#include "bloomery/formats/redis/redisbloom.h"

namespace bloomery::redis_module {
namespace {

enum class Option : std::uint8_t {
  kExpansion,
  kNonScaling,
  kCounting,
  kWindow,
  kSlices,
  kLayout,
  kPart,
  kSecret,
  kStart,
  kSecretBytes
};
struct Row {
  std::string_view name;
  Option option;
  bool has_value;
  bool asks_for_native;
};
constexpr Row kRows[] = {
    {"EXPANSION", Option::kExpansion, true, false},
    {"NONSCALING", Option::kNonScaling, false, false},
    {"COUNTING", Option::kCounting, false, true},
    {"WINDOW", Option::kWindow, true, true},
    {"SLICES", Option::kSlices, true, false},
    {"LAYOUT", Option::kLayout, true, true},
    {"PART", Option::kPart, true, true},
    {"SECRET", Option::kSecret, false, true},
    {"START", Option::kStart, true, false},
    {"SECRETBYTES", Option::kSecretBytes, true, false},
};
constexpr std::size_t kFirstOption = 2;  // after the rate and the keys

const Row* row_of(std::string_view word) {
  const auto found =
      std::ranges::find_if(kRows, [&](const Row& row) { return same_word(word, row.name); });
  return found == std::end(kRows) ? nullptr : found;
}

std::optional<Secret> parse_secret(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.size() != 2 * sizeof(Secret)) return std::nullopt;
  Secret secret;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const std::size_t high = kDigits.find(text[2 * i]);
    const std::size_t low = kDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    secret[i] = static_cast<std::byte>(high * 16 + low);
  }
  return secret;
}

using Refused = std::optional<Refusal>;

class Parser {
 public:
  Parser(Words words, const NewFilter& size, bool from_primary)
      : words_{words}, from_primary_{from_primary}, result_{{size.goal, size.expansion}} {}

  Refused parse() {
    for (std::size_t i = kFirstOption; i < words_.size(); ++i) {
      const Row* row = row_of(words_[i]);
      if (row == nullptr) return Refusal::kNativeUnknownOption;
      if (std::exchange(said_[static_cast<std::size_t>(row->option)], true))
        return Refusal::kNativeRepeatedOption;
      if (row->has_value && ++i == words_.size()) return missing_value(row->option);
      if (row->option == Option::kPart && ++i == words_.size()) return Refusal::kNativeBadPart;
      if (const auto refused = take(row->option, i)) return refused;
    }
    return check_together();
  }
  const NativeReserve& result() const { return result_; }

 private:
  bool said(Option option) const { return said_[static_cast<std::size_t>(option)]; }
  static Refusal missing_value(Option option) {
    if (option == Option::kExpansion) return Refusal::kReserveNoExpansion;
    if (option == Option::kWindow) return Refusal::kNativeBadWindow;
    if (option == Option::kSlices) return Refusal::kNativeBadSlices;
    if (option == Option::kPart) return Refusal::kNativeBadPart;
    return option == Option::kLayout ? Refusal::kNativeBadLayout : Refusal::kNativeFromPrimaryOnly;
  }

  Refused take(Option option, std::size_t at) {
    if (option == Option::kCounting) result_.plan.layout = LayerKind::kCounting;
    if (option == Option::kSecret) result_.draws_secret = true;
    if (option == Option::kExpansion) return take_expansion(words_[at]);
    if (option == Option::kWindow) return take_window(words_[at]);
    if (option == Option::kSlices) return take_slices(words_[at]);
    if (option == Option::kLayout && !same_word(words_[at], "BLOCK"))
      return Refusal::kNativeBadLayout;
    if (option == Option::kPart) return take_part(words_[at - 1], words_[at]);
    if (option == Option::kStart) return take_start(words_[at]);
    if (option == Option::kSecretBytes) return take_secret(at);
    return std::nullopt;
  }
  Refused take_expansion(std::string_view word) {
    const auto number = parse_integer(word);
    if (!number) return Refusal::kReserveBadExpansion;
    if (*number < 0 || *number > RedisBloomFilter::kMaxExpansion)
      return Refusal::kReserveExpansionRange;
    result_.plan.expansion = static_cast<std::uint32_t>(*number);
    return std::nullopt;
  }
  Refused take_window(std::string_view word) {
    const auto seconds = parse_integer(word);
    if (!seconds || *seconds < 1 || *seconds > TimeWindow::kMostSeconds)
      return Refusal::kNativeBadWindow;
    result_.plan.window = TimeWindow{*seconds * 1000};
    return std::nullopt;
  }
  Refused take_slices(std::string_view word) {
    const auto slices = parse_integer(word);
    if (!slices || *slices < TimeWindow::kFewestSlices || *slices > TimeWindow::kMostSlices)
      return Refusal::kNativeBadSlices;
    slices_ = static_cast<std::uint32_t>(*slices);
    return std::nullopt;
  }
  Refused take_part(std::string_view index_word, std::string_view parts_word) {
    const auto index = parse_integer(index_word);
    const auto parts = parse_integer(parts_word);
    if (!index || !parts || *parts < 1 || *parts > kMaxParts || *index < 0 || *index >= *parts)
      return Refusal::kNativeBadPart;
    part_ = {static_cast<std::uint32_t>(*index), static_cast<std::uint32_t>(*parts)};
    return std::nullopt;
  }
  Refused take_start(std::string_view word) {
    result_.start = parse_integer(word);
    const bool valid =
        result_.start && *result_.start >= 0 && *result_.start <= TimeWindow::kLatest;
    return from_primary_ && valid ? Refused{} : Refusal::kNativeFromPrimaryOnly;
  }
  Refused take_secret(std::size_t at) {
    result_.plan.secret = parse_secret(words_[at]);
    result_.secret_at = at;
    return from_primary_ && result_.plan.secret ? Refused{} : Refusal::kNativeFromPrimaryOnly;
  }

  Refused check_together() {
    if (said(Option::kNonScaling)) {
      if (said(Option::kExpansion) && result_.plan.expansion != 0)
        return Refusal::kNonScalingExpands;
      result_.plan.expansion = 0;
    }
    if (said(Option::kSlices) && !result_.plan.window) return Refusal::kNativeBadSlices;
    if (said(Option::kSlices)) result_.plan.window->slices = slices_;
    if (said(Option::kCounting) && said(Option::kLayout)) return Refusal::kNativeCountingBlock;
    if (said(Option::kCounting) && result_.plan.window) return Refusal::kNativeCountingWindow;
    if (said(Option::kLayout)) result_.plan.layout = LayerKind::kBlock;
    if (said(Option::kSecretBytes) && !said(Option::kSecret))
      return Refusal::kNativeFromPrimaryOnly;
    if (said(Option::kStart) && !result_.plan.window) return Refusal::kNativeFromPrimaryOnly;
    if (result_.plan.secret) result_.draws_secret = false;
    return said(Option::kPart) ? make_part() : std::nullopt;
  }

  Refused make_part() {
    const bool grows = said(Option::kExpansion) && result_.plan.expansion != 0;
    if (!said(Option::kLayout) || grows || result_.plan.window || said(Option::kSecret))
      return Refusal::kNativePartAlone;
    result_.plan.expansion = 0;
    const auto part = LayeredPart::of_goal(result_.plan.goal, part_);
    if (!part) return Refusal::kNativePartShape;
    result_.plan.part = *part;
    return result_.plan.check() ? std::nullopt : Refused{Refusal::kNativePartShape};
  }

  Words words_;
  bool from_primary_;
  std::array<bool, std::size(kRows)> said_{};
  std::uint32_t slices_ = 0;
  Part part_;
  NativeReserve result_;
};

// A part is made for the keys of its whole filter, which may be more than one key of a server
// holds.
std::variant<NewFilter, Refusal> parse_size(Words words, const Settings& settings) {
  if (words.size() < kFirstOption) return Refusal::kArity;
  const bool is_part = std::ranges::any_of(
      words.subspan(kFirstOption), [](std::string_view word) { return same_word(word, "PART"); });
  const auto keys = parse_integer(words[1]);
  if (!is_part || !keys || *keys < 1) return parse_reserve(words.first(kFirstOption), settings);
  const std::string_view usual[] = {words[0], "1"};
  auto size = parse_reserve(usual, settings);
  if (auto* filter = std::get_if<NewFilter>(&size))
    filter->goal.keys = static_cast<std::uint64_t>(*keys);
  return size;
}

}  // namespace

bool asks_for_native_type(Words words) {
  for (std::size_t i = kFirstOption; i < words.size(); ++i) {
    const Row* row = row_of(words[i]);
    if (row == nullptr) continue;
    if (row->asks_for_native) return true;
    if (row->option == Option::kExpansion) ++i;
  }
  return false;
}

std::variant<NativeReserve, Refusal> parse_native_reserve(Words words, const Settings& settings,
                                                          bool from_primary) {
  const auto size = parse_size(words, settings);
  if (const auto* refusal = std::get_if<Refusal>(&size)) return *refusal;
  Parser parser{words, std::get<NewFilter>(size), from_primary};
  if (const auto refused = parser.parse()) return *refused;
  return parser.result();
}

std::string secret_text(const Secret& secret) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : secret) {
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace bloomery::redis_module
