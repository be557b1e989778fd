#include "apps/ethlog/index/adaptive/postings.h"

#include <gmock/gmock.h>

#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/adaptive/search.h"
#include "apps/ethlog/search/log_search.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/split_mix.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

KeyDigest made_digest(std::uint64_t i) {
  internal::SplitMix64 random{i};
  const std::uint64_t low = random();
  return {.low = low, .high = random()};
}

// Key i is in every block whose number i + 1 divides.
struct Section {
  explicit Section(std::uint32_t size, std::uint64_t keys = 9000) {
    for (std::uint32_t block = 0; block < size; ++block) {
      std::uint32_t count = 0;
      for (std::uint64_t i = 0; i < keys; ++i)
        if (block % (i + 1) == 0 && i < std::uint64_t{block} + 50) {
          digests.push_back(made_digest(i));
          ++count;
        }
      counts.push_back(count);
    }
    meta.section_size = size;
    meta.keys = digests.size();
    meta.posting_buckets = posting_buckets(digests.size());
    records = encode_postings(digests, counts, size);
  }
  std::vector<std::byte> found(std::uint64_t key) const {
    std::vector<std::byte> blocks((meta.section_size + 7) / 8);
    const KeyDigest digest = made_digest(key);
    const std::string& record = records[posting_bucket(digest, meta.posting_buckets)];
    EXPECT_TRUE(find_postings(meta, bytes_of(record), digest, blocks));
    return blocks;
  }
  std::vector<KeyDigest> digests;
  std::vector<std::uint32_t> counts;
  SectionMetadata meta;
  std::vector<std::string> records;
};

TEST(Postings, NameTheBlocksOfEveryKey) {
  for (const std::uint32_t size : {8U, 64U, 4096U}) {
    const Section section{size};
    ASSERT_EQ(section.records.size(), section.meta.posting_buckets);
    if (size == 4096) {
      ASSERT_GT(section.records.size(), 30U);
    }
    for (std::uint64_t key = 0; key < 500; ++key) {
      const auto blocks = section.found(key);
      for (std::uint32_t block = 0; block < size; ++block) {
        const bool has = (blocks[block / 8] >> block % 8 & std::byte{1}) != std::byte{0};
        ASSERT_EQ(has, block % (key + 1) == 0 && key < std::uint64_t{block} + 50)
            << "key " << key << ", block " << block;
      }
    }
    for (std::uint64_t key = 10'000; key < 12'000; ++key)  // in no block
      EXPECT_EQ(section.found(key), std::vector<std::byte>((size + 7) / 8));
  }
}

TEST(Postings, TellDamageAndOtherBuckets) {
  const Section section{4096};
  const KeyDigest digest = made_digest(3);
  const std::uint32_t bucket = posting_bucket(digest, section.meta.posting_buckets);
  std::vector<std::byte> blocks(512);
  const auto find = [&](const std::string& record) {
    return find_postings(section.meta, bytes_of(record), digest, blocks);
  };
  const std::string& record = section.records[bucket];
  for (std::size_t at = 0; at < record.size(); at += 3) {
    std::string damaged = record;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    const auto found = find(damaged);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message,
                HasSubstr("are damaged; repair it with bloomery eth verify"));
    EXPECT_FALSE(find(record.substr(0, at)));
  }
  EXPECT_FALSE(find(section.records[bucket == 0 ? 1 : bucket - 1]));
  EXPECT_EQ(blocks, std::vector<std::byte>(512));
}

LogQuery query_for(std::vector<Address> addresses, std::vector<std::vector<Topic>> topics = {}) {
  LogQuery query;
  query.from = BlockBound{BlockTag::kNumber, 0};
  query.to = BlockBound{BlockTag::kNumber, 639};
  query.addresses = std::move(addresses);
  query.topics = std::move(topics);
  return query;
}

// The store of older versions: no postings, and the sections say so.
void make_old(ChainStore& store) {
  WriteBatch batch;
  const std::string prefix = "bloomery/columns/postings/";
  std::map<std::uint64_t, std::uint64_t> bytes;
  ASSERT_TRUE(store.store().scan(
      prefix, after_prefix(prefix), [&](std::string_view key, std::string_view value) {
        bytes[static_cast<unsigned char>(key[prefix.size() + 7])] += value.size();
        batch.remove(key);
        return true;
      }));
  const std::vector<std::uint64_t> sections = *adaptive_sections(store.store());
  for (const std::uint64_t section : sections) {
    SectionMetadata meta = **section_metadata(store.store(), section);
    meta.column_bytes -= bytes[section];
    meta.posting_buckets = 0;
    const std::string record = encode_metadata(meta);
    EXPECT_EQ(record.size(), 116U);
    EXPECT_EQ(record[4], 1);
    batch.put(adaptive_head_key(section), record);
  }
  ASSERT_TRUE(store.store().write(batch, Durability::kSynced));
}

struct Answer {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> logs;
  std::uint64_t read = 0;
  std::uint64_t bytes = 0;
};
Answer answer_of(const ChainStore& store, const LogQuery& query) {
  Answer answer;
  const auto report = LogSearch{store.reader(), {*adaptive_source(store.reader())}}.run(
      query, {}, [&](const FoundLog& log) {
        answer.logs.emplace_back(log.block.header.number, log.log_index);
        return true;
      });
  EXPECT_TRUE(report) << report.error().message;
  if (!report) return answer;
  answer.read = report->blocks_read;
  answer.bytes = report->index.bytes;
  return answer;
}

TEST(Postings, AndSectionsWithoutThemAnswerAlike) {
  const auto made = [] {
    ChainStore store = store_in_memory();
    EXPECT_TRUE(store.set_section_size(128));
    add_all(store, golden_chain());
    EXPECT_TRUE((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.2}}.run()));
    return store;
  };
  const ChainStore now = made();
  ChainStore old = made();
  make_old(old);
  const VerifyReport verified = *verify_chain(old.reader(), nullptr);
  EXPECT_EQ(verified.problems, 0U) << verified.messages[0];
  EXPECT_EQ(verify_chain(now.reader(), nullptr)->problems, 0U);
  // Every address and topic of some blocks, alone, in pairs and at other places, and many at once.
  std::vector<LogQuery> queries;
  std::vector<Address> many;
  for (std::size_t i = 0; i < 640; i += 37)
    for (const Receipt& receipt : golden_chain()[i].receipts)
      for (const Log& log : receipt.logs) {
        many.push_back(log.address);
        queries.push_back(query_for({log.address}));
        if (log.topics.empty()) continue;
        queries.push_back(query_for({log.address}, {{log.topics[0]}}));
        queries.push_back(query_for({log.address}, {{log.topics[0]}, {}}));
        queries.push_back(query_for({}, {{log.topics[0]}}));
        queries.push_back(query_for({}, {{}, {log.topics[0]}}));
        queries.push_back(query_for({log.address}, {{}, {log.topics[0]}}));
        queries.push_back(query_for(many, {{log.topics[0]}, {log.topics[0]}}));
      }
  queries.push_back(query_for(many));
  ASSERT_GT(queries.size(), 40U);
  std::size_t found = 0;
  for (const LogQuery& query : queries) {
    const Answer a = answer_of(now, query);
    const Answer b = answer_of(old, query);
    ASSERT_EQ(a.logs, b.logs);
    ASSERT_EQ(a.read, b.read);
    found += a.logs.size();
  }
  EXPECT_GT(found, 200U);
}

// An index of older versions that is made anew gets postings, and none of its records stays.
TEST(Postings, ComeWhereASectionIsMadeAnew) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(128));
  add_all(store, golden_chain());
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.2}}.run()));
  make_old(store);
  EXPECT_EQ((AdaptiveIndexer{store, {.confirms = 0}}.run()->generated), 0U);
  EXPECT_EQ((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.1}}.run()->generated), 5U);
  EXPECT_GT(section_metadata(store.store(), 4)->value().posting_buckets, 0U);
  EXPECT_EQ(verify_chain(store.reader(), nullptr)->problems, 0U);
}

// A block of 2000 logs has its columns in parts, and every part is verified, repaired and missed.
TEST(Postings, ABlockOfManyLogsIsSearchedByItsParts) {
  auto chain = made_chain(0, 8, Hash{});
  std::vector<Log> logs = chain[7].receipts[0].logs;
  Log log = logs[0];
  Topic topic = filled_hash(2);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    store_le(log.address.bytes.data(), i % 700);
    store_le(topic.bytes.data(), i);
    log.topics = {filled_hash(1), topic, filled_hash(3)};
    logs.push_back(log);
  }
  chain[7] = made_block(7, chain[6].header.hash, {logs});
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, chain);
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0}}.run()));
  const Hash head = chain[7].header.hash;
  ASSERT_TRUE(*store.store().get(part_key(0, head, 7, 0)));
  EXPECT_FALSE(*store.store().get(key_column_key(0, head, 7)));
  const auto query = [&](std::uint32_t address, std::uint32_t number) {
    Address asked = log.address;
    store_le(asked.bytes.data(), address);
    Topic second = topic;
    store_le(second.bytes.data(), number);
    LogQuery both = query_for({asked}, {{}, {second}});
    both.to = BlockBound{BlockTag::kNumber, 7};
    return both;
  };
  EXPECT_EQ(answer_of(store, query(33, 733)).logs.size(), 1U);
  const Answer nothing = answer_of(store, query(34, 733));
  EXPECT_TRUE(nothing.logs.empty());
  EXPECT_EQ(nothing.read, 0U);
  EXPECT_LT(nothing.bytes, 60'000U);
  WriteBatch batch;
  batch.remove(part_key(0, head, 7, 3));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  EXPECT_EQ(verify_chain(store.reader(), nullptr)->problems, 1U);
  EXPECT_EQ(verify_chain(store.reader(), &store)->repaired, 1U);
  EXPECT_EQ(verify_chain(store.reader(), nullptr)->problems, 0U);
}

}  // namespace
}  // namespace bloomery::ethlog
