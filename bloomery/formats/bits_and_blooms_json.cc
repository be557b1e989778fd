#include <sodium.h>

#include <nlohmann/json.hpp>

#include "bloomery/formats/bits_and_blooms.h"

namespace bloomery {
namespace {

constexpr std::size_t kNumbersBytes = 16;  // bits and probes, which stand before the bitset

Error malformed_json(std::string_view what) {
  return {ErrorCode::kMalformed, message("a bits-and-blooms JSON filter ", what)};
}

// Both alphabets are read, not their mixture: the standard one if the text has a letter of it.
int base64_variant(std::string_view text) {
  return text.find_first_of("+/") == std::string_view::npos ? sodium_base64_VARIANT_URLSAFE
                                                            : sodium_base64_VARIANT_ORIGINAL;
}

// Takes the three members as they pass, in any order, and builds no tree: memory stays bounded
// for any text. Unknown members are skipped, as the peer does.
class Members : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return ours() ? wrong_type() : true; }
  bool boolean(bool /*value*/) override { return ours() ? wrong_type() : true; }
  bool number_integer(std::int64_t /*value*/) override { return ours() ? wrong_type() : true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return ours() ? wrong_type() : true;
  }
  bool number_unsigned(std::uint64_t value) override {
    if (!ours()) return true;
    if (name_ == "b") return wrong_type();
    (name_ == "m" ? bits_ : probes_) = value;
    return true;
  }
  bool string(std::string& value) override {
    if (!ours()) return true;
    return name_ == "b" ? take_bitset(value) : wrong_type();
  }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return enter(true); }
  bool start_array(std::size_t /*size*/) override { return enter(false); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (depth_ == 1) name_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*reason*/) override {
    error_ = malformed_json(message("is JSON, and the text is not, at byte ", position));
    return false;
  }

  std::optional<Error> error() const {
    if (error_) return error_;
    if (!bits_) return malformed_json("has a number \"m\", and there is none");
    if (!probes_) return malformed_json("has a number \"k\", and there is none");
    if (binary_.empty()) return malformed_json("has a text \"b\", and there is none");
    return std::nullopt;
  }
  bool standard_base64() const { return standard_base64_; }
  // The same filter in the binary container. Precondition: !error().
  ByteView as_binary() {
    store_be(binary_.data(), *bits_);
    store_be(binary_.data() + 8, *probes_);
    return binary_;
  }

 private:
  bool ours() const { return depth_ == 1 && (name_ == "m" || name_ == "k" || name_ == "b"); }
  bool wrong_type() {
    error_ = malformed_json(message("has a ", name_ == "b" ? "text" : "whole, unsigned number",
                                    " in \"", name_, "\", and there is something else"));
    return false;
  }
  bool enter(bool object) {
    if (depth_ == 0 && !object) {
      error_ = malformed_json("is an object, and the text is a list");
      return false;
    }
    if (ours()) return wrong_type();
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  bool take_bitset(const std::string& text) {
    const int variant = base64_variant(text);
    standard_base64_ = variant == sodium_base64_VARIANT_ORIGINAL;
    binary_.resize(kNumbersBytes + text.size() / 4 * 3);
    std::size_t decoded = 0;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(binary_.data()) + kNumbersBytes,
                          binary_.size() - kNumbersBytes, text.data(), text.size(), nullptr,
                          &decoded, nullptr, variant) != 0) {
      error_ = malformed_json("has padded base64 in \"b\", and the text there is not");
      return false;
    }
    binary_.resize(kNumbersBytes + decoded);
    return true;
  }

  std::uint64_t depth_ = 0;
  std::string name_;
  std::optional<std::uint64_t> bits_;
  std::optional<std::uint64_t> probes_;
  std::vector<std::byte> binary_;
  bool standard_base64_ = false;
  std::optional<Error> error_;
};

// base64 makes four letters of three bytes; the rest is for the numbers and some white space.
constexpr std::uint64_t max_text_bytes(std::uint64_t filter_bytes) {
  return filter_bytes > UINT64_MAX / 4 ? UINT64_MAX : filter_bytes / 3 * 4 + 65536;
}

}  // namespace

template <Dialect D>
Result<BitsAndBloomsFilter<D>> decode_bits_and_blooms_json(ByteView text,
                                                           const DecodeOptions& options) {
  if (text.size() > max_text_bytes(options.limits.max_bytes))
    return Error{ErrorCode::kTooLarge, message("the JSON has ", text.size(),
                                               " bytes, more than a filter within the limit "
                                               "of ",
                                               options.limits.max_bytes, " bytes needs")};
  Members members;
  const std::string_view json = text_of(text);
  const bool parsed = nlohmann::json::sax_parse(json.begin(), json.end(), &members);
  if (auto error = members.error()) return *error;
  if (!parsed) return malformed_json("is one object, and the text is not");
  auto filter = decode_bits_and_blooms<D>(members.as_binary(), options);
  if (filter) filter->encoding.standard_base64 = members.standard_base64();
  return filter;
}

template <Dialect D>
std::vector<std::byte> encode_bits_and_blooms_json(const BitsAndBloomsFilter<D>& filter) {
  const std::vector<std::byte> binary = encode_bits_and_blooms(filter);
  const ByteView bitset = ByteView{binary}.subspan(kNumbersBytes);
  const int variant = filter.encoding.standard_base64 ? sodium_base64_VARIANT_ORIGINAL
                                                      : sodium_base64_VARIANT_URLSAFE;
  const std::string head = message("{\"m\":", filter.filter.size_bits(),
                                   ",\"k\":", filter.filter.shape().probes, ",\"b\":\"");
  const std::size_t letters = sodium_base64_encoded_len(bitset.size(), variant);  // and a NUL
  std::string text = head;
  text.resize(head.size() + letters);
  sodium_bin2base64(text.data() + head.size(), letters,
                    reinterpret_cast<const unsigned char*>(bitset.data()), bitset.size(), variant);
  text.pop_back();
  text += "\"}";
  const ByteView bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

bool looks_like_bits_and_blooms_json(ByteView text) {
  const std::string_view json = text_of(text);
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t brace = json.find_first_not_of(kSpace);
  if (brace == std::string_view::npos || json[brace] != '{') return false;
  const std::size_t quote = json.find_first_not_of(kSpace, brace + 1);
  if (quote == std::string_view::npos) return false;
  const std::string_view name = json.substr(quote, 3);
  return name == "\"m\"" || name == "\"k\"" || name == "\"b\"";
}

template Result<BitsAndBloomsFilter<BitsAndBlooms>> decode_bits_and_blooms_json(
    ByteView, const DecodeOptions&);
template Result<BitsAndBloomsFilter<BitsAndBloomsV2>> decode_bits_and_blooms_json(
    ByteView, const DecodeOptions&);
template std::vector<std::byte> encode_bits_and_blooms_json(
    const BitsAndBloomsFilter<BitsAndBlooms>&);
template std::vector<std::byte> encode_bits_and_blooms_json(
    const BitsAndBloomsFilter<BitsAndBloomsV2>&);

}  // namespace bloomery
