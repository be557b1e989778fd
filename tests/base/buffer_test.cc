#include "bloomery/base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <utility>
#include <vector>

#include "bloomery/base/zeroed_memory.h"

namespace bloomery {
namespace {

constexpr std::size_t kSizes[] = {1,
                                  63,
                                  64,
                                  65,
                                  4096,
                                  Buffer::kMappedFrom - 1,
                                  Buffer::kMappedFrom,
                                  Buffer::kMappedFrom + 1,
                                  3 * Buffer::kMappedFrom + 4097};

class CountingResource : public std::pmr::memory_resource {
 public:
  std::size_t in_use = 0;
  std::size_t allocations = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    in_use += bytes;
    ++allocations;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override {
    in_use -= bytes;
    std::pmr::new_delete_resource()->deallocate(pointer, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

bool is_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

bool is_aligned(const Buffer& buffer, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(buffer.view().data()) % alignment == 0;
}

TEST(Buffer, IsZeroedAlignedAndWritableToItsLastByte) {
  CountingResource resource;
  for (std::pmr::memory_resource* memory : {static_cast<std::pmr::memory_resource*>(nullptr),
                                            static_cast<std::pmr::memory_resource*>(&resource)}) {
    for (const std::size_t size : kSizes) {
      Buffer buffer{size, memory};
      EXPECT_EQ(buffer.size(), size);
      EXPECT_TRUE(is_aligned(buffer, Buffer::kAlignment)) << size;
      EXPECT_TRUE(is_zero(buffer.view())) << size;
      std::fill(buffer.span().begin(), buffer.span().end(), std::byte{0xff});
      EXPECT_EQ(buffer.view().back(), std::byte{0xff});
    }
  }
}

TEST(Buffer, IsZeroedAgainAfterUsedMemoryWasReturned) {
  for (int round = 0; round < 3; ++round) {
    Buffer buffer{4096};
    EXPECT_TRUE(is_zero(buffer.view()));
    std::fill(buffer.span().begin(), buffer.span().end(), std::byte{0xff});
  }
}

TEST(Buffer, OfTwoMebibytesStartsAtAHugePage) {
  const Buffer buffer{Buffer::kMappedFrom + 12345};
  EXPECT_TRUE(is_aligned(buffer, std::size_t{2} << 20));
}

// Mapped side by side: what is given back around one of them is not another's.
TEST(Buffer, ManyLargeOnesDoNotTakeEachOthersMemory) {
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < 8; ++i) {
    buffers.emplace_back(Buffer::kMappedFrom + i * 300'000);
    for (std::size_t j = 0; j <= i; ++j) buffers[j].span().back() = static_cast<std::byte>(i);
  }
  buffers.erase(buffers.begin() + 3);
  for (Buffer& buffer : buffers) {
    EXPECT_EQ(buffer.view().front(), std::byte{0});
    EXPECT_EQ(buffer.view().back(), std::byte{7});
  }
}

TEST(Buffer, OfNoBytesTakesNoMemory) {
  CountingResource resource;
  const Buffer buffer{0, &resource};
  EXPECT_EQ(resource.allocations, 0u);
  EXPECT_TRUE(buffer.view().empty());
  EXPECT_TRUE(buffer.clone().view().empty());
  EXPECT_TRUE(Buffer{}.view().empty());
}

TEST(Buffer, TakesEveryByteFromItsResourceAndGivesItBack) {
  CountingResource resource;
  {
    const Buffer small{100, &resource};
    const Buffer large{Buffer::kMappedFrom, &resource};
    EXPECT_EQ(resource.in_use, 100 + Buffer::kMappedFrom);
    EXPECT_EQ(small.memory(), &resource);
  }
  EXPECT_EQ(resource.in_use, 0u);
}

TEST(Buffer, ClonesItsBytesFromTheSameResource) {
  CountingResource resource;
  for (const std::size_t size : kSizes) {
    Buffer original{size, &resource};
    original.span().back() = std::byte{7};
    Buffer copy = original.clone();
    EXPECT_EQ(copy.memory(), &resource);
    EXPECT_TRUE(std::ranges::equal(copy.view(), original.view()));
    copy.span().back() = std::byte{8};
    EXPECT_EQ(original.view().back(), std::byte{7});
  }
  EXPECT_EQ(resource.in_use, 0u);
}

TEST(Buffer, MovesItsBytesAndLeavesNone) {
  CountingResource resource;
  Buffer first{100, &resource};
  first.span()[99] = std::byte{1};
  const std::byte* data = first.view().data();
  Buffer second = std::move(first);
  EXPECT_EQ(second.view().data(), data);
  // A moved-from Buffer is empty, and may be asked.
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_TRUE(first.view().empty());

  Buffer third{Buffer::kMappedFrom};
  third = std::move(second);
  EXPECT_EQ(third.view().data(), data);
  EXPECT_EQ(third.view()[99], std::byte{1});
  EXPECT_EQ(third.memory(), &resource);
  EXPECT_EQ(resource.in_use, 100u);

  third = Buffer{};
  EXPECT_EQ(resource.in_use, 0u);
}

TEST(Buffer, SurvivesBeingMovedOntoItself) {
  Buffer buffer{10};
  buffer.span()[9] = std::byte{5};
  Buffer& same = buffer;
  buffer = std::move(same);
  ASSERT_EQ(buffer.size(), 10u);
  EXPECT_EQ(buffer.view()[9], std::byte{5});
}

TEST(Buffer, LargerThanTheAddressSpaceThrowsBadAlloc) {
  EXPECT_THROW(Buffer{std::numeric_limits<std::size_t>::max()}, std::bad_alloc);
  EXPECT_THROW(Buffer{std::size_t{1} << 62}, std::bad_alloc);
}

// Memory that is not zero, from a resource that says it is: only a buffer that writes nothing shows
// it.
class Promising : public ZeroedMemory {
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    void* memory = std::pmr::new_delete_resource()->allocate(size, alignment);
    std::memset(memory, 0x5a, size);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

TEST(Buffer, MemoryThatIsZeroAlreadyIsNotWritten) {
  Promising memory;
  const Buffer buffer{100, &memory};
  for (const std::byte byte : buffer.view()) ASSERT_EQ(byte, std::byte{0x5a});
}

}  // namespace
}  // namespace bloomery
