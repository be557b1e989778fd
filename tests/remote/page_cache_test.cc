#include "bloomery/remote/page_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "bloomery/base/file.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::internal {
namespace {

constexpr std::uint64_t kPlenty = 1 << 30;

std::vector<std::byte> page_of(std::uint8_t value, std::size_t size = kPageBytes) {
  return std::vector<std::byte>(size, std::byte{value});
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder})
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

class PageCacheTest : public ::testing::Test {
 protected:
  PageCache open(std::uint64_t most = kPlenty) {
    auto cache = PageCache::open(folder_, most);
    EXPECT_TRUE(cache) << cache.error().message;
    return std::move(*cache);
  }
  bool has(PageCache& cache, const PageName& name, std::uint8_t value) {
    auto page = page_of(0);
    return cache.load(name, page) && page == page_of(value);
  }

  ScratchFolder scratch_;
  std::filesystem::path folder_ = scratch_ / "a" / "b";
  PageName first_{{1, 2}, 3};
};

TEST_F(PageCacheTest, GivesBackWhatWasStored) {
  PageCache cache = open();
  EXPECT_FALSE(has(cache, first_, 7));
  ASSERT_TRUE(cache.store(first_, page_of(7)));
  EXPECT_TRUE(has(cache, first_, 7));
  PageCache another = open();
  EXPECT_TRUE(has(another, first_, 7));
  EXPECT_FALSE(has(another, {{1, 2}, 4}, 7));
  EXPECT_FALSE(has(another, {{2, 1}, 3}, 7));
}

TEST_F(PageCacheTest, IsThisUsersAlone) {
  ASSERT_TRUE(open().store(first_, page_of(7)));
  for (const auto& path : {folder_, folder_.parent_path(), files_in(folder_)[0].parent_path()}) {
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u) << path;
  }
  struct stat info {};
  ASSERT_EQ(::stat(files_in(folder_)[0].c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(PageCacheTest, RefusesAFolderThatOthersCanWriteTo) {
  std::filesystem::create_directories(folder_);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  const auto cache = PageCache::open(folder_, kPlenty);
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find("other users"), std::string::npos);
}

TEST_F(PageCacheTest, RefusesAFile) {
  std::ofstream{scratch_ / "a"} << "x";
  EXPECT_FALSE(PageCache::open(scratch_ / "a", kPlenty));
  EXPECT_FALSE(PageCache::open(folder_, kPlenty));
}

TEST_F(PageCacheTest, NoticesEveryDamagedByte) {
  PageCache cache = open();
  const auto small = page_of(7, 40);
  ASSERT_TRUE(cache.store(first_, small));
  const auto path = files_in(folder_)[0];
  const auto good = read_file(path, {});
  ASSERT_TRUE(good);
  for (std::size_t i = 0; i < good->size(); ++i) {
    auto bad = *good;
    bad[i] ^= std::byte{4};
    ASSERT_TRUE(save_file(path, bad));
    auto page = page_of(0, 40);
    EXPECT_FALSE(cache.load(first_, page)) << i;
    EXPECT_FALSE(std::filesystem::exists(path)) << "a damaged page is removed";
  }
  ASSERT_TRUE(save_file(path, *good));
  auto page = page_of(0, 40);
  EXPECT_TRUE(cache.load(first_, page));
}

TEST_F(PageCacheTest, NoticesAPageOfAnotherPlace) {
  PageCache cache = open();
  ASSERT_TRUE(cache.store(first_, page_of(7)));
  const auto path = files_in(folder_)[0];
  const PageName other{{1, 2}, 4};
  ASSERT_TRUE(cache.store(other, page_of(8)));
  for (const auto& file : files_in(folder_))
    if (file != path)
      std::filesystem::copy_file(path, file, std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(has(cache, other, 7));
  EXPECT_TRUE(has(cache, first_, 7));
}

TEST_F(PageCacheTest, NoticesShorterAndEmptyFiles) {
  PageCache cache = open();
  for (const std::size_t size : {0, 1, 47, 48, 100}) {
    ASSERT_TRUE(cache.store(first_, page_of(7)));
    std::filesystem::resize_file(files_in(folder_)[0], size);
    EXPECT_FALSE(has(cache, first_, 7)) << size;
  }
}

TEST_F(PageCacheTest, DropsWhatWasUsedLeastRecently) {
  constexpr std::uint64_t kMost = 64 * kPageBytes;
  PageCache cache = open(kMost);
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_TRUE(cache.store({{1, i % 3}, i}, page_of(static_cast<std::uint8_t>(i))));
    EXPECT_TRUE(has(cache, {{1, 0}, 0}, 0)) << "used again after each, it stays";
  }
  std::uint64_t sum = 0;
  for (const auto& file : files_in(folder_)) sum += std::filesystem::file_size(file);
  EXPECT_LE(sum, kMost);
  EXPECT_GE(sum, kMost / 2);
  EXPECT_TRUE(has(cache, {{1, 299 % 3}, 299}, 299 % 256));
  EXPECT_FALSE(has(cache, {{1, 1}, 1}, 1));
}

TEST_F(PageCacheTest, RemovesWhatAKilledWriterLeft) {
  ASSERT_TRUE(open().store(first_, page_of(7)));
  const auto object = files_in(folder_)[0].parent_path();
  std::ofstream{object / ".0.old"} << "x";
  std::ofstream{object / ".0.new"} << "x";
  std::filesystem::last_write_time(
      object / ".0.old", std::filesystem::file_time_type::clock::now() - std::chrono::hours{1});
  ASSERT_TRUE(open().store({{1, 2}, 9}, page_of(7)));
  EXPECT_FALSE(std::filesystem::exists(object / ".0.old"));
  EXPECT_TRUE(std::filesystem::exists(object / ".0.new")) << "another process may be writing it";
}

TEST_F(PageCacheTest, ServesSeveralWritersAtOnce) {
  std::vector<std::jthread> writers;
  std::atomic<int> wrong{0};
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&] {
      PageCache cache = open(16 * kPageBytes);
      for (std::uint64_t i = 0; i < 200; ++i) {
        const PageName name{{1, 2}, i % 40};
        auto page = page_of(0);
        if (cache.load(name, page) && page != page_of(static_cast<std::uint8_t>(i % 40))) ++wrong;
        if (!cache.store(name, page_of(static_cast<std::uint8_t>(i % 40)))) ++wrong;
      }
    });
  writers.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace bloomery::internal
