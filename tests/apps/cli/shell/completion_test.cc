#include "apps/cli/shell/completion.h"

#include <gmock/gmock.h>

namespace bloomery::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A program with every kind of option and a command inside a command.
struct CompletedProgram {
  CommandLine app{"bloomery", "A program"};
  std::string text;
  bool flag = false;
  CompletedProgram() {
    CommandLine& build = app.add_command("build", "Make it");
    build.add_option("-o,--output", text, "Where it's put")->value_name("FILE");
    build.add_option("--color", text, "Colours")->choices({"auto", "never"});
    build.add_option("--format", text, "Format")->value_name("NAME");
    build.add_option("--funnel", text, "Kind of key")->value_name("NAME");
    build.add_option("--keys", text, "Keys [many]")->value_name("N");
    build.add_flag("-F,--force", flag, "Replace");
    build.add_option("FILE", text, "Input");
    app.add_command("eth", "Logs").add_command("import", "Read blocks");
  }
  CompletedCommand completed() const { return completed_command(app); }
};

const CompletedOption& option(const CompletedCommand& command, const std::string& name) {
  for (const CompletedOption& one : command.options)
    if (std::ranges::find(one.names, name) != one.names.end()) return one;
  ADD_FAILURE() << "there is no " << name;
  return command.options.front();
}

TEST(Completion, KnowsWhatEachOptionTakes) {
  const CompletedProgram program;
  const CompletedCommand build = program.completed().subcommands.at(0);
  EXPECT_EQ(option(build, "--force").value.kind, Offer::Kind::kNothing);
  EXPECT_EQ(option(build, "-o").value.kind, Offer::Kind::kFiles);
  EXPECT_EQ(option(build, "--keys").value.kind, Offer::Kind::kOther);
  EXPECT_THAT(option(build, "--color").value.words, ElementsAre("auto", "never"));
  EXPECT_TRUE(build.takes_files());
}

TEST(Completion, OffersTheNamesOfAllFormats) {
  const CompletedProgram program;
  const CompletedCommand build = program.completed().subcommands.at(0);
  EXPECT_THAT(option(build, "--format").value.words, Contains("go-bloom"));
  EXPECT_THAT(option(build, "--format").value.words, Contains("guava:mitz32"));
}

TEST(Completion, OffersTheNamesOfFunnels) {
  const CompletedProgram program;
  const CompletedCommand build = program.completed().subcommands.at(0);
  EXPECT_THAT(option(build, "--funnel").value.words, Contains("bytes"));
  EXPECT_THAT(option(build, "--funnel").value.words, Contains("bool"));
}

TEST(Completion, FindsCommandsInsideCommands) {
  const CompletedProgram program;
  const CompletedCommand eth = program.completed().subcommands.at(1);
  ASSERT_EQ(eth.subcommands.size(), 1U);
  EXPECT_EQ(eth.subcommands[0].full_name(), "bloomery eth import");
  EXPECT_FALSE(eth.takes_files());
}

TEST(Completion, EachShellGetsEveryCommandAndLongOption) {
  const CompletedProgram program;
  const CompletedCommand completed = program.completed();
  for (const std::string& script :
       {bash_completion(completed), zsh_completion(completed), fish_completion(completed)})
    for (const char* word : {"build", "eth", "import", "output", "color", "keys", "force"})
      EXPECT_THAT(script, HasSubstr(word));
}

TEST(Completion, QuotesHelpForZshAndFish) {
  const CompletedProgram program;
  EXPECT_THAT(zsh_completion(program.completed()), HasSubstr("[Keys \\[many\\]]"));
  EXPECT_THAT(zsh_completion(program.completed()), HasSubstr("Where it'\\''s put"));
  EXPECT_THAT(fish_completion(program.completed()), HasSubstr("'Where it\\'s put'"));
}

}  // namespace
}  // namespace bloomery::cli
