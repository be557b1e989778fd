#include "apps/redis/server/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace bloomery::redis_module {
namespace {

using List = std::vector<std::string_view>;

LoadArguments loaded(const List& words) {
  const auto parsed = parse_load_arguments(words);
  const auto* arguments = std::get_if<LoadArguments>(&parsed);
  EXPECT_NE(arguments, nullptr);
  return arguments == nullptr ? LoadArguments{} : *arguments;
}
std::string refused(const List& words) {
  const auto parsed = parse_load_arguments(words);
  const auto* sentence = std::get_if<std::string>(&parsed);
  EXPECT_NE(sentence, nullptr);
  return sentence == nullptr ? "" : *sentence;
}

TEST(RedisSettings, LoadArgumentsHaveANewAndAnOlderName) {
  const LoadArguments arguments =
      loaded({"error_rate", "0.1", "Bf-Initial-Size", "50", "CF_MAX_EXPANSIONS", "3"});
  EXPECT_EQ(arguments.settings.error_rate, 0.1);
  EXPECT_EQ(arguments.settings.initial_size, 50);
  EXPECT_EQ(arguments.settings.cuckoo_expansions, 3);
  EXPECT_EQ(arguments.notices.size(), 2U);
  EXPECT_TRUE(arguments.prefix.empty());
}

TEST(RedisSettings, ARateAboveAQuarterIsLoweredAndSaid) {
  const LoadArguments arguments = loaded({"bf-error-rate", "0.5"});
  EXPECT_EQ(arguments.settings.error_rate, 0.25);
  EXPECT_EQ(arguments.notices.size(), 1U);
  EXPECT_TRUE(loaded({"bf-error-rate", "0.25"}).notices.empty());
}

TEST(RedisSettings, LoadArgumentsAreRefusedWithAReason) {
  EXPECT_NE(refused({"ERROR_RATE"}).find("1 words"), std::string::npos);
  EXPECT_NE(refused({"JUNK", "1"}).find("JUNK"), std::string::npos);
  EXPECT_NE(refused({"bf-expansion-factor", "2"}).find("Unknown"), std::string::npos);
  EXPECT_EQ(refused({"INITIAL_SIZE", "x"}), "Invalid value for `bf-initial-size`");
  EXPECT_EQ(refused({"INITIAL_SIZE", "0"}),
            "Value for `bf-initial-size` must be in the range [1, 1073741824]");
  EXPECT_EQ(refused({"ERROR_RATE", "1"}),
            "Value for `bf-error-rate` must be in the range (0.000000, 1.000000)");
}

TEST(RedisSettings, APrefixIsAName) {
  EXPECT_EQ(loaded({"prefix", "my-2_X"}).prefix, "my-2_X");
  for (const std::string_view bad : {"", "a.b", "a b", "a*", "abcdefghijklmnopqrstuvwxyz0123456"})
    EXPECT_NE(refused({"PREFIX", bad}).find("PREFIX takes"), std::string::npos) << bad;
}

TEST(RedisSettings, TheSizesOfCuckooFiltersBoundEachOther) {
  const auto find = [](std::string_view name) -> const Setting& {
    return *std::ranges::find_if(settings_table(),
                                 [&](const Setting& setting) { return setting.name == name; });
  };
  Settings settings;
  EXPECT_EQ(assign(find("cf-initial-size"), "3", settings),
            "Value for `cf-initial-size` must be in the range [4, 1073741824]");
  EXPECT_FALSE(assign(find("cf-initial-size"), "20", settings));
  EXPECT_EQ(assign(find("cf-bucket-size"), "11", settings),
            "Value for `cf-bucket-size` must be in the range [1, 10]");
  EXPECT_FALSE(assign(find("cf-bucket-size"), "10", settings));
  EXPECT_TRUE(assign(find("cf-initial-size"), "19", settings));
}

TEST(RedisSettings, EveryValueIsReadAsItIsWritten) {
  Settings settings{.error_rate = 0.037, .initial_size = 7, .expansion = 9};
  for (const Setting& setting : settings_table()) {
    Settings other;
    EXPECT_FALSE(assign(setting, value_text(setting, settings), other)) << setting.name;
    EXPECT_EQ(value_text(setting, other), value_text(setting, settings));
  }
}

}  // namespace
}  // namespace bloomery::redis_module
