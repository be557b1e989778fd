#include "bloomery/formats/leveldb/block.h"

#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

// Every filter block of the golden data: of tables and of databases.
std::vector<nlohmann::json> golden_blocks() {
  const auto golden = testing::golden_json("formats/leveldb.json");
  std::vector<nlohmann::json> blocks;
  for (const auto& table : golden.at("tables")) blocks.push_back(table);
  for (const auto& database : golden.at("databases"))
    for (nlohmann::json table : database.at("tables")) {
      table["id"] = database.at("id");
      table["bits_per_key"] = database.at("bits_per_key");
      blocks.push_back(table);
    }
  return blocks;
}

const nlohmann::json& keys_of(const nlohmann::json& data_block) {
  return data_block.contains("keys") ? data_block.at("keys") : data_block.at("user_keys");
}

LevelDbFilterBlock decoded(const nlohmann::json& one) {
  auto block = decode_leveldb_block(from_hex(one.at("filter_block_hex").get<std::string>()), {});
  EXPECT_TRUE(block) << block.error().message;
  return std::move(*block);
}

TEST(LevelDbBlock, GoldenBlocksComeApartAsThePeersDo) {
  ASSERT_EQ(golden_blocks().size(), 16U);
  for (const auto& one : golden_blocks()) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    const LevelDbFilterBlock block = decoded(one);
    EXPECT_EQ(to_hex(encode_leveldb_block(block)), one.at("filter_block_hex").get<std::string>());
    const auto& parts = one.at("parts");
    EXPECT_EQ(block.base_lg(), parts.at("base_lg").get<std::uint32_t>());
    ASSERT_EQ(block.filter_count(), parts.at("filters").size());
    for (std::size_t i = 0; i < block.filter_count(); ++i)
      EXPECT_EQ(to_hex(block.filter_at(i).value()), parts.at("filters").at(i).get<std::string>());
  }
}

TEST(LevelDbBlock, GoldenBlocksAreRebuiltFromTheirDataBlocks) {
  for (const auto& one : golden_blocks()) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    LevelDbFilterBlockBuilder builder{one.at("bits_per_key").get<double>(),
                                      one.at("parts").at("base_lg").get<std::uint32_t>()};
    ASSERT_TRUE(builder.start_block(0));
    for (const auto& data_block : one.at("data_blocks")) {
      for (const auto& key : keys_of(data_block)) builder.add(from_hex(key.get<std::string>()));
      ASSERT_TRUE(builder.start_block(data_block.at("offset").get<std::uint64_t>() +
                                      data_block.at("size").get<std::uint64_t>() + 5));
    }
    const auto made = builder.finish();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(to_hex(*made), one.at("filter_block_hex").get<std::string>());
  }
}

TEST(LevelDbBlock, EveryKeyIsFoundThroughItsDataBlockAndThroughAnyFilter) {
  for (const auto& one : golden_blocks()) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    const LevelDbFilterBlock block = decoded(one);
    std::size_t passed = 0;
    for (const auto& data_block : one.at("data_blocks"))
      for (const auto& hex : keys_of(data_block)) {
        const Bytes key = from_hex(hex.get<std::string>());
        EXPECT_TRUE(
            block.may_contain(data_block.at("offset").get<std::uint64_t>(), LevelDb{}.digest(key)));
        EXPECT_TRUE(block.may_contain(ByteView{key}));
      }
    for (int i = 0; i < 1000; ++i)
      if (block.may_contain(0, LevelDb{}.digest(bytes_of("absent" + std::to_string(i))))) ++passed;
    if (block.filter_count() > 0) {
      EXPECT_LT(passed, one.at("bits_per_key") == 1 ? 900U : 60U);
    }
    // Beyond the last filter the peers answer "maybe".
    EXPECT_TRUE(block.may_contain(std::uint64_t{block.filter_count()} << block.base_lg(),
                                  LevelDb{}.digest(bytes_of("absent"))));
  }
}

TEST(LevelDbBlock, OffsetsThatContradictThemselvesAnswerMaybe) {
  // Two filters; the first ends before it starts.
  const auto block = decode_leveldb_block(from_hex("000000000000000006"
                                                   "09000000"
                                                   "00000000"
                                                   "09000000"
                                                   "0b"),
                                          {});
  ASSERT_TRUE(block);
  ASSERT_EQ(block->filter_count(), 2U);
  EXPECT_FALSE(block->filter_at(0));
  EXPECT_TRUE(block->may_contain(0, LevelDb{}.digest(bytes_of("a"))));
  EXPECT_FALSE(block->may_contain(2048, LevelDb{}.digest(bytes_of("a"))));
  EXPECT_TRUE(block->may_contain(bytes_of("a")));
  EXPECT_EQ(block->health().error_rate, 1);
  EXPECT_EQ(block->health_of_one().error_rate, 0.5);  // one of two is wrong, each queried as often
}

// One byte that counts the probes and nothing else is no filter; with one byte of bits it is.
TEST(LevelDbBlock, TheSmallestFilterHasOneByteOfBits) {
  const auto block = decode_leveldb_block(from_hex("ff06"
                                                   "06"
                                                   "00000000"
                                                   "02000000"
                                                   "03000000"
                                                   "0b"),
                                          {});
  ASSERT_TRUE(block) << block.error().message;
  ASSERT_EQ(block->filter_count(), 2U);
  const Description description = describe(*block);
  EXPECT_EQ(description.bits, 8U);
  EXPECT_EQ(description.probes, 6U);
  ASSERT_EQ(description.layers.size(), 1U);
  EXPECT_EQ(description.layers[0].name, "filter 0");
  EXPECT_EQ(description.layers[0].bits, 8U);
  EXPECT_EQ(description.layers[0].bytes, 2U);
  EXPECT_EQ(description.health->fill, 1);
}

// 64 filters are reported one by one, and more of them together.
TEST(LevelDbBlock, AsManyAsSixtyFourFiltersAreDescribedOneByOne) {
  for (const std::size_t count : {64U, 65U}) {
    LevelDbFilterBlockBuilder builder;
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_TRUE(builder.start_block(i * 2048));
      builder.add(bytes_of(std::to_string(i)));
    }
    const auto block = decode_leveldb_block(*builder.finish(), {});
    ASSERT_TRUE(block);
    const auto layers = describe_layers(*block);
    ASSERT_EQ(layers.size(), count == 64 ? 64U : 1U);
    EXPECT_EQ(layers[0].name, count == 64 ? "filter 0" : "65 filters");
    EXPECT_EQ(layers[0].bytes, count == 64 ? 9U : 65U * 9);
  }
}

TEST(LevelDbBlock, CreatedBlockHoldsAllKeysInOneFilter) {
  CreateOptions options;
  options.sizing.keys = 3;
  options.base_lg = 16;
  auto block = create_leveldb_block(options);
  ASSERT_TRUE(block) << block.error().message;
  const ByteView keys[] = {bytes_of("one"), bytes_of("two"), bytes_of("three")};
  std::uint8_t is_new[3];
  const auto added = block->insert_batch(keys, is_new);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(*added, 3U);

  LevelDbFilterBlockBuilder builder{10, 16};
  for (const ByteView key : keys) builder.add(key);
  EXPECT_TRUE(*builder.finish() == encode_leveldb_block(*block));
  EXPECT_FALSE(block->may_contain(bytes_of("four")));
  std::uint8_t answers[3] = {};
  block->may_contain_batch(keys, answers);
  EXPECT_EQ(answers[0] + answers[1] + answers[2], 3);
  EXPECT_NEAR(describe(*block).health->estimated_keys, 3, 0.5);
  options.base_lg = 64;
  EXPECT_FALSE(create_leveldb_block(options));
}

TEST(LevelDbBlock, ManyFiltersTakeNoKeysAndAreDescribedTogether) {
  LevelDbFilterBlockBuilder builder;
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(builder.start_block(i * 2048));
    for (int j = 0; j < 50; ++j) builder.add(bytes_of(std::to_string(i * 50 + j)));
  }
  auto block = decode_leveldb_block(*builder.finish(), {});
  ASSERT_TRUE(block);
  const ByteView keys[] = {bytes_of("key")};
  std::uint8_t is_new[1];
  EXPECT_EQ(block->insert_batch(keys, is_new).error().code, ErrorCode::kUnsupported);
  const Description description = describe(*block);
  ASSERT_EQ(description.layers.size(), 1U);
  EXPECT_EQ(description.layers[0].name, "100 filters");
  EXPECT_NEAR(description.health->estimated_keys, 5000, 600);
  EXPECT_NEAR(block->health_of_one().error_rate, 0.009, 0.004);
  EXPECT_GT(description.health->error_rate, 0.4);  // without a table, all 100 are queried
}

TEST(LevelDbBlock, BuilderRefusesAnOffsetBeyondItsNumbers) {
  LevelDbFilterBlockBuilder builder;
  EXPECT_FALSE(builder.start_block(std::uint64_t{1} << 60));
}

TEST(LevelDbBlock, SurvivesHostileBytes) {
  const Bytes good = from_hex("100010001000100006c8ea08fa07108e80060000000009000000120000000b");
  testing::survive_hostile_bytes(
      good,
      [](ByteView bytes) {
        DecodeOptions options;
        options.limits.max_bytes = 1 << 20;
        return decode_leveldb_block(bytes, options);
      },
      [](const LevelDbFilterBlock& block) {
        (void)block.may_contain(bytes_of("a key"));
        (void)block.may_contain(UINT64_MAX, LevelDb{}.digest(bytes_of("a key")));
        (void)describe(block);
      },
      3);  // where the last bytes happen to be a base and an offset
  EXPECT_EQ(decode_leveldb_block(ByteView{good}.first(4), {}).error().code, ErrorCode::kTruncated);
}

}  // namespace
}  // namespace bloomery
