// Many readers at once, and everything that builds something on first use. Meant for the thread
// sanitizer, which sees a race even where the answers happen to be right.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "bloomery/base/file.h"
#include "bloomery/formats/format.h"
#include "bloomery/formats/native/mapped.h"
#include "tests/base/scratch_folder.h"
#include "tests/concurrency/in_all_threads.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;

constexpr std::size_t kThreads = 4;

// Every thread asks for keys that are in and keys that are not, one at a time and in a batch; the
// answers must be those of one thread alone.
template <class F>
void expect_the_same_answers(const F& filter, const ManyKeys& inside) {
  const ManyKeys absent{2000, "absent"};
  std::vector<std::uint8_t> alone(absent.size());
  filter.may_contain_batch(absent.views(), alone);
  std::atomic<std::size_t> denied = 0;
  std::atomic<std::size_t> different = 0;
  std::atomic<std::size_t> unhealthy = 0;
  const double rate = filter.health().error_rate;
  in_all_threads(kThreads, [&](std::size_t /*thread*/) {
    for (const ByteView key : inside) denied += filter.may_contain(key) ? 0 : 1;
    std::vector<std::uint8_t> answers(absent.size());
    filter.may_contain_batch(absent.views(), answers);
    different += answers == alone ? 0 : 1;
    unhealthy += filter.health().error_rate == rate ? 0 : 1;
  });
  EXPECT_EQ(denied, 0U);
  EXPECT_EQ(different, 0U);
  EXPECT_EQ(unhealthy, 0U);
  EXPECT_LT(std::ranges::count(alone, 1), 200);  // a filter that is always true would pass the rest
}

TEST(Concurrency, ManyReadersOfAClassicFilterAgree) {
  for (const std::uint64_t goal_keys : {2000U, 300'000U}) {  // the second fetches ahead
    auto filter = *ClassicFilter<BloomeryClassic>::for_goal({goal_keys, 0.01});
    const ManyKeys keys{2000};
    filter.insert_batch(keys.views());
    expect_the_same_answers(filter, keys);
  }
}

TEST(Concurrency, ManyReadersOfACountingFilterAgree) {
  auto filter = *CountingFilter<BloomeryClassic, 4>::for_goal({2000, 0.01});
  const ManyKeys keys{2000};
  filter.insert_batch(keys.views());
  expect_the_same_answers(filter, keys);
}

TEST(Concurrency, ManyReadersOfAScalableFilterAgree) {
  auto filter = *ScalableFilter<BloomeryClassic>::for_goal({100, 0.01});
  const ManyKeys keys{2000};
  ASSERT_TRUE(filter.insert_batch(keys.views()));
  ASSERT_GT(filter.layers().size(), 2U);
  expect_the_same_answers(filter, keys);
}

TEST(Concurrency, ManyReadersOfAMappedFileAgree) {
  const ScratchFolder folder;
  auto filter = *ClassicFilter<BloomeryClassic>::for_goal({2000, 0.01});
  const ManyKeys keys{2000};
  filter.insert_batch(keys.views());
  ASSERT_TRUE(save_native(filter, FunnelName::kBytes, folder.path() / "filter"));
  const auto mapped = MappedNative::open(folder.path() / "filter", {});
  ASSERT_TRUE(mapped) << mapped.error().message;
  expect_the_same_answers(*mapped, keys);
  std::atomic<std::size_t> bad = 0;
  in_all_threads(kThreads, [&](std::size_t /*thread*/) { bad += mapped->verify() ? 0 : 1; });
  EXPECT_EQ(bad, 0U);
}

// The table and the names are asked before anything else in this process has asked them, when this
// test runs alone, as ctest runs it.
TEST(Concurrency, TheFirstUseOfTheTablesMayBeInManyThreads) {
  std::atomic<std::size_t> wrong = 0;
  in_all_threads(kThreads, [&](std::size_t /*thread*/) {
    for (const Format& format : formats()) wrong += find_format(format.name) == &format ? 0 : 1;
    for (const Profile profile :
         {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kMix, Profile::kSiphash})
      wrong += find_profile(profile_name(profile)) == profile ? 0 : 1;
    wrong += find_profile("nonesuch") ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0U);
}

// Each profile hashes for the first time in many threads: a kernel may be chosen at that moment.
TEST(Concurrency, TheFirstHashMayBeInManyThreads) {
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash}) {
    std::array<Hash128, kThreads> hashes{};
    in_all_threads(kThreads, [&](std::size_t thread) {
      hashes[thread] = Hasher{profile, 7}(bytes_of("a key"));
    });
    for (const Hash128& hash : hashes) EXPECT_EQ(hash, hashes[0]);
  }
}

TEST(Concurrency, TheSameBytesMayBeDecodedInManyThreads) {
  for (const Format& format : formats()) {
    CreateOptions options;
    options.sizing.keys = 500;
    options.sizing.rate = 0.01;
    if (format.create == nullptr) continue;
    const auto filter = format.create(options);
    if (!filter) continue;  // not sized by a goal: eventhorizon
    const auto bytes = format.encode(*filter);
    ASSERT_TRUE(bytes) << format.name;
    std::atomic<std::size_t> wrong = 0;
    in_all_threads(kThreads, [&](std::size_t /*thread*/) {
      const auto decoded = format.decode(*bytes, {.sizing = options.sizing});
      if (!decoded) {
        ++wrong;
        return;
      }
      const auto again = format.encode(*decoded);
      wrong += again && *again == *bytes ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0U) << format.name;
  }
}

// The last writer wins, and at every moment the file is one of the versions, whole.
TEST(Concurrency, SavesToOnePathLeaveOneVersionWhole) {
  constexpr std::size_t kBytes = 100'000;
  const ScratchFolder folder;
  const auto path = folder.path() / "filter";
  ASSERT_TRUE(save_file(path, std::vector<std::byte>(kBytes)));
  std::atomic<std::size_t> failed = 0;
  std::atomic<std::size_t> torn = 0;
  in_all_threads(kThreads, [&](std::size_t thread) {
    const std::vector<std::byte> version(kBytes, static_cast<std::byte>(thread + 1));
    for (std::size_t round = 0; round < 10; ++round) {
      failed += save_file(path, version) ? 0 : 1;
      const auto read = read_file(path, {});
      if (!read || read->size() != kBytes) {
        ++torn;
        continue;
      }
      const bool whole =
          std::ranges::all_of(*read, [&](std::byte one) { return one == read->front(); });
      torn += whole ? 0 : 1;
    }
  });
  EXPECT_EQ(failed, 0U);
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(folder.entries(), 1U);  // no temporary file stays behind
}

}  // namespace
}  // namespace bloomery
