#include <gtest/gtest.h>

#include "bloomery/remote/connection.h"

namespace bloomery::internal {
namespace {

PageName name(std::uint64_t number, std::uint64_t object = 1) { return {{object, 2}, number}; }

TEST(PageMemory, KeepsWhatWasUsedLast) {
  PageMemory memory{30};
  const std::vector<std::byte> page(10, std::byte{7});
  for (const std::uint64_t number : {1, 2, 3}) memory.put(name(number), page);
  EXPECT_EQ(memory.find(name(1)).size(), 10u);  // used now: 2 is the oldest
  memory.put(name(4), page);
  EXPECT_TRUE(memory.find(name(2)).empty());
  for (const std::uint64_t number : {1, 3, 4}) EXPECT_EQ(memory.find(name(number)).size(), 10u);
}

TEST(PageMemory, TellsObjectsApart) {
  PageMemory memory{100};
  memory.put(name(1, 1), std::vector<std::byte>(3, std::byte{1}));
  memory.put(name(1, 2), std::vector<std::byte>(3, std::byte{2}));
  EXPECT_EQ(memory.find(name(1, 1))[0], std::byte{1});
  EXPECT_EQ(memory.find(name(1, 2))[0], std::byte{2});
  EXPECT_TRUE(memory.find(name(1, 3)).empty());
}

TEST(PageMemory, PassesOverWhatIsLargerThanItself) {
  PageMemory memory{5};
  memory.put(name(1), std::vector<std::byte>(6));
  EXPECT_TRUE(memory.find(name(1)).empty());
  memory.put(name(2), std::vector<std::byte>(5));
  EXPECT_EQ(memory.find(name(2)).size(), 5u);
}

}  // namespace
}  // namespace bloomery::internal
