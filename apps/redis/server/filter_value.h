// The value of a key: a filter, or a value from a file that could not be decoded, and its share of
// the statistics.
#pragma once
#include <memory>
#include <new>
#include <utility>
#include <variant>

#include "apps/redis/server/errors.h"
#include "apps/redis/server/redis_api.h"
#include "apps/redis/server/statistics.h"
#include "apps/redis/server/unreadable.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_module {

// What a command did to a filter. kNothing: no key was added or removed, and none was refused.
enum class Change : std::uint8_t { kNothing, kSome, kRefused };

template <class FilterType>
bool never_loading(const FilterType&) {
  return false;
}

// Lives in the server's memory and holds no pointer into itself, because defragmentation moves its
// bytes. kIsFull: the filter refuses every new key. kIsLoading: it cannot be queried yet.
template <class FilterType, bool (*kIsFull)(const FilterType&),
          bool (*kIsLoading)(const FilterType&) = never_loading<FilterType>>
class FilterValue {
 public:
  using Filter = FilterType;
  // Memory for a value. A caller that must not fail after a change allocates it before.
  struct Free {
    void operator()(void* memory) const { api.Free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;
  static Memory allocate() {  // throws std::bad_alloc
    void* memory = api.TryAlloc != nullptr ? api.TryAlloc(sizeof(FilterValue))
                                           : api.Alloc(sizeof(FilterValue));
    if (memory == nullptr) throw std::bad_alloc{};
    return Memory{memory};
  }

  static FilterValue* create(Filter filter) {  // throws std::bad_alloc
    return create(allocate(), std::move(filter));
  }
  static FilterValue* create(Memory memory, Filter filter) noexcept {
    return new (memory.release()) FilterValue{std::move(filter)};
  }
  static FilterValue* create(Unreadable value) {  // throws std::bad_alloc
    auto held = std::make_unique<Unreadable>(std::move(value));
    return new (allocate().release()) FilterValue{std::move(held)};
  }
  static void destroy(FilterValue* value) {
    value->~FilterValue();
    api.Free(value);
  }

  const Unreadable* unreadable() const {
    const auto* held = std::get_if<std::unique_ptr<Unreadable>>(&held_);
    return held != nullptr ? held->get() : nullptr;
  }
  // Precondition of all below: not unreadable().
  Filter& filter() { return *std::get_if<Filter>(&held_); }
  const Filter& filter() const { return *std::get_if<Filter>(&held_); }
  // Updates the statistics. A filter that refused a key counts as saturated until a key is added or
  // removed.
  void account(Change change) {
    const std::uint64_t bytes = filter().size_bytes();
    if (bytes != counted_bytes_) {  // seldom: an atomic addition costs as much as a probe
      statistics.bytes += bytes - counted_bytes_;
      counted_bytes_ = bytes;
    }
    count(statistics.loading, counted_loading_, kIsLoading(filter()));
    if (change == Change::kNothing) return;
    count(statistics.saturated, counted_saturated_,
          change == Change::kRefused || kIsFull(filter()));
  }

 private:
  explicit FilterValue(Filter filter) : held_{std::move(filter)} {
    ++statistics.filters;
    account(Change::kSome);
  }
  explicit FilterValue(std::unique_ptr<Unreadable> value) : held_{std::move(value)} {
    ++statistics.filters;
    ++statistics.unreadable;
  }
  ~FilterValue() {
    --statistics.filters;
    if (unreadable() != nullptr) --statistics.unreadable;
    statistics.bytes -= counted_bytes_;
    count(statistics.saturated, counted_saturated_, false);
    count(statistics.loading, counted_loading_, false);
  }
  static void count(std::atomic<std::uint64_t>& number, bool& counted, bool is) {
    if (is == counted) return;
    is ? ++number : --number;
    counted = is;
  }

  std::variant<Filter, std::unique_ptr<Unreadable>> held_;
  std::uint64_t counted_bytes_ = 0;
  bool counted_saturated_ = false;
  bool counted_loading_ = false;
};

// The value of the filter that `make` returns, or the error to reply. A filter beyond the limits
// counts as one without memory; `otherwise` is the reply to every other error.
template <class Value, class Make>
std::variant<Value*, Refusal> value_or_refusal(Refusal otherwise, Make make) {
  try {
    auto filter = make();
    if (filter) return Value::create(std::move(*filter));
    return filter.error().code == ErrorCode::kTooLarge ? Refusal::kNoMemoryToCreate : otherwise;
  } catch (const std::bad_alloc&) {
    return Refusal::kNoMemoryToCreate;
  }
}

}  // namespace bloomery::redis_module
