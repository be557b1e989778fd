#include "bloomery/formats/redis/chunks.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery {
namespace {

// Tables that are only addresses: a chunk is never read here.
class Tables {
 public:
  explicit Tables(std::vector<std::size_t> sizes) : sizes_{std::move(sizes)} {}
  ByteView operator()(std::size_t i) const { return {&byte_, sizes_[i]}; }
  std::size_t count() const { return sizes_.size(); }
  RedisChunk chunk(std::int64_t position) const {
    return chunk_of_tables(count(), *this, position);
  }
  ChunkPlace place(std::int64_t position, std::size_t size) const {
    return place_of_chunk(
        count(), [this](std::size_t i) { return sizes_[i]; }, position, size);
  }

 private:
  std::byte byte_{};
  std::vector<std::size_t> sizes_;
};

TEST(RedisChunks, AChunkEndsWithItsTableOrAfter16MiB) {
  const std::size_t most = kRedisChunkBytes;
  const Tables tables{{10, 2 * most + 5, 1}};
  std::int64_t position = 1;
  for (const std::size_t expected : {std::size_t{10}, most, most, std::size_t{5}, std::size_t{1}}) {
    const RedisChunk chunk = tables.chunk(position);
    EXPECT_EQ(chunk.bytes.size(), expected);
    EXPECT_EQ(chunk.next, position + static_cast<std::int64_t>(expected));
    position = chunk.next;
  }
  for (const std::int64_t outside :
       {position, position + 1, INT64_MAX, std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
    EXPECT_EQ(tables.chunk(outside).next, 0) << outside;
    EXPECT_TRUE(tables.chunk(outside).bytes.empty()) << outside;
  }
  EXPECT_EQ(tables.chunk(4).bytes.size(), 7U);  // from within a table
}

TEST(RedisChunks, AChunkIsLoadedWhereItCameFrom) {
  const Tables tables{{10, 2 * std::size_t{kRedisChunkBytes} + 5, 1}};
  std::size_t total = 0;
  for (RedisChunk chunk = tables.chunk(1); chunk.next != 0; chunk = tables.chunk(chunk.next)) {
    const ChunkPlace place = tables.place(chunk.next, chunk.bytes.size());
    ASSERT_EQ(place.outcome, ChunkLoad::kLoaded);
    EXPECT_EQ(place.offset + (place.layer > 0 ? tables(0).size() : 0) +
                  (place.layer > 1 ? tables(1).size() : 0),
              total);
    total += chunk.bytes.size();
  }
  EXPECT_EQ(total, 16 + 2 * kRedisChunkBytes);
}

TEST(RedisChunks, WhatFitsNowhereIsTold) {
  const Tables tables{{10, 20}};
  const std::tuple<std::int64_t, std::size_t, ChunkLoad> cases[] = {
      {INT64_MIN, 0, ChunkLoad::kBadData},  {-1, 5, ChunkLoad::kBadData},
      {0, 0, ChunkLoad::kBadData},          {0, 5, ChunkLoad::kBadData},
      {5, 6, ChunkLoad::kBadData},          {6, 6, ChunkLoad::kNoLayer},
      {1, 73, ChunkLoad::kNoLayer},  // a header once more
      {1, 0, ChunkLoad::kLoaded},           {31, 0, ChunkLoad::kNoLayer},
      {11, 10, ChunkLoad::kLoaded},         {12, 11, ChunkLoad::kTooBig},
      {12, 10, ChunkLoad::kTooBig},         {31, 20, ChunkLoad::kLoaded},
      {32, 20, ChunkLoad::kTooBig},         {32, 1, ChunkLoad::kNoLayer},
      {INT64_MAX, 20, ChunkLoad::kNoLayer},
  };
  for (const auto& [position, size, outcome] : cases)
    EXPECT_EQ(tables.place(position, size).outcome, outcome) << position << " " << size;
}

}  // namespace
}  // namespace bloomery
