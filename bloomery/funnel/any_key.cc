#include "bloomery/funnel/any_key.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "bloomery/base/message.h"
#include "bloomery/funnel/json_key.h"
#include "bloomery/funnel/text_key.h"

namespace bloomery {
namespace {

std::string_view type_of_value(const AnyKey& key) {
  constexpr std::string_view kTypes[] = {"text",       "bytes",      "a bool",
                                         "an integer", "an integer", "a floating-point number"};
  return kTypes[static_cast<std::size_t>(key.type())];
}

Error wrong_type(FunnelName funnel, const AnyKey& key) {
  return {ErrorCode::kInvalidArgument, message("the filter's keys are ", funnel_name(funnel),
                                               ", and this key is ", type_of_value(key))};
}

Error out_of_range(FunnelName funnel) {
  return {ErrorCode::kInvalidArgument, message("the key is out of the range of ",
                                               funnel_name(funnel), ", the filter's key type")};
}

template <class F, class Value>
Status put_in_range(Value value, ByteSink& sink) {
  using Number = typename F::Key;
  if (!std::in_range<Number>(value)) return out_of_range(kFunnelName<F>);
  F{}(static_cast<Number>(value), sink);
  return ok();
}

template <class F>
Status put_integer(const AnyKey& key, ByteSink& sink) {
  if (key.type() == AnyKey::Type::kSigned) return put_in_range<F>(key.as_signed(), sink);
  if (key.type() == AnyKey::Type::kUnsigned) return put_in_range<F>(key.as_unsigned(), sink);
  return wrong_type(kFunnelName<F>, key);
}

// An integer is a floating-point key only up to 2^53, where it is one without rounding.
template <class F>
Status put_floating(const AnyKey& key, ByteSink& sink) {
  using Number = typename F::Key;
  constexpr double kExact = 9007199254740992.0;
  double number = 0;
  if (key.type() == AnyKey::Type::kFloating)
    number = key.floating();
  else if (key.type() == AnyKey::Type::kSigned)
    number = static_cast<double>(key.as_signed());
  else if (key.type() == AnyKey::Type::kUnsigned)
    number = static_cast<double>(key.as_unsigned());
  else
    return wrong_type(kFunnelName<F>, key);
  const bool inexact = key.type() != AnyKey::Type::kFloating && std::abs(number) > kExact;
  const bool too_large =
      std::isfinite(number) && std::abs(number) > double{std::numeric_limits<Number>::max()};
  if (inexact || too_large) return out_of_range(kFunnelName<F>);
  F{}(static_cast<Number>(number), sink);
  return ok();
}

Status put_bytes_of(const AnyKey& key, ByteSink& sink) {
  if (key.type() != AnyKey::Type::kBytes) return wrong_type(FunnelName::kBytes, key);
  sink.put_bytes(key.bytes());
  return ok();
}

Status put_truth(const AnyKey& key, ByteSink& sink) {
  if (key.type() != AnyKey::Type::kBool) return wrong_type(FunnelName::kBool, key);
  sink.put_bool(key.truth());
  return ok();
}

// The shortest decimal that reads back as the number, as writers of JSON print it.
std::string shortest_decimal(double number) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    (void)std::snprintf(text, sizeof text, "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number) break;
  }
  return text;
}

Status put_json_of(const AnyKey& key, ByteSink& sink) {
  switch (key.type()) {
    case AnyKey::Type::kBool:
      return put_json_key(key.truth() ? "true" : "false", sink);
    case AnyKey::Type::kSigned:
      return put_json_key(std::to_string(key.as_signed()), sink);
    case AnyKey::Type::kUnsigned:
      return put_json_key(std::to_string(key.as_unsigned()), sink);
    case AnyKey::Type::kFloating:
      if (!std::isfinite(key.floating())) return out_of_range(FunnelName::kJson);
      return put_json_key(shortest_decimal(key.floating()), sink);
    case AnyKey::Type::kText:
    case AnyKey::Type::kBytes:
      break;
  }
  return wrong_type(FunnelName::kJson, key);
}

}  // namespace

Status put_key(FunnelName funnel, const AnyKey& key, ByteSink& sink) {
  if (key.type() == AnyKey::Type::kText) return put_text_key(funnel, key.text(), sink);
  switch (funnel) {
    case FunnelName::kBytes:
      return put_bytes_of(key, sink);
    case FunnelName::kI8:
      return put_integer<I8Funnel>(key, sink);
    case FunnelName::kI16:
      return put_integer<I16Funnel>(key, sink);
    case FunnelName::kI32:
      return put_integer<I32Funnel>(key, sink);
    case FunnelName::kI64:
      return put_integer<I64Funnel>(key, sink);
    case FunnelName::kU64:
      return put_integer<U64Funnel>(key, sink);
    case FunnelName::kF32:
      return put_floating<F32Funnel>(key, sink);
    case FunnelName::kF64:
      return put_floating<F64Funnel>(key, sink);
    case FunnelName::kBool:
      return put_truth(key, sink);
    case FunnelName::kJson:
      return put_json_of(key, sink);
    case FunnelName::kUtf16:
    case FunnelName::kUser:
      break;
  }
  return wrong_type(funnel, key);
}

}  // namespace bloomery
