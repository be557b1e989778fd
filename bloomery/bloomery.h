// The front door. What most programs need: a filter of typed keys that knows its health, and its
// file.
#pragma once
#include "bloomery/filter/engine.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/funnel/keyed.h"

namespace bloomery {

template <class T, Funnel F>
class MappedFilter;

// A filter of T: strings, integers, and anything with a funnel. Lookups take whatever pours the
// same bytes: a Filter<std::string> is asked with a literal or a std::string_view. Many readers or
// one writer, as std::vector. A filter that was moved from may be assigned to or destroyed; save()
// refuses it, and any other call ends the program.
//
//   bloomery::Filter<std::string> seen({.keys = 1'000'000, .false_positive_rate = 0.01});
//   seen.insert("a key");
//   if (seen.may_contain("a key")) ...
//
// Underneath is the fastest engine for the goal: one cache line per key, or a classic filter for
// rates below about 3e-4. Code compiled for its own machine (-march=native) has lookups inlined.
template <class T, Funnel F = DefaultFunnel<T>>
class Filter {
 public:
  using Key = typename F::Key;
  using key_type = Key;
  using value_type = T;

  // The fastest hash, and one that every machine computes alike. A file records its profile, so it
  // is loaded as it was made; the command line and other languages prefer Profile::kXxh3.
  static constexpr Profile kDefaultProfile = Profile::kAes;

  // kInvalidArgument for a goal that no filter can meet. Hasher{Profile::kSiphash, 0, key} is
  // slower and withstands keys that an enemy chose.
  static Result<Filter> for_goal(Goal goal, Hasher hasher = Hasher{kDefaultProfile}) {
    if (!hasher.accepts_bytes() && !kWholeNumbers)
      return Error{ErrorCode::kInvalidArgument,
                   message("the profile ", profile_name(hasher.profile()),
                           " hashes std::uint64_t only, and these keys are others")};
    auto engine = Engine::for_goal(goal, KeyHash{hasher, kWholeNumbers});
    if (!engine) return engine.error();
    return Filter{std::move(*engine)};
  }
  // Takes any goal, as clamped(goal): 0 keys count as 1, a rate of 0 or less as 1e-12, 1 or more as
  // 0.5. Throws std::bad_alloc where no machine holds the filter. for_goal() says what is wrong.
  explicit Filter(Goal goal)
      : Filter{Engine::for_any_goal(goal, KeyHash{Hasher{kDefaultProfile}, kWholeNumbers})} {}

  bool insert(const Key& key) {  // true if certainly new
    if constexpr (kWholeNumbers)
      return keyed_.raw().insert(std::uint64_t{key});
    else
      return keyed_.insert(key);
  }
  bool may_contain(const Key& key) const {
    if constexpr (kWholeNumbers)
      return raw().may_contain(std::uint64_t{key});
    else
      return keyed_.may_contain(key);
  }
  // Many keys at once, memory fetched ahead: several times as fast as a loop. Returns how many were
  // new.
  template <std::ranges::input_range Keys>
  std::size_t insert_range(const Keys& keys) {
    if constexpr (kAreNumbersInARow<Keys>)
      return keyed_.raw().insert_batch(std::span<const std::uint64_t>{keys});
    else
      return keyed_.insert_batch(keys);
  }
  template <std::input_iterator First, std::sentinel_for<First> Last>
  std::size_t insert(First first, Last last) {
    return insert_range(Between<First, Last>{first, last});
  }
  // Precondition: one answer for each key. Answer 1: may contain.
  template <std::ranges::input_range Keys>
  void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
    if constexpr (kAreNumbersInARow<Keys>)
      raw().may_contain_batch(std::span<const std::uint64_t>{keys}, answers);
    else
      keyed_.may_contain_batch(keys, answers);
  }

  // Fill, estimated keys, the real error rate now, and the verdict against the goal.
  Health health() const { return raw().health(); }
  // Union. kInvalidArgument unless both were made for the same goal, or another of the same shape.
  Status merge(const Filter& other) { return keyed_.raw().merge(other.raw()); }
  // What both may contain, and perhaps a little more.
  Status intersect(const Filter& other) { return keyed_.raw().intersect(other.raw()); }
  void clear() { keyed_.raw().reset(); }
  Filter clone() const { return Filter{raw().clone()}; }  // a copy is large, so it is asked for
  friend bool operator==(const Filter& a, const Filter& b) { return a.raw() == b.raw(); }
  const Engine& raw() const { return keyed_.raw(); }

  // Replaces the file in one step: a crash leaves the old one or the new one. Waits up to 10 s for
  // another process that is writing the file. A program that loads a filter, adds to it and saves
  // it takes a FileLock before load() and passes it here, so that keys which another program adds
  // meanwhile are not lost.
  Status save(const std::filesystem::path& file, const FileLock* held = nullptr) const {
    if (raw().size_bytes() == 0)
      return Error{ErrorCode::kInvalidArgument,
                   "the filter was moved from, so there is no content"};
    if (const BlockFilter* block = raw().as_block())
      return save_native(*block, kFunnelName<F>, file, held);
    return save_native(*raw().as_classic(), kFunnelName<F>, file, held);
  }
  // kInvalidArgument when the file's keys were poured by another funnel: no answer would be right.
  static Result<Filter> load(const std::filesystem::path& file, const DecodeOptions& options = {}) {
    auto loaded = load_native(file, options);
    if (!loaded) return loaded.error();
    if (auto* block = std::get_if<NativeBlock>(&*loaded)) return from(std::move(*block));
    if (auto* classic = std::get_if<NativeClassic>(&*loaded)) return from(std::move(*classic));
    return Error{ErrorCode::kUnsupported,
                 "this file holds a counting or scalable filter: load it with load_native"};
  }
  // The file as it lies on disk, asked without being read whole.
  static Result<MappedFilter<T, F>> map(const std::filesystem::path& file,
                                        const DecodeOptions& options = {}) {
    return MappedFilter<T, F>::open(file, options);
  }

 private:
  friend class MappedFilter<T, F>;
  static constexpr bool kWholeNumbers = kFunnelName<F> == FunnelName::kU64;
  template <class Keys>
  static constexpr bool kAreNumbersInARow =
      kWholeNumbers&& std::is_constructible_v<std::span<const std::uint64_t>, const Keys&>;

  // std::ranges::subrange, which Clang 14 does not compile with the library of GCC 12.
  template <class First, class Last>
  struct Between {
    First first;
    Last last;
    First begin() const { return first; }
    Last end() const { return last; }
  };

  explicit Filter(Engine engine) : keyed_{std::move(engine)} {}
  template <class Filled>
  static Result<Filter> from(Native<Filled> native) {
    if (auto same = check_funnel(native.funnel); !same) return same.error();
    return Filter{Engine{std::move(native.filter)}};
  }
  static Status check_funnel(FunnelName funnel) {
    if (funnel == kFunnelName<F>) return ok();
    return Error{ErrorCode::kInvalidArgument,
                 message("the keys of this file were poured by the funnel ", funnel_name(funnel),
                         ", and these are by ", funnel_name(kFunnelName<F>))};
  }

  Keyed<F, Engine> keyed_;
};

// A filter in its file, read-only: opening costs a page, and programs on one machine share its
// memory. Made by Filter<T>::map(). Replace the file, as save() does, to change it: a program that
// overwrites it in place changes the answers, and one that truncates it ends the readers with
// SIGBUS. Where others may do that, load() the filter instead.
template <class T, Funnel F = DefaultFunnel<T>>
class MappedFilter {
 public:
  using Key = typename F::Key;

  static Result<MappedFilter> open(const std::filesystem::path& file,
                                   const DecodeOptions& options = {}) {
    auto mapped = MappedNative::open(file, options);
    if (!mapped) return mapped.error();
    if (auto same = Filter<T, F>::check_funnel(mapped->funnel()); !same) return same.error();
    return MappedFilter{std::move(*mapped)};
  }
  bool may_contain(const Key& key) const { return keyed_.may_contain(key); }
  template <std::ranges::input_range Keys>
  void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
    keyed_.may_contain_batch(keys, answers);
  }
  Health health() const { return keyed_.raw().health(); }
  Status verify() const { return keyed_.raw().verify(); }  // reads the whole file
  // kIo where the file became shorter than it was: a lookup would then end the process (SIGBUS).
  Status check_size() const { return keyed_.raw().check_size(); }

 private:
  explicit MappedFilter(MappedNative mapped) : keyed_{std::move(mapped)} {}
  Keyed<F, MappedNative> keyed_;
};

}  // namespace bloomery
