#include "apps/cli/shell/help.h"

#include <gmock/gmock.h>

namespace bloomery::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct DescribedProgram {
  CommandLine line{"bloomery", "A program"};
  CommandLine& build = line.add_command("build", "Make a filter");
  std::string text;
  std::vector<std::string> files;
  bool flag = false;

  DescribedProgram() {
    build.examples("Examples:\n  bloomery build -o x\n");
    Option* null = build.add_flag("-z,--null", flag, "Records end in NUL");
    build.add_flag("--json", flag, "As JSON")->group(kGlobalGroup);
    build.add_option("-o,--output", text, "Where it goes")->required()->value_name("FILE");
    build.add_option("-D,--delimiter", text, "Records end in this byte")
        ->value_name("CH")
        ->excludes(null)
        ->group("Records");
    build.add_option("--op", text, "What to do")->choices({"or", "and"})->shows_default("or");
    build.add_flag("--secret", flag, "Hidden")->hide();
    std::string help(20, 'a');
    help.append(" ").append(60, 'b');
    build.add_list("FILE", files, help);
  }
};

TEST(Help, BeginsWithExamplesAndShowsWhatIsRequiredInTheUsage) {
  const DescribedProgram program;
  const std::string help = help_text(program.build);
  EXPECT_THAT(help, StartsWith("Examples:\n  bloomery build -o x\n\nMake a filter\n\n"));
  EXPECT_THAT(help, HasSubstr("Usage: bloomery build --output FILE [OPTIONS] [FILE...]\n"));
  EXPECT_THAT(short_help(program.build), HasSubstr("Try 'bloomery build --help'."));
}

TEST(Help, SaysInWordsHowOptionsDepend) {
  const std::string help = help_text(DescribedProgram{}.build);
  EXPECT_THAT(help, HasSubstr("  -o, --output FILE             Where it goes (required)\n"));
  EXPECT_THAT(help, HasSubstr("Records end in NUL (not with --delimiter)\n"));
  EXPECT_THAT(help, HasSubstr("  --op or|and                   What to do (default: or)\n"));
  EXPECT_THAT(help, Not(HasSubstr("Hidden")));
}

TEST(Help, WrapsTextsInTheirColumn) {
  EXPECT_THAT(help_text(DescribedProgram{}.build),
              HasSubstr("  FILE...                       " + std::string(20, 'a') + "\n" +
                        std::string(32, ' ') + std::string(60, 'b') + "\n"));
}

TEST(Help, ListsCommandsFirstAndGlobalOptionsLast) {
  const DescribedProgram program;
  EXPECT_THAT(help_text(program.line), HasSubstr("Usage: bloomery [OPTIONS] COMMAND\n\nCommands:\n"
                                                 "  build                         Make a filter"));
  const std::string help = help_text(program.build);
  EXPECT_LT(help.find("Records:"), help.find("Global options:"));
}

}  // namespace
}  // namespace bloomery::cli
