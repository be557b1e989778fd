// A filter of typed keys that many threads fill and query at the same time.
#pragma once
#include "bloomery/base/out_of_memory.h"
#include "bloomery/bloomery.h"
#include "bloomery/filter/block/concurrent.h"

namespace bloomery {

// The inserts, lookups and files of Filter<T>, with the same hash. It has no add, remove, merge,
// intersect, clear, clone and map: a snapshot() or into_filter() has them. Every call but the moves
// and into_filter() may run in many threads at once, and none waits for another. A key whose insert
// happened before a lookup is always found.
//
//   bloomery::ConcurrentFilter<std::string> seen({.keys = 1'000'000, .false_positive_rate = 0.01});
//   // in each thread:
//   if (seen.insert(url)) fetch(url);
//
// The layout is that of Filter<T> for the same goal, but that it is never classic: for rates above
// about 0.26 it takes more memory.
template <class T, Funnel F = DefaultFunnel<T>>
class ConcurrentFilter {
 public:
  using Key = typename F::Key;
  using key_type = Key;
  using value_type = T;
  static constexpr Profile kDefaultProfile = Filter<T, F>::kDefaultProfile;

  // kInvalidArgument for a goal that no filter can meet, and for a hash that does not accept the
  // keys. Throws std::bad_alloc.
  static Result<ConcurrentFilter> for_goal(Goal goal, Hasher hasher = Hasher{kDefaultProfile}) {
    if (auto fits = check_hash(hasher, kFunnelName<F>); !fits) return fits.error();
    auto filter = ConcurrentBlockFilter::for_goal(goal, KeyHash{hasher, kWholeNumbers});
    if (!filter) return filter.error();
    return ConcurrentFilter{std::move(*filter)};
  }
  // The same for any goal, as clamped(goal). Throws std::bad_alloc where memory cannot hold it.
  explicit ConcurrentFilter(Goal goal) : ConcurrentFilter{for_any_goal(goal)} {}
  // A filter to go on with, its memory taken over. kInvalidArgument unless it has the layout block
  // or lines and is not seeded; it is then lost.
  static Result<ConcurrentFilter> from(Filter<T, F> filter) {
    return from_engine(std::move(filter.keyed_.raw()));
  }

  // True if this call set a bit: then the key was certainly absent before. Two threads that insert
  // one new key at the same time may both return true. Cost: one to four cache lines,
  // atomically.
  bool insert(const Key& key) { return keyed_.insert(key); }
  // False: no insert of the key happened before. Cost: one to four cache lines.
  bool may_contain(const Key& key) const { return keyed_.may_contain(key); }
  // Many keys at once, memory fetched ahead. Returns how many were new.
  template <KeyRange Keys>
  std::size_t insert_range(const Keys& keys) {
    return keyed_.insert_batch(keys);
  }
  // Answer 1: may contain. Precondition: one answer for each key.
  template <KeyRange Keys>
  void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
    keyed_.may_contain_batch(keys, answers);
  }

  Health health() const { return keyed_.raw().health(); }  // reads all bits, or a large sample
  // A copy, made while other threads insert: it holds every key whose insert happened before the
  // call, and perhaps bits of later ones. Throws std::bad_alloc.
  Filter<T, F> snapshot() const { return Filter<T, F>{Engine{keyed_.raw().snapshot()}}; }
  // The filter itself, without a copy. Precondition: no other thread uses this one.
  Filter<T, F> into_filter() && {
    return Filter<T, F>{Engine{std::move(keyed_.raw()).into_filter()}};
  }
  // A snapshot, saved; cost and errors as Filter<T>::save.
  Status save(FileName file, const FileLock* held = nullptr) const {
    return snapshot().save(file, held);
  }
  // Errors as Filter<T>::load, and kInvalidArgument for a file of another layout.
  static Result<ConcurrentFilter> load(FileName file, const DecodeOptions& options = {}) {
    auto loaded = Filter<T, F>::load(file, options);
    if (!loaded) return loaded.error();
    auto filter = from(std::move(*loaded));
    if (!filter) return with_file(file, filter.error());
    return filter;
  }
  // The filter inside: shape and memory. Costs nothing; its const calls are safe as those here.
  const ConcurrentBlockFilter& raw() const { return keyed_.raw(); }

 private:
  static constexpr bool kWholeNumbers = Filter<T, F>::kWholeNumbers;

  static ConcurrentBlockFilter for_any_goal(Goal goal) {
    auto filter = ConcurrentBlockFilter::for_goal(clamped(goal),
                                                  KeyHash{Hasher{kDefaultProfile}, kWholeNumbers});
    if (!filter) out_of_memory();  // the only reason left: more bits than there can be
    return std::move(*filter);
  }
  static Result<ConcurrentFilter> from_engine(Engine engine) {
    if (engine.as_block() == nullptr)
      return Error{ErrorCode::kInvalidArgument,
                   "only a filter of the layout block or lines can be filled by many threads at "
                   "once; this one has another"};
    auto filter = ConcurrentBlockFilter::from(std::move(*engine.as_block()));
    if (!filter) return filter.error();
    return ConcurrentFilter{std::move(*filter)};
  }
  explicit ConcurrentFilter(ConcurrentBlockFilter filter) : keyed_{std::move(filter)} {}

  internal::NumberKeyed<F, ConcurrentBlockFilter> keyed_;
};

}  // namespace bloomery
