// The property: a scan never shows an old total as complete, and a query never denies a change,
// whatever happens to the tracker's files, its watcher, its clock and its tree.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include "apps/tracker/fleet/memory.h"
#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/watch/socket_server.h"
#include "tests/apps/tracker/scan/memory_tree.h"
#include "tests/base/scratch_folder.h"
#include "tests/full_run.h"

namespace bloomery::tracker {
namespace {

namespace fs = std::filesystem;

// What reports changes to the tracker, in one sequence.
enum class Caller : std::uint8_t {
  kSilent,   // nothing, unless a watcher runs
  kHonest,   // says --marks-only, and marks every change that it makes
  kOfMinio,  // the same, into MinIO's file
};

void write_text(const fs::path& file, std::string_view text) {
  std::ofstream{file, std::ios::binary} << text;
}

std::string read_all(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

constexpr int kHarms = 11;

std::string harmed(std::string bytes, unsigned how, std::mt19937& random) {
  const auto at = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
  switch (how) {
    case 0:
      return bytes.substr(0, 50);
    case 1:
      return bytes.substr(0, at());
    case 2:
      return {};
    case 3:
      return bytes + "more";
    case 4:
      return std::string(bytes.size(), '\0');
    case 5:
      return std::string(bytes.size(), 'z');
    case 6:
      if (!bytes.empty()) bytes[at()] ^= 1;
      return bytes;
    case 7:
      if (bytes.size() > 8) bytes[8] = 9;  // the version
      return bytes;
    case 8:
      if (bytes.size() > 16) bytes.erase(at(), 1);
      return bytes;
    default:
      std::reverse(bytes.begin(), bytes.end());
      return bytes;
  }
}

class World {
 public:
  World(unsigned seed, Caller caller) : random_{seed}, caller_{caller}, drive_{pick(3) == 0} {
    fs::create_directories(tree());
    for (int i = 0; i < 6; ++i) write_text(some_file(), "x");
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { end_watcher(SIGKILL); }

  void step();
  void scan();
  int scans() const { return scans_; }
  std::uint64_t believed() const { return believed_; }
  const std::string& story() const { return story_; }

 private:
  fs::path tree() const { return scratch_ / "tree"; }
  fs::path state() const { return scratch_ / "state"; }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  fs::path some_file() {
    const fs::path folder = tree() / std::to_string(pick(3)) / std::to_string(pick(3));
    fs::create_directories(folder);
    return folder / std::to_string(pick(3));
  }
  ClientOptions access() {
    ClientOptions options{.tracker = {.folder = state()}};
    if (caller_ == Caller::kOfMinio) options.tracker.mode = Mode::kMinioNewest;
    options.tracker.marks_only = caller_ != Caller::kSilent && watcher_ == 0 && pick(2) == 0;
    if (drive_ && pick(4) == 0)
      options.tracker.drives = std::vector<std::string>{(scratch_ / "drive").string()};
    options.tracker.now_unix = [this] { return std::time(nullptr) + clock_; };
    return options;
  }

  void change();
  void mark(const fs::path& path);
  void query();
  void start_watcher();
  void end_watcher(int signal);
  void damage();
  void back_up();
  void restore();
  void replace_root();
  void lose();

  ScratchFolder scratch_;
  std::mt19937 random_;
  const Caller caller_;
  const bool drive_;
  pid_t watcher_ = 0;
  std::int64_t clock_ = 0;
  std::string story_;
  int scans_ = 0;
  std::uint64_t believed_ = 0;
  CycleId since_;
  std::set<std::string> changed_;  // folders, since since_ began
};

void World::mark(const fs::path& path) {
  changed_.insert(path.parent_path().lexically_relative(tree()).string());
  if (caller_ == Caller::kSilent && pick(2) == 0) return;
  const auto reached = open_tracker(access());
  bool marked = false;
  if (reached) {
    const auto roots = (*reached)->roots();
    const std::string key =
        roots && !roots->empty() ? path.string() : path.lexically_relative(tree()).string();
    marked = (*reached)->mark(std::vector{clean_path(key)}, fs::is_directory(path)).has_value();
    marked = (*reached)->close().has_value() && marked;
  }
  if (marked || caller_ == Caller::kSilent) return;
  // A caller that gets an error begins anew.
  story_ += "(mark failed) ";
  end_watcher(SIGKILL);
  lose();
}

void World::change() {
  if (pick(5) == 0) {
    const fs::path folder = tree() / std::to_string(pick(3)) / std::to_string(pick(3));
    if (fs::remove_all(folder) == 0) return;  // there was nothing to change
    return mark(folder);
  }
  const fs::path file = some_file();
  if (pick(4) == 0) {
    if (!fs::remove(file)) {  // at most its folder is new
      mark(file);
      changed_.erase(file.parent_path().lexically_relative(tree()).string());
      return;
    }
  } else {
    write_text(file, std::string(pick(3000), 'y'));
  }
  mark(file);
}

void World::scan() {
  ScanRequest request{.folder = tree(), .client = access(), .rules = {.sweep = pick(2) * 7}};
  const bool part = pick(6) == 0 && fs::is_directory(tree() / "1");
  if (part) request.folder = tree() / "1";
  if (part && watcher_ == 0) request.prefix = "1";
  const auto report = scan_with_tracker(request);
  if (!report) {  // said, and no total shown
    story_ += "(refused: " + report.error().message + ") ";
    return;
  }
  ++scans_;
  believed_ += report->result.counts.from_cache;
  if (!report->result.complete || !report->result.problems.empty()) return;
  ASSERT_EQ(counted(report->result.cache), counted_on_disk(request.folder))
      << story_ << "; all read because: " << report->all_read_because
      << "; gap: " << report->coverage.gap;
  if (!report->coverage.proven()) {
    ASSERT_EQ(report->result.counts.from_cache, 0U) << story_;
  }
  if (part) return;
  since_ = report->cycle;
  changed_.clear();
}

void World::query() {
  if (caller_ == Caller::kOfMinio) return;  // its question is about all that it remembers
  ClientOptions options = access();
  options.must_exist = options.tracker.read_only = true;
  options.tracker.marks_only = false;
  const auto reached = open_tracker(options);
  if (!reached || since_.index == 0 || changed_.empty()) return;
  const auto roots = (*reached)->roots();
  if (!roots) return;
  std::vector<std::string> keys;
  for (const std::string& folder : changed_)
    keys.push_back(clean_path(roots->empty() ? folder : (tree() / folder).string()));
  std::vector<std::uint8_t> answers;
  if (!(*reached)->query(keys, since_, answers)) return;
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_EQ(answers[i], 1) << story_ << "; " << keys[i] << " since " << since_.index;
}

void World::start_watcher() {
  if (watcher_ != 0 || caller_ == Caller::kOfMinio) return;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const auto clock = clock_;
  const bool eager = pick(2) == 0;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    WatcherOptions options{.tracker = {.folder = state()}, .backend = WatchChoice::kInotify};
    options.tracker.roots = std::vector<std::string>{tree().string()};
    options.tracker.now_unix = [clock] { return std::time(nullptr) + clock; };
    if (eager) options.tracker.save_every = std::chrono::milliseconds{1};
    auto watcher = Watcher::start(options);
    if (!watcher) ::_exit(1);
    auto server = SocketServer::start(**watcher, state());
    if (!server) ::_exit(1);
    (void)!::write(ready[1], "r", 1);
    int got = 0;
    ::sigwait(&ends, &got);
    server->reset();
    ::_exit((*watcher)->close() ? 0 : 1);
  }
  ::close(ready[1]);
  char byte = 0;
  const bool began = ::read(ready[0], &byte, 1) == 1;
  ::close(ready[0]);
  watcher_ = child;
  if (!began) end_watcher(SIGKILL);
}

void World::end_watcher(int signal) {
  if (watcher_ == 0) return;
  ::kill(watcher_, signal);
  int status = 0;
  ::waitpid(std::exchange(watcher_, 0), &status, 0);
}

void World::damage() {
  std::vector<fs::path> files;
  for (const char* place : {"state", "drive"})
    if (fs::is_directory(scratch_ / place))
      for (const auto& entry : fs::directory_iterator{scratch_ / place})
        if (entry.is_regular_file()) files.push_back(entry.path());
  if (files.empty()) return;
  std::ranges::sort(files);
  const fs::path file = files[pick(static_cast<unsigned>(files.size()))];
  const unsigned how = pick(kHarms);
  story_ += file.filename().string() + "/" + std::to_string(how) + " ";
  if (how + 1 == kHarms) {
    fs::remove(file);
  } else {
    write_text(file, harmed(read_all(file), how, random_));
  }
}

void World::back_up() {
  fs::remove_all(scratch_ / "backup");
  if (!fs::is_directory(state())) return;
  fs::create_directories(scratch_ / "backup");
  const bool links = pick(3) == 0;
  for (const auto& entry : fs::directory_iterator{state()}) {
    if (!entry.is_regular_file()) continue;
    const fs::path to = scratch_ / "backup" / entry.path().filename();
    std::error_code gone;  // a watcher's temporary file
    if (links) {
      fs::create_hard_link(entry.path(), to, gone);
    } else {
      fs::copy_file(entry.path(), to, gone);
    }
  }
}

void World::restore() {
  if (!fs::is_directory(scratch_ / "backup") || fs::is_empty(scratch_ / "backup")) return;
  const unsigned how = pick(4);
  story_ += std::to_string(how) + " ";
  if (how == 0) {  // as a whole
    end_watcher(SIGKILL);
    lose();
    fs::rename(scratch_ / "backup", state());
    return;
  }
  for (const auto& entry : fs::directory_iterator{scratch_ / "backup"}) {
    const std::string name = entry.path().filename().string();
    if (how == 1 && !name.starts_with("tracker.") && !name.starts_with(".tracker")) continue;
    if (how == 2 && !name.starts_with("usage-")) continue;
    if (!fs::is_directory(state())) continue;
    if (how == 3) {
      write_text(state() / name, read_all(entry.path()));  // in place
    } else {
      std::error_code same;  // the very file, by another name
      fs::copy_file(entry.path(), state() / name, fs::copy_options::overwrite_existing, same);
    }
  }
}

void World::lose() {
  std::error_code ignored;  // a watcher that lives may write meanwhile
  fs::remove_all(state(), ignored);
}

void World::replace_root() {
  fs::copy(tree(), scratch_ / "copy", fs::copy_options::recursive);
  fs::remove_all(scratch_ / "old");
  fs::rename(tree(), scratch_ / "old");
  fs::rename(scratch_ / "copy", tree());
  write_text(some_file(), "of another folder");
}

void World::step() {
  const auto tell = [&](const char* what) { story_ += std::string{what} + " "; };
  switch (pick(22)) {
    case 0:
      tell("start");
      return start_watcher();
    case 1:
      tell("stop");
      return end_watcher(SIGTERM);
    case 2:
      tell("kill");
      return end_watcher(SIGKILL);
    case 3:
    case 4:
    case 5:
      tell("damage");
      return damage();
    case 6:
      tell("back-up");
      return back_up();
    case 7:
      tell("restore");
      return restore();
    case 8:
      tell("lose");
      return lose();
    case 9:
      tell("clock");
      return void(clock_ += 86400 * (static_cast<int>(pick(21)) - 10));
    case 10:
      tell("root");
      return replace_root();
    case 11: {
      tell("cycles");
      if (const auto reached = open_tracker(access())) {
        for (unsigned i = pick(20); i > 0; --i) (void)(*reached)->next_cycle();
        (void)(*reached)->close();
      }
      return;
    }
    case 12: {
      tell("fleet");
      const fs::path file = state() / kLeaderMemoryFile;
      if (!fs::is_directory(state()) || fs::remove(file)) return;
      ASSERT_TRUE(save_memory(file, {.fleet = "archive"}));
      return;
    }
    case 13:
    case 14:
      tell("query");
      return query();
    case 15:
    case 16:
    case 17:
      tell("scan");
      return scan();
    default:
      tell("change");
      return change();
  }
}

class CoverageProperty : public ::testing::TestWithParam<Caller> {};

TEST_P(CoverageProperty, AScanNeverShowsAnOldTotalAsComplete) {
  const unsigned sequences = testing::full_run() ? 3000 : 40;
  const char* fixed = std::getenv("BLOOMERY_COVERAGE_SEED");
  const unsigned first =
      fixed != nullptr ? static_cast<unsigned>(std::stoul(fixed)) : std::random_device{}();
  std::cout << "BLOOMERY_COVERAGE_SEED=" << first << '\n' << std::flush;
  int scans = 0;
  std::uint64_t believed = 0;
  for (unsigned i = 0; i < sequences; ++i) {
    World world{first + i, GetParam()};
    for (int step = 0; step < 40; ++step) {
      world.step();
      if (HasFatalFailure()) FAIL() << "seed " << first + i;
    }
    world.scan();
    if (HasFatalFailure()) FAIL() << "seed " << first + i;
    scans += world.scans();
    believed += world.believed();
  }
  std::cout << scans << " scans compared, " << believed << " folders from the cache\n";
  EXPECT_GT(believed, 0U) << "a tracker that never knows proves nothing";
}

INSTANTIATE_TEST_SUITE_P(Callers, CoverageProperty,
                         ::testing::Values(Caller::kSilent, Caller::kHonest, Caller::kOfMinio));

}  // namespace
}  // namespace bloomery::tracker
