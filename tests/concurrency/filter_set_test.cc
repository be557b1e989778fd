// Many readers of one set of parts, none of which is open when they begin.
#include "bloomery/formats/set/filter_set.h"

#include "tests/concurrency/in_all_threads.h"
#include "tests/filter/many_keys.h"
#include "tests/formats/set/set_files.h"

namespace bloomery {
namespace {

constexpr std::size_t kReaders = 4;

TEST(FilterSetConcurrency, ReadersOpenItsPartsAtTheSameTime) {
  const testing::ManyKeys keys{5'000};
  const testing::ManyKeys absent{20'000, "absent"};
  for (const BlockShape shape : {BlockShape{400, 6}, BlockShape{600, 16}}) {
    const ScratchFolder folder;
    testing::save_set(folder, shape, 64, keys.views());
    std::vector<std::uint8_t> expected(absent.size());
    testing::whole_filter(shape, keys.views()).filter.may_contain_batch(absent.views(), expected);
    for (int round = 0; round < 5; ++round) {
      const auto set = FilterSet::open(folder / "seen.bloomset", {});
      ASSERT_TRUE(set) << set.error().message;
      std::vector<std::vector<std::uint8_t>> answers(kReaders);
      std::vector<std::size_t> missed(kReaders);
      in_all_threads(kReaders, [&](std::size_t reader) {
        answers[reader].resize(absent.size());
        if (!set->may_contain_batch(absent.views(), answers[reader])) answers[reader].clear();
        for (const ByteView key : keys) {
          const auto answer = set->may_contain(key);
          missed[reader] += answer && *answer ? 0 : 1;
        }
      });
      for (std::size_t reader = 0; reader < kReaders; ++reader) {
        EXPECT_EQ(answers[reader], expected);
        EXPECT_EQ(missed[reader], 0U);
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
