// A million blocks as dense as today's: both indexes built in full from keys that a seed gives, and
// searches through the store, warm. Usage: ethlog_million FOLDER [BLOCKS [THREADS]]; the folder is
// made, takes 4.3 GB for a million blocks, and is used as it is by the next run, whose
// times are not disturbed by what LevelDB does with fresh data. What is not kept:
// receipts and columns of blocks that no search of this benchmark names. Those it names are
// generated once more from the seed, and stored.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <set>
#include <thread>

#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/adaptive/search.h"
#include "apps/ethlog/index/adaptive/status.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/kv/kv_leveldb.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/search/log_search.h"
#include "apps/ethlog/store/block_note.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "bench/ethlog_generated.h"
#include "bloomery/formats/ethereum_bloom.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;
using namespace bloomery::ethlog::generated;

constexpr std::uint64_t kSize = 4096;
constexpr unsigned kWarmRounds = 21;

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

Hash head_of(std::uint64_t section) { return value_of<Hash>(9, section); }
Hash hash_of(std::uint64_t block) {
  return block % kSize == kSize - 1 ? head_of(block / kSize) : value_of<Hash>(8, block);
}

constexpr std::string_view kTotalsKey = "bench/totals";

struct Totals {
  std::uint64_t logs = 0;
  std::uint64_t addresses = 0;
  std::uint64_t topics = 0;
  std::uint64_t pairs = 0;
  std::uint64_t bloom_bits = 0;
  std::uint64_t column_bytes = 0;
  double bloom_rates = 0;
};

void add(const LogColumns& columns, std::uint64_t block, Totals& totals) {
  totals.logs += columns.logs();
  totals.addresses += columns.addresses.size();
  totals.topics += columns.topics.size();
  totals.pairs += columns.pairs().size();
  if (block % 64 != 0) return;
  totals.column_bytes +=
      64 * (encode_key_column(columns, block).size() + encode_log_column(columns, block).size());
}

EthereumBloom bloom_of(const LogColumns& columns) {
  std::vector<ByteView> keys;
  for (const Address& address : columns.addresses) keys.emplace_back(address.view());
  for (const Topic& topic : columns.topics) keys.emplace_back(topic.view());
  std::vector<EthereumBits> bits(keys.size());
  bloom_bits(keys, bits);
  EthereumBloom bloom;
  for (const EthereumBits& key : bits) bloom.insert(key);
  return bloom;
}

std::uint64_t ones_in(const EthereumBloom& bloom) {
  std::uint64_t ones = 0;
  for (const std::byte byte : bloom.bytes())
    ones += static_cast<std::uint64_t>(__builtin_popcount(std::to_integer<unsigned>(byte)));
  return ones;
}

void build_section(KeyValueStore& store, std::uint64_t section, Totals& totals) {
  AdaptiveSectionBuilder builder{section, kSize, head_of(section)};
  Generator generator = must(Generator::make(kSize));
  for (std::uint64_t i = 0; i < kSize; ++i) {
    const LogColumns columns = columns_of(receipts_of(section * kSize + i));
    must(builder.add_block(columns));
    const EthereumBloom bloom = bloom_of(columns);
    must(generator.add_bloom(i, bloom.bytes()));
    const double fill = static_cast<double>(ones_in(bloom)) / 2048;
    totals.bloom_bits += ones_in(bloom);
    totals.bloom_rates += fill * fill * fill;
    add(columns, section * kSize + i, totals);
  }
  const AdaptiveSection built = builder.build(kDefaultAdaptiveRate);
  WriteBatch batch;
  for (std::uint32_t chunk = 0; chunk < built.meta.chunks(); ++chunk)
    batch.put(adaptive_chunk_key(built.meta, chunk), encode_chunk(built.chunk(chunk), chunk));
  for (std::uint32_t bucket = 0; bucket < built.meta.posting_buckets; ++bucket)
    batch.put(postings_key(section, head_of(section), bucket), built.postings[bucket]);
  batch.put(adaptive_head_key(section), encode_metadata(built.meta));
  for (std::uint16_t bit = 0; bit < Generator::kVectors; ++bit)
    batch.put(bloom_bits_key(bit, section, head_of(section)),
              text_of(compress_vector(must(generator.bitset(bit)))));
  const Hash head = head_of(section);
  batch.put(section_head_key(section), text_of(head.view()));
  batch.put(canonical_hash_key(section * kSize + kSize - 1), text_of(head.view()));
  must(store.write(batch, Durability::kBuffered));
}

Totals build(KeyValueStore& store, std::uint64_t sections, std::uint64_t threads_wanted) {
  std::mutex mutex;
  std::uint64_t next = 0;
  Totals all;
  const auto work = [&] {
    for (;;) {
      std::uint64_t section = 0;
      {
        const std::lock_guard lock{mutex};
        section = next++;
      }
      if (section >= sections) return;
      Totals totals;
      build_section(store, section, totals);
      const std::lock_guard lock{mutex};
      all.logs += totals.logs;
      all.addresses += totals.addresses;
      all.topics += totals.topics;
      all.pairs += totals.pairs;
      all.bloom_bits += totals.bloom_bits;
      all.bloom_rates += totals.bloom_rates;
      all.column_bytes += totals.column_bytes;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < threads_wanted; ++i) threads.emplace_back(work);
  }
  WriteBatch batch;
  const Hash head = head_of(sections - 1);
  batch.put(kSectionSizeKey, encode_number(kSize));
  batch.put(kSectionCountKey, encode_number(sections));
  batch.put(kHeadBlockKey, text_of(head.view()));
  batch.put(block_number_key(head), encode_number(sections * kSize - 1));
  batch.put(kTotalsKey, {reinterpret_cast<const char*>(&all), sizeof all});
  must(store.write(batch, Durability::kSynced));
  return all;
}

Totals built_or_build(KeyValueStore& store, std::uint64_t sections, std::uint64_t threads) {
  const auto stored = must(store.get(kTotalsKey));
  const auto made = must(store.get(kSectionCountKey));
  if (!stored || stored->size() != sizeof(Totals) || decode_number(*made) != sections)
    return build(store, sections, threads);
  Totals totals;
  std::memcpy(&totals, stored->data(), sizeof totals);
  return totals;
}

// Columns, hash and receipts of a block that a search names.
void keep_block(KeyValueStore& store, std::uint64_t number) {
  if (must(store.get(canonical_hash_key(number))) && number % kSize != kSize - 1) return;
  ImportedBlock block;
  block.header.number = number;
  block.header.hash = hash_of(number);
  block.receipts = receipts_of(number);
  block.has_receipts = true;
  const LogColumns columns = columns_of(block.receipts);
  const Hash head = head_of(number / kSize);
  WriteBatch batch;
  batch.put(key_column_key(number / kSize, head, number), encode_key_column(columns, number));
  batch.put(log_column_key(number / kSize, head, number), encode_log_column(columns, number));
  batch.put(canonical_hash_key(number), text_of(block.header.hash.view()));
  batch.put(note_key(number, block.header.hash), text_of(encode_note(block)));
  batch.put(receipts_key(number, block.header.hash), text_of(encode_storage(block.receipts)));
  must(store.write(batch, Durability::kBuffered));
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

std::vector<std::uint64_t> candidates_of(const CandidateSource& source, const LogQuery& query,
                                         std::uint64_t blocks) {
  std::vector<std::uint64_t> found;
  IndexCost cost;
  const auto collect = [&](std::uint64_t block) {
    found.push_back(block);
    return true;
  };
  must(source.candidates(query, {0, blocks - 1}, collect, {}, cost));
  return found;
}

void search(const ChainReader& reader, const CandidateSource& source, const char* name,
            const LogQuery& query, std::uint64_t blocks) {
  const LogSearch search{reader, {source}};
  QueryReport report;
  double first = 0;
  std::vector<double> times;
  std::vector<double> processor_times;  // what other programs on the machine do not stretch
  for (unsigned round = 0; round < 1 + kWarmRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double processor = processor_milliseconds();
    report = must(search.run(query, {}, [](const FoundLog&) { return true; }));
    processor_times.push_back(processor_milliseconds() - processor);
    times.push_back(milliseconds_since(start));
    if (round > 0) continue;
    first = times[0];
    times.clear();
    processor_times.clear();
  }
  std::sort(times.begin(), times.end());
  std::sort(processor_times.begin(), processor_times.end());
  const auto in_ms = [](StageTimes::Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  std::printf(
      "  %-16s first %.1f ms; warm, of %u: best %.1f, median %.1f, worst %.1f ms, processor %.1f "
      "ms; "
      "the last (planning %.1f, index %.1f, checking %.1f, reading %.1f): %" PRIu64
      " rows, %" PRIu64 " candidates, %.3f %% in vain, %" PRIu64 " logs\n",
      name, first, kWarmRounds, times.front(), times[kWarmRounds / 2], times.back(),
      processor_times[kWarmRounds / 2], in_ms(report.times.planning), in_ms(report.times.index),
      in_ms(report.times.checking), in_ms(report.times.reading), report.index.vectors,
      report.candidates,
      100 * static_cast<double>(report.false_positives) / static_cast<double>(blocks), report.logs);
}

// Searches for absent addresses, another one each, that begin at the same time; and one alone, in
// turn with them.
void search_together(const ChainReader& reader, const CandidateSource& source,
                     const LogQuery& range, std::uint64_t together) {
  const LogSearch search{reader, {source}};
  const auto wall = [&](std::uint64_t searches, std::uint64_t first) {
    std::barrier start{static_cast<std::ptrdiff_t>(searches) + 1};
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < searches; ++i)
      threads.emplace_back([&, i] {
        LogQuery query = range;
        query.addresses = {value_of<Address>(5, first + i)};
        start.arrive_and_wait();
        must(search.run(query, {}, [](const FoundLog&) { return true; }));
      });
    start.arrive_and_wait();
    const auto begun = std::chrono::steady_clock::now();
    threads.clear();
    return milliseconds_since(begun);
  };
  std::vector<double> alone, all;
  for (std::uint64_t round = 0; round < 11; ++round) {
    alone.push_back(wall(1, 1000 * round + 500));
    all.push_back(wall(together, 1000 * round));
  }
  std::sort(alone.begin(), alone.end());
  std::sort(all.begin(), all.end());
  std::printf("  %" PRIu64 " searches at once: median %.1f ms, one alone %.1f ms: %.1f times\n",
              together, all[5], alone[5], all[5] / alone[5]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2)
    return std::fprintf(stderr, "usage: ethlog_million FOLDER [BLOCKS [THREADS]]\n"), 2;
  const std::uint64_t wanted = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1'000'000;
  const std::uint64_t sections = (wanted + kSize - 1) / kSize;
  const std::uint64_t blocks = sections * kSize;
  const auto store = must(open_leveldb(arguments[1], Creation::kAllowed));
  auto start = std::chrono::steady_clock::now();
  const std::uint64_t threads = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 2;
  const Totals totals = built_or_build(*store, sections, threads);
  const auto per_block = [&](auto value) {
    return static_cast<double>(value) / static_cast<double>(blocks);
  };
  std::printf("%" PRIu64
              " blocks, built or found in %.0f s; a block has %.0f logs, %.0f addresses, %.0f "
              "topics, %.0f pairs\n",
              blocks, milliseconds_since(start) / 1000, per_block(totals.logs),
              per_block(totals.addresses), per_block(totals.topics), per_block(totals.pairs));
  const ChainReader reader{*store};
  const CandidateSource adaptive = must(adaptive_source(reader));
  const CandidateSource bloombits = must(bloombits_source(reader));

  LogQuery range;
  range.from = BlockBound{BlockTag::kNumber, 0};
  range.to = BlockBound{BlockTag::kNumber, blocks - 1};
  LogQuery absent = range, rare = range, pair = range;
  absent.addresses = {value_of<Address>(6, 1)};
  rare.topics = {{kRareEvent}};
  pair.addresses = {kRareAddress};
  pair.topics = {{kRareEvent}};
  const std::pair<const char*, const LogQuery*> queries[] = {
      {"absent address", &absent}, {"rare event", &rare}, {"its address too", &pair}};

  std::set<std::uint64_t> named;
  for (const auto& [name, query] : queries)
    for (const std::uint64_t block : candidates_of(adaptive, *query, blocks)) named.insert(block);
  for (const std::uint64_t block : named) keep_block(*store, block);
  std::printf(
      "columns and receipts of %zu blocks, the candidates, generated again and kept; those "
      "of all would take %.0f bytes a block\n",
      named.size(), per_block(totals.column_bytes));

  const AdaptiveStatus status = *must(adaptive_status(reader, kSize));
  std::printf(
      "adaptive: %.0f bytes a block, %u to %u rows, %u probes, real rate %.3f %%, measured "
      "%.3f %%\n",
      per_block(status.row_bytes), status.least_rows, status.most_rows, status.most_probes,
      100 * status.rate, 100 * status.measured_rate);
  for (const auto& [name, query] : queries) search(reader, adaptive, name, *query, blocks);
  for (const std::uint64_t together : {2, 4, 10})
    search_together(reader, adaptive, range, together);
  // A list of the blocks of each address, four bytes a block, beside what finds topics too.
  std::printf("a list (address, blocks) alone: %.0f bytes a block and 20 for each address\n",
              4 * per_block(totals.addresses));
  std::printf("bloombits: 256 bytes a block, %.1f %% of the bits set, real rate %.2f %%\n",
              100 * per_block(totals.bloom_bits) / 2048, 100 * per_block(totals.bloom_rates));
  for (const auto& [name, query] : queries) {
    candidates_of(bloombits, *query, blocks);
    start = std::chrono::steady_clock::now();
    const auto found = candidates_of(bloombits, *query, blocks);
    std::printf(
        "  %-16s index alone, warm %6.1f ms: %zu candidates whose receipts must be read, "
        "%.2f %% of the blocks\n",
        name, milliseconds_since(start), found.size(), 100 * per_block(found.size()));
  }
  return 0;
}
