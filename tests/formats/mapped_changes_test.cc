// Mapped files that another process changes while they are read: answers may be wrong, but nothing
// outside the file's bytes is read or written, and a file that became shorter is an error.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "bloomery/bloomery.h"
#include "bloomery/formats/leveldb/audit.h"
#include "bloomery/formats/leveldb/database.h"
#include "bloomery/formats/native/mapped_block.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kBlocks = 64;
using Path = std::filesystem::path;

// A process that writes random bytes into the file from `first` on, until it is destroyed.
class Vandal {
 public:
  Vandal(const Path& path, std::size_t first) : child_{::fork()} {
    if (child_ != 0) return;
    const int fd = ::open(path.c_str(), O_RDWR);
    const auto size = static_cast<std::size_t>(::lseek(fd, 0, SEEK_END));
    std::mt19937_64 random{1};
    for (;;) {
      const auto byte = static_cast<std::uint8_t>(random());
      const std::size_t at = first + random() % (size - first);
      std::uint8_t before = 0;
      if (::pread(fd, &before, 1, static_cast<off_t>(at)) != 1) ::_exit(1);
      if (::pwrite(fd, &byte, 1, static_cast<off_t>(at)) != 1) ::_exit(1);
      if (random() % 2 == 0 && ::pwrite(fd, &before, 1, static_cast<off_t>(at)) != 1) ::_exit(1);
    }
  }
  Vandal(const Vandal&) = delete;
  Vandal& operator=(const Vandal&) = delete;
  ~Vandal() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  bool runs() const { return child_ > 0; }

 private:
  pid_t child_;
};

template <class Work>
void for_a_while(Work work) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{400};
  while (std::chrono::steady_clock::now() < end) work();
}

NativeBlock seeded_filter() {
  NativeBlock native{BlockFilter{{kBlocks, 6, true}}};
  for (int i = 0; i < 500; ++i) native.filter.insert(bytes_of(std::to_string(i)));
  return native;
}

// The seeds were checked at open(); each is bounded at every use.
TEST(MappedChanges, SeedsThatChangeAfterOpenStayInTheTable) {
  const ScratchFolder folder;
  const Path path = folder / "f.bloom";
  ASSERT_TRUE(save_native(seeded_filter(), path));
  const auto mapped = MappedNative::open(path, {});
  ASSERT_TRUE(mapped) << mapped.error().message;
  for (const int seed : {31, 32, 63, 200, 255}) {
    const int fd = ::open(path.c_str(), O_RDWR);
    const std::vector<std::uint8_t> seeds(kBlocks, static_cast<std::uint8_t>(seed));
    ASSERT_EQ(
        ::pwrite(fd, seeds.data(), seeds.size(), kNativeHeaderBytes + kBlocks * block::kBlockBytes),
        static_cast<ssize_t>(seeds.size()));
    ::close(fd);
    BlockFilter expected = seeded_filter().filter.clone();
    std::ranges::fill(expected.bytes().last(kBlocks),
                      static_cast<std::byte>(seed % static_cast<int>(block::kWindowSets)));
    for (int i = 0; i < 2000; ++i) {
      const std::string key = std::to_string(i);
      EXPECT_EQ(mapped->may_contain(bytes_of(key)), expected.may_contain(bytes_of(key)));
    }
  }
}

TEST(MappedChanges, LookupsSurviveAFileThatIsOverwritten) {
  const ScratchFolder folder;
  const Path path = folder / "f.bloom";
  ASSERT_TRUE(save_native(seeded_filter(), path));
  auto mapped = Filter<std::string>::map(path);
  ASSERT_TRUE(mapped) << mapped.error().message;
  const Vandal vandal{path, 0};
  ASSERT_TRUE(vandal.runs());
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back(std::to_string(i));
  std::vector<std::uint8_t> answers(keys.size());
  for_a_while([&] {
    mapped->may_contain(keys, answers);
    EXPECT_GE(mapped->health().fill, 0);
    (void)mapped->verify();
    (void)Filter<std::string>::map(path);
    (void)Filter<std::string>::load(path);
  });
}

TEST(MappedChanges, InsertsSurviveAFileThatIsOverwritten) {
  const ScratchFolder folder;
  const Path path = folder / "f.bloom";
  ASSERT_TRUE(save_native(seeded_filter(), path));
  auto mapped = MappedBlock::open(path, {});
  ASSERT_TRUE(mapped) << mapped.error().message;
  const Vandal vandal{path, kNativeHeaderBytes};
  ASSERT_TRUE(vandal.runs());
  std::uint64_t i = 0;
  for_a_while([&] {
    const std::string key = std::to_string(i++);
    mapped->insert(bytes_of(key));
    (void)mapped->may_contain(bytes_of(key));
  });
  EXPECT_GT(i, 100u);
}

// The sizes of Snappy's blocks, offsets and restart points change under the decoder.
TEST(MappedChanges, ATableThatIsOverwrittenIsDecodedOrRefused) {
  for (const char* name : {"t-default.cpp.ldb", "dec1000.cpp.db/000005.ldb"}) {
    const ScratchFolder folder;
    const Path path = folder / "table.ldb";
    std::filesystem::copy_file(Path{BLOOMERY_GOLDEN_DIR} / "formats/leveldb" / name, path);
    const auto mapped = MappedFile::open(path);
    ASSERT_TRUE(mapped);
    const Vandal vandal{path, 0};
    ASSERT_TRUE(vandal.runs());
    for_a_while([&] {
      const auto table = decode_leveldb_table(mapped->bytes(), {});
      if (table) (void)table->may_contain(bytes_of("a key"));
      (void)LevelDbDatabase::open(path, {});
    });
  }
}

// Processes that each load the filter, add to it and save it, under the lock.
TEST(FilterSave, LosesNothingUnderTheCallersLock) {
  const ScratchFolder folder;
  const Path path = folder / "f.bloom";
  ASSERT_TRUE(Filter<std::uint64_t>({.keys = 10'000, .false_positive_rate = 1e-3}).save(path));
  std::vector<pid_t> children;
  for (std::uint64_t child = 0; child < 4; ++child) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (std::uint64_t i = 0; i < 25; ++i) {
      const auto lock = FileLock::acquire(path);
      auto filter = Filter<std::uint64_t>::load(path);
      if (!lock || !filter) ::_exit(1);
      filter->insert(child * 1000 + i);
      if (!filter->save(path, &*lock)) ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto filter = Filter<std::uint64_t>::load(path);
  for (std::uint64_t child = 0; child < 4; ++child)
    for (std::uint64_t i = 0; i < 25; ++i) EXPECT_TRUE(filter->may_contain(child * 1000 + i));
}

TEST(MappedChanges, AFileThatBecameShorterIsAnError) {
  const ScratchFolder folder;
  const Path path = folder / "f.bloom";
  ASSERT_TRUE(save_native(seeded_filter(), path));
  const auto mapped = Filter<std::string>::map(path);
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(mapped->check_size());
  ASSERT_TRUE(save_native(seeded_filter(), path));  // replaced: the mapping keeps the old bytes
  EXPECT_TRUE(mapped->check_size());
  const auto again = Filter<std::string>::map(path);
  ASSERT_EQ(::truncate(path.c_str(), 1000), 0);
  EXPECT_TRUE(mapped->check_size());
  const Status size = again->check_size();
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, ErrorCode::kIo);
  EXPECT_NE(size.error().message.find("f.bloom: the file was truncated to 1000 bytes"),
            std::string::npos);
  EXPECT_FALSE(Filter<std::string>::map(path));
}

}  // namespace
}  // namespace bloomery
