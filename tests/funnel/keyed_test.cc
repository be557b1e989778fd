#include "bloomery/funnel/keyed.h"

#include <gtest/gtest.h>

#include <iterator>
#include <numeric>
#include <set>
#include <sstream>

namespace bloomery {
namespace {

// Remembers the bytes it was given, exactly: what a Bloom filter would hash.
class ExactFilter {
 public:
  bool insert(ByteView key) { return keys_.insert(std::string{text_of(key)}).second; }
  bool may_contain(ByteView key) const { return keys_.count(std::string{text_of(key)}) != 0; }
  void insert_batch(std::span<const ByteView> keys) {
    ++batches_;
    for (const ByteView key : keys) insert(key);
  }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    EXPECT_EQ(keys.size(), answers.size());
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i]);
  }
  const std::set<std::string>& keys() const { return keys_; }
  std::size_t batches() const { return batches_; }

 private:
  std::set<std::string> keys_;
  std::size_t batches_ = 0;
};

template <Funnel F>
Keyed<F, ExactFilter> empty() {
  return Keyed<F, ExactFilter>{ExactFilter{}};
}

TEST(Keyed, InsertsAndFindsTypedKeys) {
  auto filter = empty<U64Funnel>();
  EXPECT_TRUE(filter.insert(7));
  EXPECT_FALSE(filter.insert(7));
  EXPECT_TRUE(filter.may_contain(7));
  EXPECT_FALSE(filter.may_contain(8));
  EXPECT_EQ(filter.raw().keys(), std::set<std::string>{std::string("\x07\0\0\0\0\0\0\0", 8)});
}

TEST(Keyed, TakesWhateverConvertsToTheKey) {
  auto filter = empty<Utf8Funnel>();
  EXPECT_TRUE(filter.insert(std::string{"one"}));
  EXPECT_FALSE(filter.insert("one"));
  EXPECT_TRUE(filter.may_contain(std::string_view{"one"}));
  EXPECT_FALSE(filter.may_contain("two"));
}

TEST(Keyed, BatchesEqualSinglesForEverySize) {
  for (const std::size_t size : {0u, 1u, 7u, 1023u, 1024u, 1025u, 3000u}) {
    std::vector<std::uint64_t> keys;
    auto singles = empty<U64Funnel>();
    for (std::size_t i = 0; i < size; ++i) {
      keys.push_back(i * 0x9e3779b97f4a7c15);
      singles.insert(keys.back());
    }
    auto batch = empty<U64Funnel>();
    batch.insert_batch(keys);
    EXPECT_EQ(batch.raw().keys(), singles.raw().keys()) << size;
    EXPECT_EQ(batch.raw().batches(), (size + 1023) / 1024);
  }
}

TEST(Keyed, AnswersABatchKeyByKey) {
  auto filter = empty<I32Funnel>();
  for (std::int32_t key = 0; key < 3000; key += 3) filter.insert(key);
  std::vector<std::int32_t> keys(3000);
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<std::uint8_t> answers(keys.size(), 9);
  filter.may_contain_batch(keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(answers[i], i % 3 == 0 ? 1 : 0) << i;
}

TEST(Keyed, ViewsTextWithoutPouringIt) {
  const std::vector<std::string> words = {"a", "", std::string(200, 'w')};
  auto filter = empty<Utf8Funnel>();
  filter.insert_batch(words);
  EXPECT_EQ(filter.raw().keys(), (std::set<std::string>{words.begin(), words.end()}));
}

std::string long_word(int i) { return std::string(100, 'w') + std::to_string(i); }

// Makes each key as it is asked for.
struct MadeWords {
  struct Iterator {
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    std::string operator*() const { return long_word(at); }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    Iterator operator++(int) { return {at++}; }
    friend bool operator==(Iterator, Iterator) = default;
    int at = 0;
  };
  Iterator begin() const { return {0}; }
  Iterator end() const { return {2000}; }
};

// Keeps one key, and overwrites it with the next.
struct ReadWords {
  std::istream_iterator<std::string> begin() const { return {in}; }
  std::istream_iterator<std::string> end() const { return {}; }
  std::istream& in;
};

// A view of such a key would dangle once the next is asked for.
TEST(Keyed, PoursKeysThatARangeDoesNotKeep) {
  std::set<std::string> expected;
  std::stringstream lines;
  for (int i = 0; i < 2000; ++i) {
    expected.insert(long_word(i));
    lines << long_word(i) << '\n';
  }
  static_assert(std::ranges::forward_range<MadeWords>);
  auto made = empty<Utf8Funnel>();
  made.insert_batch(MadeWords{});
  EXPECT_EQ(made.raw().keys(), expected);

  auto read = empty<Utf8Funnel>();
  read.insert_batch(ReadWords{lines});
  EXPECT_EQ(read.raw().keys(), expected);
}

// Says of a batch what the test wants: how many keys were new, and perhaps that there is no more
// room.
template <class Outcome>
class TellingFilter {
 public:
  Outcome insert_batch(std::span<const ByteView> keys) {
    ++calls_;
    if constexpr (std::same_as<Outcome, std::size_t>) {
      return keys.size();
    } else {
      if (calls_ == 2) return Error{ErrorCode::kTooLarge, "The filter is full."};
      if constexpr (std::same_as<Outcome, Status>) return ok();
      if constexpr (std::same_as<Outcome, Result<std::size_t>>) return keys.size();
    }
  }
  std::size_t calls() const { return calls_; }

 private:
  std::size_t calls_ = 0;
};

template <class Outcome>
Keyed<I32Funnel, TellingFilter<Outcome>> telling() {
  return Keyed<I32Funnel, TellingFilter<Outcome>>{TellingFilter<Outcome>{}};
}

TEST(Keyed, SumsWhatTheFilterSaysOfEachChunk) {
  auto counted = telling<std::size_t>();
  EXPECT_EQ(counted.insert_batch(std::vector<std::int32_t>(5000)), 5000u);
  auto checked = telling<Result<std::size_t>>();
  EXPECT_EQ(*checked.insert_batch(std::vector<std::int32_t>(1000)), 1000u);
}

TEST(Keyed, StopsABatchAtTheFirstError) {
  const std::vector<std::int32_t> keys(5000);
  auto plain = telling<Status>();
  const Status outcome = plain.insert_batch(keys);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(plain.raw().calls(), 2u);

  auto counted = telling<Result<std::size_t>>();
  EXPECT_FALSE(counted.insert_batch(keys));
  EXPECT_EQ(counted.raw().calls(), 2u);
}

}  // namespace
}  // namespace bloomery
