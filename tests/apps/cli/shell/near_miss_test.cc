#include "apps/cli/shell/near_miss.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery::cli {
namespace {

const std::vector<std::string> kKnown{"query", "build", "inspect", "--json", "--json-key", "-q"};

TEST(NearMiss, FindsMisspelledWords) {
  EXPECT_EQ(suggestion("qeury", kKnown), "; did you mean `query`?");
  EXPECT_EQ(suggestion("biuld", kKnown), "; did you mean `build`?");
  EXPECT_EQ(suggestion("--jsno", kKnown), "; did you mean `--json`?");
  EXPECT_EQ(suggestion("--json-keys", kKnown), "; did you mean `--json-key`?");
}

TEST(NearMiss, CompletesAnAbbreviationThatBeginsOneWordOnly) {
  EXPECT_EQ(suggestion("insp", kKnown), "; did you mean `inspect`?");
  EXPECT_EQ(suggestion("--j", kKnown), "");
}

TEST(NearMiss, StaysSilentAboutWordsThatAreFarFromAll) {
  EXPECT_EQ(suggestion("transmogrify", kKnown), "");
  EXPECT_EQ(suggestion("-y", kKnown), "");
  EXPECT_EQ(suggestion("", kKnown), "");
}

}  // namespace
}  // namespace bloomery::cli
