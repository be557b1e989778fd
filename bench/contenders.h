// The filters of engine_bench behind the same four calls: look up a batch, look up one at a time,
// insert a batch, insert one at a time. Each call takes all keys, so that it is paid once.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/bloomery.h"
#include "bloomery/filter/seeded/builder.h"
#include "bloomery/hash/xxh.h"
#if __has_include(<boost/bloom/filter.hpp>)
#include <boost/bloom/fast_multiblock32.hpp>
#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>

#include "bench/huge_pages.h"
#define BLOOMERY_BENCH_BOOST 1
#endif

namespace bloomery::bench {

// Key is std::uint64_t or ByteView.
template <class Key>
struct Contender {
  using Keys = std::span<const Key>;
  std::string name;
  std::function<void()> clear;
  std::function<std::size_t(Keys, std::span<std::uint8_t>)> look_up_batch;
  std::function<std::size_t(Keys)> look_up_one;
  std::function<void(Keys)> insert_batch;
  std::function<void(Keys)> insert_one;
  std::size_t bytes = 0;
};

template <class Key>
constexpr bool kNumbers = std::is_same_v<Key, std::uint64_t>;

template <class Key>
Contender<Key> ours(std::string name, BlockShape shape, Profile profile) {
  using Keys = std::span<const Key>;
  auto filter = std::make_shared<BlockFilter>(shape, KeyHash{Hasher{profile}, kNumbers<Key>});
  return {.name = std::move(name),
          .clear = [=] { filter->reset(); },
          .look_up_batch =
              [=](Keys keys, std::span<std::uint8_t> answers) {
                return filter->may_contain_batch(keys, answers);
              },
          .look_up_one =
              [=](Keys keys) {
                std::size_t maybe = 0;
                for (const Key key : keys) maybe += filter->may_contain(key) ? 1 : 0;
                return maybe;
              },
          .insert_batch = [=](Keys keys) { filter->insert_batch(keys); },
          .insert_one =
              [=](Keys keys) {
                for (const Key key : keys) filter->insert(key);
              },
          .bytes = filter->size_bytes()};
}

// Built anew by every insert: a seeded filter chooses its windows for all keys at once.
template <class Key>
Contender<Key> ours_seeded(BlockShape shape, Profile profile) {
  using Keys = std::span<const Key>;
  const KeyHash hash{Hasher{profile}, kNumbers<Key>};
  auto filter = std::make_shared<BlockFilter>(shape, hash);
  const auto build = [=](Keys keys) {
    auto builder = SeededBuilder::create(shape, hash, {.memory_bytes = std::uint64_t{8} << 30});
    if (!builder || !builder->add(keys)) std::abort();
    auto built = builder->finish();
    if (!built) std::abort();
    *filter = std::move(*built);
  };
  Contender<Key> seeded = ours<Key>("bloomery seeded", {1, shape.probes}, profile);
  seeded.clear = [] {};
  seeded.look_up_batch = [=](Keys keys, std::span<std::uint8_t> answers) {
    return filter->may_contain_batch(keys, answers);
  };
  seeded.look_up_one = [=](Keys keys) {
    std::size_t maybe = 0;
    for (const Key key : keys) maybe += filter->may_contain(key) ? 1 : 0;
    return maybe;
  };
  seeded.insert_batch = build;
  seeded.insert_one = [](Keys) {};
  seeded.bytes = filter->size_bytes();
  return seeded;
}

#if defined(BLOOMERY_BENCH_BOOST)
// Boost.Bloom's own mixing for numbers; XXH3 for bytes, the best hash it could be given.
struct BoostHash {
  using is_avalanching = void;
  std::size_t operator()(ByteView key) const { return xxh3_64(key); }
};
template <class Key>
using BoostHashOf = std::conditional_t<kNumbers<Key>, boost::hash<Key>, BoostHash>;

template <class Key, class Subfilter>
Contender<Key> boost_bloom(std::string name, std::size_t bits) {
  using Keys = std::span<const Key>;
  using Peer =
      boost::bloom::filter<Key, 1, Subfilter, 0, BoostHashOf<Key>, HugePages<unsigned char>>;
  auto filter = std::make_shared<Peer>(bits);
  return {.name = std::move(name),
          .clear = [=] { filter->clear(); },
          .look_up_batch =
              [=](Keys keys, std::span<std::uint8_t> answers) {
                std::uint8_t* answer = answers.data();
                std::size_t maybe = 0;
                filter->may_contain(keys.begin(), keys.end(), [&](const Key&, bool found) {
                  *answer++ = found ? 1 : 0;
                  maybe += found ? 1 : 0;
                });
                return maybe;
              },
          .look_up_one =
              [=](Keys keys) {
                std::size_t maybe = 0;
                for (const Key& key : keys) maybe += filter->may_contain(key) ? 1 : 0;
                return maybe;
              },
          .insert_batch = [=](Keys keys) { filter->insert(keys.begin(), keys.end()); },
          .insert_one =
              [=](Keys keys) {
                for (const Key& key : keys) filter->insert(key);
              },
          .bytes = filter->capacity() / 8};
}
#endif

}  // namespace bloomery::bench
