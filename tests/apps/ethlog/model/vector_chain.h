// A chain of header blooms and the bit vectors of its sections, in memory: what the matchers search
// in tests, beside the answer that asking every bloom gives.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "apps/ethlog/index/bloombits/generator.h"
#include "apps/ethlog/model/clauses.h"
#include "bloomery/formats/ethereum_bloom.h"
#include "tests/formats/split_mix.h"

namespace bloomery::testing {

using Bytes = std::vector<std::byte>;
using Blocks = std::vector<std::uint64_t>;

class VectorChain {
 public:
  VectorChain(std::uint64_t section_size, std::vector<EthereumBloom> all)
      : section_size_{section_size}, blooms_{std::move(all)} {
    for (std::size_t first = 0; first < blooms_.size(); first += section_size) {
      auto& section = sections_.emplace_back(*ethlog::Generator::make(section_size));
      for (std::size_t i = 0; i < section_size; ++i)
        EXPECT_TRUE(section.add_bloom(i, blooms_[first + i].bytes()));
    }
  }
  // So many random keys of 32 bytes in each block, and every `every`-th block has the given keys.
  static VectorChain random(std::uint64_t section_size, std::size_t sections, std::size_t keys,
                            std::span<const Bytes> planted, std::size_t every, std::uint64_t seed) {
    SplitMix64 random{seed};
    std::vector<EthereumBloom> blooms(section_size * sections);
    for (std::size_t i = 0; i < blooms.size(); ++i) {
      for (std::size_t key = 0; key < keys; ++key)
        blooms[i].insert(EthereumBits{static_cast<std::uint16_t>(random.below(2048)),
                                      static_cast<std::uint16_t>(random.below(2048)),
                                      static_cast<std::uint16_t>(random.below(2048))});
      for (std::size_t key = 0; key < planted.size(); ++key)
        if ((i + key) % every == 0) blooms[i].insert(planted[key]);
    }
    return {section_size, std::move(blooms)};
  }

  std::uint64_t section_size() const { return section_size_; }
  std::uint64_t size() const { return blooms_.size(); }
  ByteView vector(std::uint32_t bit, std::uint64_t section) const {
    return *sections_.at(section).bitset(bit);
  }
  Blocks brute_force(std::span<const ethlog::BitClause> clauses, std::uint64_t begin,
                     std::uint64_t end) const {
    Blocks blocks;
    for (std::uint64_t block = begin; block <= end; ++block) {
      const auto has = [&](const ethlog::KeyBits& key) {
        return blooms_[block].has_bit(key[0]) && blooms_[block].has_bit(key[1]) &&
               blooms_[block].has_bit(key[2]);
      };
      const auto met = [&](const ethlog::BitClause& clause) {
        return std::ranges::any_of(clause, has);
      };
      if (std::ranges::all_of(clauses, met)) blocks.push_back(block);
    }
    return blocks;
  }

 private:
  std::uint64_t section_size_;
  std::vector<EthereumBloom> blooms_;
  std::vector<ethlog::Generator> sections_;
};

// Up to four clauses of up to six keys, drawn from `keys`.
inline std::vector<ethlog::BitClause> random_clauses(SplitMix64& random,
                                                     std::span<const Bytes> keys) {
  std::vector<ethlog::Clause> clauses(random.below(5));
  for (ethlog::Clause& clause : clauses)
    for (std::uint64_t i = random.below(7); i > 0; --i)
      clause.emplace_back(keys[random.below(keys.size())]);
  return ethlog::bit_clauses(clauses);
}

}  // namespace bloomery::testing
