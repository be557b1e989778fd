#include "apps/ethlog/abi/decode.h"

#include <algorithm>

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kWord = 32;
constexpr std::size_t kFreeBytes = std::size_t{1} << 20;  // read of any log, however small
constexpr std::size_t kMostTimes = 4;                     // that a byte of a larger one is read

// Why a value could not be decoded, and where: the path is put together on the way out.
struct Fault {
  std::string path;
  std::string why;
};

std::string shown(const Hash& word) { return word.hex(); }

class LogDecoder {
 public:
  explicit LogDecoder(ByteView data)
      : data_{data}, left_{std::max(kFreeBytes, kMostTimes * data.size())} {}

  const Fault& fault() const { return fault_; }

  // The value whose head is `head`, within a tuple or an array that begins at `base`.
  bool decode(const AbiType& type, std::size_t base, std::size_t head, AbiValue& value) {
    value.type = &type;
    std::size_t at = head;
    if (type.dynamic && !offset_at(base, head, at)) return false;
    switch (type.kind) {
      case AbiKind::kBytes:
      case AbiKind::kString:
        return decode_bytes(type, at, value);
      case AbiKind::kArray:
        return decode_array(type, at, value);
      case AbiKind::kTuple:
        return decode_tuple(type, at, value);
      default:
        return word_at(at, value.word) && check_word(type, value.word);
    }
  }

  bool check_word(const AbiType& type, const Hash& word) {
    switch (type.kind) {
      case AbiKind::kUint:
      case AbiKind::kAddress:
        return zeros(word.view().first(kWord - bytes_of_type(type))) || unfit(type, word);
      case AbiKind::kInt:
        return is_sign_extended(word, bytes_of_type(type)) || unfit(type, word);
      case AbiKind::kBool:
        return (zeros(word.view().first(kWord - 1)) && word.bytes[31] <= std::byte{1}) ||
               unfit(type, word);
      default:
        return zeros(word.view().subspan(type.size)) || unfit(type, word);
    }
  }

  // Puts the name of the part before what is wrong within it.
  bool within(std::string_view part) {
    const bool joins = fault_.path.empty() || fault_.path[0] == '[';
    fault_.path = std::string{part} + (joins ? "" : ".") + fault_.path;
    return false;
  }

 private:
  static std::size_t bytes_of_type(const AbiType& type) {
    return type.kind == AbiKind::kAddress ? 20 : type.size / 8;
  }
  static bool zeros(ByteView bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  }
  static bool is_sign_extended(const Hash& word, std::size_t bytes) {
    const std::size_t first = kWord - bytes;
    const bool negative = (word.bytes[first] & std::byte{0x80}) != std::byte{0};
    const std::byte fill{negative ? std::uint8_t{0xff} : std::uint8_t{0}};
    return std::all_of(word.bytes.begin(), word.bytes.begin() + static_cast<std::ptrdiff_t>(first),
                       [&](std::byte b) { return b == fill; });
  }

  bool fail(std::string why) {
    fault_ = {"", std::move(why)};
    return false;
  }
  bool unfit(const AbiType& type, const Hash& word) {
    return fail(message("the word ", shown(word), " is no ", canonical_name(type)));
  }
  bool spend(std::size_t bytes) {
    if (bytes > left_) return fail("its parts use the same data again and again");
    left_ -= bytes;
    return true;
  }

  bool word_at(std::size_t at, Hash& word) {
    if (at > data_.size() || data_.size() - at < kWord)
      return fail(message("the data end at byte ", data_.size(), ", before the word at byte ", at));
    word = Hash::from_bytes(data_.subspan(at, kWord));
    return spend(kWord);
  }

  // A number that is at most `most`.
  bool size_at(std::size_t at, std::size_t most, std::string_view what, std::size_t& size) {
    Hash word;
    if (!word_at(at, word)) return false;
    const auto number = load_be<std::uint64_t>(word.bytes.data() + 24);
    if (!zeros(word.view().first(24)) || number > most)
      return fail(message("the ", what, " ", quantity(word), " at byte ", at,
                          " leads beyond the data, which have ", data_.size(), " bytes"));
    size = static_cast<std::size_t>(number);
    return true;
  }
  static std::string quantity(const Hash& word) {
    std::string hex = word.hex();
    const std::size_t first = hex.find_first_not_of('0', 2);
    return "0x" + (first == hex.npos ? "0" : hex.substr(first));
  }

  bool offset_at(std::size_t base, std::size_t head, std::size_t& at) {
    std::size_t offset = 0;
    if (!size_at(head, data_.size() - base, "offset", offset)) return false;
    at = base + offset;
    return true;
  }

  bool decode_bytes(const AbiType& type, std::size_t at, AbiValue& value) {
    std::size_t size = 0;
    if (!size_at(at, data_.size() - std::min(at + kWord, data_.size()), "length", size))
      return false;
    if (!spend(size)) return false;
    value.bytes = data_.subspan(at + kWord, size);
    const std::string_view text{reinterpret_cast<const char*>(value.bytes.data()), size};
    if (type.kind == AbiKind::kString && !is_utf8_text(text))
      return fail("the string is not UTF-8");
    return true;
  }

  bool decode_array(const AbiType& type, std::size_t at, AbiValue& value) {
    const AbiType& element = type.parts[0].type;
    const std::uint64_t step = element.head_words() * kWord;
    std::size_t count = static_cast<std::size_t>(type.length.value_or(0));
    if (!type.length) {
      const std::size_t rest = data_.size() - std::min(at + kWord, data_.size());
      if (!size_at(at, rest / step, "length", count)) return false;
      at += kWord;
    }
    if (at > data_.size() || count > (data_.size() - at) / step)
      return fail(message("the data end at byte ", data_.size(), ", before the ", count,
                          " elements from byte ", at, " on do"));
    // A value is larger in memory than its word in the data, so that the words are paid for first.
    if (count * kWord > left_) return fail("its parts use the same data again and again");
    value.items.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      if (!decode(element, at, at + i * step, value.items.emplace_back()))
        return within(message('[', i, ']'));
    return true;
  }

  bool decode_tuple(const AbiType& type, std::size_t at, AbiValue& value) {
    value.items.reserve(type.parts.size());
    std::size_t head = at;
    for (std::size_t i = 0; i < type.parts.size(); ++i) {
      const AbiParameter& part = type.parts[i];
      if (!decode(part.type, at, head, value.items.emplace_back()))
        return within(part.name.empty() ? message("arg", i) : part.name);
      head += part.type.head_words() * kWord;
    }
    return true;
  }

  ByteView data_;
  std::size_t left_;
  Fault fault_;
};

Error undecodable(const AbiEvent& event, const std::string& why) {
  return {ErrorCode::kMalformed, message("it is no ", event.signature, ": ", why)};
}

bool is_one_word(AbiKind kind) {
  return kind != AbiKind::kBytes && kind != AbiKind::kString && kind != AbiKind::kArray &&
         kind != AbiKind::kTuple;
}

}  // namespace

Result<std::vector<AbiValue>> decode_log(const AbiEvent& event, const Log& log) {
  if (log.topics.size() != event.topics()) {
    const bool forgotten = event.indexed == 0 && log.topics.size() > event.topics();
    return undecodable(
        event, message("it has ", log.topics.size(), log.topics.size() == 1 ? " topic" : " topics",
                       " instead of ", event.topics(),
                       forgotten ? "; the declaration marks no argument as indexed" : ""));
  }
  if (!event.anonymous && log.topics[0] != event.topic)
    return undecodable(event, message("topic 0 is ", log.topics[0].hex()));
  LogDecoder decoder{log.data};
  std::vector<AbiValue> values(event.parameters.size());
  std::size_t topic = event.anonymous ? 0 : 1;
  std::size_t head = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AbiParameter& parameter = event.parameters[i];
    bool good = true;
    if (!parameter.indexed) {
      good = decoder.decode(parameter.type, 0, head, values[i]);
      head += parameter.type.head_words() * kWord;
    } else {
      values[i].type = &parameter.type;
      values[i].word = log.topics[topic++];
      values[i].is_hash = !is_one_word(parameter.type.kind);
      good = values[i].is_hash || decoder.check_word(parameter.type, values[i].word);
    }
    if (good) continue;
    decoder.within(parameter.name.empty() ? message("arg", i) : parameter.name);
    return undecodable(event, message(decoder.fault().path, ": ", decoder.fault().why));
  }
  return values;
}

}  // namespace bloomery::ethlog
