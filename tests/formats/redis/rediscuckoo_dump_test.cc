#include "bloomery/formats/redis/rediscuckoo_dump.h"

#include "bloomery/formats/format.h"
#include "bloomery/formats/redis/rdb.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

RedisCuckooFilter filled(const RedisCuckooOptions& options, int keys) {
  auto filter = RedisCuckooFilter::for_options(options);
  EXPECT_TRUE(filter) << filter.error().message;
  for (int i = 0; i < keys; ++i)
    EXPECT_EQ(filter->insert(bytes_of(std::to_string(i))), CuckooOutcome::kInserted);
  return std::move(*filter);
}
RedisCuckooFilter one_layer() { return filled({.keys = 16}, 5); }
RedisCuckooFilter three_layers() {
  RedisCuckooFilter filter = filled({.keys = 12, .bucket_size = 3, .expansion = 2}, 60);
  EXPECT_EQ(filter.layers(), 3U);
  EXPECT_TRUE(filter.remove(bytes_of("7")));
  return filter;
}
Bytes resealed(ByteView payload) {
  Bytes bytes{payload.begin(), payload.end()};
  if (bytes.size() > 8) {
    const std::size_t end = bytes.size() - 8;
    store_le(bytes.data() + end, crc64_jones(ByteView{bytes}.first(end)));
  }
  return bytes;
}

TEST(RedisCuckooDump, TheHeaderHasThePeersFields) {
  auto filter = RedisCuckooFilter::for_options({.keys = 16, .expansion = 4});
  for (const char* key : {"a", "foo", "hello world"})
    ASSERT_EQ(filter->insert(bytes_of(key)), CuckooOutcome::kInserted);
  ASSERT_TRUE(filter->remove(bytes_of("a")));
  EXPECT_EQ(to_hex(encode_rediscuckoo(*filter)),
            "0200000000000000"  // keys
            "0800000000000000"  // buckets
            "0100000000000000"  // removals
            "0100000000000000"  // layers
            "0200"              // slots of a bucket
            "1400"              // iterations
            "0400"              // expansion
            "000000d9000000000000000074000000");
}

TEST(RedisCuckooDump, DecodeThenEncodeIsTheIdentity) {
  for (const RedisCuckooFilter& filter : {one_layer(), three_layers()}) {
    const Bytes dump = encode_rediscuckoo(filter);
    const Bytes payload = encode_rediscuckoo_payload(filter);
    EXPECT_FALSE(looks_like_rediscuckoo_payload(dump));
    EXPECT_TRUE(looks_like_rediscuckoo_payload(payload));
    EXPECT_EQ(guess_format(payload)->name, "rediscuckoo:payload");
    for (const Bytes& bytes : {dump, payload}) {
      const auto decoded = decode_rediscuckoo(bytes, {});
      ASSERT_TRUE(decoded) << decoded.error().message;
      EXPECT_EQ(*decoded, filter);
      EXPECT_EQ(encode_rediscuckoo(*decoded), dump);
      EXPECT_EQ(encode_rediscuckoo_payload(*decoded), payload);
    }
  }
}

TEST(RedisCuckooDump, AFilterGoesFromChunkToChunkIntoAnother) {
  const RedisCuckooFilter filter = three_layers();
  const Bytes header = encode_rediscuckoo_header(filter);
  ASSERT_EQ(header.size(), kRedisCuckooHeaderBytes);
  auto copy = decode_rediscuckoo_header(header, {});
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->keys(), 59U);
  EXPECT_EQ(copy->occupied_slots(), 0U);
  int chunks = 0;
  for (RedisChunk chunk = chunk_at(filter, 1); chunk.next != 0;
       chunk = chunk_at(filter, chunk.next), ++chunks)
    ASSERT_EQ(load_chunk(*copy, chunk.next, chunk.bytes), ChunkLoad::kLoaded);
  EXPECT_EQ(chunks, 3);
  EXPECT_EQ(*copy, filter);
  EXPECT_EQ(load_chunk(*copy, 1, header), ChunkLoad::kNoLayer);
  EXPECT_EQ(load_chunk(*copy, 100000, header), ChunkLoad::kNoLayer);
  EXPECT_EQ(load_chunk(*copy, 39, header), ChunkLoad::kTooBig);
  EXPECT_EQ(load_chunk(*copy, 0, header), ChunkLoad::kBadData);
  EXPECT_EQ(*copy, filter);
}

TEST(RedisCuckooDump, AHeaderHas38Bytes) {
  Bytes header = encode_rediscuckoo_header(one_layer());
  EXPECT_EQ(decode_rediscuckoo_header(ByteView{header}.first(37), {}).error().code,
            ErrorCode::kTruncated);
  header.push_back(std::byte{0});
  EXPECT_EQ(decode_rediscuckoo_header(header, {}).error().code, ErrorCode::kMalformed);
}

TEST(RedisCuckooDump, DecodeRefusesMissingAndTrailingBytes) {
  Bytes bytes = encode_rediscuckoo(three_layers());
  EXPECT_EQ(decode_rediscuckoo(ByteView{bytes}.first(bytes.size() - 1), {}).error().code,
            ErrorCode::kTruncated);
  EXPECT_EQ(decode_rediscuckoo(bytes, {.limits = {.max_bytes = 83}}).error().code,
            ErrorCode::kTooLarge);
  EXPECT_TRUE(decode_rediscuckoo(bytes, {.limits = {.max_bytes = 84}}));
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_rediscuckoo(bytes, {}).error().code, ErrorCode::kMalformed);
}

TEST(RedisCuckooPayload, ItIsTheSerialisationThatRedisWrites) {
  auto filter = RedisCuckooFilter::for_options({.keys = 16});
  for (const char* key : {"a", "foo"})
    ASSERT_EQ(filter->insert(bytes_of(key)), CuckooOutcome::kInserted);
  const Bytes payload = encode_rediscuckoo_payload(*filter);
  const std::string value =
      "0201"  // layers
      "0208"  // buckets
      "0202"  // keys
      "0200"  // removals
      "0202"  // slots of a bucket
      "0214"  // iterations
      "0201"  // expansion
      "0208"  // buckets of the layer
      "05100000c4d9000000000000000000000000"
      "00"     // end
      "0900";  // RDB version
  ASSERT_EQ(payload.size(), 10 + value.size() / 2 + 8);
  EXPECT_EQ(to_hex(ByteView{payload}.subspan(10, value.size() / 2)), value);
  EXPECT_EQ(load_be<std::uint64_t>(payload.data() + 2), module_type_id("MBbloomCF", 4));
}

TEST(RedisCuckooPayload, APackedTableIsReadAndALyingOneIsNot) {
  // 16 bytes of zero: a literal zero, then a copy of 15 from one byte back.
  RdbModuleWriter writer{"MBbloomCF", 4};
  for (const std::uint64_t value : {1U, 8U, 0U, 0U, 2U, 20U, 1U, 8U}) writer.unsigned_value(value);
  const Bytes start = writer.take();
  const auto with_table = [&](const char* hex) {
    Bytes bytes{start.begin(), start.end() - 11};  // without end and footer
    for (const char* part : {hex, "0009000000000000000000"}) {
      const Bytes more = from_hex(part);
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    return resealed(bytes);
  };
  const auto packed = decode_rediscuckoo(with_table("05c305100000e00600"), {});
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->size_bytes(), 16U);
  EXPECT_FALSE(decode_rediscuckoo(with_table("05c305100000e00500"), {}));  // 15 bytes
  EXPECT_FALSE(decode_rediscuckoo(with_table("050f000000000000000000000000000000"), {}));
  EXPECT_FALSE(decode_rediscuckoo(with_table("05c305810000000100000000"
                                             "0000e00600"),
                                  {}));
}

TEST(RedisCuckooPayload, ABrokenPayloadIsRefused) {
  const Bytes good = encode_rediscuckoo_payload(three_layers());
  for (std::size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{0x10};
    EXPECT_FALSE(decode_rediscuckoo_payload(bad, {})) << at;
  }
  for (const std::uint32_t version : {0U, 3U, 5U}) {
    Bytes other = good;
    store_be(other.data() + 2, module_type_id("MBbloomCF", version));
    EXPECT_EQ(decode_rediscuckoo_payload(resealed(other), {}).error().code,
              ErrorCode::kUnsupported);
  }
  EXPECT_EQ(decode_rediscuckoo_payload(good, {.max_bytes = 83}).error().code, ErrorCode::kTooLarge);
}

// Whatever a hostile filter is, every operation on it ends and keeps its promises.
void use(const RedisCuckooFilter& decoded) {
  RedisCuckooFilter filter = decoded.clone();
  const ByteView key = bytes_of("a key");
  if (filter.insert(key) == CuckooOutcome::kInserted) {
    EXPECT_TRUE(filter.may_contain(key));
    EXPECT_GE(filter.count(key), 1U);
    EXPECT_TRUE(filter.remove(key));
  }
  filter.compact();
  EXPECT_LE(filter.keys(), filter.size_bytes());
  EXPECT_LE(describe(filter).health->error_rate, 1);
  const auto again = decode_rediscuckoo(encode_rediscuckoo_payload(filter), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, filter);
}

TEST(RedisCuckooDump, SurvivesHostileBytes) {
  const DecodeOptions options{.limits = {.max_bytes = 1 << 16}};
  const auto decode = [&](ByteView bytes) { return decode_rediscuckoo(bytes, options); };
  testing::survive_hostile_bytes(encode_rediscuckoo(one_layer()), decode, use);
  testing::survive_hostile_bytes(encode_rediscuckoo(three_layers()), decode, use);
  const auto header = [&](ByteView bytes) {
    return decode_rediscuckoo_header(bytes, options.limits);
  };
  testing::survive_hostile_bytes(encode_rediscuckoo_header(three_layers()), header, use);
}

// The checksum would stop every hostile byte, so it is made right again.
TEST(RedisCuckooPayload, SurvivesHostileBytesBehindAGoodChecksum) {
  const auto decode = [](ByteView bytes) {
    return decode_rediscuckoo(resealed(bytes), {.limits = {.max_bytes = 1 << 16}});
  };
  testing::survive_hostile_bytes(encode_rediscuckoo_payload(one_layer()), decode, use);
  testing::survive_hostile_bytes(encode_rediscuckoo_payload(three_layers()), decode, use);
}

}  // namespace
}  // namespace bloomery
