#include <gmock/gmock.h>

#include <random>

#include "apps/ethlog/index/adaptive/columns_check.h"
#include "apps/ethlog/model/log_match.h"
#include "bloomery/base/endian.h"
#include "bloomery/hash/xxh.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using Random = std::mt19937_64;

struct Records {
  explicit Records(const LogColumns& columns, std::uint64_t block = 7)
      : keys{encode_key_column(columns, block)}, logs{encode_log_column(columns, block)} {}
  std::string keys;
  std::string logs;
};

Result<bool> check_parts(const std::vector<std::string>& parts, const LogQuery& query,
                         std::vector<std::uint32_t>* read = nullptr) {
  const auto columns = PartedColumns::open(7, [&](std::uint32_t part) -> Result<std::string> {
    if (read != nullptr) read->push_back(part);
    if (part >= parts.size()) return Error{ErrorCode::kIo, "no such part"};
    return parts[part];
  });
  if (!columns) return columns.error();
  return ColumnsCheck{query}.matches(*columns);
}

bool check(const Records& records, const LogQuery& query) {
  const ColumnsCheck check{query};
  const auto keys = KeyColumn::decode(bytes_of(records.keys), 7);
  const auto logs = LogColumn::decode(bytes_of(records.logs), 7);
  EXPECT_TRUE(keys && logs);
  const bool exact = check.matches(*keys, *logs) && keys->addresses() > 0;
  const bool maybe = check.may_match(*keys);
  EXPECT_TRUE(maybe || !exact);
  if (!check.needs_logs()) {
    EXPECT_EQ(maybe, exact);
  }
  return maybe && exact;
}

Address small_address(std::uint64_t value) {
  Address address;
  store_le(address.bytes.data() + 4, value * 0x9e3779b97f4a7c15);
  return address;
}
Topic small_topic(std::uint64_t value) {
  Topic topic;
  store_le(topic.bytes.data() + 24, value);
  return topic;
}

Receipt random_receipt(Random& random, std::size_t logs, std::uint64_t values) {
  Receipt receipt;
  for (std::size_t i = 0; i < logs; ++i) {
    Log& log = receipt.logs.emplace_back();
    log.address = small_address(random() % values);
    for (std::uint64_t t = random() % 5; t > 0; --t)
      log.topics.push_back(small_topic(random() % values));
  }
  return receipt;
}

LogQuery random_query(Random& random, std::uint64_t values) {
  LogQuery query;
  const auto some = [&] { return random() % 3 == 0 ? random() % 40 : random() % 3; };
  for (std::uint64_t i = some(); i > 0; --i)
    query.addresses.push_back(small_address(random() % (2 * values)));
  query.topics.resize(random() % 5);
  for (auto& topics : query.topics)
    for (std::uint64_t i = some(); i > 0; --i)
      topics.push_back(small_topic(random() % (2 * values)));
  return query;
}

TEST(Columns, DecideAsTheLogsThemselvesDo) {
  Random random{11};
  std::size_t matched = 0;
  for (std::size_t round = 0; round < 300; ++round) {
    const std::uint64_t values = 1 + random() % 60;
    const std::vector<Receipt> receipts{random_receipt(random, random() % 40, values), Receipt{},
                                        random_receipt(random, random() % 3, values)};
    const Records records{columns_of(receipts)};
    const std::vector<std::string> parts = encode_parts(columns_of(receipts), 7);
    for (std::size_t i = 0; i < 60; ++i) {
      const LogQuery query = random_query(random, values);
      const SortedQuery sorted{query};
      bool wanted = false;
      for (const Receipt& receipt : receipts)
        for (const Log& log : receipt.logs) wanted = wanted || matches(sorted, log);
      ASSERT_EQ(check(records, query), wanted);
      ASSERT_EQ(*check_parts(parts, query), wanted);
      matched += wanted ? 1 : 0;
    }
  }
  EXPECT_GT(matched, 2000U);
}

TEST(Columns, DecideForRealQueriesOfManyKeys) {
  LogQuery query;
  for (std::uint64_t i = 0; i < 10'000; ++i) query.addresses.push_back(small_address(i));
  Receipt receipt;
  receipt.logs.resize(1);
  receipt.logs[0].address = small_address(9'999);
  EXPECT_TRUE(check(Records{columns_of({&receipt, 1})}, query));
  receipt.logs[0].address = small_address(10'000);
  EXPECT_FALSE(check(Records{columns_of({&receipt, 1})}, query));
}

TEST(Columns, WildcardsDemandTopics) {
  Receipt receipt;
  receipt.logs.resize(2);
  receipt.logs[1].topics = {small_topic(1), small_topic(2)};
  const Records records{columns_of({&receipt, 1})};
  LogQuery query;
  EXPECT_TRUE(check(records, query));
  query.topics.resize(2);
  EXPECT_TRUE(check(records, query));
  query.topics.resize(3);
  EXPECT_FALSE(check(records, query));
  query.topics.resize(6);
  EXPECT_FALSE(check(records, query));
  EXPECT_FALSE(check(Records{columns_of({})}, LogQuery{}));
  EXPECT_EQ(columns_of({&receipt, 1}).most_topics(), 2U);
  EXPECT_EQ(columns_of({}).most_topics(), std::nullopt);
}

TEST(Columns, HoldMoreThanSixteenBitsOfKeys) {
  Random random{3};
  Receipt receipt;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    Log& log = receipt.logs.emplace_back();
    log.address = small_address(i % 5);
    for (std::uint64_t t = 0; t < 4; ++t) log.topics.push_back(small_topic(4 * i + t));
  }
  const LogColumns columns = columns_of({&receipt, 1});
  EXPECT_EQ(columns.topics.size(), 80'000U);
  EXPECT_EQ(columns.pairs().size(), 20'000U);
  const Records records{columns};
  LogQuery query;
  query.addresses = {small_address(3)};
  query.topics = {{}, {small_topic(4 * 19'998 + 1)}};
  EXPECT_TRUE(check(records, query));
  const std::vector<std::string> parts = encode_parts(columns, 7);
  EXPECT_TRUE(*check_parts(parts, query));
  query.addresses = {small_address(2)};
  EXPECT_FALSE(check(records, query));
  EXPECT_FALSE(*check_parts(parts, query));
}

// A block of several parts of each kind: answers as the logs give them, from few parts.
TEST(Columns, InPartsAreReadOnlyWhereTheyDecide) {
  Random random{5};
  const Receipt receipt = random_receipt(random, 6'000, 5'000);
  const LogColumns columns = columns_of({&receipt, 1});
  ASSERT_GT(encode_log_column(columns, 7).size(), kMostWholeLogs);
  const std::vector<std::string> parts = encode_parts(columns, 7);
  ASSERT_GT(parts.size(), 50U);
  std::size_t matched = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    const Log& log = receipt.logs[random() % receipt.logs.size()];
    const Log& other = receipt.logs[random() % receipt.logs.size()];
    LogQuery query;
    if (i % 4 != 0) query.addresses = {log.address};
    query.topics.resize(random() % 4);
    for (std::size_t at = 0; at < query.topics.size(); ++at)
      if (random() % 2 == 0 && at < other.topics.size())
        query.topics[at] = {i % 2 == 0 && at < log.topics.size() ? log.topics[at]
                                                                 : other.topics[at]};
    const SortedQuery sorted{query};
    const bool wanted =
        std::ranges::any_of(receipt.logs, [&](const Log& one) { return matches(sorted, one); });
    std::vector<std::uint32_t> read;
    ASSERT_EQ(*check_parts(parts, query, &read), wanted);
    // The first part; for each address and topic one; then the logs of the address or all.
    EXPECT_LE(read.size(), query.addresses.empty() ? 5U + 3 * 3 : 5U + 2 + 3 * 2);
    matched += wanted ? 1 : 0;
  }
  EXPECT_GT(matched, 50U);
  EXPECT_LT(matched, 350U);
}

TEST(Columns, InPartsTellDamageAndOtherBlocksAndParts) {
  Random random{6};
  const Receipt receipt = random_receipt(random, 3'000, 900);
  const LogColumns columns = columns_of({&receipt, 1});
  const std::vector<std::string> parts = encode_parts(columns, 7);
  LogQuery query;
  for (std::uint64_t i = 0; i < 900; ++i) query.addresses.push_back(small_address(i));
  query.topics = {{small_topic(1)}, {small_topic(3)}, {small_topic(2)}, {small_topic(4)}};
  std::vector<std::uint32_t> read;
  ASSERT_TRUE(check_parts(parts, query, &read));
  ASSERT_GT(read.size(), 9U);
  const std::vector<std::string> others = encode_parts(columns, 8);
  for (const std::uint32_t part : read) {
    for (const std::size_t at : {std::size_t{0}, parts[part].size() / 2, parts[part].size() - 1}) {
      std::vector<std::string> damaged = parts;
      damaged[part][at] = static_cast<char>(damaged[part][at] ^ 1);
      EXPECT_FALSE(check_parts(damaged, query)) << part;
      damaged[part] = parts[part].substr(0, at);
      EXPECT_FALSE(check_parts(damaged, query)) << part;
    }
    std::vector<std::string> swapped = parts;
    swapped[part] = others[part];
    EXPECT_FALSE(check_parts(swapped, query)) << part;
    swapped[part] = parts[part == 0 ? 1 : part - 1];
    EXPECT_FALSE(check_parts(swapped, query)) << part;
  }
}

TEST(Columns, PartsDoNotBelieveLengths) {  // even where the checksum is right
  for (const std::uint32_t lie : {1U, 0x7fffffffU, 0xffffffffU})
    for (std::size_t field = 0; field < 4; ++field) {
      std::string body(16 + 8, '\0');
      body[12] = 2;
      std::memcpy(body.data() + 4 * field, &lie, sizeof lie);
      std::string part(8, '\0');
      const std::uint64_t checksum = xxh3_64(bytes_of(body), 7 ^ std::uint64_t{1} << 63);
      std::memcpy(part.data(), &checksum, sizeof checksum);
      EXPECT_FALSE(check_parts({part + body}, LogQuery{}));
    }
}

TEST(Columns, TellDamageAndOtherBlocks) {
  Random random{4};
  const Receipt receipt = random_receipt(random, 5, 9);
  const Records records{columns_of({&receipt, 1})};
  EXPECT_FALSE(KeyColumn::decode(bytes_of(records.keys), 8));
  EXPECT_FALSE(LogColumn::decode(bytes_of(records.logs), 8));
  for (std::size_t at = 0; at < records.keys.size(); ++at) {
    std::string damaged = records.keys;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    const auto column = KeyColumn::decode(bytes_of(damaged), 7);
    ASSERT_FALSE(column);
    EXPECT_THAT(column.error().message, HasSubstr("the columns of block 7 are damaged"));
    EXPECT_FALSE(KeyColumn::decode(bytes_of(records.keys).first(at), 7));
  }
  for (std::size_t at = 0; at < records.logs.size(); ++at) {
    std::string damaged = records.logs;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(LogColumn::decode(bytes_of(damaged), 7));
    EXPECT_FALSE(LogColumn::decode(bytes_of(records.logs).first(at), 7));
  }
}

TEST(Columns, LengthsAreNotBelieved) {  // even where the checksum is right
  for (const std::uint32_t lie : {1U, 0x7fffffffU, 0xffffffffU})
    for (std::size_t field = 0; field < 4; ++field) {
      std::string body(16 + 8, '\0');
      std::memcpy(body.data() + 4 * field, &lie, sizeof lie);
      std::string record(8, '\0');
      const std::uint64_t checksum = xxh3_64(bytes_of(body), 7);
      std::memcpy(record.data(), &checksum, sizeof checksum);
      record += body;
      EXPECT_FALSE(LogColumn::decode(bytes_of(record), 7));
      EXPECT_FALSE(KeyColumn::decode(bytes_of(record), 7));
    }
}

}  // namespace
}  // namespace bloomery::ethlog
