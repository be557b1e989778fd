#include "apps/redis/native/peer_loader.h"

#include <gtest/gtest.h>

#include <random>

#include "bloomery/formats/redis/redisbloom_dump.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"

namespace bloomery::redis_module {
namespace {

constexpr DecodeLimits kLimits{std::uint64_t{1} << 40};

RedisBloomFilter bloom_of(std::uint64_t keys) {
  auto filter = RedisBloomFilter::for_goal({keys, 0.01}, 2);
  for (std::uint64_t i = 0; i < 5 * keys; ++i) (void)filter->insert(bytes_of(std::to_string(i)));
  return std::move(*filter);
}
RedisCuckooFilter cuckoo_of(std::uint32_t expansion) {
  auto filter = RedisCuckooFilter::for_options({.keys = 16, .expansion = expansion});
  for (int i = 0; i < 200; ++i) (void)filter->insert(bytes_of(std::to_string(i)));
  return std::move(*filter);
}

// The bytes of all tables, cut anywhere within a table, in any order, some of them twice.
template <class Filter>
std::vector<RedisChunk> pieces_of(const Filter& filter, std::mt19937_64& random) {
  std::vector<RedisChunk> pieces;
  for (RedisChunk chunk = chunk_at(filter, 1); chunk.next != 0;
       chunk = chunk_at(filter, chunk.next)) {
    const std::size_t cut = random() % chunk.bytes.size();
    const auto rest = static_cast<std::int64_t>(chunk.bytes.size() - cut);
    if (cut > 0) pieces.push_back({chunk.next - rest, chunk.bytes.first(cut)});
    pieces.push_back({chunk.next, chunk.bytes.subspan(cut)});
    if (random() % 3 == 0) pieces.push_back(chunk);
  }
  std::ranges::shuffle(pieces, random);
  return pieces;
}

template <class Filter>
Filter loaded(PeerKind kind, ByteView header, const Filter& filter, std::mt19937_64& random) {
  auto loader = PeerLoader::start(kind, header, kLimits, nullptr);
  EXPECT_TRUE(loader.has_value());
  for (const RedisChunk& piece : pieces_of(filter, random))
    EXPECT_EQ(loader->take(piece.next, piece.bytes), ChunkLoad::kLoaded);
  EXPECT_TRUE(loader->whole());
  if constexpr (std::is_same_v<Filter, RedisBloomFilter>)
    return std::move(*loader).finish_bloom(kLimits);
  else
    return std::move(*loader).finish_cuckoo(kLimits);
}

TEST(PeerLoader, PiecesInAnyOrderMakeTheFilter) {
  std::mt19937_64 random{3};
  for (int round = 0; round < 50; ++round) {
    const RedisBloomFilter bloom = bloom_of(1 + random() % 60);
    const auto header = *encode_redisbloom_header(bloom);
    EXPECT_EQ(loaded(PeerKind::kBloom, header, bloom, random), bloom);
    for (const std::uint32_t expansion : {1U, 2U, 4U}) {
      const RedisCuckooFilter cuckoo = cuckoo_of(expansion);
      EXPECT_EQ(loaded(PeerKind::kCuckoo, encode_rediscuckoo_header(cuckoo), cuckoo, random),
                cuckoo);
    }
  }
}

TEST(PeerLoader, WhatHasComeIsGivenBackAndFinishesElsewhere) {
  std::mt19937_64 random{4};
  const RedisCuckooFilter cuckoo = cuckoo_of(1);
  const auto header = encode_rediscuckoo_header(cuckoo);
  const std::vector<RedisChunk> pieces = pieces_of(cuckoo, random);
  auto first = PeerLoader::start(PeerKind::kCuckoo, header, kLimits, nullptr);
  for (std::size_t i = 0; i < pieces.size() / 2; ++i) first->take(pieces[i].next, pieces[i].bytes);
  EXPECT_FALSE(first->whole());
  auto second = PeerLoader::start(PeerKind::kCuckoo, first->header_bytes(), kLimits, nullptr);
  std::uint64_t bytes = 0;
  first->for_each_received([&](std::uint64_t offset, ByteView part) {
    bytes += part.size();
    EXPECT_EQ(second->take(static_cast<std::int64_t>(offset + part.size() + 1), part),
              ChunkLoad::kLoaded);
  });
  EXPECT_EQ(bytes, first->received());
  EXPECT_EQ(second->received(), first->received());
  for (std::size_t i = pieces.size() / 2; i < pieces.size(); ++i)
    second->take(pieces[i].next, pieces[i].bytes);
  ASSERT_TRUE(second->whole());
  EXPECT_EQ(std::move(*second).finish_cuckoo(kLimits), cuckoo);
}

// A few bytes that claim a billion tables, or gigabytes: nothing is made before its bytes come.
TEST(PeerLoader, AHeaderBuysNothing) {
  RedisCuckooHeader claimed;
  claimed.buckets = 1;
  claimed.layers = std::uint64_t{1} << 30;
  std::vector<std::byte> bytes(kRedisCuckooHeaderBytes);
  store_le(bytes.data() + 8, claimed.buckets);
  store_le(bytes.data() + 24, claimed.layers);
  store_le(bytes.data() + 32, claimed.bucket_size);
  store_le(bytes.data() + 34, claimed.max_iterations);
  store_le(bytes.data() + 36, claimed.expansion);
  auto loader = PeerLoader::start(PeerKind::kCuckoo, bytes, kLimits, nullptr);
  ASSERT_TRUE(loader.has_value()) << loader.error().message;
  EXPECT_EQ(loader->size_bytes(), 0U);
  const std::byte two[] = {std::byte{1}, std::byte{2}};
  EXPECT_EQ(loader->take(std::int64_t{1} << 30, ByteView{two}.first(1)), ChunkLoad::kLoaded);
  EXPECT_EQ(loader->size_bytes(), 2U);
  EXPECT_EQ(loader->take((std::int64_t{1} << 31) + 3, two), ChunkLoad::kNoLayer);
  EXPECT_EQ(loader->take(4, two), ChunkLoad::kTooBig);
  EXPECT_EQ(loader->take(0, two), ChunkLoad::kNoLayer);
  EXPECT_EQ(loader->take(INT64_MIN, two), ChunkLoad::kNoLayer);
  EXPECT_EQ(loader->received(), 1U);
  EXPECT_EQ(PeerLoader::start(PeerKind::kCuckoo, bytes, {1 << 20}, nullptr).error().code,
            ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace bloomery::redis_module
