// Defaults that `--help` states, beside the constants that the commands use.
#include <gmock/gmock.h>

#include "apps/cli/documents/units.h"
#include "apps/cli/filters/create_options.h"
#include "apps/cli/filters/plan.h"
#include "apps/cli/shell/command.h"
#include "apps/cli/shell/help.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/track/command.h"
#include "apps/tracker/fleet/leader.h"
#include "apps/tracker/scan/scan_plan.h"
#include "apps/tracker/state/history.h"
#include "apps/tracker/state/tracker_options.h"

namespace bloomery::cli {
namespace {

// The help of a command in one line, as it is wrapped for the terminal.
std::string help_of(void (*attach)(CommandLine&, Session&)) {
  Session session;
  CommandLine program{"bloomery", "A program"};
  CommandLine& command = program.add_command("command", "A command");
  attach(command, session);
  std::istringstream words{help_text(command)};
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

template <class... Parts>
auto states(const Parts&... parts) {
  return ::testing::HasSubstr(message(parts...));
}

std::string as_percent(double rate) { return significant(rate * 100, 6) + "%"; }

std::int64_t whole_seconds(std::chrono::milliseconds time) { return time.count() / 1000; }

TEST(StatedDefaults, AreThoseOfNewFilters) {
  const std::string help = help_of(attach_build);
  const CreateOptions create;
  EXPECT_THAT(help, states("that many keys are in (default: ", as_percent(kDefaultRate), ")"));
  EXPECT_THAT(help, states("Seed of the hash (default: ", create.seed, ")"));
  EXPECT_THAT(help, states("Bits per counter (default: ", create.counter_bits, ")"));
  EXPECT_THAT(help, states("Keys of a layer, as a multiple of the previous one (default: ",
                           create.growth.factor, ")"));
  EXPECT_THAT(help, states("Rate of a layer, as a multiple of the previous one (default: ",
                           create.growth.tightening, ")"));
  EXPECT_THAT(help, states("Maximum number of layers (default: ", create.growth.max_layers, ")"));
  EXPECT_THAT(help, states("for each 2^N bytes of the table (default: ", create.base_lg, ")"));
  EXPECT_THAT(help, states("(0: no growth; default: ", create.expansion, ")"));
  EXPECT_EQ(create.guava_release, GuavaRelease::k33_4);
  EXPECT_THAT(help, states("the number of probes (default: 33.4)"));
}

TEST(StatedDefaults, AreThoseOfTheTracker) {
  const std::string scan = help_of(attach_track_scan);
  EXPECT_THAT(scan, states("(0: never; default: ", tracker::kSweepEvery, "; ",
                           tracker::kMinioSweepEvery, " with --minio-exact)"));
  const tracker::FleetLeaderOptions leader;
  EXPECT_THAT(scan, states("the answers of nodes (default: ", whole_seconds(leader.patience), ")"));
  EXPECT_THAT(scan, states("another leader (default: ", whole_seconds(leader.lock_patience), ", "));
  EXPECT_THAT(help_of(attach_track_cycle),
              states("the cycles before this one (default: ", tracker::kCyclesKept, " are kept)"));
  const tracker::TrackerOptions options;
  EXPECT_THAT(
      help_of(attach_track_watch),
      states("the state is saved (default: ", whole_seconds(options.save_every) / 60, "m)"));
}

TEST(StatedDefaults, AreThoseOfDocuments) {
  EXPECT_THAT(help_of(attach_dedup),
              states("Words of an n-gram (default: ", UnitRules{}.ngram, ")"));
}

}  // namespace
}  // namespace bloomery::cli
