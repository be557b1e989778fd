#include "bloomery/formats/redis/redisbloom_rdb.h"

#include <gtest/gtest.h>

#include <variant>

namespace bloomery {
namespace {

// Values in memory, as a host's functions would give and take them.
struct Text {
  std::size_t size = 0;
  std::vector<std::byte> bytes = {};
  Status unpack(ByteSpan out) const {
    std::ranges::copy(bytes, out.begin());
    return ok();
  }
};
using Value = std::variant<std::uint64_t, double, Text>;

struct Writer {
  std::vector<Value> values = {};
  void unsigned_value(std::uint64_t value) { values.emplace_back(value); }
  void double_value(double value) { values.emplace_back(value); }
  void string_value(ByteView bytes) {
    values.emplace_back(Text{bytes.size(), {bytes.begin(), bytes.end()}});
  }
};

struct Reader {
  std::vector<Value> values;
  std::size_t at = 0;
  std::optional<Error> first = {};

  template <class T>
  T next() {
    const T* value = at < values.size() && !failed() ? std::get_if<T>(&values[at++]) : nullptr;
    if (value == nullptr) fail({ErrorCode::kTruncated, "no such value"});
    return value == nullptr ? T{} : *value;
  }
  std::uint64_t unsigned_value() { return next<std::uint64_t>(); }
  double double_value() { return next<double>(); }
  Text string_value() { return next<Text>(); }
  void end() {}
  bool failed() const { return first.has_value(); }
  Error error() const { return *first; }
  void fail(Error error) {
    if (!first) first = std::move(error);
  }
};

std::vector<Value> four_layers() {
  auto filter = RedisBloomFilter::for_goal({10, 0.01});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(filter->insert(bytes_of(std::to_string(i))));
  Writer writer;
  write_redisbloom_value(*filter, writer);
  return writer.values;
}

TEST(RedisBloomRdb, WhatIsWrittenIsReadBack) {
  Reader reader{four_layers()};
  const auto filter = read_redisbloom_value(reader, kRedisBloomEncoding, {});
  ASSERT_TRUE(filter);
  Writer writer;
  write_redisbloom_value(*filter, writer);
  EXPECT_EQ(filter->layers().size(), 4U);
  EXPECT_EQ(filter->keys_inserted(), 99U);
  Reader again{writer.values};
  EXPECT_EQ(*read_redisbloom_value(again, kRedisBloomEncoding, {}), *filter);
}

TEST(RedisBloomRdb, AnUnknownEncodingIsRefused) {
  Reader reader{four_layers()};
  const auto filter = read_redisbloom_value(reader, kRedisBloomEncoding + 1, {});
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code, ErrorCode::kUnsupported);
}

TEST(RedisBloomRdb, EveryTruncationIsRefused) {
  const std::vector<Value> whole = four_layers();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Reader reader{{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}};
    EXPECT_FALSE(read_redisbloom_value(reader, kRedisBloomEncoding, {})) << size;
  }
}

TEST(RedisBloomRdb, TheLimitHoldsBeforeAnythingIsAllocated) {
  Reader reader{four_layers()};
  const auto filter = read_redisbloom_value(reader, kRedisBloomEncoding, {100});
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code, ErrorCode::kTooLarge);
}

TEST(RedisBloomRdb, BitsBehindTheLastOneAreRefused) {
  // Version 0: 10 keys of 11.02 bits are 110 bits in 14 bytes.
  Text bits{14, std::vector<std::byte>(14)};
  const auto value = [&] {
    return std::vector<Value>{std::uint64_t{0},
                              std::uint64_t{1},
                              std::uint64_t{10},
                              0.005,
                              std::uint64_t{8},
                              11.027755275521184,
                              bits,
                              std::uint64_t{0}};
  };
  bits.bytes[13] = std::byte{0x3f};
  Reader good{value()};
  EXPECT_TRUE(read_redisbloom_value(good, 0, {}));
  bits.bytes[13] = std::byte{0x40};
  Reader bad{value()};
  EXPECT_FALSE(read_redisbloom_value(bad, 0, {}));
}

}  // namespace
}  // namespace bloomery
