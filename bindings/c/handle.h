// What an opaque bloomery_filter holds, and the functions that stop exceptions at the C boundary.
#pragma once
#include <bloomery/c.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "bloomery/base/message.h"
#include "bloomery/filter/block/concurrent.h"
#include "bloomery/formats/format.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/formats/set/filter_set.h"

namespace bloomery::c {

struct Concurrent {
  ConcurrentBlockFilter filter;
};

using Held = std::variant<AnyFilter, MappedNative, Concurrent, FilterSet>;

}  // namespace bloomery::c

struct bloomery_filter {
  bloomery::c::Held held;
  const bloomery::Format* format;
  bloomery::FunnelName funnel;
};

namespace bloomery::c {

// A mapped file, or a set of them.
inline bool is_mapped(const bloomery_filter& filter) {
  return std::holds_alternative<MappedNative>(filter.held) ||
         std::holds_alternative<FilterSet>(filter.held);
}

// The thread's last sentence, cut where it is too long. Neither allocates.
void set_last_error(std::string_view sentence) noexcept;
int fail(const Error& error) noexcept;
int fail_by_exception() noexcept;  // in a catch block

inline Error refused(std::string sentence) {
  return {ErrorCode::kInvalidArgument, std::move(sentence)};
}
inline Error unsupported(std::string sentence) {
  return {ErrorCode::kUnsupported, std::move(sentence)};
}

// Runs the work of a call, which returns a Status. Every call of c.h that can fail passes here.
template <class Work>
int guarded(Work work) noexcept {
  try {
    const Status done = work();
    return done ? BLOOMERY_OK : fail(done.error());
  } catch (...) {
    return fail_by_exception();
  }
}

// The same for work that returns a Result<bloomery_filter>; *filter is NULL where there is none.
template <class Work>
int guarded_new(bloomery_filter** filter, Work work) noexcept {
  if (filter != nullptr) *filter = nullptr;
  return guarded([&]() -> Status {
    if (filter == nullptr) return refused("the place for the new filter is NULL");
    Result<bloomery_filter> made = work();
    if (!made) return made.error();
    *filter = new bloomery_filter{std::move(*made)};
    return ok();
  });
}

inline Status check_handle(const bloomery_filter* filter) {
  if (filter != nullptr) return ok();
  return refused("the filter is NULL");
}

// Bytes of a structure up to its last member in 0.2, the first version: no caller has fewer. A
// member that is added later leaves its row as it is.
template <class T>
constexpr std::size_t kFirstBytes = 0;
#define BLOOMERY_FIRST_BYTES(type, last) \
  template <>                            \
  inline constexpr std::size_t kFirstBytes<type> = offsetof(type, last) + sizeof(type::last)
BLOOMERY_FIRST_BYTES(bloomery_options, user_data_size);
BLOOMERY_FIRST_BYTES(bloomery_sizing, layout);
BLOOMERY_FIRST_BYTES(bloomery_keys, validity);
BLOOMERY_FIRST_BYTES(bloomery_health, sampled);
BLOOMERY_FIRST_BYTES(bloomery_info, is_open);
BLOOMERY_FIRST_BYTES(bloomery_load_options, funnel);
#undef BLOOMERY_FIRST_BYTES

// The struct_size of a structure of the caller, which may be shorter than T.
template <class T>
Result<std::size_t> checked_size(const T* structure, std::string_view name) {
  static_assert(offsetof(T, struct_size) == 0 && kFirstBytes<T> > 0);
  if (structure == nullptr) return refused(message(name, " is NULL"));
  std::size_t size = 0;
  std::memcpy(&size, structure, sizeof size);
  if (size < kFirstBytes<T> || size > 4096)
    return refused(
        message(name, " has struct_size ", size, "; initialise it with its macro _INIT"));
  return size;
}

// A structure of the caller, as this library knows it. A shorter one of an older header is filled
// up with zeros; a longer one of a newer header must have zeros where this library knows nothing.
template <class T>
Result<T> read_struct(const T* from, std::string_view name) {
  const auto size = checked_size(from, name);
  if (!size) return size.error();
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  const std::size_t known = std::min(*size, sizeof(T));
  if (std::any_of(bytes + known, bytes + *size, [](unsigned char byte) { return byte != 0; }))
    return unsupported(message(name,
                               " has members that this version of the library does not know; "
                               "upgrade libbloomery_c"));
  T copy{};
  std::memcpy(&copy, bytes, known);
  return copy;
}

// Fills a structure of the caller: of a shorter one the members that it has; of a longer one the
// members that this library does not know become zeros.
template <class T>
Status write_struct(T values, T* to, std::string_view name) {
  const auto size = checked_size(to, name);
  if (!size) return size.error();
  values.struct_size = *size;
  std::memset(static_cast<void*>(to), 0, *size);
  std::memcpy(static_cast<void*>(to), &values, std::min(*size, sizeof values));
  return ok();
}

// NULL and "" are not given.
inline std::string_view text_or(const char* text, std::string_view otherwise) {
  return text == nullptr || *text == '\0' ? otherwise : std::string_view{text};
}
template <class T>
std::optional<T> given(T number) {
  return number != T{} ? std::optional<T>{number} : std::nullopt;
}

// What bloomery_create() was asked for, checked.
struct Request {
  const Format* format;
  CreateOptions create;
  bool concurrent;
};
Result<Request> read_options(const bloomery_options* options);

Result<FunnelName> funnel_by_name(std::string_view name);
// An optional member of bytes: NULL only where its size is 0.
Status check_bytes(std::string_view member, const void* data, std::size_t size);
Result<SipKey> secret_key(const void* secret, std::size_t size);
Error unknown_format(std::string_view name);
// The filter with the funnel that it records; else with `funnel`, or bytes.
Result<bloomery_filter> with_funnel(AnyFilter filter, const Format* format, const char* funnel);
Result<bloomery_filter> as_concurrent(AnyFilter filter, const Format* format);
// The filter as one in memory: itself, or a copy that `copy` then holds.
Result<const AnyFilter*> in_memory(const bloomery_filter& filter, std::optional<AnyFilter>& copy);
Result<AnyFilter> copy_of(const bloomery_filter& filter);

}  // namespace bloomery::c
