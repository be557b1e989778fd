// The computing half of the log search: blooms from logs, sections turned into bit vectors, and
// candidate blocks from vectors in memory. Every search is printed beside the share of blocks that
// it names, which no speed may change. BLOOMERY_CPU picks the kernels. With a file of blocks as its
// argument: the check of a candidate of the adaptive index instead, for each of them; and with a
// folder too, through a LevelDB store there.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/index/adaptive/columns_check.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/bloombits/direct_match.h"
#include "apps/ethlog/index/bloombits/generator.h"
#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/kv/kv_leveldb.h"
#include "apps/ethlog/kv/kv_memory.h"
#include "apps/ethlog/model/log_match.h"
#include "apps/ethlog/model/receipts.h"
#include "bloomery/base/endian.h"
#include "bloomery/formats/ethereum_bloom.h"
#include "bloomery/simd/bit_matrix_kernels.h"
#include "bloomery/simd/keccak_kernels.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;

constexpr std::size_t kRounds = 9;
constexpr std::uint64_t kSectionSize = 4096;
constexpr std::size_t kVectorBytes = kSectionSize / 8;

template <class Work>
double median_nanoseconds(Work work) {
  std::vector<double> times;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work(round);
    const auto stop = std::chrono::steady_clock::now();
    times.push_back(std::chrono::duration<double, std::nano>(stop - start).count());
  }
  std::ranges::nth_element(times, times.begin() + kRounds / 2);
  return times[kRounds / 2];
}

void bench_blooms() {
  constexpr std::size_t kLogs = 1000;
  std::mt19937_64 random{1};
  std::vector<std::byte> bytes(kLogs * 128);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  std::vector<ByteView> topics;
  for (std::size_t i = 0; i < 3 * kLogs; ++i)
    topics.push_back(ByteView{bytes}.subspan(i / 3 * 128 + 32 * (i % 3 + 1), 32));
  std::vector<EthereumLogView> logs;
  for (std::size_t i = 0; i < kLogs; ++i)
    logs.push_back({ByteView{bytes}.subspan(128 * i, 20), std::span{topics}.subspan(3 * i, 3)});
  EthereumBloom all;
  const double together = median_nanoseconds([&](std::size_t) { all = logs_bloom(logs); });
  std::size_t found = 0;
  const double apart = median_nanoseconds([&](std::size_t) {
    for (const EthereumLogView& log : logs) found += logs_bloom({&log, 1}) == all ? 1 : 0;
  });
  std::printf("create_bloom, 4 keys a log, 1000 logs      %8.1f ns/log\n", together / kLogs);
  std::printf("create_bloom, 4 keys a log, one log        %8.1f ns/log\n", apart / kLogs);
}

void bench_generator() {
  std::mt19937_64 random{2};
  std::vector<std::byte> blooms(kSectionSize * Generator::kBloomBytes);
  for (std::size_t at = 0; at < blooms.size(); at += 8) store_le(blooms.data() + at, random());
  const double time = median_nanoseconds([&](std::size_t) {
    auto generator = *Generator::make(kSectionSize);
    for (std::uint64_t i = 0; i < kSectionSize; ++i)
      if (!generator.add_bloom(
              i, std::span<const std::byte, Generator::kBloomBytes>{
                     blooms.data() + i * Generator::kBloomBytes, Generator::kBloomBytes}))
        std::abort();
    if (!generator.bitset(0)) std::abort();
  });
  std::printf("generator, section of 4096                 %8.1f ns/header\n",
              time / double{kSectionSize});
}

// Vectors whose bits are set with a probability of `density` / 256.
class Index {
 public:
  Index(std::size_t sections, unsigned density)
      : sections_{sections}, vectors_{sections * Generator::kVectors * kVectorBytes} {
    std::mt19937_64 random{density};
    for (std::size_t at = 0; at < vectors_.size(); at += 8) {
      std::uint64_t word = 0;
      for (unsigned bit = 0; bit < 8; ++bit)
        word = (density >> bit & 1) != 0 ? word | random() : word & random();
      store_le(vectors_.span().data() + at, word);
    }
  }
  std::uint64_t blocks() const { return sections_ * kSectionSize; }
  ByteView operator()(std::uint32_t bit, std::uint64_t section) const {
    return vectors_.view().subspan((section * Generator::kVectors + bit) * kVectorBytes,
                                   kVectorBytes);
  }

 private:
  std::size_t sections_;
  Buffer vectors_;  // in huge pages
};

std::vector<BitClause> random_clauses(std::mt19937_64& random,
                                      std::initializer_list<std::size_t> shape) {
  std::vector<BitClause> clauses;
  for (const std::size_t keys : shape) {
    BitClause& clause = clauses.emplace_back(keys);
    for (KeyBits& key : clause)
      for (std::uint32_t& bit : key) bit = static_cast<std::uint32_t>(random() % 2048);
  }
  return clauses;
}

// Other keys in every round: no vector is in a cache because the last search left it there.
void bench_search(const Index& index, const char* name, std::initializer_list<std::size_t> shape) {
  std::mt19937_64 random{3};
  const VectorSource source = [&](std::uint32_t bit, std::uint64_t section) {
    return index(bit, section);
  };
  const std::size_t searches = index.blocks() < 1'000'000 ? 8 : 1;
  std::size_t candidates = 0;
  const BlockSink count = [&](std::span<const std::uint64_t> blocks) {
    candidates += blocks.size();
    return true;
  };
  const double time = median_nanoseconds([&](std::size_t) {
    for (std::size_t i = 0; i < searches; ++i) {
      const DirectMatcher matcher{kSectionSize, random_clauses(random, shape)};
      if (!matcher.match(0, index.blocks() - 1, source, count)) std::abort();
    }
  });
  const auto searched = static_cast<double>(searches * index.blocks());
  std::printf("  %-24s %8.4f ns/block %10.4f %% candidates\n", name, time / searched,
              100 * static_cast<double>(candidates) / (kRounds * searched));
}

void bench_compression(const Index& index, unsigned density) {
  std::vector<std::vector<std::byte>> stored(Generator::kVectors);
  const double in = median_nanoseconds([&](std::size_t) {
    for (std::uint32_t bit = 0; bit < stored.size(); ++bit)
      stored[bit] = compress_vector(index(bit, 0));
  });
  std::size_t bytes = 0;
  for (const auto& vector : stored) bytes += vector.size();
  const double out = median_nanoseconds([&](std::size_t) {
    for (const auto& vector : stored)
      if (!decompress_vector(vector, kVectorBytes)) std::abort();
  });
  const auto count = static_cast<double>(stored.size());
  std::printf("compression at %4.1f %%: %6.1f ns in, %6.1f ns out a vector, %5.1f %% of its size\n",
              density / 2.56, in / count, out / count,
              100 * static_cast<double>(bytes) / (count * kVectorBytes));
}

// ---- the check of a candidate by its columns

// Absent from every block.
Address other_address() {
  Address address;
  address.bytes.fill(std::byte{0xab});
  return address;
}

// As a search checks a candidate, in a section 0 whose head is no hash.
bool check(const ColumnsCheck& check, const KeyValueStore& store, std::uint64_t block) {
  const auto keys = store.get(key_column_key(0, {}, block));
  if (!keys) std::abort();
  if (!*keys) {
    const auto columns = PartedColumns::open(block, [&](std::uint32_t part) -> Result<std::string> {
      auto record = store.get(part_key(0, {}, block, part));
      if (!record || !*record) std::abort();
      return std::move(**record);
    });
    if (!columns) std::abort();
    const auto found = check.matches(*columns);
    if (!found) std::abort();
    return *found;
  }
  const auto key_column = KeyColumn::decode(bytes_of(**keys), block);
  if (!key_column) std::abort();
  if (!check.may_match(*key_column)) return false;
  if (!check.needs_logs()) return true;
  const auto logs = store.get(log_column_key(0, {}, block));
  if (!logs || !*logs) std::abort();
  const auto log_column = LogColumn::decode(bytes_of(**logs), block);
  if (!log_column) std::abort();
  return check.matches(*key_column, *log_column);
}

// Records as they are stored, checksums tested; beside it the receipts decoded and looked through.
void bench_check(const ImportedBlock& block, KeyValueStore& store) {
  const LogColumns columns = columns_of(block.receipts);
  const std::uint64_t number = block.header.number;
  std::size_t records = 0;
  WriteBatch batch;
  const OnRecord put = [&](const std::string& key, const std::string& value) {
    batch.put(key, value);
    records += 1;
    return ok();
  };
  if (!for_each_column_record(columns, ColumnForm::kInParts, 0, {}, number, put) ||
      !store.write(batch, Durability::kBuffered))
    std::abort();
  LogQuery by_address;
  by_address.addresses = {other_address()};
  // Address and topic are there, but in no log together: everything must be looked at.
  LogQuery by_logs;
  by_logs.addresses = {columns.addresses.front()};
  by_logs.topics = {{}, {}, {}, {columns.topics.front()}};
  LogQuery by_topic;
  by_topic.topics = by_logs.topics;
  LogQuery many = by_address;
  for (unsigned i = 0; i < 10'000; ++i) {
    Address& address = many.addresses.emplace_back(other_address());
    store_le(address.bytes.data() + 4, i * 0x9e3779b9U);
  }
  constexpr std::size_t kChecks = 100;
  const auto time_of = [&](const LogQuery& query) {
    const ColumnsCheck ready{query};
    return median_nanoseconds([&](std::size_t) {
             std::size_t found = 0;
             for (std::size_t i = 0; i < kChecks; ++i) found += check(ready, store, number) ? 1 : 0;
             if (found == kChecks) std::printf("(found) ");
           }) /
           kChecks / 1000;
  };
  const SortedQuery sorted{by_address};
  const std::vector<std::byte> stored = encode_storage(block.receipts);
  const double decoding = median_nanoseconds([&](std::size_t) {
    const auto receipts = decode_storage(stored);
    std::size_t found = 0;
    for (const Receipt& receipt : *receipts)
      for (const Log& log : receipt.logs) found += matches(sorted, log) ? 1 : 0;
    if (found > 0) std::abort();
  });
  std::printf(
      "  %10llu %6zu logs, %6zu bytes in %3zu records: address %6.2f us, logs %6.2f us, topic "
      "%6.2f "
      "us, 10000 addresses %6.2f us; receipts %7.1f us\n",
      static_cast<unsigned long long>(number), columns.logs(), batch.bytes(), records,
      time_of(by_address), time_of(by_logs), time_of(by_topic), time_of(many), decoding / 1000);
}

// A file of blocks with their receipts, such as eth import takes.
void bench_checks(const char* path, KeyValueStore& store) {
  const auto blocks = blocks_in_file(path);
  if (!blocks) {
    std::fprintf(stderr, "%s\n", blocks.error().message.c_str());
    return;
  }
  std::printf("check of a candidate\n");
  for (;;) {
    const auto block = (*blocks)();
    if (!block || !*block) return;
    if ((*block)->has_receipts && !(*block)->header.bloom.is_zero()) bench_check(**block, store);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    MemoryStore memory;
    bench_checks(arguments[1], memory);
    if (count == 2) return 0;
    const auto store = open_leveldb(arguments[2], Creation::kAllowed);
    if (!store) return std::fprintf(stderr, "%s\n", store.error().message.c_str()), 1;
    bench_checks(arguments[1], **store);
    return 0;
  }
  std::printf("kernels: %s, %s\n", simd::active_keccak_kernels().name.data(),
              simd::active_bit_matrix_kernels().name.data());
  bench_blooms();
  bench_generator();
  for (const unsigned density : {5U, 77U, 164U}) {
    for (const std::size_t sections : {16U, 256U}) {
      const Index index{sections, density};
      std::printf("matcher, %zu blocks, %.1f %% of the bits set\n", sections * kSectionSize,
                  density / 2.56);
      bench_search(index, "one address", {1});
      bench_search(index, "address + 3 topics", {1, 1, 1, 1});
      bench_search(index, "50 addresses", {50});
      bench_search(index, "50 addresses + topic", {50, 1});
      if (sections == 16) bench_compression(index, density);
    }
  }
  return 0;
}
