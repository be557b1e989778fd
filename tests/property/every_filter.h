// How the tests make an empty filter of each kind, and the list of all kinds.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/filter/block/block.h"
#include "bloomery/formats/format.h"

namespace bloomery::testing {

template <class F>
struct MakeFilter;

// 640 bits hold whole words for the dialects that need them, and few enough that keys collide.
template <Dialect D>
struct MakeFilter<ClassicFilter<D>> {
  ClassicFilter<D> operator()(std::uint64_t scale) const {
    return ClassicFilter<D>{Shape{640 * scale, 5}};
  }
};
template <>
struct MakeFilter<EthereumFilter> {  // the protocol knows one size
  EthereumFilter operator()(std::uint64_t /*scale*/) const {
    return EthereumFilter{EthereumDialect::kShape};
  }
};
template <Dialect D, unsigned kCounterBits>
struct MakeFilter<CountingFilter<D, kCounterBits>> {
  CountingFilter<D, kCounterBits> operator()(std::uint64_t scale) const {
    return CountingFilter<D, kCounterBits>{Shape{640 * scale, 5}};
  }
};
// At scale 1 a hundred keys need a second layer; at the scale of merges a few hundred need none.
template <Dialect D>
struct MakeFilter<ScalableFilter<D>> {
  ScalableFilter<D> operator()(std::uint64_t scale) const {
    return *ScalableFilter<D>::for_goal({64 * scale, 0.01});
  }
};
template <>
struct MakeFilter<RedisBloomFilter> {
  RedisBloomFilter operator()(std::uint64_t scale) const {
    return *RedisBloomFilter::for_goal({64 * scale, 0.01});
  }
};
template <>
struct MakeFilter<ParquetFilter> {
  ParquetFilter operator()(std::uint64_t scale) const {
    return ParquetFilter{SplitBlockFilter{3 * scale}};
  }
};

// Few and all sectors, and several lines per key; keys as bytes, and as numbers where they have
// eight bytes. 512 bits a block.
template <std::uint32_t kProbes, bool kWholeNumbers>
struct BlockFlavour : BlockFilter {
  explicit BlockFlavour(std::uint64_t blocks)
      : BlockFilter{
            BlockShape{blocks, kProbes},
            KeyHash{Hasher{kWholeNumbers ? Profile::kMix : Profile::kXxh3}, kWholeNumbers}} {}
  static std::string test_name() {
    return "block_" + std::to_string(kProbes) + (kWholeNumbers ? "_numbers" : "_bytes");
  }
};
template <std::uint32_t kProbes, bool kWholeNumbers>
struct MakeFilter<BlockFlavour<kProbes, kWholeNumbers>> {
  BlockFlavour<kProbes, kWholeNumbers> operator()(std::uint64_t scale) const {
    return BlockFlavour<kProbes, kWholeNumbers>{4 * scale};
  }
};

// Of one array of bits: these intersect and fold.
using BitFilters =
    ::testing::Types<ClassicFilter<BloomeryClassic>, ClassicFilter<GoBloom>, ClassicFilter<LevelDb>,
                     ClassicFilter<GuavaMitz32>, ClassicFilter<GuavaMitz64>,
                     ClassicFilter<BitsAndBlooms>, ClassicFilter<BitsAndBloomsV2>,
                     ClassicFilter<BitsAndBloomsV1>, ClassicFilter<Dcso>,
                     ClassicFilter<EventHorizonX86>, ClassicFilter<EventHorizonX64>, EthereumFilter,
                     ClassicFilter<RedisBloom>, ParquetFilter, BlockFlavour<5, false>,
                     BlockFlavour<8, false>, BlockFlavour<5, true>, BlockFlavour<8, true>,
                     BlockFlavour<16, false>, BlockFlavour<24, true>, BlockFlavour<32, false>>;
using CountingFilters =
    ::testing::Types<CountingFilter<BloomeryClassic, 2>, CountingFilter<BloomeryClassic, 4>,
                     CountingFilter<BloomeryClassic, 8>>;
using LayeredFilters = ::testing::Types<ScalableFilter<BloomeryClassic>, RedisBloomFilter>;

template <class... Lists>
struct Joined;
template <class... A, class... B, class... C>
struct Joined<::testing::Types<A...>, ::testing::Types<B...>, ::testing::Types<C...>> {
  using Type = ::testing::Types<A..., B..., C...>;
};
using EveryFilter = Joined<BitFilters, CountingFilters, LayeredFilters>::Type;

// In the names of the tests; letters and digits only, for a '-' or ':' would part a filter of
// tests.
struct FilterName {
  template <class F>
  static std::string GetName(int /*index*/) {
    std::string name{plain<F>()};
    std::ranges::replace_if(
        name, [](char c) { return c == '-' || c == ':' || c == '.'; }, '_');
    return name;
  }

 private:
  template <class F>
  static std::string plain() {
    if constexpr (requires { F::kBitsPerCounter; })
      return "counting_" + std::to_string(F::kBitsPerCounter);
    else if constexpr (std::same_as<F, ScalableFilter<BloomeryClassic>>)
      return "scalable";
    else if constexpr (requires { F::test_name(); })
      return F::test_name();
    else if constexpr (requires { F::DialectType::kName; })
      return std::string{F::DialectType::kName};
    else
      return std::same_as<F, ParquetFilter> ? "parquet" : "redisbloom_layers";
  }
};

}  // namespace bloomery::testing
