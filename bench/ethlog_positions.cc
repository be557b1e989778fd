// What an index saves whose topic keys carry the topic's position in its log, at equal bytes:
// candidates of searches as wallets and explorers make them. Usage: ethlog_positions
// [FILE|BLOCKS]...; files of blocks as `eth import` takes them, or how many blocks to generate.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/index/adaptive/section.h"
#include "bench/ethlog_generated.h"
#include "bloomery/filter/health.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;

constexpr std::size_t kMostQueries = 2000;  // of a class

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

using Block = std::vector<Log>;

// How topics become keys. Addresses, and addresses with their first topic, are keys in both.
enum class Scheme { kAnyPosition, kByPosition };

KeyDigest topic_key(const Topic& topic, std::size_t position, SectionSalt salt, Scheme scheme) {
  return topic_digest(topic, scheme == Scheme::kAnyPosition ? salt : salt + 16 * (position + 1));
}

std::vector<KeyDigest> keys_of(const Block& block, SectionSalt salt, Scheme scheme) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  std::vector<KeyDigest> keys;
  const auto add = [&](const KeyDigest& key) {
    if (seen.emplace(key.low, key.high).second) keys.push_back(key);
  };
  for (const Log& log : block) {
    add(address_digest(log.address, salt));
    if (!log.topics.empty()) add(pair_digest(log.address, log.topics[0], salt));
    for (std::size_t i = 0; i < log.topics.size(); ++i)
      add(topic_key(log.topics[i], i, salt, scheme));
  }
  return keys;
}

struct Built {
  AdaptiveSection section;
  SectionSalt salt;
  Scheme scheme;
};

Built build(const std::vector<Block>& blocks, Scheme scheme, double goal) {
  const std::uint64_t size = (blocks.size() + 7) / 8 * 8;
  Hash head;
  head.bytes.fill(std::byte{0x5a});
  AdaptiveSectionBuilder builder{0, size, head};
  for (std::size_t i = 0; i < size; ++i)
    must(builder.add_block(
        i < blocks.size() ? keys_of(blocks[i], builder.salt(), scheme) : std::vector<KeyDigest>{},
        std::nullopt));
  const SectionSalt salt = builder.salt();
  return {builder.build(goal), salt, scheme};
}

// The lowest rate that takes no more rows than the other has.
Built build_no_larger(const std::vector<Block>& blocks, Scheme scheme, std::uint32_t rows) {
  double low = 0.0005;
  double high = 0.2;
  for (int i = 0; i < 14; ++i) {
    const double middle = std::sqrt(low * high);
    (build(blocks, scheme, middle).section.meta.rows > rows ? low : high) = middle;
  }
  return build(blocks, scheme, high);
}

// A search for one address at most, and one topic at most at each position.
struct Query {
  const Address* address = nullptr;
  std::array<const Topic*, TopicList::kMost> topics{};
};

std::uint64_t candidates(const Built& built, const Query& query) {
  const SectionMetadata& meta = built.section.meta;
  const std::size_t bytes = meta.section_size / 8;
  std::vector<std::byte> left(bytes, std::byte{0xff});
  const Modulus modulus{meta.rows};
  const auto keep = [&](const KeyDigest& key) {
    for (std::uint32_t i = 0; i < meta.probes; ++i) {
      const std::byte* row = built.section.bits.view().data() + key_row(key, i, modulus) * bytes;
      for (std::size_t at = 0; at < bytes; ++at) left[at] &= row[at];
    }
  };
  const bool pair = query.address != nullptr && query.topics[0] != nullptr;
  if (pair) keep(pair_digest(*query.address, *query.topics[0], built.salt));
  if (query.address != nullptr && !pair) keep(address_digest(*query.address, built.salt));
  for (std::size_t i = pair ? 1 : 0; i < query.topics.size(); ++i)
    if (query.topics[i] != nullptr) keep(topic_key(*query.topics[i], i, built.salt, built.scheme));
  return count_ones(left);
}

bool matches(const Log& log, const Query& query) {
  if (query.address != nullptr && log.address != *query.address) return false;
  for (std::size_t i = 0; i < query.topics.size(); ++i)
    if (query.topics[i] != nullptr && (i >= log.topics.size() || log.topics[i] != *query.topics[i]))
      return false;
  return true;
}

// The logs that have a value, by its rarest part: a topic of a user, or an address.
struct Chain {
  explicit Chain(std::vector<Block> all) : blocks{std::move(all)} {
    for (std::size_t block = 0; block < blocks.size(); ++block)
      for (const Log& log : blocks[block]) {
        by_address[log.address].emplace_back(block, &log);
        for (const Topic& topic : log.topics) by_topic[topic].emplace_back(block, &log);
      }
  }
  std::uint64_t matching_blocks(const Query& query) const {
    const std::vector<std::pair<std::size_t, const Log*>>* logs = nullptr;
    const auto rarer = [&](const auto& map, const auto& key) {
      const auto found = map.find(key);
      if (found != map.end() && (logs == nullptr || found->second.size() < logs->size()))
        logs = &found->second;
    };
    if (query.address != nullptr) rarer(by_address, *query.address);
    for (const Topic* topic : query.topics)
      if (topic != nullptr) rarer(by_topic, *topic);
    std::set<std::size_t> found;
    if (logs != nullptr)
      for (const auto& [block, log] : *logs)
        if (matches(*log, query)) found.insert(block);
    return found.size();
  }

  std::vector<Block> blocks;
  std::map<Address, std::vector<std::pair<std::size_t, const Log*>>> by_address;
  std::map<Topic, std::vector<std::pair<std::size_t, const Log*>>> by_topic;
};

struct Class {
  const char* name;
  bool address;
  std::array<bool, TopicList::kMost> topics;
};
constexpr Class kClasses[] = {
    {"event, topic 1 (Transfer from)", false, {true, true}},
    {"event, topic 2 (Transfer to)", false, {true, false, true}},
    {"topic 1 alone", false, {false, true}},
    {"topic 2 alone", false, {false, false, true}},
    {"contract, event, topic 1", true, {true, true}},
    {"contract, event, topic 2", true, {true, false, true}},
    {"event alone", false, {true}},
    {"contract alone", true, {}},
    {"contract, event", true, {true}},
};

Query query_of(const Log& log, const Class& kind) {
  Query query;
  if (kind.address) query.address = &log.address;
  for (std::size_t i = 0; i < kind.topics.size(); ++i)
    if (kind.topics[i]) query.topics[i] = &log.topics[i];
  return query;
}

bool has_all(const Log& log, const Class& kind) {
  for (std::size_t i = 0; i < kind.topics.size(); ++i)
    if (kind.topics[i] && i >= log.topics.size()) return false;
  return true;
}

// Each different search once (users, however active), or one for each log (as active as they are).
std::vector<Query> queries_of(const Chain& chain, const Class& kind, bool each_once) {
  const auto key = [](const Query& query) {
    std::string text;
    if (query.address != nullptr) text += text_of(query.address->view());
    for (const Topic* topic : query.topics)
      text += topic == nullptr ? std::string{"-"} : std::string{text_of(topic->view())};
    return text;
  };
  std::vector<Query> all;
  std::set<std::string> seen;
  for (const Block& block : chain.blocks)
    for (const Log& log : block) {
      if (!has_all(log, kind)) continue;
      const Query query = query_of(log, kind);
      if (!each_once || seen.insert(key(query)).second) all.push_back(query);
    }
  std::vector<Query> chosen;
  const std::size_t step = std::max<std::size_t>(1, all.size() / kMostQueries);
  for (std::size_t i = 0; i < all.size(); i += step) chosen.push_back(all[i]);
  return chosen;
}

void compare(const char* name, std::vector<Block> blocks) {
  const Chain chain{std::move(blocks)};
  const Built any = build(chain.blocks, Scheme::kAnyPosition, 0.005);
  const Built by = build_no_larger(chain.blocks, Scheme::kByPosition, any.section.meta.rows);
  const Built same_rate = build(chain.blocks, Scheme::kByPosition, 0.005);
  std::printf(
      "%s: %zu blocks; keys %llu, by position %llu; rows %u and %u; rate %.3f %% and %.3f %%; at "
      "the same rate %u rows\n",
      name, chain.blocks.size(), static_cast<unsigned long long>(any.section.meta.keys),
      static_cast<unsigned long long>(by.section.meta.keys), any.section.meta.rows,
      by.section.meta.rows, 100 * any.section.meta.rate, 100 * by.section.meta.rate,
      same_rate.section.meta.rows);
  for (const bool each_once : {true, false}) {
    std::printf("  %s\n", each_once ? "each search once" : "a search for each log");
    std::uint64_t totals[3] = {};
    for (const Class& kind : kClasses) {
      std::uint64_t counts[3] = {};
      const std::vector<Query> queries = queries_of(chain, kind, each_once);
      for (const Query& query : queries) {
        counts[0] += chain.matching_blocks(query);
        counts[1] += candidates(any, query);
        counts[2] += candidates(by, query);
      }
      for (int i = 0; i < 3; ++i) totals[i] += counts[i];
      if (queries.empty()) continue;
      const auto mean = [&](std::uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(queries.size());
      };
      std::printf(
          "    %-32s %5zu searches: %9.2f blocks match, %9.2f candidates, by position "
          "%9.2f, saved %5.1f %%\n",
          kind.name, queries.size(), mean(counts[0]), mean(counts[1]), mean(counts[2]),
          100 - 100 * mean(counts[2]) / mean(counts[1]));
    }
    std::printf("    all: %llu match, %llu candidates, by position %llu, saved %.1f %%\n",
                static_cast<unsigned long long>(totals[0]),
                static_cast<unsigned long long>(totals[1]),
                static_cast<unsigned long long>(totals[2]),
                100 - 100 * static_cast<double>(totals[2]) / static_cast<double>(totals[1]));
  }
}

Block logs_of(const std::vector<Receipt>& receipts) {
  Block logs;
  for (const Receipt& receipt : receipts)
    logs.insert(logs.end(), receipt.logs.begin(), receipt.logs.end());
  return logs;
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    std::vector<Block> blocks;
    const std::uint64_t wanted = std::strtoull(arguments[i], nullptr, 10);
    if (wanted > 0) {
      for (std::uint64_t k = 0; k < wanted; ++k)
        blocks.push_back(logs_of(generated::receipts_of(k)));
    } else {
      const BlockSource source = must(blocks_in_file(arguments[i]));
      for (auto block = must(source()); block; block = must(source()))
        blocks.push_back(logs_of(block->receipts));
    }
    compare(arguments[i], std::move(blocks));
  }
  return 0;
}
