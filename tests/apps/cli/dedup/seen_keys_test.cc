#include "apps/cli/dedup/seen_keys.h"

#include <gtest/gtest.h>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

AnyFilter filter_of(const std::vector<std::string>& keys) {
  CreateOptions create;
  create.sizing.keys = 1000;
  create.sizing.rate = 1e-9;
  auto filter = find_format("bloomery")->create(create);
  std::vector<ByteView> views;
  for (const std::string& key : keys) views.push_back(bytes_of(key));
  std::vector<std::uint8_t> is_new(keys.size());
  EXPECT_TRUE(insert_batch(*filter, views, is_new));
  return std::move(*filter);
}

std::vector<std::uint8_t> take(SeenKeys& seen, const std::vector<std::string>& keys) {
  std::vector<ByteView> views;
  for (const std::string& key : keys) views.push_back(bytes_of(key));
  std::vector<std::uint8_t> is_new(keys.size(), 9);
  const auto taken = seen.take(views, is_new);
  EXPECT_EQ(*taken, static_cast<std::size_t>(std::ranges::count(is_new, 1)));
  return is_new;
}

using Answers = std::vector<std::uint8_t>;

TEST(SeenKeys, TakesAKeyOnce) {
  SeenKeys seen{filter_of({"old"}), find_format("bloomery"), {}};
  EXPECT_EQ(take(seen, {"a", "old", "a", "b"}), (Answers{1, 0, 0, 1}));
  EXPECT_EQ(take(seen, {"b", "c"}), (Answers{0, 1}));
}

TEST(SeenKeys, TakesNothingThatAnotherFilterKnows) {
  Session session;
  std::vector<QueryableFilter> against;
  for (const char* known : {"x", "y"}) {
    const auto bytes = find_format("bloomery")->encode(filter_of({known}));
    const TemporaryFile file{std::string{text_of(*bytes)}};
    against.push_back(std::move(*QueryableFilter::open(file.path(), {}, session)));
  }
  SeenKeys seen{filter_of({}), find_format("bloomery"), std::move(against)};
  EXPECT_EQ(take(seen, {"x", "a", "y", "a", "x", "b"}), (Answers{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(take(seen, {"x"}), (Answers{0}));
  const ByteView key = bytes_of("x");
  std::uint8_t answer = 9;
  ASSERT_TRUE(may_contain_batch(seen.filter(), {&key, 1}, {&answer, 1}));
  EXPECT_EQ(answer, 0) << "what another filter knows is not kept twice";
}

}  // namespace
}  // namespace bloomery::cli
