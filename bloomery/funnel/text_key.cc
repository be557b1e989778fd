#include "bloomery/funnel/text_key.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "bloomery/base/message.h"
#include "bloomery/funnel/json_key.h"

namespace bloomery {
namespace {

constexpr std::size_t kQuotedBytes = 60;  // of a record, which may be a gigabyte without a newline

Error bad_key(FunnelName funnel, std::string_view record, std::string_view why) {
  const std::string_view dots = record.size() > kQuotedBytes ? "..." : "";
  return {ErrorCode::kInvalidArgument,
          message("\"", record.substr(0, kQuotedBytes), dots, "\" is not a key of the funnel ",
                  funnel_name(funnel), ": it ", why)};
}

// std::from_chars; of floating-point numbers also where the standard library lacks it.
template <class Number>
std::from_chars_result read_number(const char* first, const char* last, Number& value) {
#if !defined(__cpp_lib_to_chars)
  if constexpr (std::is_floating_point_v<Number>) {
    const std::string text{first, last};
    if (text.empty() || text[0] == '+' || text[0] == ' ')
      return {first, std::errc::invalid_argument};
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    value = static_cast<Number>(number);
    const bool fits = std::isfinite(number) && std::isfinite(value);
    return {first + (end - text.c_str()), fits ? std::errc{} : std::errc::result_out_of_range};
  } else
#endif
    return std::from_chars(first, last, value);
}

template <class F>
Status put_number(std::string_view record, ByteSink& sink) {
  typename F::Key value{};
  const char* end = record.data() + record.size();
  const auto [stop, failure] = read_number(record.data(), end, value);
  if (failure == std::errc::result_out_of_range && stop == end)
    return bad_key(kFunnelName<F>, record, "is out of its range");
  bool is_number = failure == std::errc{} && stop == end;
  // from_chars also reads "inf" and "nan": a NaN has many bit patterns, so its text names no one
  // key.
  if constexpr (std::is_floating_point_v<typename F::Key>)
    is_number = is_number && std::isfinite(value);
  if (!is_number) return bad_key(kFunnelName<F>, record, "is not a decimal number");
  F{}(value, sink);
  return ok();
}

Status put_bool_text(std::string_view record, ByteSink& sink) {
  const bool yes = record == "true" || record == "1";
  if (!yes && record != "false" && record != "0")
    return bad_key(FunnelName::kBool, record, "is none of true, false, 1 and 0");
  sink.put_bool(yes);
  return ok();
}

// How many bytes a sequence has that begins with `first`, and the least code point it may stand
// for: less is overlong.
struct SequenceStart {
  std::size_t size;
  std::uint32_t bits, least;
};
SequenceStart sequence_start(std::uint8_t first) {
  if (first < 0x80) return {1, first, 0};
  if (first >= 0xc0 && first < 0xe0) return {2, first & 0x1fu, 0x80};
  if (first >= 0xe0 && first < 0xf0) return {3, first & 0x0fu, 0x800};
  if (first >= 0xf0 && first < 0xf8) return {4, first & 0x07u, 0x10000};
  return {0, 0, 0};
}

// The code point at `at`, which moves past it; nothing, and `at` unmoved, where there is no valid
// one (RFC 3629).
std::optional<std::uint32_t> next_code_point(std::string_view text, std::size_t& at) {
  const auto byte_at = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto [size, bits, least] = sequence_start(byte_at(at));
  if (size == 0 || size > text.size() - at) return std::nullopt;
  std::uint32_t point = bits;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(at + i) & 0xc0) != 0x80) return std::nullopt;
    point = point << 6 | (byte_at(at + i) & 0x3fu);
  }
  const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < least || point > 0x10ffff || is_surrogate) return std::nullopt;
  at += size;
  return point;
}

Status put_utf16(std::string_view record, ByteSink& sink) {
  for (std::size_t at = 0; at < record.size();) {
    const auto point = next_code_point(record, at);
    if (!point)
      return Error{
          ErrorCode::kInvalidArgument,
          message("a key of the funnel utf16 must be UTF-8, and this one is invalid at byte ", at,
                  " of ", record.size())};
    if (*point < 0x10000) {
      sink.put_u16(static_cast<std::uint16_t>(*point));
    } else {
      sink.put_u16(static_cast<std::uint16_t>(0xd800 + ((*point - 0x10000) >> 10)));
      sink.put_u16(static_cast<std::uint16_t>(0xdc00 + (*point & 0x3ff)));
    }
  }
  return ok();
}

}  // namespace

Status put_text_key(FunnelName funnel, std::string_view record, ByteSink& sink) {
  switch (funnel) {
    case FunnelName::kBytes:
      sink.put_bytes(bytes_of(record));
      return ok();
    case FunnelName::kUtf16:
      return put_utf16(record, sink);
    case FunnelName::kI8:
      return put_number<I8Funnel>(record, sink);
    case FunnelName::kI16:
      return put_number<I16Funnel>(record, sink);
    case FunnelName::kI32:
      return put_number<I32Funnel>(record, sink);
    case FunnelName::kI64:
      return put_number<I64Funnel>(record, sink);
    case FunnelName::kU64:
      return put_number<U64Funnel>(record, sink);
    case FunnelName::kF32:
      return put_number<F32Funnel>(record, sink);
    case FunnelName::kF64:
      return put_number<F64Funnel>(record, sink);
    case FunnelName::kBool:
      return put_bool_text(record, sink);
    case FunnelName::kJson:
      return put_json_key(record, sink);
    case FunnelName::kUser:
      break;
  }
  return Error{ErrorCode::kInvalidArgument,
               message("the filter's funnel (", funnel_name(funnel), ", number ",
                       static_cast<unsigned>(funnel),
                       ") belongs to the program that made it, so a key cannot be read from text")};
}

}  // namespace bloomery
