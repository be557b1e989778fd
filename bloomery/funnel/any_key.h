// A key whose type is known only at run time: a value of a database column, of a script, of JSON.
#pragma once
#include <concepts>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/funnel/funnel_name.h"

namespace bloomery {

// A view for parameters: text and bytes are not copied.
class AnyKey {
 public:
  enum class Type : std::uint8_t { kText, kBytes, kBool, kSigned, kUnsigned, kFloating };

  AnyKey(std::string_view text) : type_{Type::kText}, text_{text} {}
  AnyKey(const std::string& text) : type_{Type::kText}, text_{text} {}
  AnyKey(const char* text) : type_{Type::kText}, text_{text} {}
  AnyKey(ByteView bytes) : type_{Type::kBytes}, bytes_{bytes} {}
  AnyKey(bool truth) : type_{Type::kBool}, unsigned_{truth} {}
  template <std::signed_integral T>
  AnyKey(T number) : type_{Type::kSigned}, signed_{number} {}
  template <std::unsigned_integral T>
  AnyKey(T number) : type_{Type::kUnsigned}, unsigned_{number} {}
  template <std::floating_point T>
  AnyKey(T number) : type_{Type::kFloating}, floating_{static_cast<double>(number)} {}

  Type type() const { return type_; }
  // Precondition of each: type() says so.
  std::string_view text() const { return text_; }
  ByteView bytes() const { return bytes_; }
  bool truth() const { return unsigned_ != 0; }
  std::int64_t as_signed() const { return signed_; }
  std::uint64_t as_unsigned() const { return unsigned_; }
  double floating() const { return floating_; }

 private:
  Type type_;
  union {
    std::string_view text_;
    ByteView bytes_;
    std::int64_t signed_;
    std::uint64_t unsigned_;
    double floating_;
  };
};

// Puts the bytes that `funnel` makes of the key, so that they equal those of a typed filter: a
// number for i8 to i64, u64, f32 and f64, where it fits; a bool for bool; text and bytes for bytes;
// text for utf16. Text is read as a number or bool where the funnel wants one (put_text_key).
// kInvalidArgument for a key of another type or out of range; the sink may then hold part of a key.
Status put_key(FunnelName funnel, const AnyKey& key, ByteSink& sink);

}  // namespace bloomery
