#include "apps/tracker/scan/usage_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "bloomery/base/endian.h"
#include "bloomery/hash/xxh.h"
#include "tests/apps/tracker/scan/memory_tree.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/hostile.h"

namespace bloomery::tracker {
namespace {

Usage usage_of(std::initializer_list<std::uint64_t> sizes, std::int64_t newest) {
  Usage usage;
  for (const std::uint64_t size : sizes) usage.add_object(size, newest);
  usage.changed(newest);
  return usage;
}

UsageCache example(std::uint64_t scan = 9) {
  UsageCache cache;
  cache.root = "/data/tree";
  cache.key = "data/tree";
  cache.one_file_system = true;
  cache.scan = scan;
  cache.full_from = 8;
  cache.saved_unix = -5;
  cache.cycles = {{7, {70, 1}}, {scan, {90, UINT64_MAX}}};
  cache.sweep = {.step = 3, .begun = true, .last = "a/b"};
  cache.elsewhere = {{1, 2, 3}, {1, 4, 1}};
  const Usage own = usage_of({0, 1, 15, 16, 1 << 20}, 100);
  const Usage inner = usage_of({}, -7);
  const Usage odd = usage_of({UINT64_MAX}, INT64_MAX);
  FolderEnd a{.due_below = true, .scan = 7, .total = inner, .folders = 2, .linked_below = true};
  FolderEnd root{.due_below = true, .scan = 7, .total = own, .folders = 4, .linked_below = true};
  a.total.add(odd);
  root.total.add(a.total);
  const std::size_t at_root = begin_record(cache.body, {"", 0, 1, own});
  const std::size_t at_a = begin_record(cache.body, {"a", UINT64_MAX, UINT32_MAX, inner});
  put_leaf(cache.body, {"b", 3, 0, odd, true}, 6, true);
  end_record(cache.body, at_a, a);
  put_leaf(cache.body, {"\xff\n", 4}, 9, false);
  end_record(cache.body, at_root, root);
  return cache;
}

std::vector<std::byte> encoded(const UsageCache& cache) {
  auto bytes = encode_usage_header(cache);
  bytes.insert(bytes.end(), cache.body.begin(), cache.body.end());
  return bytes;
}

// With both checksums put right, wherever the lengths say they are.
std::vector<std::byte> mended(ByteView bytes) {
  constexpr std::size_t kCounts = 48;
  constexpr std::size_t kBody = 64;
  constexpr std::size_t kLinked = 80;
  constexpr std::size_t kFixed = 88;
  std::vector<std::byte> copy{bytes.begin(), bytes.end()};
  if (copy.size() < kFixed) return copy;
  const auto linked = load_le<std::uint64_t>(copy.data() + kLinked);
  if (linked > copy.size()) return copy;
  std::uint64_t header =
      kFixed + 24 * linked + 24 * std::uint64_t{load_le<std::uint32_t>(copy.data() + kCounts)};
  for (std::size_t i = 1; i < 4; ++i)
    header += load_le<std::uint32_t>(copy.data() + kCounts + 4 * i);
  if (header + 8 > copy.size()) return copy;
  const auto body = ByteView{copy}.subspan(static_cast<std::size_t>(header) + 8);
  store_le(copy.data() + kBody, static_cast<std::uint64_t>(body.size()));
  store_le(copy.data() + kBody + 8, xxh3_64(body));
  store_le(copy.data() + header, xxh3_64(ByteView{copy}.first(static_cast<std::size_t>(header))));
  return copy;
}

void look_at(const UsageCache& cache) {
  (void)is_whole_tree(cache.body);
  (void)counted(cache);
  (void)largest_folders(cache, 10);
}

TEST(SizeClass, BeginsAtEveryPowerOfSixteen) {
  EXPECT_EQ(size_class(0), 0U);
  EXPECT_EQ(size_class(UINT64_MAX), kSizeClasses - 1);
  for (std::size_t i = 1; i < kSizeClasses; ++i) {
    EXPECT_EQ(size_class(size_class_begin(i)), i);
    EXPECT_EQ(size_class(size_class_begin(i) - 1), i - 1);
  }
}

TEST(UsageCache, BytesComeBackAsTheSameCache) {
  const UsageCache cache = example();
  ASSERT_TRUE(is_whole_tree(cache.body));
  const auto decoded = decode_usage_cache(encoded(cache), {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(decoded->is_same_tree(cache));
  EXPECT_EQ(decoded->scan, 9U);
  EXPECT_EQ(decoded->full_from, 8U);
  EXPECT_EQ(decoded->saved_unix, -5);
  EXPECT_EQ(decoded->cycles, cache.cycles);
  EXPECT_EQ(decoded->sweep, cache.sweep);
  EXPECT_EQ(decoded->cycle_of(7), (CycleId{70, 1}));
  EXPECT_EQ(decoded->cycle_of(8), CycleId{});
  EXPECT_TRUE(decoded->body == cache.body);
  const FolderRecord root = decoded->root_record();
  EXPECT_EQ(root.own.sizes[5], 0U);
  EXPECT_EQ(root.own.sizes[6], 1U);
  EXPECT_EQ(root.total.objects, 6U);
  EXPECT_EQ(root.total.newest_unix, INT64_MAX);
  std::vector<ChildRecord> children;
  ASSERT_TRUE(read_children(root.children, children));
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[0].identity, UINT64_MAX);
  const auto a = read_record(children[0].all);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->born, UINT32_MAX);
  EXPECT_EQ(a->own.newest_unix, -7);
  EXPECT_FALSE(a->due);
  EXPECT_TRUE(a->due_below);
  EXPECT_EQ(read_record(children[1].all)->own.newest_unix, kNoChange);
}

TEST(UsageCache, AnyByteThatChangedAndAnyCutIsNoticed) {
  const auto good = encoded(example());
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= std::byte{0x10};
    EXPECT_FALSE(decode_usage_cache(bad, {})) << i;
    EXPECT_FALSE(decode_usage_cache(ByteView{good}.first(i), {})) << i;
  }
  auto longer = good;
  longer.push_back({});
  EXPECT_FALSE(decode_usage_cache(longer, {}));
  EXPECT_FALSE(decode_usage_cache(good, {.max_bytes = good.size() - 1}));
}

TEST(UsageCache, SurvivesHostileBytesWithAndWithoutRightChecksums) {
  const auto good = encoded(example());
  ASSERT_TRUE(mended(good) == good);
  const auto decode = [](ByteView bytes) { return decode_usage_cache(bytes, {}); };
  const auto decode_mended = [&](ByteView bytes) { return decode(mended(bytes)); };
  testing::survive_hostile_bytes(good, decode, look_at);
  testing::survive_hostile_bytes(good, decode_mended, look_at);
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const int value : {0, 1, 2, 0x7f, 0x80, 0xff}) {
      auto bad = good;
      bad[i] = static_cast<std::byte>(value);
      testing::survive(bad, decode_mended, look_at);
    }
}

TEST(UsageRecord, NamesThatLeadElsewhereAreRefused) {
  for (const std::string_view name :
       {std::string_view{".."}, std::string_view{"."}, std::string_view{"a/b"}, std::string_view{},
        std::string_view{"a\0b", 3}}) {
    std::vector<std::byte> children;
    put_leaf(children, {name, 1}, 1, false);
    std::vector<ChildRecord> found;
    EXPECT_FALSE(read_children(children, found)) << name;
  }
  std::vector<std::byte> twice;
  put_leaf(twice, {"a", 1}, 1, false);
  put_leaf(twice, {"a", 2}, 1, false);
  std::vector<ChildRecord> found;
  EXPECT_FALSE(read_children(twice, found)) << "two of one name";
}

TEST(UsageCache, AProgramThatIsKilledWhileItSavesLeavesOneThatIsWhole) {
  const ScratchFolder folder;
  const auto path = folder / "cache";
  ASSERT_TRUE(save_usage_cache(path, example(9)));
  std::mt19937 random{5};
  for (int i = 0; i < 30; ++i) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      UsageCache cache = example();
      for (std::uint64_t scan = 10;; ++scan) {
        cache.scan = scan;
        if (!save_usage_cache(path, cache)) ::_exit(1);
        if (scan == 10 && ::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char begun = 0;
    ASSERT_EQ(::read(ready[0], &begun, 1), 1);
    for (auto spin = random() % 20000; spin > 0; --spin) (void)::getppid();
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ::close(ready[0]);
    ::close(ready[1]);
    const auto loaded = load_usage_cache(path, {});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_GE(loaded->scan, 9U);
  }
}

TEST(UsageView, TheLargestFoldersComeWithThoseTheyLieIn) {
  UsageCache cache;
  const std::size_t root = begin_record(cache.body, {});
  FolderEnd all{.scan = 1};
  const auto put = [&](const char* name, std::uint64_t size, const char* inside) {
    const Usage usage = usage_of({size}, 1);
    const std::size_t at = begin_record(cache.body, {name});
    put_leaf(cache.body, {inside, 0, 0, usage}, 1, false);
    end_record(cache.body, at, {.scan = 1, .total = usage, .folders = 2});
    all.total.add(usage);
    all.folders += 2;
  };
  put("a", 10, "x");
  put("b", 30, "y");
  put("c", 20, "z");
  end_record(cache.body, root, all);
  ASSERT_TRUE(is_whole_tree(cache.body));
  std::string shown;
  for (const LargeFolder& folder : largest_folders(cache, 5))
    shown += "[" + folder.path + (folder.is_last ? " last" : "") + "]";
  EXPECT_EQ(shown, "[ last][b][b/y last][c last][c/z last]");
  EXPECT_EQ(largest_folders(cache, 100).size(), 7U);
  EXPECT_TRUE(largest_folders(cache, 0).empty());
}

}  // namespace
}  // namespace bloomery::tracker
