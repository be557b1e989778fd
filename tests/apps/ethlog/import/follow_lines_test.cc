// Lines of a file that grows, is cut, rewritten or replaced.
#include "apps/ethlog/import/follow_lines.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::milliseconds kPollLines{2};

void append_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::app | std::ios::binary} << text;
}

// The file is cut and written again between a reader's look at its size and its read: what stands
// at the old place now is no continuation.
TEST(FollowLines, MissesNoFirstLineOfAFileThatIsRewrittenAsItIsRead) {
  const ScratchFolder folder;
  std::stop_source stop;
  std::atomic<int> seen{-1};
  std::jthread reader{[&] {
    const LineSource lines =
        tail_lines(folder / "lines", std::chrono::milliseconds{0}, stop.get_token(), {});
    for (auto line = lines(); line && *line; line = lines())
      if ((*line)->starts_with("first ")) seen = std::stoi(std::string{(*line)->substr(6)});
  }};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (int round = 0; round < 1000; ++round) {
    std::ofstream{folder / "lines", std::ios::trunc | std::ios::binary}
        << "first " << round << '\n'
        << std::string(static_cast<std::size_t>(round), '.') << '\n';
    while (seen < round && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (seen < round) {
      ADD_FAILURE() << "the first line of file " << round << " did not come";
      break;
    }
  }
  stop.request_stop();
}

TEST(FollowLines, NoticesAFileRewrittenInItsOldSize) {
  const ScratchFolder folder;
  std::stop_source stop;
  append_text(folder / "lines", "one\n");
  bool rewritten = false;
  const LineSource lines =
      tail_lines(folder / "lines", std::chrono::milliseconds{0}, stop.get_token(), {.on_idle = [&] {
                   if (!std::exchange(rewritten, true))
                     std::ofstream{folder / "lines", std::ios::trunc | std::ios::binary} << "two\n";
                   else
                     stop.request_stop();
                 }});
  EXPECT_EQ(**lines(), "one");
  const auto second = lines();
  ASSERT_TRUE(second && *second) << "it waited for more";
  EXPECT_EQ(**second, "two");
}

TEST(FollowLines, RefusesWhatIsNoPlainFile) {
  const ScratchFolder folder;
  EXPECT_TRUE(check_followable(folder / "not there yet"));
  append_text(folder / "plain", "{}\n");
  EXPECT_TRUE(check_followable(folder / "plain"));
  append_text(folder / "packed", "\x1f\x8b\x08");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"packed", "pipe"}) {
    const Status refused = check_followable(folder / name);
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().message, HasSubstr("only a plain file of JSON lines")) << name;
    std::stop_source stop;
    const LineSource lines = tail_lines(folder / name, kPollLines, stop.get_token(),
                                        {.on_idle = [&] { stop.request_stop(); }});
    EXPECT_FALSE(lines()) << name;   // once
    EXPECT_FALSE(*lines()) << name;  // then it is waited for
  }
}

TEST(FollowLines, SkipsALineThatIsTooLong) {
  const ScratchFolder folder;
  append_text(folder / "lines", "one\r\n" + std::string(100, 'x') + "\ntwo\n");
  std::stop_source stop;
  const LineSource lines = tail_lines(folder / "lines", kPollLines, stop.get_token(),
                                      {.on_idle = [&] { stop.request_stop(); }}, 50);
  EXPECT_EQ(**lines(), "one");
  // Read in one piece it is whole, and so no danger; cut, it is refused.
  EXPECT_EQ((**lines()).size(), 100U);
  EXPECT_EQ(**lines(), "two");
  append_text(folder / "lines", std::string(100, 'y'));
  EXPECT_FALSE(lines());
  append_text(folder / "lines", "yy\nthree\n");
  EXPECT_EQ(**lines(), "three");
  EXPECT_FALSE(*lines());
}

}  // namespace
}  // namespace bloomery::ethlog
