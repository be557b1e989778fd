// An adversary who may choose the keys, and knows the hash, chooses those that do the most harm.
// One who lacks the secret of a keyed profile cannot. The figures are those that the tests found.
#include <gtest/gtest.h>

#include <cmath>

#include "bloomery/base/endian.h"
#include "bloomery/filter/block/block.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/classic.h"

namespace bloomery {
namespace {

constexpr Goal kGoal{100'000, 0.01};
constexpr std::uint64_t kLookups = 1'000'000;

KeyHash keyed(std::string_view secret) {
  return {Hasher{Profile::kSiphash, 0, sip_key_from_secret(bytes_of(secret))}};
}

std::string attack_key(std::uint64_t number) { return "user-" + std::to_string(number); }

// Six probes, not the eight of a new filter: an adversary finds such keys eight times as fast.
BlockFilter empty_filter(const KeyHash& hash) {
  return BlockFilter{*block_shape_for(kGoal, false, 6), hash};
}

bool sets_only_new_bits(const BlockFilter& filter, Hash128 hash) {
  const BlockShape shape = filter.block_shape();
  const auto number = static_cast<std::size_t>(block::block_of(hash.low, shape.blocks));
  const std::byte* sectors = filter.bytes().data() + number * block::kBlockBytes;
  const block::BlockMask mask = block::mask_of(hash.low, hash.high, shape.probes);
  std::uint64_t shared = 0;
  for (std::size_t i = 0; i < mask.size(); ++i)
    shared |= mask[i] & load_le<std::uint64_t>(sectors + 8 * i);
  return shared == 0;
}

// As many keys as the filter is made for, each of which `wanted` says to be harmful where the hash
// is this one; tried out on a filter of the adversary's own.
template <class Wanted>
std::vector<std::string> chosen_keys(const KeyHash& known, const Wanted& wanted) {
  BlockFilter own = empty_filter(known);
  std::vector<std::string> keys;
  for (std::uint64_t number = 0; keys.size() < kGoal.keys; ++number) {
    std::string key = attack_key(number);
    const Hash128 hash = known.digest(bytes_of(key));
    if (!wanted(own, hash)) continue;
    own.insert(hash);
    keys.push_back(std::move(key));
  }
  return keys;
}

struct Damage {
  double found;  // by asking absent keys
  double health;
};

Damage damage_by(const std::vector<std::string>& keys, const KeyHash& hash) {
  BlockFilter filter = empty_filter(hash);
  for (const std::string& key : keys) filter.insert(bytes_of(key));
  std::uint64_t maybes = 0;
  for (std::uint64_t i = 0; i < kLookups; ++i)
    maybes += filter.may_contain(bytes_of("guest-" + std::to_string(i))) ? 1 : 0;
  return {static_cast<double>(maybes) / kLookups, filter.health().error_rate};
}

const std::vector<std::string>& polluting_keys_for_xxh3() {
  static const std::vector<std::string> keys = chosen_keys(KeyHash{}, sets_only_new_bits);
  return keys;
}

TEST(Pollution, KeysThatSetOnlyNewBitsRaiseTheRateOfAnUnkeyedFilter) {
  const Damage damage = damage_by(polluting_keys_for_xxh3(), KeyHash{});
  RecordProperty("found", std::to_string(damage.found));
  EXPECT_NEAR(damage.found, 0.047, 0.003);
  EXPECT_NEAR(damage.found, damage.health, 0.002);  // and the filter says so
}

// Harder still: all keys in one quarter of the blocks, which then answer "maybe" to most.
TEST(Pollution, KeysAimedAtFewBlocksDoMoreHarm) {
  const auto aimed = [](const BlockFilter& filter, Hash128 hash) {
    const std::uint64_t blocks = filter.block_shape().blocks;
    return block::block_of(hash.low, blocks) < blocks / 4;
  };
  const Damage damage = damage_by(chosen_keys(KeyHash{}, aimed), KeyHash{});
  RecordProperty("found", std::to_string(damage.found));
  EXPECT_NEAR(damage.found, 0.142, 0.01);
}

TEST(Pollution, AClassicFilterSuffersMoreFromKeysThatSetOnlyNewBits) {
  constexpr std::uint64_t kKeys = 5'000;  // near the end a key in ten thousand will do
  auto filter = *ClassicFilter<BloomeryClassic>::for_goal({kKeys, 0.01});
  const Modulus bits{filter.shape().bits};
  const auto is_set = [&](std::uint64_t bit) {
    return (std::to_integer<unsigned>(filter.bytes()[bit / 8]) >> bit % 8 & 1) != 0;
  };
  std::uint64_t added = 0;
  for (std::uint64_t number = 0; added < kKeys; ++number) {
    const std::string key = attack_key(number);
    const Hash128 digest = BloomeryClassic{}.digest(bytes_of(key));
    bool all_new = true;
    for (std::uint32_t i = 0; i < filter.shape().probes && all_new; ++i)
      all_new = !is_set(BloomeryClassic{}.probe(digest, i, bits));
    if (all_new) added += filter.insert(bytes_of(key)) ? 1 : 0;
  }
  RecordProperty("found", std::to_string(filter.health().error_rate));
  EXPECT_NEAR(filter.health().error_rate, 0.11, 0.01);
}

TEST(Pollution, AnotherSeedIsNoDefenceAgainstWhoKnowsIt) {
  const KeyHash seeded{Hasher{Profile::kXxh3, 12'345}};
  EXPECT_LT(damage_by(polluting_keys_for_xxh3(), seeded).found, 1.1 * 0.01);
  EXPECT_GT(damage_by(chosen_keys(seeded, sets_only_new_bits), seeded).found, 0.04);
}

TEST(Pollution, AKeyedFilterKeepsItsRateUnlessTheSecretIsKnown) {
  const KeyHash ours = keyed("correct horse battery staple");
  const auto keys = chosen_keys(keyed("a guess"), sets_only_new_bits);
  const Damage damage = damage_by(keys, ours);
  RecordProperty("found", std::to_string(damage.found));
  EXPECT_LE(damage.found, 1.1 * kGoal.false_positive_rate);
  EXPECT_LE(damage.health, 1.1 * kGoal.false_positive_rate);
  EXPECT_LE(damage_by(polluting_keys_for_xxh3(), ours).found, 1.1 * kGoal.false_positive_rate);
  EXPECT_GT(damage_by(keys, keyed("a guess")).found, 0.04);
}

}  // namespace
}  // namespace bloomery
