// A filter of typed keys. The filter underneath still sees only bytes.
#pragma once
#include <array>
#include <cassert>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/funnel/funnel_name.h"

namespace bloomery {

// As safe as the filter inside. Every call has a sink of its own, so readers share nothing.
// A key may be anything that converts to F::Key: with Utf8Funnel, a std::string or a literal.
template <Funnel F, class Filter>
class Keyed {
 public:
  using Key = typename F::Key;

  explicit Keyed(Filter filter) : filter_{std::move(filter)} {}

  auto insert(const Key& key) {
    return with_bytes(key, [this](ByteView bytes) { return filter_.insert(bytes); });
  }
  // An insert without an answer, of a filter that has one.
  void add(const Key& key) {
    with_bytes(key, [this](ByteView bytes) { filter_.add(bytes); });
  }
  auto may_contain(const Key& key) const {
    return with_bytes(key, [this](ByteView bytes) { return filter_.may_contain(bytes); });
  }
  // Of a filter that can remove keys.
  auto remove(const Key& key) {
    return with_bytes(key, [this](ByteView bytes) { return filter_.remove(bytes); });
  }

  // What the filter's insert_batch returns, summed over the chunks: nothing, how many keys were
  // new, or a Result, whose first error ends the batch.
  template <KeyRange Keys>
  auto insert_batch(Keys&& keys) {
    using Outcome = decltype(filter_.insert_batch(std::span<const ByteView>{}));
    if constexpr (std::is_void_v<Outcome>) {
      for_each_chunk(keys, [this](std::span<const ByteView> chunk) {
        filter_.insert_batch(chunk);
        return true;
      });
    } else {
      Outcome total = nothing_inserted<Outcome>();
      for_each_chunk(keys, [this, &total](std::span<const ByteView> chunk) {
        return add_to(total, filter_.insert_batch(chunk));
      });
      return total;
    }
  }
  template <KeyRange Keys>
  void add_batch(Keys&& keys) {
    for_each_chunk(keys, [this](std::span<const ByteView> chunk) {
      filter_.add_batch(chunk);
      return true;
    });
  }
  // Precondition: `answers` is as long as `keys`.
  template <KeyRange Keys>
  void may_contain_batch(Keys&& keys, std::span<std::uint8_t> answers) const {
    for_each_chunk(keys, [this, &answers](std::span<const ByteView> chunk) {
      assert(chunk.size() <= answers.size());
      filter_.may_contain_batch(chunk, answers.first(chunk.size()));
      answers = answers.subspan(chunk.size());
      return true;
    });
    assert(answers.empty());
  }

  const Filter& raw() const { return filter_; }
  Filter& raw() { return filter_; }

 private:
  // Bounds the memory of a batch, and is many times what a batch kernel keeps in flight.
  static constexpr std::size_t kChunkKeys = 1024;

  template <class Outcome>
  static Outcome nothing_inserted() {
    if constexpr (std::is_default_constructible_v<Outcome>) {
      return Outcome{};
    } else {
      return std::remove_cvref_t<decltype(*std::declval<Outcome>())>{};
    }
  }
  // False once a chunk has failed.
  static bool add_to(std::size_t& total, std::size_t added) {
    total += added;
    return true;
  }
  static bool add_to(std::monostate&, std::monostate) { return true; }
  template <class T>
  static bool add_to(Result<T>& total, Result<T> added) {
    if (added) return add_to(*total, *added);
    total = std::move(added);
    return false;
  }

  template <class Use>
  static auto with_bytes(const Key& key, Use use) {
    if constexpr (ViewFunnel<F>) {
      return use(F::view(key));
    } else {
      ByteSink sink;
      F{}(key, sink);
      return use(sink.bytes());
    }
  }

  template <class Keys>
  using KeyReference = decltype(*std::begin(std::declval<Keys&>()));
  // Whether the bytes of a key outlive the step to the next key: not if the range makes its keys as
  // it goes.
  template <class Keys>
  static constexpr bool kKeysStay =
      std::forward_iterator<decltype(std::begin(std::declval<Keys&>()))> &&
      (std::is_lvalue_reference_v<KeyReference<Keys>> ||
       std::same_as<std::remove_cvref_t<KeyReference<Keys>>, Key>);

  // Calls use(views of up to kChunkKeys keys) until the keys end or it returns false.
  template <class Keys, class Use>
  static void for_each_chunk(Keys& keys, Use use) {
    if constexpr (ViewFunnel<F> && kKeysStay<Keys>) {
      for_each_viewed_chunk(keys, use);
    } else {
      for_each_copied_chunk(keys, use);
    }
  }
  template <class Keys, class Use>
  static void for_each_viewed_chunk(Keys& keys, Use use) {
    std::array<ByteView, kChunkKeys> views;
    auto at = std::begin(keys);
    const auto end = std::end(keys);
    while (at != end) {
      std::size_t count = 0;
      for (; count < kChunkKeys && at != end; ++at) views[count++] = F::view(*at);
      if (!use(std::span<const ByteView>{views.data(), count})) return;
    }
  }
  template <class Keys, class Use>
  static void for_each_copied_chunk(Keys& keys, Use use) {
    ByteSink arena;  // of a whole chunk; views are taken once it has stopped growing
    std::array<std::size_t, kChunkKeys> ends;
    std::array<ByteView, kChunkKeys> views;
    auto at = std::begin(keys);
    const auto end = std::end(keys);
    while (at != end) {
      arena.reset();
      std::size_t count = 0;
      for (; count < kChunkKeys && at != end; ++at) {
        F{}(*at, arena);
        ends[count++] = arena.size();
      }
      for (std::size_t i = 0, start = 0; i < count; start = ends[i++])
        views[i] = arena.bytes().subspan(start, ends[i] - start);
      if (!use(std::span<const ByteView>{views.data(), count})) return;
    }
  }

  Filter filter_;
};

namespace internal {

// Keyed, but that single keys of the funnel u64 stay numbers. Precondition: the filter under such a
// funnel was made for whole numbers.
template <Funnel F, class Filter>
class NumberKeyed : public Keyed<F, Filter> {
 public:
  using typename Keyed<F, Filter>::Key;
  static constexpr bool kWholeNumbers = kFunnelName<F> == FunnelName::kU64;

  using Keyed<F, Filter>::Keyed;

  bool insert(const Key& key) {
    if constexpr (kWholeNumbers)
      return this->raw().insert(std::uint64_t{key});
    else
      return Keyed<F, Filter>::insert(key);
  }
  void add(const Key& key) {
    if constexpr (kWholeNumbers)
      this->raw().add(std::uint64_t{key});
    else
      Keyed<F, Filter>::add(key);
  }
  bool may_contain(const Key& key) const {
    if constexpr (kWholeNumbers)
      return this->raw().may_contain(std::uint64_t{key});
    else
      return Keyed<F, Filter>::may_contain(key);
  }
};

}  // namespace internal
}  // namespace bloomery
