// A watcher over two roots of a scratch folder, once with each back end; and filesystems in images.
#pragma once
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdlib>
#include <fstream>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/watch/watcher.h"
#include "bloomery/base/message.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {

using Path = std::filesystem::path;

inline void write(const Path& path, std::string_view text = "x") { std::ofstream{path} << text; }

inline std::string name_of_backend(const ::testing::TestParamInfo<WatchChoice>& chosen) {
  return chosen.param == WatchChoice::kFanotify ? "Fanotify" : "Inotify";
}

class Watching : public ::testing::TestWithParam<WatchChoice> {
 protected:
  void SetUp() override {
    // Another filesystem than the one of scratch folders, for longer proofs.
    if (const char* where = std::getenv("BLOOMERY_WATCH_FOLDER")) base_ = Path{where} / "tree";
    if (!base_.empty()) std::filesystem::remove_all(base_);
    SetUpRoots();
  }
  void SetUpRoots() const {
    std::filesystem::create_directories(root());
    std::filesystem::create_directories(other());
  }
  void TearDown() override {
    if (!base_.empty()) std::filesystem::remove_all(base_);
  }
  Path base() const { return base_.empty() ? folder_.path() : base_; }
  Path root() const { return base() / "root"; }
  Path other() const { return base() / "other"; }
  WatcherOptions options() const {
    return {.tracker = {.folder = folder_ / "state",
                        .roots = std::vector<std::string>{root().string(), other().string()}},
            .backend = GetParam()};
  }

  // A watcher whose first cycle, in which everything may have changed, is over.
  std::unique_ptr<Watcher> start(const WatcherOptions& options) {
    auto watcher = Watcher::start(options);
    if (!watcher) {
      skipped_ = watcher.error().message;
      return nullptr;
    }
    const auto cycle = (*watcher)->next_cycle();
    EXPECT_TRUE(cycle) << cycle.error().message;
    since_ = cycle->current;
    return std::move(*watcher);
  }
  std::unique_ptr<Watcher> start() { return start(options()); }

  bool changed(Watcher& watcher, const Path& path) {
    const std::string asked[] = {clean_path(path.string())};
    std::vector<std::uint8_t> answers;
    EXPECT_TRUE(watcher.query(asked, since_, answers));
    return answers.at(0) != 0;
  }
  void next(Watcher& watcher) {
    const auto cycle = watcher.next_cycle();
    ASSERT_TRUE(cycle) << cycle.error().message;
    since_ = cycle->current;
  }

  ScratchFolder folder_;
  Path base_;
  CycleId since_;
  std::string skipped_;
};

#define START_OR_SKIP(watcher, ...)                            \
  auto watcher = start(__VA_ARGS__);                           \
  if (!watcher && GetParam() == WatchChoice::kFanotify)        \
    GTEST_SKIP() << "fanotify is not permitted: " << skipped_; \
  ASSERT_TRUE(watcher) << skipped_

// Something mounted for as long as this lives; nothing where that is not permitted.
class Mounted {
 public:
  Mounted(const std::string& what, Path point, const char* kind, unsigned long flags = 0,
          const char* options = "")
      : point_{std::move(point)},
        is_there_{::mount(what.c_str(), point_.c_str(), kind, flags, options) == 0} {}
  ~Mounted() {
    if (is_there_) ::umount2(point_.c_str(), MNT_DETACH);
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  bool is_there() const { return is_there_; }
  // It was moved with a folder above it.
  void is_at(Path point) { point_ = std::move(point); }
  void is_gone() { is_there_ = false; }

 private:
  Path point_;
  bool is_there_;
};

// A small file system in a file. Nothing where that is not permitted.
class LoopDevice {
 public:
  explicit LoopDevice(const Path& image, std::string_view make = "mkfs.ext4 -qF",
                      std::uintmax_t bytes = 4 << 20) {
    std::ofstream{image}.close();
    std::filesystem::resize_file(image, bytes);
    const std::string command = message("PATH=$PATH:/sbin:/usr/sbin; ", make, " '", image.string(),
                                        "' >/dev/null && losetup --show -f '", image.string(), "'");
    FILE* output = ::popen((command + " 2>/dev/null").c_str(), "r");
    if (output == nullptr) return;
    char line[64] = {};
    if (std::fgets(line, sizeof line, output) != nullptr) name_ = line;
    ::pclose(output);
    while (name_.ends_with('\n')) name_.pop_back();
  }
  ~LoopDevice() {
    if (name_.empty()) return;
    const std::string end = "PATH=$PATH:/sbin:/usr/sbin; losetup -d " + name_;
    if (std::system(end.c_str()) != 0) ADD_FAILURE() << name_ << " is left";
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace bloomery::tracker
