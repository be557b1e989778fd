// Our engine beside Boost.Bloom, where a Boost that has it is found: 64-bit numbers and byte keys
// of 23 and 61 bytes, at several sizes of filter. Every line has bits per key and the measured
// rate.
//   engine_bench [--keys 10k,1M,100M] [--bits-per-key 10] [--kind numbers|23|61] [--rounds 5]
// Contenders take turns within a round; medians over rounds of the thread's CPU time count, for the
// machine is shared.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <thread>
#include <vector>

#include "bench/contenders.h"
#include "bloomery/base/split_mix.h"

namespace bloomery::bench {
namespace {

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

using Random = internal::SplitMix64;

// Random keys, and queries of which half are among them. At least a million queries: fewer would
// let a branch predictor learn them.
template <class Key>
class KeySet {
 public:
  KeySet(std::size_t count, std::size_t key_bytes) : key_bytes_{key_bytes} {
    const std::size_t queries = std::clamp<std::size_t>(count, 1'000'000, 8'000'000);
    if constexpr (!kNumbers<Key>) arena_.resize((count + queries) * key_bytes);
    Random random{count};
    present_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) present_.push_back(make(random));
    for (std::size_t i = 0; i < queries; ++i) absent_.push_back(make(random));
    for (std::size_t i = 0; i < queries; ++i)
      mixed_.push_back((random() & 1) != 0 ? present_[random() % count] : absent_[i]);
  }
  std::span<const Key> present() const { return present_; }
  std::span<const Key> absent() const { return absent_; }
  std::span<const Key> mixed() const { return mixed_; }

 private:
  Key make(Random& random) {
    if constexpr (kNumbers<Key>) {
      return random();
    } else {
      std::byte* key = arena_.data() + used_;
      used_ += key_bytes_;
      for (std::size_t i = 0; i < key_bytes_; ++i)
        key[i] = static_cast<std::byte>('a' + random() % 26);
      return {key, key_bytes_};
    }
  }
  std::size_t key_bytes_;
  std::size_t used_ = 0;
  std::vector<std::byte> arena_;
  std::vector<Key> present_, absent_, mixed_;
};

enum Measured { kBatch, kOne, kBulkInsert, kOneInsert, kMeasured };
using Rounds = std::array<std::vector<double>, kMeasured>;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

template <class Key>
double time_inserts(const Contender<Key>& filter, std::span<const Key> keys,
                    const std::function<void(std::span<const Key>)>& insert) {
  // A small filter is filled many times: one filling is too short to be timed.
  const std::size_t fillings = std::max<std::size_t>(1, 1'000'000 / keys.size());
  double sum = 0;
  for (std::size_t i = 0; i < fillings; ++i) {
    filter.clear();
    const double begin = seconds();
    insert(keys);
    sum += seconds() - begin;
  }
  return sum / static_cast<double>(fillings * keys.size()) * 1e9;
}

template <class Key>
void measure_round(const Contender<Key>& filter, const KeySet<Key>& keys,
                   std::vector<std::uint8_t>& answers, Rounds& rounds) {
  rounds[kOneInsert].push_back(time_inserts(filter, keys.present(), filter.insert_one));
  rounds[kBulkInsert].push_back(time_inserts(filter, keys.present(), filter.insert_batch));
  const auto count = static_cast<double>(keys.mixed().size());
  double begin = seconds();
  const std::size_t in_batch = filter.look_up_batch(keys.mixed(), answers);
  rounds[kBatch].push_back((seconds() - begin) / count * 1e9);
  begin = seconds();
  const std::size_t one_by_one = filter.look_up_one(keys.mixed());
  rounds[kOne].push_back((seconds() - begin) / count * 1e9);
  if (in_batch != one_by_one) {
    std::fprintf(stderr, "%s: batch and single answers differ\n", filter.name.c_str());
    std::exit(1);
  }
}

struct Options {
  std::vector<std::size_t> keys = {10'000, 1'000'000, 100'000'000};
  double bits_per_key = 10;
  std::string kind = "numbers";
  std::size_t rounds = 0;  // 0: by the number of keys
};

template <class Key>
std::vector<Contender<Key>> contenders(std::size_t keys, double bits_per_key) {
  const auto bits = static_cast<std::size_t>(static_cast<double>(keys) * bits_per_key);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, (bits + 511) / 512);
  const std::uint32_t best = best_block_probes(blocks, static_cast<double>(keys));
  const std::string best_name = "bloomery aes, " + std::to_string(best) + " probes";
  std::vector<Contender<Key>> all;
#if defined(BLOOMERY_BENCH_BOOST)
  using namespace boost::bloom;
  all.push_back(boost_bloom<Key, fast_multiblock64<8>>("Boost fast_multiblock64<8>", bits));
  all.push_back(boost_bloom<Key, fast_multiblock32<8>>("Boost fast_multiblock32<8>", bits));
#endif
  all.push_back(ours<Key>("bloomery aes, 8 probes", {blocks, 8}, Profile::kAes));
  if (best != 8) all.push_back(ours<Key>(best_name, {blocks, best}, Profile::kAes));
  all.push_back(ours<Key>("bloomery xxh3, 8 probes", {blocks, 8}, Profile::kXxh3));
  if constexpr (kNumbers<Key>)
    all.push_back(ours<Key>("bloomery mix, 8 probes", {blocks, 8}, Profile::kMix));
  const std::uint64_t seeded_blocks = std::max<std::uint64_t>(1, bits / 520);
  all.push_back(ours_seeded<Key>({seeded_blocks, best, true}, Profile::kAes));
  return all;
}

template <class Key>
void run(std::size_t count, const Options& options, std::size_t key_bytes) {
  const KeySet<Key> keys{count, key_bytes};
  const auto filters = contenders<Key>(count, options.bits_per_key);
  std::vector<std::uint8_t> answers(keys.mixed().size());
  std::map<std::string, Rounds> measured;
  std::map<std::string, double> rates;
  const std::size_t by_size = count > 50'000'000 ? 3 : count < 100'000 ? 15 : 9;
  const std::size_t rounds = options.rounds != 0 ? options.rounds : by_size;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const auto& filter : filters) {
      measure_round(filter, keys, answers, measured[filter.name]);
      if (round == 0)
        rates[filter.name] = static_cast<double>(filter.look_up_batch(keys.absent(), answers)) /
                             static_cast<double>(keys.absent().size());
    }
  std::printf("\n%zu keys (%s)\n\n", count, options.kind.c_str());
  std::printf(
      "| filter | batch lookup | one lookup | bulk insert | one insert | bits/key | fpr |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const auto& filter : filters) {
    const Rounds& times = measured[filter.name];
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.4f %% |\n", filter.name.c_str(),
                median(times[kBatch]), median(times[kOne]), median(times[kBulkInsert]),
                median(times[kOneInsert]),
                static_cast<double>(filter.bytes) * 8 / static_cast<double>(count),
                rates[filter.name] * 100);
  }
  std::fflush(stdout);
}

std::size_t parse_count(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1;
  return static_cast<std::size_t>(number * unit);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    std::string value = argv[i + 1];
    if (name == "--bits-per-key") options.bits_per_key = std::strtod(value.c_str(), nullptr);
    if (name == "--kind") options.kind = value;
    if (name == "--rounds") options.rounds = parse_count(value);
    if (name != "--keys") continue;
    options.keys.clear();
    for (std::size_t at = 0; at < value.size();
         at = std::min(value.find(',', at), value.size()) + 1)
      options.keys.push_back(parse_count(value.substr(at, value.find(',', at) - at)));
  }
  return options;
}

}  // namespace
}  // namespace bloomery::bench

int main(int argc, char** argv) {
  using namespace bloomery;
  const bench::Options options = bench::parse(argc, argv);
  std::printf("kernels: %s, %.3g bits per key, ns per key\n",
              std::string{simd::active_block_kernels().name}.c_str(), options.bits_per_key);
  for (const std::size_t keys : options.keys) {
    if (options.kind == "numbers")
      bench::run<std::uint64_t>(keys, options, 0);
    else
      bench::run<ByteView>(keys, options, bench::parse_count(options.kind));
  }
}
