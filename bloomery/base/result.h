// A T, or the reason there is none. Member names are std::expected's.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace bloomery {

enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // the caller asked for a filter that cannot exist
  kTruncated,        // the bytes end before the format says they do
  kMalformed,        // the bytes contradict themselves or the format
  kUnsupported,      // valid, but a version or option we do not implement
  kTooLarge,         // valid, but beyond the limit the caller set
  kIo,               // the operating system, the database or the device said no
};

struct Error {
  ErrorCode code;
  std::string message;  // one sentence: what was expected, what was found, at which byte
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
  Result(Error error) : state_{std::in_place_index<1>, std::move(error)} {}

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  // Precondition of * and ->: has_value(). Of error(): !has_value().
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;  // success with nothing to say
inline Status ok() { return std::monostate{}; }

}  // namespace bloomery
