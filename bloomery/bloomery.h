// A Bloom filter of typed keys that reports its real fill and false-positive rate, and its file:
// Filter<T>, MappedFilter<T>, and UntypedFilter for keys whose type is known only at run time.
// bloomery/concurrent_filter.h has the filter that many threads fill at once.
#pragma once
#if __cplusplus < 202002L
#error "Bloomery needs C++20: compile with -std=c++20, or with CMAKE_CXX_STANDARD 20"
#else
#include "bloomery/filter/engine.h"
#include "bloomery/formats/native/engine_file.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/funnel/keyed.h"
#include "bloomery/untyped_filter.h"

namespace bloomery {

template <class T, Funnel F>
class MappedFilter;
template <class T, Funnel F>
class ConcurrentFilter;

// A filter of T: strings, integers, and any type with a funnel. Lookups take every type that
// converts to the funnel's key: a Filter<std::string> is queried with a literal or a
// std::string_view.
//
//   bloomery::Filter<std::string> seen({.keys = 1'000'000, .false_positive_rate = 0.01});
//   seen.insert("a key");
//   if (seen.may_contain("a key")) ...
//
// Threads: many readers or one writer, as std::vector: const calls may run at the same time.
// Errors: calls that can fail return a Result or Status; the others throw nothing but
// std::bad_alloc. Names of files are strings or std::filesystem::path.
// A filter that was moved from may be assigned to or destroyed; save() refuses it, and any other
// call ends the program.
//
// A new filter takes the fastest layout for its goal: one cache line per key, two to four for rates
// below about 3e-4, or a classic filter for rates above about 0.26 or below 1e-12. A loaded one
// keeps the layout of its file, which may also be scalable or counting. Code compiled for AVX2 or
// AVX-512 (-march=x86-64-v3, -march=native) has lookups and inserts of the first inlined.
template <class T, Funnel F = DefaultFunnel<T> >
class Filter {
 public:
  using Key = typename F::Key;
  using key_type = Key;
  using value_type = T;

  // The fastest hash; every machine computes the same. A file records its profile, so it is loaded
  // as it was made; the command line and other languages default to Profile::kXxh3_64.
  static constexpr Profile kDefaultProfile = Profile::kAes;

  // An empty filter. Hasher{Profile::kSiphash, 0, key} is slower and withstands keys that an
  // attacker chose. Cost: one allocation of about 1.25 bytes per key at 1 %; from 1 MiB on, pages
  // are touched when keys reach them. kInvalidArgument for a goal that no filter can meet, and for
  // a hash that does not accept the keys. Throws std::bad_alloc.
  static Result<Filter> for_goal(Goal goal, Hasher hasher = Hasher{kDefaultProfile}) {
    if (auto fits = check_hash(hasher, kFunnelName<F>); !fits) return fits.error();
    auto engine = Engine::for_goal(goal, KeyHash{hasher, kWholeNumbers});
    if (!engine) return engine.error();
    return Filter{std::move(*engine)};
  }
  // The same for any goal, as clamped(goal): 0 keys count as 1, a rate of 0 or less as 1e-12, 1 or
  // more as 0.5. Throws std::bad_alloc where memory cannot hold the filter.
  explicit Filter(Goal goal)
      : Filter{Engine::for_any_goal(goal, KeyHash{Hasher{kDefaultProfile}, kWholeNumbers})} {}

  // True if the key was certainly absent before. Cost: one to four cache lines, or one per probe in
  // a classic filter and one per probe and layer in a scalable one, which also grows: then the call
  // may allocate and throws std::bad_alloc. Never fails otherwise: a filter beyond its goal takes
  // more keys at a higher false-positive rate, which health() reports. One thread at a time.
  bool insert(const Key& key) { return keyed_.insert(key); }
  // The same without an answer: the fastest way to insert keys one by one. The number of inserted
  // keys in raw().provenance() and in a file is then estimated from the bits.
  void add(const Key& key) { keyed_.add(key); }
  // False: the key was never inserted. True: it may have been. Cost as insert(), without memory.
  bool may_contain(const Key& key) const { return keyed_.may_contain(key); }
  // Takes the key out of a counting filter, if it may be in: returns whether it was. Remove only
  // keys that were inserted, or others may be lost. kUnsupported for the other layouts.
  Result<bool> remove(const Key& key) { return keyed_.remove(key); }

  // Many keys at once, memory fetched ahead: several times as fast as a loop once the filter is
  // larger than the cache. Returns how many were new. Errors and threads as insert().
  template <KeyRange Keys>
  std::size_t insert_range(const Keys& keys) {
    if constexpr (kAreNumbersInARow<Keys>)
      return keyed_.raw().insert_batch(std::span<const std::uint64_t>{keys});
    else
      return keyed_.insert_batch(keys);
  }
  // The same without an answer, as add().
  template <KeyRange Keys>
  void add_range(const Keys& keys) {
    if constexpr (kAreNumbersInARow<Keys>)
      keyed_.raw().add_batch(std::span<const std::uint64_t>{keys});
    else
      keyed_.add_batch(keys);
  }
  // insert_range() of the keys between two iterators: the same answer, cost, errors and threads.
  template <std::input_iterator First, std::sentinel_for<First> Last>
  std::size_t insert(First first, Last last) {
    return insert_range(Between<First, Last>{first, last});
  }
  // Many lookups at once, memory fetched ahead, as insert_range(). Answer 1: may contain.
  // Precondition: one answer for each key. Threads as may_contain(key).
  template <KeyRange Keys>
  void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
    if constexpr (kAreNumbersInARow<Keys>)
      raw().may_contain_batch(std::span<const std::uint64_t>{keys}, answers);
    else
      keyed_.may_contain_batch(keys, answers);
  }

  // Fill, estimated keys, the false-positive rate now, and the verdict against the goal. Cost:
  // reads all bits, or a sample of a block filter that is large.
  Health health() const { return raw().health(); }
  // Adds the keys of another filter, bit by bit. Cost: reads both. kInvalidArgument, and nothing
  // changed, unless both have the same layout, shape and hash: make them for the same goal.
  Status merge(const Filter& other) { return keyed_.raw().merge(other.raw()); }
  // Keeps the keys that both may contain, and perhaps a few more. Errors as merge(); kUnsupported
  // for counting and scalable filters.
  Status intersect(const Filter& other) { return keyed_.raw().intersect(other.raw()); }
  void clear() { keyed_.raw().reset(); }  // the memory stays allocated
  // A copy is large, so it has a name. Throws std::bad_alloc.
  Filter clone() const { return Filter{raw().clone()}; }
  friend bool operator==(const Filter& a, const Filter& b) { return a.raw() == b.raw(); }
  // The filter inside: layout, shape, memory, provenance. Costs nothing and cannot fail; the
  // reference is valid as long as this filter, and its const calls are safe as those here.
  const Engine& raw() const { return keyed_.raw(); }

  // Replaces the file in one step: a crash leaves the old one or the new one. Cost: writes the
  // filter once and syncs it. Waits up to 10 s for another process that is writing the file, then
  // kIo. A program that loads a filter, adds to it and saves it takes a FileLock (base/file_lock.h)
  // before load() and passes it here, so that keys which another program adds meanwhile are not
  // lost. kIo where the file cannot be written, kInvalidArgument for a filter that was moved from.
  Status save(FileName file, const FileLock* held = nullptr) const {
    return save_engine(raw(), kFunnelName<F>, file, held);
  }
  // Any native file, of every layout: of save(), of the command `bloomery build`, of another
  // language. Reads and verifies all of it. kIo where it cannot be read, kTruncated or kMalformed
  // where it is damaged, kTooLarge beyond options.limits, kInvalidArgument without the secret of a
  // keyed filter, and where its keys are of another funnel: no answer would be right.
  static Result<Filter> load(FileName file, const DecodeOptions& options = {}) {
    auto loaded = load_engine(file, options);
    if (!loaded) return loaded.error();
    if (auto same = check_funnel(file, loaded->funnel, kFunnelName<F>); !same) return same.error();
    return Filter{std::move(loaded->engine)};
  }
  // The same file queried where it lies, without reading it whole. Errors as load(), but that
  // limits do not apply and the body is verified on request.
  static Result<MappedFilter<T, F> > map(FileName file, const DecodeOptions& options = {}) {
    return MappedFilter<T, F>::open(file, options);
  }

 private:
  friend class ConcurrentFilter<T, F>;
  static constexpr bool kWholeNumbers = internal::NumberKeyed<F, Engine>::kWholeNumbers;
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

  internal::NumberKeyed<F, Engine> keyed_;
};

// A filter in its file, read-only: opening costs a page, and programs on one machine share its
// memory. Made by Filter<T>::map(). Every call may run in many threads at once.
// Replace the file, as save() does, to change it: a program that overwrites it in place changes the
// answers, and one that truncates it ends the readers with SIGBUS. Where other programs may do
// that, load() the filter instead.
template <class T, Funnel F = DefaultFunnel<T> >
class MappedFilter {
 public:
  using Key = typename F::Key;

  // As Filter<T>::map(), which calls it. Cost: reads the header, a page or two, and the seeds of a
  // seeded filter. kIo where the file cannot be read, kTruncated, kMalformed or kUnsupported for
  // what the header says, kInvalidArgument without the secret of a keyed filter, and where its keys
  // are of another funnel. Threads: any number may open one file.
  static Result<MappedFilter> open(FileName file, const DecodeOptions& options = {}) {
    auto mapped = MappedNative::open(file, options);
    if (!mapped) return with_file(file, mapped.error());
    if (auto same = check_funnel(file, mapped->funnel(), kFunnelName<F>); !same)
      return same.error();
    return MappedFilter{std::move(*mapped)};
  }
  // Cost: as Filter<T>::may_contain; the first lookup of a page reads it from disk.
  bool may_contain(const Key& key) const { return keyed_.may_contain(key); }
  // Many lookups at once, memory fetched ahead; pages that are not in memory are read one by one.
  // Answer 1: may contain. Precondition: one answer for each key. Threads: any number at a time.
  template <KeyRange Keys>
  void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
    keyed_.may_contain_batch(keys, answers);
  }
  Health health() const { return keyed_.raw().health(); }  // reads the body, or a large sample
  // Reads the whole file. kMalformed where its checksum is wrong, or where it was left open.
  Status verify() const { return keyed_.raw().verify(); }
  // kIo where the file became shorter than it was: a lookup would then end the process (SIGBUS).
  Status check_size() const { return keyed_.raw().check_size(); }

 private:
  explicit MappedFilter(MappedNative mapped) : keyed_{std::move(mapped)} {}
  Keyed<F, MappedNative> keyed_;
};

}  // namespace bloomery
#endif
