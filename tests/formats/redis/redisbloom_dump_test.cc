#include "bloomery/formats/redis/redisbloom_dump.h"

#include <functional>

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/redis/rdb.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

RedisBloomFilter two_keys() {
  auto filter = RedisBloomFilter::for_goal({10, 0.01});
  EXPECT_TRUE(filter->insert(bytes_of("foo")) && filter->insert(bytes_of("bar")));
  return std::move(*filter);
}
RedisBloomFilter four_layers() {
  auto filter = RedisBloomFilter::for_goal({10, 0.01});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(filter->insert(bytes_of(std::to_string(i))));
  return std::move(*filter);
}

TEST(RedisBloomDump, TheHeaderHasThePeersFields) {
  const auto bytes = encode_redisbloom(two_keys());
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), 20U + 53U + 16U);
  EXPECT_EQ(to_hex(*bytes),
            "0200000000000000"  // keys
            "01000000"          // layers
            "05000000"          // options
            "02000000"          // growth
            "1000000000000000"  // bytes
            "8000000000000000"  // bits
            "0200000000000000"  // keys of the layer
            "7b14ae47e17a743f"  // 0.005
            "e9862fb2350e2640"  // bits per key, 11.027…
            "08000000"          // probes
            "0a00000000000000"  // keys it is made for
            "00"                // n2
            "08202a02080008000880880808000800");
}

TEST(RedisBloomDump, DecodeThenEncodeIsTheIdentity) {
  for (const RedisBloomFilter& filter : {two_keys(), four_layers()}) {
    const auto bytes = encode_redisbloom(filter);
    const auto decoded = decode_redisbloom(*bytes, {});
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, filter);
    EXPECT_EQ(*encode_redisbloom(*decoded), *bytes);
    EXPECT_TRUE(decoded->may_contain(bytes_of(filter.layers().size() == 1 ? "foo" : "42")));
    EXPECT_FALSE(decoded->may_contain(bytes_of("never inserted")));
  }
}

TEST(RedisBloomDump, AHeaderAloneGivesTheFilterWithoutBits) {
  const RedisBloomFilter filter = four_layers();
  auto header = encode_redisbloom_header(filter);
  ASSERT_EQ(header->size(), 20U + 4 * 53U);
  const auto decoded = decode_redisbloom_header(*header, {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->keys_inserted(), 99U);
  EXPECT_EQ(decoded->layers()[3].goal_keys, 80U);
  EXPECT_FALSE(decoded->may_contain(bytes_of("42")));
  header->push_back(std::byte{0});
  EXPECT_FALSE(decode_redisbloom_header(*header, {}));
}

// One wrong number per row; each is refused by its own check.
TEST(RedisBloomDump, EachContradictionOfAHeaderIsRefused) {
  using Change = std::function<void(RedisBloomHeader&)>;
  const std::pair<const char*, Change> changes[] = {
      {"no layers", [](auto& h) { h.layers.clear(); }},
      {"an unknown option", [](auto& h) { h.options = 16; }},
      {"a wrong sum", [](auto& h) { ++h.keys_inserted; }},
      {"a sum that overflows",
       [](auto& h) {
         h.layers.push_back(h.layers[0]);
         h.layers[0].keys_inserted = UINT64_MAX;
         h.layers[1].keys_inserted = 3;
       }},
      {"rate 0", [](auto& h) { h.layers[0].rate = 0; }},
      {"rate 1", [](auto& h) { h.layers[0].rate = 1; }},
      {"rate NaN", [](auto& h) { h.layers[0].rate = std::nan(""); }},
      {"n2 64", [](auto& h) { h.layers[0].n2 = 64; }},
      {"n2 beyond the bits", [](auto& h) { h.layers[0].n2 = 8; }},
      {"no bits", [](auto& h) { h.layers[0].bits = h.layers[0].bytes = 0; }},
      {"bits beyond the bytes", [](auto& h) { h.layers[0].bits = 129; }},
      {"bytes beyond the bits", [](auto& h) { h.layers[0].bytes = 17; }},
      {"probes that do not follow", [](auto& h) { h.layers[0].probes = 9; }},
      {"bits per key NaN", [](auto& h) { h.layers[0].bits_per_key = std::nan(""); }},
      {"2000 probes",
       [](auto& h) {
         h.layers[0].probes = 2000;
         h.layers[0].bits_per_key = 2885.3;
       }},
      {"no keys", [](auto& h) { h.layers[0].goal_keys = 0; }},
  };
  EXPECT_EQ(RedisBloom::probes_for(2885.3), 2000);
  const RedisBloomHeader good = two_keys().header();
  ASSERT_TRUE(RedisBloomFilter::from_header(good));
  for (const auto& [name, change] : changes) {
    RedisBloomHeader bad = good;
    change(bad);
    const auto filter = RedisBloomFilter::from_header(bad);
    ASSERT_FALSE(filter) << name;
    EXPECT_EQ(filter.error().code, ErrorCode::kMalformed) << name;
  }
  EXPECT_EQ(RedisBloomFilter::from_header(good, {.max_bytes = 15}).error().code,
            ErrorCode::kTooLarge);
}

// As far as halving the rate leads: the peer writes such filters.
TEST(RedisBloomDump, AsManyLayersAsThereAreRatesAreReadBack) {
  auto filter = RedisBloomFilter::for_goal({1, 0.01}, 1);
  for (int i = 0; i < 3000; ++i) (void)filter->insert(bytes_of(std::to_string(i)));
  ASSERT_EQ(filter->layers().size(), 1067U);
  EXPECT_EQ(filter->layers().back().filter.shape().probes, 1075U);
  const auto dumped = decode_redisbloom(*encode_redisbloom(*filter), {});
  ASSERT_TRUE(dumped) << dumped.error().message;
  EXPECT_EQ(*dumped, *filter);
  const auto restored = decode_redisbloom_payload(encode_redisbloom_payload(*filter), {});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(*restored, *filter);
}

TEST(RedisBloomDump, DecodeRefusesMissingAndTrailingBytes) {
  Bytes bytes = *encode_redisbloom(two_keys());
  EXPECT_EQ(decode_redisbloom(ByteView{bytes}.first(bytes.size() - 1), {}).error().code,
            ErrorCode::kTruncated);
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_redisbloom(bytes, {}).error().code, ErrorCode::kMalformed);
}

TEST(RedisBloomDump, SurvivesHostileBytes) {
  const DecodeOptions options{.limits = {.max_bytes = 1 << 20}};
  const auto decode = [&](ByteView bytes) { return decode_redisbloom(bytes, options); };
  testing::survive_hostile_bytes(*encode_redisbloom(two_keys()), decode);
  testing::survive_hostile_bytes(*encode_redisbloom(four_layers()), decode);
}

// --- DUMP payloads, encoded here from the description of RDB ---

enum class StringForm { kPlain, kPacked };

class PayloadWriter {
 public:
  explicit PayloadWriter(std::uint32_t version) {
    out_.put(from_hex("0781"));
    out_.be(module_type_id("MBbloom--", version));
  }
  void length(std::uint64_t value) {
    if (value < 64) return out_.le(static_cast<std::uint8_t>(value));
    if (value < 16384) return out_.be(static_cast<std::uint16_t>(0x4000 | value));
    out_.put(from_hex("81"));
    out_.be(value);
  }
  void number(std::uint64_t value) {
    length(2);
    length(value);
  }
  void real(double value) {
    length(4);
    out_.le(value);
  }
  void string(ByteView bytes, StringForm form) {
    length(5);
    if (form == StringForm::kPlain) {
      length(bytes.size());
      return out_.put(bytes);
    }
    ByteWriter packed;  // LZF of literals only: one control byte for each byte
    for (const std::byte byte : bytes) {
      packed.le(std::uint8_t{0});
      packed.le(static_cast<std::uint8_t>(byte));
    }
    const auto stored = packed.take();
    out_.put(from_hex("c3"));
    length(stored.size());
    length(bytes.size());
    out_.put(stored);
  }
  Bytes finished() {
    length(0);
    out_.le(std::uint16_t{11});
    Bytes bytes = out_.take();
    ByteWriter crc;
    crc.le(crc64_jones(bytes));
    const auto sum = crc.take();
    bytes.insert(bytes.end(), sum.begin(), sum.end());
    return bytes;
  }

 private:
  ByteWriter out_;
};

Bytes payload_of(const RedisBloomFilter& filter, std::uint32_t version = 4,
                 StringForm form = StringForm::kPlain) {
  PayloadWriter out{version};
  const RedisBloomHeader header = filter.header();
  out.number(header.keys_inserted);
  out.number(header.layers.size());
  if (version >= 2) out.number(header.options);
  if (version >= 4) out.number(header.growth);
  for (std::size_t i = 0; i < header.layers.size(); ++i) {
    const auto& layer = header.layers[i];
    out.number(layer.goal_keys);
    out.real(layer.rate);
    out.number(layer.probes);
    out.real(layer.bits_per_key);
    if (version >= 1) {
      out.number(layer.bits);
      out.number(layer.n2);
    }
    out.string(filter.layers()[i].bits(), form);
    out.number(layer.keys_inserted);
  }
  return out.finished();
}

TEST(RedisBloomPayload, ADumpPayloadGivesTheFilterItWasMadeOf) {
  for (const StringForm form : {StringForm::kPlain, StringForm::kPacked})
    for (const RedisBloomFilter& filter : {two_keys(), four_layers()}) {
      const Bytes payload = payload_of(filter, 4, form);
      EXPECT_TRUE(looks_like_redisbloom_payload(payload));
      const auto decoded = decode_redisbloom(payload, {});
      ASSERT_TRUE(decoded) << decoded.error().message;
      EXPECT_EQ(*decoded, filter);
    }
}

// Eight bytes that spell a number are stored as that number.
TEST(RedisBloomPayload, ABitArrayThatSpellsANumberIsRead) {
  PayloadWriter out{4};
  for (const std::uint64_t value : {3, 1, 5, 2, 1}) out.number(value);  // the last: made for 1 key
  out.real(0.01);
  out.number(7);
  out.real(RedisBloom::bits_per_key(0.01));
  out.number(64);
  out.number(0);
  Bytes bytes = out.finished();
  bytes.resize(bytes.size() - 11);  // without end and footer
  for (const char* hex : {"05c24e61bc00", "0203", "00", "0b00"}) {
    const Bytes more = from_hex(hex);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  ByteWriter crc;
  crc.le(crc64_jones(bytes));
  const auto sum = crc.take();
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  const auto filter = decode_redisbloom(bytes, {});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(text_of(filter->layers()[0].bits()), "12345678");
}

RedisBloomFilter old_filter(std::uint64_t bits, std::uint8_t n2, std::uint32_t options) {
  RedisBloomHeader header{0, options, 2, {}};
  header.layers.push_back({(bits + 7) / 8, bits, 0, 0.01, 10, 7, bits / 10, n2});
  auto filter = RedisBloomFilter::from_header(header);
  EXPECT_TRUE(filter) << filter.error().message;
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(filter->insert(bytes_of(key)));
  return std::move(*filter);
}

TEST(RedisBloomPayload, OldEncodingsAreReadWithTheirOwnHash) {
  const std::pair<std::uint32_t, RedisBloomFilter> cases[] = {
      {0, old_filter(100, 0, 0)},    // neither bits nor n2 nor options; 100 bits in 13 bytes
      {1, old_filter(128, 7, 0)},    // no options
      {2, old_filter(1024, 10, 4)},  // options, no growth
      {3, old_filter(128, 0, 5)},
  };
  for (const auto& [version, filter] : cases) {
    SCOPED_TRACE(version);
    const auto decoded = decode_redisbloom(payload_of(filter, version), {});
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, filter);
    EXPECT_EQ(decoded->growth(), 2U);
    EXPECT_TRUE(decoded->may_contain(bytes_of("a")));
    EXPECT_FALSE(decoded->may_contain(bytes_of("absent")));
    EXPECT_EQ(encode_redisbloom(*decoded).has_value(), version > 0);
  }
}

TEST(RedisBloomPayload, AnOldFilterGrowsByLayersThatEveryReaderKnows) {
  RedisBloomFilter filter = old_filter(128, 7, 0);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(filter.insert(bytes_of(std::to_string(i))));
  ASSERT_GT(filter.layers().size(), 1U);
  EXPECT_EQ(filter.layers()[1].filter.dialect(), (RedisBloom{false, 0}));
  const auto decoded = decode_redisbloom(*encode_redisbloom(filter), {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(decoded->may_contain(bytes_of(std::to_string(i))));
}

TEST(RedisBloomPayload, ABrokenPayloadIsRefused) {
  const Bytes good = payload_of(two_keys());
  for (std::size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{0x10};
    EXPECT_FALSE(decode_redisbloom_payload(bad, {})) << at;
  }
  EXPECT_EQ(decode_redisbloom_payload(payload_of(two_keys(), 5), {}).error().code,
            ErrorCode::kUnsupported);
  EXPECT_EQ(decode_redisbloom_payload(good, {.max_bytes = 15}).error().code, ErrorCode::kTooLarge);
  EXPECT_FALSE(decode_redisbloom_payload(*encode_redisbloom(two_keys()), {}));
}

// The checksum would stop every hostile byte, so it is made right again.
TEST(RedisBloomPayload, SurvivesHostileBytesBehindAGoodChecksum) {
  const auto decode = [](ByteView bytes) {
    Bytes resealed{bytes.begin(), bytes.end()};
    if (resealed.size() > 8) {
      const std::size_t end = resealed.size() - 8;
      store_le(resealed.data() + end, crc64_jones(ByteView{resealed}.first(end)));
    }
    return decode_redisbloom(resealed, {.limits = {.max_bytes = 1 << 20}});
  };
  testing::survive_hostile_bytes(payload_of(two_keys()), decode);
  testing::survive_hostile_bytes(payload_of(two_keys(), 4, StringForm::kPacked), decode);
  testing::survive_hostile_bytes(payload_of(old_filter(100, 0, 0), 0), decode);
}

TEST(RedisBloomPayload, WhatIsWrittenIsWhatRedisWrites) {
  for (const RedisBloomFilter& filter : {two_keys(), four_layers()}) {
    const Bytes written = encode_redisbloom_payload(filter);
    const Bytes expected = payload_of(filter);  // of a later release of RDB
    ASSERT_EQ(written.size(), expected.size());
    constexpr std::size_t kFooter = 10;
    EXPECT_EQ(to_hex(ByteView{written}.first(written.size() - kFooter)),
              to_hex(ByteView{expected}.first(expected.size() - kFooter)));
  }
  // Also what no dump can hold, because its bits are no whole bytes.
  const RedisBloomFilter old = old_filter(100, 0, 0);
  const auto decoded = decode_redisbloom(encode_redisbloom_payload(old), {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, old);
}

TEST(RedisBloomDump, AFilterGoesFromChunkToChunkIntoAnother) {
  const RedisBloomFilter filter = four_layers();
  const Bytes header = *encode_redisbloom_header(filter);
  auto copy = decode_redisbloom_header(header, {});
  ASSERT_TRUE(copy) << copy.error().message;
  std::vector<std::int64_t> positions;
  for (RedisChunk chunk = chunk_at(filter, 1); chunk.next != 0;
       chunk = chunk_at(filter, chunk.next)) {
    ASSERT_EQ(load_chunk(*copy, chunk.next, chunk.bytes), ChunkLoad::kLoaded);
    positions.push_back(chunk.next);
  }
  EXPECT_EQ(positions, (std::vector<std::int64_t>{17, 49, 121, 281}));
  EXPECT_EQ(*copy, filter);
  EXPECT_EQ(load_chunk(*copy, 1, header), ChunkLoad::kNoLayer);
}

TEST(RedisBloomDump, AChunkSetsNoBitsBehindTheLastOne) {
  RedisBloomFilter old = old_filter(100, 0, 0);  // 13 bytes, four bits in the last
  Bytes bytes{old.layers()[0].bits().begin(), old.layers()[0].bits().end()};
  EXPECT_EQ(load_chunk(old, 14, bytes), ChunkLoad::kLoaded);
  bytes.back() = std::byte{0x10};
  EXPECT_EQ(load_chunk(old, 14, bytes), ChunkLoad::kBadData);
}

}  // namespace
}  // namespace bloomery
