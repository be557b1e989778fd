// A program killed while it saves leaves the old file or the new one, never a mixture.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <random>
#include <thread>

#include "bloomery/base/file.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

// Forking a program with a sanitizer's shadow memory takes ten times as long, and finds nothing
// more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kKills = 100;
#else
constexpr std::size_t kKills = 1000;
#endif

using Bytes = std::vector<std::byte>;

Bytes version_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

struct Versions {
  Bytes a = version_bytes(300'000, 1);
  Bytes b = version_bytes(411'111, 2);
};

using Save = void (*)(const std::filesystem::path&, ByteView);

void save_atomically(const std::filesystem::path& path, ByteView bytes) {
  if (!save_file(path, bytes)) ::_exit(1);
}

void overwrite(const std::filesystem::path& path, ByteView bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), 4096)))
    if (::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), 4096)) < 0) ::_exit(1);
  ::close(fd);
}

[[noreturn]] void save_for_ever(Save save, const std::filesystem::path& path,
                                const Versions& versions, int started) {
  if (::write(started, "!", 1) != 1) ::_exit(1);
  for (;;) {
    save(path, versions.b);
    save(path, versions.a);
  }
}

// Starts a child that saves A and B in turn, and kills it. False if the child ended by itself.
bool kill_a_saver(Save save, const std::filesystem::path& path, const Versions& versions,
                  std::chrono::microseconds after) {
  int started[2];
  if (::pipe(started) != 0) return false;
  const pid_t child = ::fork();
  if (child < 0) return false;  // kill(-1) would mean every process
  if (child == 0) save_for_ever(save, path, versions, started[1]);
  char byte = 0;
  const bool runs = ::read(started[0], &byte, 1) == 1;
  // Nothing is waited for here: the instant of the kill is what the test varies.
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  ::close(started[0]);
  ::close(started[1]);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && runs && WIFSIGNALED(status) &&
         WTERMSIG(status) == SIGKILL;
}

struct Tally {
  std::size_t a = 0, b = 0, torn = 0;
  std::size_t interrupted =
      0;  // kills that left a temporary file: they came in the middle of a save
};

void count_one(const ScratchFolder& folder, const std::filesystem::path& path,
               const Versions& versions, Tally& tally) {
  const auto found = read_file(path, DecodeLimits{});
  if (found && *found == versions.a) {
    ++tally.a;
  } else if (found && *found == versions.b) {
    ++tally.b;
  } else {
    ++tally.torn;
  }
  for (const auto& entry : std::filesystem::directory_iterator{folder.path()}) {
    if (entry.path() == path) continue;
    ++tally.interrupted;
    std::filesystem::remove(entry.path());
  }
}

Tally kill_many(Save save, std::size_t kills) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n' << std::flush;
  std::mt19937_64 random{seed};
  const ScratchFolder folder;
  const Versions versions;
  const auto path = folder / "file";
  Tally tally;
  EXPECT_TRUE(save_file(path, versions.a));
  for (std::size_t i = 0; i < kills; ++i) {
    const std::chrono::microseconds after{random() % 3000};
    EXPECT_TRUE(kill_a_saver(save, path, versions, after));
    count_one(folder, path, versions, tally);
  }
  return tally;
}

TEST(SaveFileKill, LeavesTheOldFileOrTheNewOne) {
  const Tally tally = kill_many(save_atomically, kKills);
  std::cout << "A " << tally.a << ", B " << tally.b << ", interrupted " << tally.interrupted
            << '\n';
  EXPECT_EQ(tally.torn, 0u);
  EXPECT_GT(tally.a, kKills / 50);
  EXPECT_GT(tally.b, kKills / 50);
  EXPECT_GT(tally.interrupted, kKills / 50);
}

// The test above can fail: it sees what a plain overwrite leaves behind.
TEST(SaveFileKill, SeesThatAPlainOverwriteTears) {
  EXPECT_GT(kill_many(overwrite, kKills / 10).torn, 0u);
}

}  // namespace
}  // namespace bloomery
