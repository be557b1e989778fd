// Both matchers beside the real one's answers and fetch counts, and beside asking every bloom.
#include "apps/ethlog/index/bloombits/direct_match.h"
#include "bloomery/hash/keccak.h"
#include "tests/apps/ethlog/index/bloombits/counting_fetch.h"
#include "tests/apps/ethlog/model/vector_chain.h"
#include "tests/formats/golden.h"

namespace bloomery::ethlog {
namespace {

using testing::Blocks;
using testing::Bytes;
using testing::CountingFetch;
using testing::from_0x;
using testing::SplitMix64;
using testing::VectorChain;

VectorSource source_of(const VectorChain& chain) {
  return [&chain](std::uint32_t bit, std::uint64_t section) { return chain.vector(bit, section); };
}

VectorChain golden_chain(const nlohmann::json& one) {
  const std::size_t blocks =
      one.at("section_size").get<std::size_t>() * one.at("sections").get<std::size_t>();
  SplitMix64 random{one.at("seed")};
  std::vector<EthereumBloom> blooms(blocks);
  std::vector<Bytes> keys(one.at("items_per_block").get<std::size_t>());
  for (EthereumBloom& bloom : blooms) {
    for (Bytes& key : keys) key = random.bytes(32);
    bloom.insert_batch(std::vector<ByteView>{keys.begin(), keys.end()});
  }
  for (const auto& plant : one.at("plants"))
    for (const auto& key : plant.at("keys"))
      blooms[plant.at("block").get<std::size_t>()].insert(from_0x(key));
  Bytes all;
  for (const EthereumBloom& bloom : blooms)
    all.insert(all.end(), bloom.bytes().begin(), bloom.bytes().end());
  EXPECT_EQ("0x" + testing::to_hex(keccak256(all)), one.at("blooms_keccak"));
  return {one.at("section_size"), std::move(blooms)};
}

std::vector<BitClause> golden_clauses(const nlohmann::json& filters) {
  std::vector<std::vector<Bytes>> keys;
  std::vector<Clause> clauses;
  if (filters.is_null()) return {};
  for (const auto& filter : filters) {
    keys.emplace_back();
    if (filter.is_null()) continue;
    for (const auto& key : filter) keys.back().push_back(key.is_null() ? Bytes{} : from_0x(key));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Clause& clause = clauses.emplace_back();
    for (std::size_t j = 0; j < keys[i].size(); ++j)
      filters[i][j].is_null() ? clause.emplace_back(std::nullopt)
                              : clause.emplace_back(ByteView{keys[i][j]});
  }
  return bit_clauses(clauses);
}

void expect_matches(const nlohmann::json& query, const Blocks& blocks) {
  EXPECT_EQ(blocks.size(), query.at("n_matches"));
  if (query.contains("matches") && query.at("matches") != "all") {
    EXPECT_EQ(nlohmann::json(blocks), query.at("matches"));
  }
  if (!query.contains("matches_keccak_be64")) return;
  Bytes list(8 * blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) store_be(list.data() + 8 * i, blocks[i]);
  EXPECT_EQ("0x" + testing::to_hex(keccak256(list)), query.at("matches_keccak_be64"));
}

// The pipeline's blocks; its fetches go into `fetch`.
Blocks searched(std::uint64_t section_size, const std::vector<BitClause>& clauses,
                std::uint64_t begin, std::uint64_t end, CountingFetch& fetch) {
  VectorFetcher fetcher{fetch.function()};
  EXPECT_TRUE(fetcher.start_threads(3));
  const auto result = testing::search_with(fetcher, section_size, clauses, begin, end);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.cost.vectors, fetch.total());
  EXPECT_EQ(result.cost.shared, 0U);
  return result.blocks;
}
Blocks searched_directly(std::uint64_t section_size, const std::vector<BitClause>& clauses,
                         std::uint64_t begin, std::uint64_t end, const VectorSource& source) {
  Blocks blocks;
  const auto done = DirectMatcher{section_size, clauses}.match(begin, end, source, blocks);
  EXPECT_TRUE(done) << done.error().message;
  return blocks;
}

void check_golden_query(const nlohmann::json& query, const VectorChain& chain) {
  const std::vector<BitClause> clauses = golden_clauses(query.at("filters"));
  std::vector<std::size_t> shape;
  std::set<std::uint32_t> bits;
  for (const BitClause& clause : clauses) {
    shape.push_back(clause.size());
    for (const KeyBits& key : clause) bits.insert(key.begin(), key.end());
  }
  EXPECT_EQ(nlohmann::json(shape), query.at("filter_shape"));
  EXPECT_EQ(bits.size(), query.at("distinct_bits"));
  CountingFetch fetch{source_of(chain)};
  const Blocks blocks =
      searched(chain.section_size(), clauses, query.at("begin"), query.at("end"), fetch);
  expect_matches(query, blocks);
  EXPECT_EQ(fetch.distinct(), query.at("unique_vector_fetches"));
  EXPECT_EQ(fetch.total(), fetch.distinct()) << "none is fetched twice";
  EXPECT_EQ(searched_directly(chain.section_size(), clauses, query.at("begin"), query.at("end"),
                              source_of(chain)),
            blocks);
}

TEST(Matcher, GoldenQueriesHaveThePeersAnswersAndFetches) {
  std::size_t queries = 0;
  const auto chains = testing::golden_json("ethereum/matcher.json").at("chains");
  for (const auto& one : chains) {
    const VectorChain chain = golden_chain(one);
    for (const auto& query : one.at("queries")) {
      SCOPED_TRACE(query.at("filters").dump().substr(0, 200));
      check_golden_query(query, chain);
      ++queries;
    }
  }
  EXPECT_EQ(queries, 204U);
}

// Block b is in the vector of a bit if b is a multiple of it.
class Multiples {
 public:
  static constexpr std::uint64_t kSectionSize = 4096;
  ByteView operator()(std::uint32_t bit, std::uint64_t section) {
    Bytes& vector = made_[{bit, section}];
    if (!vector.empty()) return vector;
    vector.resize(kSectionSize / 8);
    for (std::uint64_t i = 0; i < kSectionSize; ++i)
      if ((section * kSectionSize + i) % bit == 0) vector[i / 8] |= std::byte{0x80} >> (i % 8);
    return vector;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, Bytes> made_;
};

TEST(Matcher, ThePeersSyntheticCasesTakeItsNumberOfFetches) {
  const auto cases = testing::golden_json("ethereum/matcher.json").at("geth_synthetic").at("cases");
  ASSERT_EQ(cases.size(), 5U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("indexes").dump());
    const auto clauses = one.at("indexes").is_null()
                             ? std::vector<BitClause>{}
                             : one.at("indexes").get<std::vector<BitClause>>();
    CountingFetch fetch{Multiples{}};
    const Blocks blocks =
        searched(Multiples::kSectionSize, clauses, one.at("begin"), one.at("end"), fetch);
    expect_matches(one, blocks);
    EXPECT_EQ(fetch.total(), one.at("vector_fetches"));
    EXPECT_EQ(searched_directly(Multiples::kSectionSize, clauses, one.at("begin"), one.at("end"),
                                Multiples{}),
              blocks);
  }
}

std::vector<Bytes> some_keys(std::size_t count) {
  SplitMix64 random{99};
  std::vector<Bytes> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(random.bytes(i % 3 == 0 ? 20 : 32));
  return keys;
}

TEST(Matcher, RandomQueriesFindWhatAskingEveryBloomFinds) {
  const std::vector<Bytes> keys = some_keys(12);
  SplitMix64 random{21};
  std::size_t found = 0;
  for (const std::uint64_t size : {8U, 24U, 64U, 72U, 512U, 1000U, 4096U}) {
    const std::size_t sections = size >= 1000 ? 2 : 5;
    const VectorChain chain = VectorChain::random(size, sections, 1 + random.below(300), keys,
                                                  3 + random.below(40), size);
    for (int round = 0; round < 25; ++round) {
      const auto clauses = testing::random_clauses(random, keys);
      const std::uint64_t begin = random.below(chain.size());
      const std::uint64_t end = begin + random.below(chain.size() - begin);
      SCOPED_TRACE(::testing::Message() << "section size " << size << ", round " << round << ", "
                                        << begin << ".." << end);
      const Blocks expected = chain.brute_force(clauses, begin, end);
      CountingFetch fetch{source_of(chain)};
      EXPECT_EQ(searched(size, clauses, begin, end, fetch), expected);
      EXPECT_EQ(fetch.total(), fetch.distinct());
      EXPECT_EQ(searched_directly(size, clauses, begin, end, source_of(chain)), expected);
      found += expected.size();
    }
  }
  EXPECT_GT(found, 1000U);
}

TEST(Matcher, ASecondSessionFetchesNothingAgain) {
  const std::vector<Bytes> keys = some_keys(4);
  const VectorChain chain = VectorChain::random(64, 20, 60, keys, 50, 1);
  const std::vector<Clause> asked = {{keys[0], keys[1]}, {keys[2]}};
  const auto clauses = bit_clauses(asked);
  CountingFetch fetch{source_of(chain)};
  VectorFetcher fetcher{fetch.function()};
  ASSERT_TRUE(fetcher.start_threads(2));
  for (int round = 0; round < 3; ++round) {
    const auto result = testing::search_with(fetcher, 64, clauses, 0, chain.size() - 1);
    EXPECT_EQ(result.blocks, chain.brute_force(clauses, 0, chain.size() - 1));
    EXPECT_EQ(result.cost.shared, round == 0 ? 0 : result.cost.vectors);
    EXPECT_EQ(fetch.total(), fetch.distinct());
  }
}

TEST(Matcher, EmptyAndOversizedRangesEndQuietly) {
  const VectorChain chain = VectorChain::random(8, 2, 5, {}, 1, 1);
  CountingFetch fetch{source_of(chain)};
  EXPECT_EQ(searched(8, {}, 5, 4, fetch), Blocks{});
  EXPECT_EQ(fetch.total(), 0U);
  // The last blocks there can be: no sum may pass 2^64.
  const std::uint64_t last = ~std::uint64_t{0};
  EXPECT_EQ(searched(4096, {}, last - 2, last, fetch), (Blocks{last - 2, last - 1, last}));
  EXPECT_EQ(searched(24, {}, last - 1, last, fetch), (Blocks{last - 1, last}));
  EXPECT_EQ(searched_directly(24, {}, last - 1, last, source_of(chain)), (Blocks{last - 1, last}));
}

TEST(Matcher, ASectionHasAMultipleOf8Blocks) {
  for (const std::uint64_t size : {0U, 4U, 12U}) {
    EXPECT_FALSE(checked_section_size(size)) << size;
    Blocks blocks;
    EXPECT_FALSE((DirectMatcher{size, {}}.match(0, 1, Multiples{}, blocks))) << size;
  }
}

// A query by many keys holds the vectors of fewer sections at a time.
TEST(Matcher, ASearchHoldsNoMoreVectorsThanItMay) {
  const std::vector<Bytes> keys = some_keys(4);
  const VectorChain chain = VectorChain::random(64, 40, 60, keys, 50, 1);
  const std::vector<Clause> asked = {{keys[0], keys[1], keys[2]}};
  const auto clauses = bit_clauses(asked);
  const std::size_t section_bytes = 3 * kProbes * 8;
  for (const std::size_t sections : {0U, 1U, 5U}) {
    CountingFetch fetch{source_of(chain)};
    VectorFetcher fetcher{fetch.function(), {.most_threads = 1, .kept_bytes = 0}};
    ASSERT_TRUE(fetcher.start_threads(1));
    MatcherSession session{fetcher,
                           64,
                           clauses,
                           0,
                           chain.size() - 1,
                           testing::no_heads(),
                           {},
                           {.held_bytes = sections * section_bytes}};
    Blocks found;
    while (const auto blocks = session.next_section()) {
      found.insert(found.end(), blocks->begin(), blocks->end());
      EXPECT_LE(fetcher.bytes(), (sections + 1) * section_bytes);
    }
    EXPECT_EQ(found, chain.brute_force(clauses, 0, chain.size() - 1));
  }
}

}  // namespace
}  // namespace bloomery::ethlog
