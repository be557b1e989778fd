#include "bloomery/bloomery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <list>

#include "bloomery/base/file.h"
#include "bloomery/filter/classic/classic.h"
#include "bloomery/formats/native/native.h"

namespace bloomery {
namespace {

class FilterFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file() const { return folder_ / "filter.bloom"; }

 private:
  std::filesystem::path folder_;
};

struct Point {
  std::uint32_t x;
  std::uint32_t y;
};
struct PointFunnel {
  using Key = Point;
  void operator()(const Point& point, ByteSink& sink) const {
    sink.put_u32(point.x);
    sink.put_u32(point.y);
  }
};

TEST(Filter, HoldsStringsAndKnowsItsHealth) {
  Filter<std::string> seen({.keys = 1000, .false_positive_rate = 0.01});
  EXPECT_TRUE(seen.insert("apple"));
  EXPECT_FALSE(seen.insert(std::string{"apple"}));
  EXPECT_TRUE(seen.may_contain(std::string_view{"apple"}));
  EXPECT_FALSE(seen.may_contain("plum"));
  EXPECT_EQ(seen.health().verdict, Verdict::kOk);
  for (int i = 0; i < 3000; ++i) seen.insert(std::to_string(i));
  EXPECT_EQ(seen.health().verdict, Verdict::kOverDesign);
  EXPECT_NEAR(seen.health().estimated_keys, 3001, 60);
  seen.clear();
  EXPECT_FALSE(seen.may_contain("apple"));
}

TEST(Filter, RangesEqualOneAtATime) {
  const Goal goal{5000, 0.01};
  Filter<std::uint64_t> one(goal);
  Filter<std::uint64_t> many(goal);
  std::list<std::uint64_t> keys;
  std::size_t added = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    keys.push_back(i << 32);
    added += one.insert(i << 32) ? 1 : 0;
  }
  EXPECT_EQ(many.insert_range(keys), added);
  EXPECT_EQ(one, many);
  std::vector<std::uint8_t> answers(keys.size());
  many.may_contain(keys, answers);
  EXPECT_EQ(answers, std::vector<std::uint8_t>(keys.size(), 1));
  const std::vector<std::uint64_t> others = {1, 2, 3, 4, 5, 6, 7, 8};
  answers.assign(others.size(), 1);
  many.may_contain(others, answers);
  EXPECT_LT(std::count(answers.begin(), answers.end(), 1), 4);
}

TEST(Filter, AddsWhatInsertInsertsAndEstimatesTheKeys) {
  const auto expect_same = [](auto one, auto many, auto inserted, const auto& keys) {
    for (const auto& key : keys) one.add(key);
    many.add_range(keys);
    (void)inserted.insert_range(keys);
    EXPECT_EQ(one, inserted);
    EXPECT_EQ(many, inserted);
    const double exact = static_cast<double>(*inserted.raw().provenance().keys_inserted);
    for (const auto* filter : {&one, &many})
      EXPECT_NEAR(static_cast<double>(*filter->raw().provenance().keys_inserted) / exact, 1, 0.02);
    one.clear();
    EXPECT_EQ(one.raw().provenance().keys_inserted, 0U);
    EXPECT_TRUE(one.insert(*keys.begin()));
    EXPECT_EQ(one.raw().provenance().keys_inserted, 1U);
  };
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 20'003; ++i) {
    numbers.push_back(i << 20);
    texts.push_back("key " + std::to_string(i));
  }
  for (const double rate : {0.4, 0.05, 0.01, 1e-5, 1e-9}) {  // every layout of new filters
    const Goal goal{20'003, rate};
    expect_same(Filter<std::uint64_t>(goal), Filter<std::uint64_t>(goal),
                Filter<std::uint64_t>(goal), numbers);
    expect_same(Filter<std::string>(goal), Filter<std::string>(goal), Filter<std::string>(goal),
                texts);
  }
}

TEST(Filter, TakesAnythingWithAFunnel) {
  Filter<Point, PointFunnel> points({.keys = 100, .false_positive_rate = 0.001});
  points.insert({1, 2});
  EXPECT_TRUE(points.may_contain({1, 2}));
  EXPECT_FALSE(points.may_contain({2, 1}));
}

TEST(Filter, MergesWhatWasMadeForTheSameGoal) {
  Filter<std::string> a({.keys = 100, .false_positive_rate = 0.01});
  Filter<std::string> b = a.clone();
  a.insert("left");
  b.insert("right");
  ASSERT_TRUE(a.merge(b));
  EXPECT_TRUE(a.may_contain("left") && a.may_contain("right"));
  EXPECT_FALSE(b.may_contain("left"));
  EXPECT_FALSE(a.merge(Filter<std::string>({.keys = 1000, .false_positive_rate = 0.01})));
}

TEST(Filter, RefusesGoalsAndHashesThatCannotBe) {
  EXPECT_FALSE(Filter<std::string>::for_goal({0, 0.01}));
  EXPECT_FALSE(Filter<std::string>::for_goal({10, 1.5}));
  EXPECT_FALSE(Filter<std::string>::for_goal({10, 0.01}, Hasher{Profile::kMix}));
  EXPECT_TRUE(Filter<std::uint64_t>::for_goal({10, 0.01}, Hasher{Profile::kMix}));
}

TEST_F(FilterFile, ComesBackAsItWas) {
  auto filter = Filter<std::uint64_t>::for_goal({100, 0.01}, Hasher{Profile::kAes, 4});
  ASSERT_TRUE(filter);
  for (std::uint64_t i = 0; i < 100; ++i) filter->insert(i);
  ASSERT_TRUE(filter->save(file()));
  const auto loaded = Filter<std::uint64_t>::load(file());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, *filter);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(loaded->may_contain(i));
  EXPECT_EQ(loaded->raw().provenance(), filter->raw().provenance());
}

TEST_F(FilterFile, OfOtherKeysIsRefused) {
  Filter<std::uint64_t> numbers({.keys = 100, .false_positive_rate = 0.01});
  ASSERT_TRUE(numbers.save(file()));
  const auto wrong = Filter<std::string>::load(file());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Filter<std::uint64_t>::load(file(), {.limits = {.max_bytes = 8}}).error().code,
            ErrorCode::kTooLarge);
  EXPECT_TRUE(wrong.error().message.starts_with(file().string())) << wrong.error().message;
}

TEST_F(FilterFile, OfAUsersKeysNamesAWayThatWorks) {
  const Filter<Point, PointFunnel> points({.keys = 100, .false_positive_rate = 0.01});
  ASSERT_TRUE(points.save(file()));
  const auto wrong = Filter<std::string>::load(file());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find("UntypedFilter"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("key type and funnel"), std::string::npos);
}

// Saves a filter of 3000 strings, "0" to "2999".
void save_layout(Layout layout, std::uint32_t counter_bits, const std::filesystem::path& file) {
  CreateOptions options;
  options.layout = layout;
  options.counter_bits = counter_bits;
  options.sizing = {.keys = 1000, .rate = 1e-3};
  auto made = create_native(options);
  ASSERT_TRUE(made) << made.error().message;
  for (int i = 0; i < 3000; ++i)
    std::visit(
        [&](auto& native) { static_cast<void>(native.filter.insert(bytes_of(std::to_string(i)))); },
        *made);
  ASSERT_TRUE(save_native(*made, file));
}

TEST_F(FilterFile, OfEveryLayoutIsLoadedMappedAndSavedAgain) {
  struct Case {
    Layout layout;
    std::uint32_t counter_bits;
    std::string_view name;
  };
  for (const Case& of :
       {Case{Layout::kClassic, 4, "classic"}, Case{Layout::kBlock, 4, "block"},
        Case{Layout::kLines, 4, "lines"}, Case{Layout::kCounting, 2, "counting"},
        Case{Layout::kCounting, 4, "counting"}, Case{Layout::kCounting, 8, "counting"},
        Case{Layout::kScalable, 4, "scalable"}}) {
    save_layout(of.layout, of.counter_bits, file());
    const auto bytes = read_file(file(), {});
    ASSERT_TRUE(bytes);
    auto loaded = Filter<std::string>::load(file());
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->raw().layout_name(), of.name);
    ASSERT_TRUE(loaded->save(file()));
    EXPECT_EQ(*read_file(file(), {}), *bytes) << of.name;
    const auto mapped = Filter<std::string>::map(file());
    ASSERT_TRUE(mapped) << mapped.error().message;
    EXPECT_TRUE(mapped->verify());
    EXPECT_EQ(mapped->health().error_rate, loaded->health().error_rate);
    EXPECT_EQ(mapped->health().estimated_keys, loaded->health().estimated_keys);

    std::vector<std::string> keys;
    for (int i = 0; i < 6000; ++i) keys.push_back(std::to_string(i));
    std::vector<std::uint8_t> answers(keys.size(), 7);
    std::vector<std::uint8_t> mapped_answers(keys.size(), 9);
    loaded->may_contain(keys, answers);
    mapped->may_contain(keys, mapped_answers);
    EXPECT_EQ(answers, mapped_answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(loaded->may_contain(keys[i]), answers[i] == 1);
      EXPECT_EQ(mapped->may_contain(keys[i]), answers[i] == 1);
      EXPECT_TRUE(i >= 3000 || answers[i] == 1) << i;
    }
    EXPECT_EQ(loaded->clone(), *loaded);
    std::string fresh = "a new key";
    while (loaded->may_contain(fresh)) fresh += '!';  // three times as full as it was made for
    EXPECT_TRUE(loaded->insert(fresh));
    EXPECT_TRUE(loaded->may_contain(fresh));
    loaded->clear();
    EXPECT_FALSE(loaded->may_contain("7"));
  }
}

TEST_F(FilterFile, OfCountersRemovesKeys) {
  save_layout(Layout::kCounting, 4, file());
  auto counting = Filter<std::string>::load(file());
  ASSERT_TRUE(counting);
  EXPECT_TRUE(*counting->remove("7"));
  EXPECT_FALSE(counting->may_contain("7"));
  EXPECT_FALSE(*counting->remove("7"));
  Filter<std::string> block(Goal{100, 0.01});
  EXPECT_EQ(block.remove("7").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(block.merge(*counting).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(counting->intersect(*counting).error().code, ErrorCode::kUnsupported);
}

TEST_F(FilterFile, ThatCannotGrowTakesKeysBeyondItsGoal) {
  CreateOptions options;
  options.layout = Layout::kScalable;
  options.sizing = {.keys = 10, .rate = 0.01};
  options.growth.max_layers = 2;
  ASSERT_TRUE(save_native(*create_native(options), file()));
  for (const bool in_batches : {false, true}) {
    auto filter = Filter<std::string>::load(file());
    ASSERT_TRUE(filter);
    std::vector<std::string> keys;
    for (int i = 0; i < 500; ++i) keys.push_back(std::to_string(i));
    if (in_batches) {
      EXPECT_GT(filter->insert_range(keys), 30U);
    }
    for (const std::string& key : keys) filter->insert(key);
    for (const std::string& key : keys) EXPECT_TRUE(filter->may_contain(key));
    EXPECT_NE(filter->health().verdict, Verdict::kOk);
  }
}

TEST_F(FilterFile, WithASecretNeedsIt) {
  const SipKey key = sip_key_from_secret(bytes_of("open sesame"));
  auto filter = Filter<std::string>::for_goal({100, 0.01}, Hasher{Profile::kSiphash, 0, key});
  ASSERT_TRUE(filter);
  filter->insert("treasure");
  ASSERT_TRUE(filter->save(file()));
  EXPECT_FALSE(Filter<std::string>::load(file()));
  const auto opened = Filter<std::string>::load(file(), {.sip_key = key});
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->may_contain("treasure"));
}

TEST(Filter, TakesTheBestEngineForItsGoal) {
  EXPECT_NE(Filter<std::string>({1000, 0.01}).raw().as_block(), nullptr);
  EXPECT_EQ(Filter<std::string>({1000, 1e-6}).raw().layout_name(), "lines");
  EXPECT_NE(Filter<std::string>({1000, 0.4}).raw().as_classic(), nullptr);
  EXPECT_EQ(Filter<std::string>({1000, 0.01}).raw().as_block()->hash().hasher.profile(),
            Filter<std::string>::kDefaultProfile);
}

// Every layout of new filters, and both kinds of keys: what goes in is found, what is not is found
// rarely.
template <class T, class Make>
void expect_rate(double rate, Make make) {
  constexpr std::uint64_t kKeys = 20'000;
  Filter<T> filter({kKeys, rate});
  std::vector<T> present;
  std::vector<T> absent;
  for (std::uint64_t i = 0; i < kKeys; ++i) present.push_back(make(i));
  for (std::uint64_t i = 0; i < 10 * kKeys; ++i) absent.push_back(make(i + kKeys));
  const std::size_t added = filter.insert(present.begin(), present.end());
  EXPECT_GT(static_cast<double>(added), (1 - 2 * rate) * kKeys);
  EXPECT_EQ(filter.raw().provenance().keys_inserted, added);
  std::vector<std::uint8_t> answers(present.size());
  filter.may_contain(present, answers);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), kKeys);
  answers.assign(absent.size(), 7);
  filter.may_contain(absent, answers);
  std::size_t maybes = 0;
  for (std::size_t i = 0; i < absent.size(); ++i) {
    EXPECT_EQ(answers[i] == 1, filter.may_contain(absent[i]));
    maybes += answers[i];
  }
  const double expected = rate * 10 * kKeys;
  EXPECT_LT(static_cast<double>(maybes), expected + 5 * std::sqrt(expected) + 1);
}

TEST(Filter, KeepsItsRateWhateverTheEngine) {
  for (const double rate : {0.4, 0.01, 1e-4, 1e-5, 1e-9}) {
    expect_rate<std::uint64_t>(rate, [](std::uint64_t i) { return i << 20; });
    expect_rate<std::int32_t>(rate, [](std::uint64_t i) { return static_cast<std::int32_t>(i); });
    expect_rate<std::string>(rate, [](std::uint64_t i) { return "key " + std::to_string(i); });
  }
}

TEST(Filter, IntersectsWhatBothHold) {
  Filter<std::string> a({.keys = 100, .false_positive_rate = 0.001});
  Filter<std::string> b = a.clone();
  a.insert("both");
  b.insert("both");
  a.insert("left");
  ASSERT_TRUE(a.intersect(b));
  EXPECT_TRUE(a.may_contain("both"));
  EXPECT_FALSE(a.may_contain("left"));
  EXPECT_FALSE(a.intersect(Filter<std::string>({.keys = 100, .false_positive_rate = 1e-6})));
}

TEST_F(FilterFile, IsAskedWhereItLies) {
  for (const double rate : {0.01, 1e-6}) {
    Filter<std::string> filter({.keys = 1000, .false_positive_rate = rate});
    filter.insert("apple");
    ASSERT_TRUE(filter.save(file()));
    const auto mapped = Filter<std::string>::map(file());
    ASSERT_TRUE(mapped) << mapped.error().message;
    EXPECT_TRUE(mapped->may_contain("apple"));
    EXPECT_FALSE(mapped->may_contain("plum"));
    std::vector<std::uint8_t> answers(2);
    mapped->may_contain(std::vector<std::string>{"plum", "apple"}, answers);
    EXPECT_EQ(answers, (std::vector<std::uint8_t>{0, 1}));
    EXPECT_TRUE(mapped->verify());
    EXPECT_NEAR(mapped->health().estimated_keys, 1, 0.1);
    EXPECT_FALSE(Filter<std::uint64_t>::map(file()));
  }
}

TEST_F(FilterFile, OneThatWasMovedFromSharesNothingAndIsNotSaved) {
  for (const double rate : {0.01, 1e-6}) {
    Filter<std::uint64_t> from({.keys = 100, .false_positive_rate = rate});
    from.insert(5);
    ASSERT_TRUE(from.save(file()));
    Filter<std::uint64_t> to = std::move(from);
    const Status refused = from.save(file());  // NOLINT(bugprone-use-after-move)
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(Filter<std::uint64_t>::load(file())->may_contain(5)) << "the file is as it was";
    EXPECT_NE(from.raw().size_bytes(), to.raw().size_bytes());
    from = Filter<std::uint64_t>({.keys = 100, .false_positive_rate = rate});
    from.insert(77);
    EXPECT_TRUE(to.may_contain(5));
    EXPECT_FALSE(to.may_contain(77));
  }
}

}  // namespace
}  // namespace bloomery
