// What the server holds at a key: a filter, and its share of the statistics.
#pragma once
#include <new>
#include <utility>
#include <variant>

#include "apps/redis/errors.h"
#include "apps/redis/redis_api.h"
#include "apps/redis/statistics.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_module {

// Lies in the server's memory, and holds no pointer into itself: defragmentation moves its bytes.
// kIsFull: the filter refuses every new key.
template <class FilterType, bool (*kIsFull)(const FilterType&)>
class FilterValue {
 public:
  using Filter = FilterType;

  static FilterValue* create(Filter filter) {  // throws std::bad_alloc
    return new (api.Alloc(sizeof(FilterValue))) FilterValue{std::move(filter)};
  }
  static void destroy(FilterValue* value) {
    value->~FilterValue();
    api.Free(value);
  }

  Filter& filter() { return filter_; }
  const Filter& filter() const { return filter_; }
  // After a change. `refused`: the last new key found no room.
  void account(bool refused) {
    const std::uint64_t bytes = filter_.size_bytes();
    statistics.bytes += bytes - counted_bytes_;
    counted_bytes_ = bytes;
    const bool saturated = refused || kIsFull(filter_);
    if (saturated == counted_saturated_) return;
    saturated ? ++statistics.saturated : --statistics.saturated;
    counted_saturated_ = saturated;
  }

 private:
  explicit FilterValue(Filter filter) : filter_{std::move(filter)} {
    ++statistics.filters;
    account(false);
  }
  ~FilterValue() {
    --statistics.filters;
    statistics.bytes -= counted_bytes_;
    if (counted_saturated_) --statistics.saturated;
  }

  Filter filter_;
  std::uint64_t counted_bytes_ = 0;
  bool counted_saturated_ = false;
};

// The value of the filter that `make` returns, or the error to answer. A filter beyond the limits
// is one that memory does not suffice for; `otherwise` is for whatever else is wrong with it.
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
