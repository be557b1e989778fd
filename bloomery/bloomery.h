// The front door. What most programs need: a filter of typed keys that knows its health, and its
// file.
#pragma once
#include "bloomery/formats/native.h"
#include "bloomery/funnel/keyed.h"

namespace bloomery {

// A filter of T: strings, integers, and anything with a funnel. Lookups take whatever pours the
// same bytes: a Filter<std::string> is asked with a literal. Many readers or one writer, as
// std::vector.
//
//   bloomery::Filter<std::string> seen({.keys = 1'000'000, .false_positive_rate = 0.01});
//   seen.insert("a key");
//   if (seen.may_contain("a key")) ...
template <class T, Funnel F = DefaultFunnel<T>>
class Filter {
 public:
  using Key = typename F::Key;

  // kInvalidArgument for a goal that no filter can meet. The hash is the profile xxh3 unless told:
  // Hasher{Profile::kAes} is the fastest, Hasher{Profile::kSiphash, 0, key} withstands hostile
  // keys.
  static Result<Filter> for_goal(Goal goal, Hasher hasher = {}) {
    if (!hasher.accepts_bytes() && !kWholeNumbers)
      return Error{ErrorCode::kInvalidArgument,
                   message("the profile ", profile_name(hasher.profile()),
                           " hashes std::uint64_t only, and these keys are others")};
    auto filter = Engine::for_goal(goal, BloomeryClassic{hasher, kWholeNumbers});
    if (!filter) return filter.error();
    return Filter{std::move(*filter)};
  }
  // Precondition: for_goal(goal) succeeds.
  explicit Filter(Goal goal) : Filter{for_valid_goal(goal)} {}

  bool insert(const Key& key) { return keyed_.insert(key); }  // true if certainly new
  bool may_contain(const Key& key) const { return keyed_.may_contain(key); }
  // Many keys at once, memory fetched ahead. Returns how many were new.
  template <std::ranges::input_range Keys>
  std::size_t insert_range(const Keys& keys) {
    return keyed_.insert_batch(keys);
  }
  // Precondition: one answer for each key. Answer 1: may contain.
  template <std::ranges::input_range Keys>
  void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
    keyed_.may_contain_batch(keys, answers);
  }

  Health health() const { return raw().health(); }
  // Union. kInvalidArgument unless both were made for the same goal, or another of the same shape.
  Status merge(const Filter& other) { return keyed_.raw().merge(other.raw()); }
  void reset() { keyed_.raw().reset(); }
  Filter clone() const { return Filter{raw().clone()}; }
  friend bool operator==(const Filter& a, const Filter& b) { return a.raw() == b.raw(); }
  const ClassicFilter<BloomeryClassic>& raw() const { return keyed_.raw(); }

  // Replaces the file in one step: a crash leaves the old one or the new one.
  Status save(const std::filesystem::path& file) const {
    return save_native(raw(), kFunnelName<F>, file);
  }
  // kInvalidArgument when the file's keys were poured by another funnel: no answer would be right.
  static Result<Filter> load(const std::filesystem::path& file, const DecodeOptions& options = {}) {
    auto loaded = load_native(file, options);
    if (!loaded) return loaded.error();
    auto* native = std::get_if<NativeClassic>(&*loaded);
    if (native == nullptr)
      return Error{ErrorCode::kUnsupported,
                   "this file holds a counting or scalable filter: load it with load_native"};
    if (native->funnel != kFunnelName<F>)
      return Error{
          ErrorCode::kInvalidArgument,
          message("the keys of this file were poured by the funnel ", funnel_name(native->funnel),
                  ", and these are by ", funnel_name(kFunnelName<F>))};
    return Filter{std::move(native->filter)};
  }

 private:
  using Engine = ClassicFilter<BloomeryClassic>;
  static constexpr bool kWholeNumbers = kFunnelName<F> == FunnelName::kU64;

  explicit Filter(Engine engine) : keyed_{std::move(engine)} {}
  static Filter for_valid_goal(Goal goal) {
    auto filter = for_goal(goal);
    assert(filter.has_value());
    return std::move(*filter);
  }

  Keyed<F, Engine> keyed_;
};

}  // namespace bloomery
