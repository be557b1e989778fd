// The rate holds whatever the keys look like: within a tenth of the one for random keys.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bloomery/filter/block/block.h"
#include "tests/filter/structured_keys.h"
#include "tests/full_run.h"

namespace bloomery {
namespace {

using testing::KeyFamily;
using testing::kKeyFamilies;

// Members 0 to `inserted`, and three times as many after them; or every second of twice as many.
struct Split {
  std::string_view name;
  std::uint64_t step;
  std::uint64_t first_absent;
  std::uint64_t absent;
};

std::uint64_t inserted() { return testing::full_run() ? 1'000'000 : 200'000; }

template <class Key, class Member>
std::size_t run_batches(std::uint64_t first, std::uint64_t step, std::uint64_t count,
                        const Member& member, auto&& use) {
  std::size_t sum = 0;
  std::vector<decltype(member(first))> own;
  for (std::uint64_t at = 0; at < count; at += own.size()) {
    own.clear();
    for (std::uint64_t i = at; i < std::min(at + 4096, count); ++i)
      own.push_back(member(first + i * step));
    if constexpr (std::same_as<Key, ByteView>) {
      std::vector<ByteView> views;
      for (const auto& text : own) views.push_back(bytes_of(text));
      sum += use(std::span<const ByteView>{views});
    } else {
      sum += use(std::span<const Key>{own});
    }
  }
  return sum;
}

constexpr double kTenPercentMore = 1.10;

template <class Key, class Member>
void expect_nominal_rate(const KeyHash& hash, const Member& member, const Split& split,
                         double at_most) {
  SCOPED_TRACE(::testing::Message()
               << profile_name(hash.hasher.profile()) << " of "
               << (hash.whole_numbers ? "numbers, " : "bytes, ") << split.name);
  const std::uint64_t keys = inserted();
  auto filter = BlockFilter::for_goal({keys, 0.01}, hash);
  ASSERT_TRUE(filter);
  run_batches<Key>(0, split.step, keys, member,
                   [&](auto batch) { return filter->insert_batch(batch); });
  std::vector<std::uint8_t> answers(4096);
  const std::size_t maybes =
      run_batches<Key>(split.first_absent, split.step, split.absent, member,
                       [&](auto batch) { return filter->may_contain_batch(batch, answers); });
  const double nominal = expected_rate(filter->block_shape(), static_cast<double>(keys));
  const double measured = static_cast<double>(maybes) / static_cast<double>(split.absent);
  EXPECT_LE(measured, at_most * nominal);
  EXPECT_LE(filter->health().error_rate,
            kTenPercentMore * nominal);  // what any other keys would find
  EXPECT_GT(measured, 0.5 * nominal);    // the absent keys are really absent
}

class StructuredKeys : public ::testing::TestWithParam<KeyFamily> {
 protected:
  template <class Key, class Member>
  void expect_every_split(const KeyHash& hash, const Member& member,
                          double at_most = kTenPercentMore) {
    const std::uint64_t keys = inserted();
    expect_nominal_rate<Key>(hash, member, {"one after the other", 1, keys, 3 * keys}, at_most);
    expect_nominal_rate<Key>(hash, member, {"every second", 2, 1, 2 * keys}, at_most);
  }
};
INSTANTIATE_TEST_SUITE_P(Families, StructuredKeys, ::testing::ValuesIn(kKeyFamilies),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST_P(StructuredKeys, KeepTheRateAsNumbers) {
  std::vector<std::uint64_t> numbers;  // once for all profiles: some are slow to make
  for (std::uint64_t i = 0; i < 4 * inserted() + 1; ++i) numbers.push_back(GetParam().number(i));
  const auto member = [&](std::uint64_t i) { return numbers[i]; };
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes})
    expect_every_split<std::uint64_t>({Hasher{profile}, true}, member);
  // Keys that count in their highest twenty bits alone are too much for multiplications without a
  // seed: they end in one arithmetic progression, spread more evenly than chance or less, as their
  // number has it.
  const bool in_the_highest_bits = GetParam().number(1) == std::uint64_t{1} << 63;
  expect_every_split<std::uint64_t>({Hasher{Profile::kMix}, true}, member,
                                    in_the_highest_bits ? 1.35 : kTenPercentMore);
  expect_every_split<std::uint64_t>({Hasher{Profile::kMix, 0x9e3779b97f4a7c15}, true}, member);
}

TEST_P(StructuredKeys, KeepTheRateAsBytes) {
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes})
    expect_every_split<ByteView>({Hasher{profile}}, GetParam().text);
}

// Several lines at 1e-2 a line: the pairs and triples of lines must be independent, too. The filter
// is asked ten times as many keys as it holds, so that a hundred false positives are expected.
template <class Key, class Member>
void expect_rate_of_lines(const KeyHash& hash, const Member& member, std::uint32_t probes,
                          double rate, double at_most) {
  SCOPED_TRACE(::testing::Message()
               << profile_name(hash.hasher.profile()) << ", " << probes << " probes");
  const std::uint64_t keys = inserted() / 2;
  const std::uint64_t absent = 7 * keys;
  const auto shape = lines_shape_for({keys, rate}, probes);
  ASSERT_TRUE(shape);
  BlockFilter filter{*shape, hash};
  run_batches<Key>(0, 1, keys, member, [&](auto batch) { return filter.insert_batch(batch); });
  std::vector<std::uint8_t> answers(4096);
  const std::size_t maybes = run_batches<Key>(keys, 1, absent, member, [&](auto batch) {
    return filter.may_contain_batch(batch, answers);
  });
  const double expected =
      expected_rate(*shape, static_cast<double>(keys)) * static_cast<double>(absent);
  EXPECT_LE(static_cast<double>(maybes), at_most * expected + 4 * std::sqrt(expected));
  EXPECT_GE(static_cast<double>(maybes), 0.7 * expected - 4 * std::sqrt(expected));
  EXPECT_LE(filter.health().error_rate, at_most * expected_rate(*shape, static_cast<double>(keys)));
}

TEST_P(StructuredKeys, KeepTheRateOfSeveralLines) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 4 * inserted() + 1; ++i) numbers.push_back(GetParam().number(i));
  const auto member = [&](std::uint64_t i) { return numbers[i]; };
  // As above, each line may be 1.35 times as full of false positives.
  const bool in_the_highest_bits = GetParam().number(1) == std::uint64_t{1} << 63;
  for (const auto& [probes, rate] : {std::pair{16U, 1e-3}, {16U, 1e-4}, {24U, 1e-3}}) {
    for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes})
      expect_rate_of_lines<std::uint64_t>({Hasher{profile}, true}, member, probes, rate, 1.1);
    expect_rate_of_lines<std::uint64_t>({Hasher{Profile::kMix}, true}, member, probes, rate,
                                        in_the_highest_bits ? 1.8 : 1.15);
    expect_rate_of_lines<std::uint64_t>({Hasher{Profile::kMix, 0x9e3779b97f4a7c15}, true}, member,
                                        probes, rate, 1.15);
    for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64})
      expect_rate_of_lines<ByteView>({Hasher{profile}}, GetParam().text, probes, rate, 1.1);
  }
}

TEST_P(StructuredKeys, AreDistinct) {
  std::set<std::uint64_t> numbers;
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    numbers.insert(GetParam().number(i * 37));
    texts.insert(GetParam().text(i * 37));
  }
  EXPECT_EQ(numbers.size(), 20'000U);
  EXPECT_EQ(texts.size(), 20'000U);
}

// That these keys are hard: one multiplication is not enough for them.
TEST(StructuredKeys, AWeakHashFailsOnThem) {
  int failed = 0;
  for (const KeyFamily& family : kKeyFamilies) {
    const auto member = [&](std::uint64_t i) {
      const std::uint64_t place = family.number(i) * 0x9e3779b97f4a7c15;
      return Hash128{place, (place ^ place >> 32) * 0xbea225f9eb34556d};
    };
    // Six probes: then the place chooses their sectors too, and its faults show.
    std::optional<BlockFilter> filter{*block_shape_for({50'000, 0.01}, false, 6)};
    std::vector<std::uint8_t> answers(4096);
    run_batches<Hash128>(0, 1, 50'000, member,
                         [&](auto batch) { return filter->insert_batch(batch); });
    const std::size_t maybes = run_batches<Hash128>(50'000, 1, 200'000, member, [&](auto batch) {
      return filter->may_contain_batch(batch, answers);
    });
    failed += maybes > 2200 ? 1 : 0;
  }
  EXPECT_GE(failed, 3);
}

}  // namespace
}  // namespace bloomery
