// Commands that reach a watcher through its socket, whatever becomes of either.
#include "apps/tracker/watch/client.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/watch/socket_server.h"
#include "bloomery/base/message.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

using Path = std::filesystem::path;

class Commands : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root()); }
  Path root() const { return folder_ / "root"; }
  Path state() const { return folder_ / "state"; }
  WatcherOptions options() const {
    return {.tracker = {.folder = state(), .roots = std::vector<std::string>{root().string()}},
            .backend = WatchChoice::kInotify};
  }
  void start() {
    auto watcher = Watcher::start(options());
    ASSERT_TRUE(watcher) << watcher.error().message;
    watcher_ = std::move(*watcher);
    auto server = SocketServer::start(*watcher_, state());
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  std::unique_ptr<TrackerClient> access() {
    auto opened = open_tracker({.tracker = {.folder = state()}, .must_exist = true});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  std::vector<std::uint8_t> ask(TrackerClient& access, std::vector<Path> paths,
                                std::optional<CycleId> since) {
    std::vector<std::string> keys;
    for (const Path& path : paths) keys.push_back(clean_path(path.string()));
    std::vector<std::uint8_t> answers;
    EXPECT_TRUE(access.query(keys, since, answers));
    return answers;
  }

  ScratchFolder folder_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<SocketServer> server_;
};
using Answers = std::vector<std::uint8_t>;

TEST_F(Commands, EveryCallIsAnsweredByTheWatcher) {
  start();
  const auto command = access();
  ASSERT_TRUE(command);
  EXPECT_EQ(*command->roots(), *watcher_->roots());
  const auto cycle = command->next_cycle();
  ASSERT_TRUE(cycle) << cycle.error().message;
  std::ofstream{root() / "file"} << "x";
  EXPECT_EQ(ask(*command, {root(), root() / "other"}, cycle->current), (Answers{1, 0}));
  const std::string marked[] = {clean_path((root() / "said").string())};
  ASSERT_TRUE(command->mark(marked, true));
  ASSERT_TRUE(command->barrier());
  const auto history = command->snapshot();
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_TRUE(history->may_have_changed(marked[0] + "/below", cycle->current));
  EXPECT_FALSE(history->may_have_changed("elsewhere", cycle->current));
  const auto peek = command->cycle({.oldest = 1});
  ASSERT_TRUE(peek);
  EXPECT_EQ(peek->current, cycle->current);
  const auto status = command->status();
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->watch->process, ::getpid());
  EXPECT_GE(status->watch->requests, 7U);
  EXPECT_TRUE(command->close());
  EXPECT_EQ(command->cycle({.current = 1}).error().code, ErrorCode::kInvalidArgument);
  struct stat found {};
  ASSERT_EQ(::stat((state() / kWatchSocket).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(Commands, ManyPathsGoInPieces) {
  start();
  const auto command = access();
  const CycleId since = command->next_cycle()->current;
  std::vector<std::string> paths;
  for (int i = 0; i < 3000; ++i) paths.push_back(message(i, "/", std::string(4000, 'p')));
  ASSERT_TRUE(command->mark(paths, false));
  paths.emplace_back("absent");
  Answers answers;
  ASSERT_TRUE(command->query(paths, since, answers));
  ASSERT_EQ(answers.size(), paths.size());
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 3000);
  const std::string too_long[] = {std::string(9 << 20, 'x')};
  EXPECT_EQ(command->mark(too_long, false).error().code, ErrorCode::kTooLarge);
}

TEST_F(Commands, ASocketLiesInAFolderOfAnyLength) {
  const Path deep = folder_ / std::string(120, 'l');
  std::filesystem::create_directories(deep);
  auto watcher = Watcher::start({.tracker = {.folder = deep}});
  ASSERT_TRUE(watcher) << watcher.error().message;
  const auto server = SocketServer::start(**watcher, deep);
  ASSERT_TRUE(server) << server.error().message;
  const auto command = open_watcher({.tracker = {.folder = deep}});
  ASSERT_TRUE(command) << command.error().message;
  ASSERT_TRUE(*command);
  EXPECT_TRUE((*command)->next_cycle());
}

TEST_F(Commands, WhoeverSpeaksNonsenseIsToldSoAndOthersAreServed) {
  start();
  std::vector<Descriptor> silent;
  for (int i = 0; i < 8; ++i) silent.push_back(connect_in(state()));
  const Descriptor garbage = connect_in(state());
  ASSERT_EQ(::send(garbage.get(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
  const auto answer =
      read_frame(garbage, 1 << 20, std::chrono::seconds{10}, std::chrono::seconds{10});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->call, WatchCall::kRefusal);
  const Descriptor large = connect_in(state());
  auto head = encode_frame(WatchCall::kMark, {});
  head[12] = std::byte{1};  // four gigabytes
  ASSERT_EQ(::send(large.get(), head.data(), head.size(), MSG_NOSIGNAL), 16);
  EXPECT_EQ(read_frame(large, 1 << 20, std::chrono::seconds{10}, std::chrono::seconds{10})->call,
            WatchCall::kRefusal);
  EXPECT_TRUE(access()->barrier());
}

TEST_F(Commands, TooManyAreToldSo) {
  start();
  std::vector<std::unique_ptr<TrackerClient>> commands;
  for (std::size_t i = 0; i < SocketServer::kMostConnections; ++i) commands.push_back(access());
  const auto one_more = open_watcher({.tracker = {.folder = state()}});
  ASSERT_FALSE(one_more);
  EXPECT_NE(one_more.error().message.find("too many"), std::string::npos);
  EXPECT_TRUE(commands.front()->barrier());
}

TEST_F(Commands, OptionsThatOnlyAStartTakesAreRefused) {
  start();
  EXPECT_EQ(open_watcher({.tracker = {.folder = state(), .rate = 0.1}}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(open_watcher({.tracker = {.folder = state(), .mode = Mode::kMinioExact}}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(Commands, AfterAProperEndTheFilesSayThatNobodyWatches) {
  start();
  CycleId since = access()->next_cycle()->current;
  server_.reset();
  ASSERT_TRUE(watcher_->close());
  watcher_.reset();
  EXPECT_FALSE(std::filesystem::exists(state() / kWatchSocket));
  std::ofstream{root() / "unseen"} << "x";
  EXPECT_EQ(ask(*access(), {root() / "anything"}, since), (Answers{1}));
  since = access()->next_cycle()->current;
  EXPECT_EQ(ask(*access(), {root() / "anything"}, since), (Answers{1})) << "nor in the next cycle";
  start();
  EXPECT_EQ(ask(*access(), {root() / "anything"}, since), (Answers{1}));
  since = access()->next_cycle()->current;
  EXPECT_EQ(ask(*access(), {root() / "anything"}, since), (Answers{0}));
}

[[noreturn]] void watch_until_killed(const WatcherOptions& options, int ready) {
  auto watcher = Watcher::start(options);
  if (!watcher) ::_exit(1);
  const auto server = SocketServer::start(**watcher, options.tracker.folder);
  if (!server || ::write(ready, "r", 1) != 1) ::_exit(1);
  for (;;) ::pause();
}

// The watcher is killed at any instant while files change and a command asks.
TEST_F(Commands, AWatcherThatIsKilledNeverLeavesAChangeDenied) {
  std::mt19937_64 random{std::random_device{}()};
  for (int round = 0; round < 8; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) watch_until_killed(options(), ready[1]);
    ::close(ready[1]);
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    std::optional<CycleId> since;
    if (auto command = open_watcher({.tracker = {.folder = state()}}); command && *command)
      if (const auto cycle = (*command)->next_cycle()) since = cycle->current;
    ASSERT_TRUE(since);
    std::thread killer{[child, after = std::chrono::microseconds{random() % 3000}] {
      std::this_thread::sleep_for(after);  // the instant of the kill is what the test varies
      ::kill(child, SIGKILL);
    }};
    std::vector<Path> changed;
    for (int i = 0; i < 50; ++i) {
      changed.push_back(root() / message(round, "-", i));
      std::filesystem::create_directory(changed.back());
    }
    killer.join();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(std::filesystem::exists(state() / kWatchSocket)) << "left over";
    const auto files = access();  // the socket is stale
    ASSERT_TRUE(files);
    EXPECT_EQ(ask(*files, changed, since), Answers(changed.size(), 1));
    const auto next = files->next_cycle();
    ASSERT_TRUE(next);
    EXPECT_EQ(ask(*files, changed, next->current), Answers(changed.size(), 1)) << "no watcher runs";
  }
}

}  // namespace
}  // namespace bloomery::tracker
