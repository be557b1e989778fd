#include "apps/ethlog/store/freezer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bloomery/base/file.h"
#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

void write(const std::filesystem::path& path, ByteView bytes) {
  std::ofstream{path, std::ios::binary} << text_of(bytes);
}

// A table as geth leaves it: a new data file after every `per_file` values.
struct TableWriter {
  std::string name;
  bool compressed = true;
  std::size_t per_file = SIZE_MAX;
  std::uint32_t deleted = 0;  // values that are gone from the front, with their files
  std::uint16_t first_file = 0;

  void save(const std::filesystem::path& folder, std::span<const Bytes> values) const {
    ByteWriter index;
    index.be(first_file);
    index.be(deleted);
    std::uint16_t file = first_file;
    Bytes data;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0 && i % per_file == 0) {
        write(data_path(folder, file++), data);
        data.clear();
      }
      const Bytes stored = compressed ? snappy_block(values[i]) : values[i];
      data.insert(data.end(), stored.begin(), stored.end());
      index.be(file);
      index.be(static_cast<std::uint32_t>(data.size()));
    }
    write(data_path(folder, file), data);
    write(folder / (name + (compressed ? ".cidx" : ".ridx")), index.take());
  }
  std::filesystem::path data_path(const std::filesystem::path& folder, unsigned file) const {
    std::string digits = std::to_string(file);
    digits.insert(0, 4 - digits.size(), '0');
    return folder / (name + "." + digits + (compressed ? ".cdat" : ".rdat"));
  }
};

std::vector<Bytes> sample_values(std::size_t count) {
  std::vector<Bytes> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(Bytes(i * 7 % 50, std::byte(i)));
  return values;
}

TEST(Freezer, OfGethHoldsTheFirstHundredBlocksOfTheSampleChain) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const auto freezer = Freezer::open(chaindata.path());
  ASSERT_TRUE(freezer) << freezer.error().message;
  ASSERT_TRUE(*freezer);
  ASSERT_EQ((*freezer)->end(), 100U);
  EXPECT_EQ((*freezer)->first_with_receipts(), 0U);
  const auto lines = golden_lines("chain_blocks.jsonl");
  std::optional<Hash> parent;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const auto golden = nlohmann::json::parse(lines[number]);
    auto block = (*freezer)->block(number);
    ASSERT_TRUE(block) << block.error().message;
    ASSERT_TRUE(*block);
    EXPECT_EQ((*block)->header.hash.hex(), golden["hash"].get<std::string>());
    EXPECT_EQ(to_hex((*block)->header.rlp), golden["headerRlp"].get<std::string>());
    EXPECT_EQ(to_hex(**(*freezer)->receipts(number)),
              golden["receiptsStorageRlp"].get<std::string>());
    const Status checked = check_block(**block);
    ASSERT_TRUE(checked) << checked.error().message;
    ASSERT_TRUE(check_parent(**block, parent, Gaps::kRefused));
    EXPECT_EQ((*block)->verified, (Verified{true, true, true, true, true})) << number;
    for (std::size_t i = 0; i < (*block)->transaction_hashes.size(); ++i)
      EXPECT_EQ((*block)->transaction_hashes[i].hex(), golden["txHashes"][i].get<std::string>());
    parent = (*block)->header.hash;
  }
  const auto beyond = (*freezer)->block(100);
  ASSERT_TRUE(beyond);
  EXPECT_FALSE(*beyond);
}

TEST(Freezer, IsNothingWhereThereIsNone) {
  const ScratchFolder folder;
  const auto freezer = Freezer::open(folder.path());
  ASSERT_TRUE(freezer);
  EXPECT_FALSE(*freezer);
}

TEST(FreezerTable, ReadsValuesAcrossDataFiles) {
  const auto values = sample_values(25);
  for (const bool compressed : {true, false})
    for (const std::size_t per_file : {std::size_t{1}, std::size_t{4}, SIZE_MAX}) {
      const ScratchFolder folder;
      TableWriter{"bodies", compressed, per_file}.save(folder.path(), values);
      const auto table = FreezerTable::open(folder.path(), "bodies", {1 << 20});
      ASSERT_TRUE(table) << table.error().message;
      EXPECT_EQ(table->end(), 25U);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = table->value(i);
        ASSERT_TRUE(value) << value.error().message;
        EXPECT_EQ(**value, values[i]) << i;
      }
      EXPECT_FALSE(*table->value(25));
    }
}

TEST(FreezerTable, HidesWhatWasPruned) {
  const ScratchFolder folder;
  const auto values = sample_values(10);
  TableWriter{"receipts", true, 3, 1000, 7}.save(folder.path(), values);
  auto table = FreezerTable::open(folder.path(), "receipts", {1 << 20});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->first(), 1000U);
  EXPECT_EQ(table->end(), 1010U);
  EXPECT_FALSE(*table->value(999));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = table->value(1000 + i);
    ASSERT_TRUE(value) << value.error().message;
    EXPECT_EQ(**value, values[i]);
  }

  // [1, 1004] and [2, 1004, 66]: the tail may lie behind what was deleted.
  for (const char* meta : {"0xc4018203ec", "0xc5028203ec42"}) {
    write(folder / "receipts.meta", *bytes_from_hex(meta));
    table = FreezerTable::open(folder.path(), "receipts", {1 << 20});
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->first(), 1004U);
    EXPECT_FALSE(*table->value(1003));
    EXPECT_EQ(**table->value(1004), values[4]);
  }
  write(folder / "receipts.meta", *bytes_from_hex("0xc4038203ec"));
  table = FreezerTable::open(folder.path(), "receipts", {1 << 20});
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("version 1 or 2 was expected, not 3"));
}

TEST(FreezerTable, EndsWhereTheShorterOfIndexAndDataDoes) {
  const auto values = sample_values(9);
  const ScratchFolder folder;
  const TableWriter writer{"headers", false, 4};
  writer.save(folder.path(), values);
  const auto count = [&] {
    const auto table = FreezerTable::open(folder.path(), "headers", {1 << 20});
    return table ? table->end() : 777;
  };
  ASSERT_EQ(count(), 9U);
  std::filesystem::resize_file(folder / "headers.ridx", 6 * 9 + 5);
  EXPECT_EQ(count(), 8U);
  std::filesystem::resize_file(writer.data_path(folder.path(), 1),
                               std::filesystem::file_size(writer.data_path(folder.path(), 1)) - 1);
  EXPECT_EQ(count(), 7U);
  std::filesystem::remove(writer.data_path(folder.path(), 1));
  EXPECT_EQ(count(), 4U);
  std::filesystem::resize_file(folder / "headers.ridx", 0);
  EXPECT_EQ(count(), 0U);
}

TEST(FreezerTable, KeepsToTheLimitAndSurvivesAlteredBytes) {
  const ScratchFolder folder;
  const auto values = sample_values(8);
  const TableWriter writer{"bodies", true, 3};
  writer.save(folder.path(), values);
  const auto small = FreezerTable::open(folder.path(), "bodies", {10});
  EXPECT_THAT(small->value(3).error().message,
              HasSubstr("freezer table bodies, value 3: Snappy stream"));
  const auto index_path = folder / "bodies.cidx";
  const Bytes index = *read_file(index_path, {1 << 20});
  for (std::size_t at = 0; at < index.size(); ++at)
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0xffU}) {
      Bytes bad = index;
      bad[at] = static_cast<std::byte>(value);
      write(index_path, bad);
      const auto table = FreezerTable::open(folder.path(), "bodies", {1 << 20});
      if (!table) continue;
      const std::uint64_t first = table->first();
      for (std::uint64_t i = first; i < std::min(table->end(), first + 20); ++i)
        (void)table->value(i);
    }
}

TEST(Freezer, SaysWhichBlockIsStoredUnderAnotherHash) {
  const ScratchFolder folder;
  const auto chain = sample_chain(0, 2);
  std::vector<Bytes> hashes, headers, bodies, receipts;
  for (const ImportedBlock& block : chain) {
    hashes.emplace_back(block.header.hash.bytes.begin(), block.header.hash.bytes.end());
    headers.push_back(block.header.rlp);
    bodies.push_back(block.body_rlp);
    receipts.push_back(encode_storage(block.receipts));
  }
  std::swap(headers[0], headers[1]);
  TableWriter{"hashes", false}.save(folder.path(), hashes);
  TableWriter{"headers"}.save(folder.path(), headers);
  TableWriter{"bodies"}.save(folder.path(), bodies);
  TableWriter{"receipts"}.save(folder.path(), std::span{receipts}.first(1));
  const auto freezer = Freezer::open(folder.path());
  ASSERT_TRUE(freezer && *freezer);
  EXPECT_EQ((*freezer)->end(), 1U);
  const auto block = (*freezer)->block(0);
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().message, HasSubstr("block 0: under the hash 0x"));
  EXPECT_FALSE(*(*freezer)->hash(1));
}

}  // namespace
}  // namespace bloomery::ethlog
