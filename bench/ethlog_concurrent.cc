// Searches over a bloom-bit index on disk, 1, 4 and 16 at a time: read directly, and by the threads
// that searches share, with a cold and a warm page cache.
// Usage: ethlog_concurrent FOLDER [SECTIONS [ROUNDS [cold|warm]]]. Makes the folder (1 MiB a
// section) or uses the one that is there. Cold rounds drop the page cache, which needs root;
// without, they are left out.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

#include "apps/ethlog/index/bloombits/search.h"
#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/kv/kv_leveldb.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/split_mix.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;

constexpr std::uint64_t kSize = 4096;
constexpr std::uint16_t kVectors = 2048;

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}
void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

Hash head_of(std::uint64_t section) {
  Hash head;
  internal::SplitMix64 random{section};
  for (std::byte& byte : head.bytes) byte = static_cast<std::byte>(random());
  return head;
}

std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Three of eight bits are set: about as full as the blooms of today's blocks.
void build(KeyValueStore& store, std::uint64_t sections) {
  std::vector<std::byte> vector(kSize / 8);
  for (std::uint64_t section = 0; section < sections; ++section) {
    WriteBatch batch;
    internal::SplitMix64 random{section << 32};
    const Hash head = head_of(section);
    for (std::uint16_t bit = 0; bit < kVectors; ++bit) {
      for (std::size_t at = 0; at < vector.size(); at += 8)
        store_le(vector.data() + at, random() & (random() | random()));
      batch.put(bloom_bits_key(bit, section, head), text_of(compress_vector(vector)));
    }
    batch.put(section_head_key(section), text_of(head.view()));
    batch.put(canonical_hash_key(section * kSize + kSize - 1), text_of(head.view()));
    must(store.write(batch, Durability::kBuffered));
  }
  WriteBatch batch;
  batch.put(kSectionSizeKey, encode_number(kSize));
  batch.put(kSectionCountKey, encode_number(sections));
  must(store.write(batch, Durability::kSynced));
}

bool drop_page_cache() {
  std::ofstream file{"/proc/sys/vm/drop_caches"};
  file << "3" << std::flush;
  return file.good();
}

// Searches either have all the same key, as pages of one application do, or each its own.
LogQuery query_of(std::size_t search, bool same) {
  Address address;
  internal::SplitMix64 random{same ? 1 : search + 1};
  for (std::byte& byte : address.bytes) byte = static_cast<std::byte>(random());
  LogQuery query;
  query.addresses = {address};
  return query;
}

struct Outcome {
  double milliseconds = 0;
  double processor_milliseconds = 0;  // of all threads
  std::uint64_t candidates = 0;
  IndexCost cost;
};

double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

Outcome run(const CandidateSource& source, std::size_t searches, bool same, std::uint64_t blocks) {
  std::vector<Outcome> outcomes(searches);
  const auto start = std::chrono::steady_clock::now();
  const double processor = processor_milliseconds();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < searches; ++i)
      threads.emplace_back([&, i] {
        const auto count = [&](std::uint64_t) { return ++outcomes[i].candidates > 0; };
        must(source.candidates(query_of(i, same), {0, blocks - 1}, count, {}, outcomes[i].cost));
      });
  }
  Outcome all;
  all.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  all.processor_milliseconds = processor_milliseconds() - processor;
  for (const Outcome& one : outcomes) {
    all.candidates += one.candidates;
    all.cost += one.cost;
  }
  return all;
}

constexpr std::pair<const char*, MatchMode> kModes[] = {
    {"direct", MatchMode::kDirect}, {"threads", MatchMode::kThreads}, {"auto", MatchMode::kAuto}};

// Every cold round opens the folder anew, because LevelDB keeps blocks of its own.
void measure(const char* folder, std::uint64_t sections, unsigned rounds, bool cold, bool same,
             std::size_t searches) {
  std::printf("%s, %zu searches, %s:", cold ? "cold" : "warm", searches,
              same ? "one key" : "a key each");
  for (const auto& [name, mode] : kModes) {
    std::vector<double> times;
    std::vector<double> processor;
    Outcome last;
    std::unique_ptr<KeyValueStore> store;
    std::optional<ChainReader> reader;
    std::optional<CandidateSource> source;
    for (unsigned round = 0; round < rounds + (cold ? 0 : 1); ++round) {
      if (cold || round == 0) {
        source.reset();
        reader.reset();
        store.reset();
        store = must(open_leveldb(folder, Creation::kMustExist));
        reader.emplace(*store);
        if (cold && !drop_page_cache()) {  // after opening, which reads all files to check them
          std::printf(" left out: the page cache cannot be dropped\n");
          return;
        }
      }
      // Fresh threads, and so no vectors kept of the round before.
      source.emplace(must(bloombits_source(*reader, mode)));
      last = run(*source, searches, same, sections * kSize);
      if (!cold && round == 0) continue;
      times.push_back(last.milliseconds);
      processor.push_back(last.processor_milliseconds);
    }
    std::ranges::sort(times);
    std::ranges::sort(processor);
    std::printf("\n  %-8s %7.1f ms, best %7.1f, processor %7.1f; %" PRIu64 " vectors, %" PRIu64
                " shared, %" PRIu64 " of %" PRIu64 " sections by threads",
                name, times[times.size() / 2], times.front(), processor[processor.size() / 2],
                last.cost.vectors, last.cost.vectors_shared, last.cost.sections_threaded,
                last.cost.sections);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2)
    return std::fprintf(stderr,
                        "usage: ethlog_concurrent FOLDER [SECTIONS [ROUNDS [cold|warm]]]\n"),
           2;
  const std::uint64_t wanted = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1000;
  const auto rounds =
      static_cast<unsigned>(count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 5);
  {
    const auto store = must(open_leveldb(arguments[1], Creation::kAllowed));
    const auto made = must(store->get(kSectionCountKey));
    if (!made || decode_number(*made) != wanted) build(*store, wanted);
  }
  const std::string_view only = count > 4 ? arguments[4] : "";
  for (const bool cold : {false, true}) {
    if (!only.empty() && (only == "cold") != cold) continue;
    for (const bool same : {true, false})
      for (const std::size_t searches : {1U, 4U, 16U})
        if (searches > 1 || same) measure(arguments[1], wanted, rounds, cold, same, searches);
  }
  return 0;
}
