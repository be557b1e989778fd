#include "apps/redis/server/memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "apps/redis/server/redis_api.h"
#include "bloomery/base/buffer.h"

namespace bloomery::redis_module {
namespace {

std::size_t refused_from = SIZE_MAX;
void* odd_block = nullptr;

// As a server with the smallest alignment: 16 bytes, and never more.
void* calloc_at_16(std::size_t count, std::size_t size) {
  auto* block = static_cast<std::byte*>(std::calloc(1, count * size + 64));
  const std::size_t past = reinterpret_cast<std::uintptr_t>(block) % 64;
  odd_block = block + (past == 0 ? 16 : 0);
  return odd_block;
}
void* try_calloc(std::size_t count, std::size_t size) {
  return count * size >= refused_from ? nullptr : std::calloc(count, size);
}
void* try_alloc(std::size_t size) { return size >= refused_from ? nullptr : std::malloc(size); }

class RedisMemory : public ::testing::Test {
 protected:
  RedisMemory() {
    api = {};
    api.Calloc = std::calloc;
    api.TryAlloc = try_alloc;
    api.Free = std::free;
    refused_from = SIZE_MAX;
  }
  ~RedisMemory() override { api = {}; }
};

TEST_F(RedisMemory, IsAlignedAndZeroAtEverySize) {
  for (const std::size_t size : {1, 7, 8, 63, 64, 65, 1000, 100000}) {
    const Buffer buffer{size, server_memory()};
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.view().data()) % Buffer::kAlignment, 0U);
    for (const std::byte byte : buffer.view()) ASSERT_EQ(byte, std::byte{0});
  }
}

TEST_F(RedisMemory, GivesBackWhatTheServerGave) {
  api.Calloc = calloc_at_16;
  api.TryAlloc = nullptr;
  static void* freed;
  freed = nullptr;
  api.Free = [](void* block) { freed = block; };
  { const Buffer buffer{100, server_memory()}; }
  EXPECT_EQ(freed, odd_block);
}

TEST_F(RedisMemory, ThrowsWhereTheServerWouldEndItself) {
  refused_from = 1000;
  EXPECT_THROW(Buffer(2000, server_memory()), std::bad_alloc);
  EXPECT_NO_THROW(Buffer(100, server_memory()));
  api.TryCalloc = try_calloc;
  api.TryAlloc = nullptr;
  EXPECT_THROW(Buffer(2000, server_memory()), std::bad_alloc);
  EXPECT_NO_THROW(Buffer(100, server_memory()));
}

}  // namespace
}  // namespace bloomery::redis_module
