// A filter that forgets: counters instead of bits, so that a key can be removed again.
//
// Remove only what was inserted. A key that was never inserted but is answered "maybe" shares all
// its counters with others; removing it takes from theirs and may make one of them a false
// negative. Counters that reached their maximum are stuck: they stay for ever, which costs a false
// positive here and there, never a false negative.
#pragma once
#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/classic/counters.h"

namespace bloomery {

// Many readers or one writer, as std::vector. provenance().keys_inserted is what is in: inserts
// less removals, repeats included.
template <Dialect D, unsigned kCounterBits = 4>
class CountingFilter : public internal::ClassicStorage<D> {
  using Storage = internal::ClassicStorage<D>;

 public:
  using Storage::bytes;
  using Counter = Counters<kCounterBits>;
  static constexpr unsigned kBitsPerCounter = kCounterBits;

  static Result<CountingFilter> for_goal(Goal goal, D dialect = {},
                                         std::pmr::memory_resource* memory = nullptr) {
    return Storage::template made_for<CountingFilter>(goal, dialect, memory);
  }
  // shape.bits is the number of counters. Takes any shape, as usable(shape); throws std::bad_alloc
  // where the counters do not fit in memory.
  explicit CountingFilter(Shape shape, D dialect = {}, std::pmr::memory_resource* memory = nullptr)
      : Storage{usable(shape), dialect,
                Buffer{memory_bytes(Counter::bytes_for(shape.bits)), memory}} {}

  // True if certainly new. A key inserted twice must be removed twice.
  bool insert(ByteView key) {
    bool is_new = false;
    for_each_counter(key, [&](std::uint64_t at) {
      const unsigned count = Counter::get(bytes(), at);
      is_new |= count == 0;
      if (count < Counter::kMax) Counter::set(bytes(), at, count + 1);
    });
    if (provenance_.keys_inserted) ++*provenance_.keys_inserted;
    return is_new;
  }
  // False, and nothing changed, if the key was certainly absent.
  bool remove(ByteView key) {
    if (!may_contain(key)) return false;
    for_each_counter(key, [&](std::uint64_t at) {
      const unsigned count = Counter::get(bytes(), at);
      if (count < Counter::kMax) Counter::set(bytes(), at, count - 1);
    });
    if (provenance_.keys_inserted.value_or(0) > 0) --*provenance_.keys_inserted;
    return true;
  }
  bool may_contain(ByteView key) const {
    Probes<D> probes{dialect_, dialect_.digest(key), modulus_};
    for (std::uint32_t i = 0; i < shape_.probes; ++i)
      if (Counter::get(bytes(), probes.next()) == 0) return false;
    return true;
  }

  // Precondition of all: one answer for each key.
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) {
    return for_each_key(keys, is_new, [this](ByteView key) { return insert(key); });
  }
  std::size_t insert_batch(std::span<const ByteView> keys) {
    std::size_t added = 0;
    for (const ByteView key : keys) added += insert(key) ? 1 : 0;
    return added;
  }
  std::size_t remove_batch(std::span<const ByteView> keys, std::span<std::uint8_t> removed) {
    return for_each_key(keys, removed, [this](ByteView key) { return remove(key); });
  }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    for_each_key(keys, answers, [this](ByteView key) { return may_contain(key); });
  }

  // The keys of both, as if all had been inserted here; stuck counters stay stuck.
  Status merge(const CountingFilter& other);
  // The filter of bits with the same keys: set where the counter is not zero.
  ClassicFilter<D> to_classic() const;
  CountingFilter clone() const { return CountingFilter{Storage::copy()}; }
  friend bool operator==(const CountingFilter& a, const CountingFilter& b) { return a.equals(b); }

  std::uint64_t stuck_counters() const { return Counter::count_stuck(bytes()); }
  Health health() const {
    return classic_health(shape_, Counter::count_non_zero(bytes()), provenance_.goal);
  }

 private:
  using Storage::buffer_;
  using Storage::dialect_;
  using Storage::modulus_;
  using Storage::provenance_;
  using Storage::shape_;

  explicit CountingFilter(Storage storage) : Storage{std::move(storage)} {}
  // Each distinct counter of a key once, however many probes meet there: then insert and remove
  // undo each other, and no counter is taken below zero.
  template <class Visit>
  void for_each_counter(ByteView key, Visit visit) {
    std::array<std::uint64_t, kMaxProbes> positions;
    Probes<D> probes{dialect_, dialect_.digest(key), modulus_};
    const auto end = positions.begin() + shape_.probes;
    std::generate(positions.begin(), end, [&] { return probes.next(); });
    std::sort(positions.begin(), end);
    std::for_each(positions.begin(), std::unique(positions.begin(), end), visit);
  }
  template <class Operation>
  static std::size_t for_each_key(std::span<const ByteView> keys, std::span<std::uint8_t> answers,
                                  Operation operation) {
    assert(answers.size() == keys.size());
    std::size_t yes = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i] = operation(keys[i]) ? 1 : 0;
      yes += answers[i];
    }
    return yes;
  }
};

template <Dialect D, unsigned kCounterBits>
Status CountingFilter<D, kCounterBits>::merge(const CountingFilter& other) {
  if (shape_ != other.shape_ || !(dialect_ == other.dialect_))
    return Error{ErrorCode::kInvalidArgument,
                 message("the counting filters differ: ", shape_.bits, " counters and ",
                         shape_.probes, " probes against ", other.shape_.bits, " and ",
                         other.shape_.probes, ", or another seed or key")};
  Counter::add(buffer_.span(), other.bytes());
  this->add_keys_of(other);
  return ok();
}

template <Dialect D, unsigned kCounterBits>
ClassicFilter<D> CountingFilter<D, kCounterBits>::to_classic() const {
  ClassicFilter<D> classic{shape_, dialect_, buffer_.memory()};
  classic.set_provenance(provenance_);
  for (std::uint64_t i = 0; i < shape_.bits; ++i)
    if (Counter::get(bytes(), i) != 0)
      classic.bytes()[static_cast<std::size_t>(i / 8)] |= std::byte{1} << (i % 8);
  return classic;
}

}  // namespace bloomery
