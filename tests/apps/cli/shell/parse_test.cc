#include "apps/cli/shell/parse.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

// A program with a command that takes every kind of option, and a group.
struct ParsedProgram {
  CommandLine line{"bloomery", "A program"};
  bool quiet = false;
  bool force = false;
  bool count = false;
  std::string output;
  std::string op = "or";
  std::optional<std::uint64_t> keys;
  std::optional<std::uint32_t> probes;
  std::vector<std::string> against;
  std::string filter;
  std::vector<std::string> files;
  bool ran = false;

  ParsedProgram() {
    line.add_flag("-q,--quiet", quiet, "");
    line.add_flag("-h,--help", force, "");
    CommandLine& build = line.add_command("build", "Make a filter");
    build.add_flag("-h,--help", force, "");
    build.add_flag("--version", force, "");
    build.add_flag("-F,--force", force, "");
    build.add_option("-o,--output", output, "")->required()->value_name("FILE");
    build.add_option("--op", op, "")->choices({"or", "and"});
    Option* keys_option = build.add_count("-n,--keys", keys, "");
    build.add_count("--probes", probes, "")->needs(keys_option);
    build.add_flag("-c,--count", count, "")->excludes(keys_option);
    build.add_option("--column", op, "")
        ->excludes(keys_option)
        ->instead("count it")
        ->instead_of_twice("use a,b");
    build.add_list("--against", against, "");
    build.add_option("FILTER", filter, "");
    build.add_list("FILE", files, "");
    build.action([this] { ran = true; });
    CommandLine& show = line.add_command("show", "Print a filter");
    show.add_option("FILE", filter, "");
    show.hint("-d", "did you mean -t?");
    show.hint("--output", "print to a file with >");
    CommandLine& copy = line.add_command("copy", "Copy a filter");
    copy.add_option("FROM", filter, "");
    copy.add_option("TO", output, "");
    CommandLine& eth = line.add_command("eth", "Logs");
    eth.add_command("logs", "Print logs");
  }

  std::string error(std::vector<std::string> words) { return parse(line, words).error; }
};

using Words = std::vector<std::string>;

TEST(Parse, ReadsOptionsInEveryWayTheyAreWritten) {
  for (const Words& words :
       {Words{"build", "-o", "x", "-n", "5"}, Words{"build", "-ox", "-n5"},
        Words{"build", "--output=x", "--keys", "5"}, Words{"build", "-Fo", "x", "--keys=5"}}) {
    ParsedProgram program;
    EXPECT_EQ(program.error(words), "");
    EXPECT_EQ(program.output, "x");
    EXPECT_EQ(program.keys, 5U);
  }
}

TEST(Parse, TakesOptionsAfterArgumentsAndArgumentsAfterTwoDashes) {
  ParsedProgram program;
  EXPECT_EQ(program.error({"-q", "build", "f.bloom", "a.txt", "-o", "x", "-", "--", "-b", "--"}),
            "");
  EXPECT_TRUE(program.quiet);
  EXPECT_EQ(program.filter, "f.bloom");
  EXPECT_EQ(program.files, (Words{"a.txt", "-", "-b", "--"}));
}

TEST(Parse, RefusesAnEmptyNameOfAFile) {
  for (const Words& words :
       {Words{"build", "-o", ""}, Words{"build", "--output="}, Words{"build", "-o", "x", ""},
        Words{"build", "-o", "x", "f", "a", ""}}) {
    ParsedProgram program;
    EXPECT_NE(program.error(words).find("the name is empty"), std::string::npos);
  }
  ParsedProgram program;
  EXPECT_EQ(program.error({"build", "-o", "x", "--against", ""}), "") << "it is a TEXT";
}

TEST(Parse, AValueMayBeginWithADash) {
  ParsedProgram program;
  EXPECT_EQ(program.error({"build", "-o", "-3"}), "");
  EXPECT_EQ(program.output, "-3");
}

TEST(Parse, AListGathersOneValueEachTime) {
  ParsedProgram program;
  EXPECT_EQ(program.error({"build", "-o", "x", "--against", "a", "--against=b", "f"}), "");
  EXPECT_EQ(program.against, (Words{"a", "b"}));
  EXPECT_EQ(program.filter, "f");
}

TEST(Parse, SaysWhatIsWrong) {
  const std::pair<Words, std::string> wrong[] = {
      {{}, "no command is given"},
      {{"eth"}, "eth needs a command"},
      {{"biuld"}, "unknown command 'biuld'; did you mean `build`?"},
      {{"logs"}, "unknown command 'logs'; did you mean `eth logs`?"},
      {{"zzz"}, "unknown command 'zzz'"},
      {{"build"}, "--output is required"},
      {{"build", "--outptu", "x"}, "unknown option --outptu; did you mean `--output`?"},
      {{"build", "-y"}, "unknown option -y"},
      {{"build", "-Fy"}, "unknown option -y"},
      {{"build", "--output"}, "--output needs a value: --output FILE"},
      {{"build", "-o", "x", "-o", "y"}, "--output is given twice; give it once"},
      {{"build", "-o", "x", "--force=yes"}, "--force takes no value"},
      {{"build", "-o", "x", "--op", "xor"}, "--op: 'xor' is not one of or or and"},
      {{"build", "-o", "x", "--probes", "3"}, "--probes needs --keys"},
      {{"build", "-o", "x", "-n", "3", "-c"}, "--keys cannot be combined with --count"},
      {{"build", "-o", "x", "--column", "a", "-n", "3"},
       "--keys cannot be combined with --column; count it"},
      {{"build", "-o", "x", "--column", "a", "--column", "b"}, "--column is given twice; use a,b"},
      {{"build", "-o", "x", "-n", "3", "--probes", "5G"}, "--probes: '5G' is too large"},
      {{"eth", "logs", "more"}, "unexpected argument 'more'"},
      {{"show", "a", "b"}, "unexpected argument 'b'; show takes one FILE at a time"},
      {{"copy", "a", "b", "c"}, "unexpected argument 'c'; copy takes only FROM TO"},
      {{"show", "-d"}, "unknown option -d; did you mean -t?"},
      {{"show", "-d,"}, "unknown option -d,; did you mean -t?"},
      {{"show", "--output=x"}, "unknown option --output; print to a file with >"},
  };
  for (const auto& [words, sentence] : wrong) EXPECT_EQ(ParsedProgram{}.error(words), sentence);
}

TEST(Parse, HelpWinsOverMistakes) {
  ParsedProgram program;
  const ParsedLine parsed = parse(program.line, Words{"build", "-n", "many", "--help", "--nosuch"});
  EXPECT_EQ(parsed.request, ParsedLine::Request::kHelp);
  EXPECT_EQ(parsed.command->full_name(), "bloomery build");
  ParsedProgram other;
  EXPECT_EQ(parse(other.line, Words{"--help", "build"}).command->name(), "build");
  ParsedProgram third;
  EXPECT_EQ(parse(third.line, Words{"build", "--version"}).request, ParsedLine::Request::kVersion);
}

TEST(Parse, RunsNothingByItself) {
  ParsedProgram program;
  const ParsedLine parsed = parse(program.line, Words{"build", "-o", "x"});
  EXPECT_FALSE(program.ran);
  parsed.command->run();
  EXPECT_TRUE(program.ran);
}

TEST(Parse, ChecksConditionsOverSeveralOptions) {
  CommandLine line{"bloomery", ""};
  line.check([]() -> Status { return Error{ErrorCode::kInvalidArgument, "ROOT is required"}; });
  EXPECT_EQ(parse(line, Words{}).error, "ROOT is required");
}

TEST(Parse, ARangeIsOfNumbers) {
  for (const auto& [text, good] : {std::pair{"0", true},
                                   {"1.5", true},
                                   {"-1", false},
                                   {"11", false},
                                   {"x", false},
                                   {"nan", false}}) {
    CommandLine line{"bloomery", ""};
    double seconds = 0;
    line.add_option("--seconds", seconds, "")->between(0, 10);
    EXPECT_EQ(parse(line, Words{"--seconds", text}).error.empty(), good) << text;
  }
}

TEST(Parse, ACommandThatIsNotBuiltAcceptsAnything) {
  CommandLine line{"bloomery", ""};
  line.accept_anything();
  EXPECT_EQ(parse(line, Words{"--nosuch", "a", "-z"}).error, "");
}

}  // namespace
}  // namespace bloomery::cli
