#include "bench/scale_sim/simulation.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "bloomery/filter/block/health.h"
#include "bloomery/filter/block/part.h"

namespace bloomery::bench {
namespace {

// CPU time of this thread: others may have the rest of the machine.
class Stopwatch {
 public:
  void start() { began_ = now(); }
  void stop(std::size_t keys) {
    spent_ += now() - began_;
    keys_ += static_cast<double>(keys);
  }
  double ns_per_key() const { return keys_ == 0 ? 0 : spent_ / keys_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }
  double began_ = 0;
  double spent_ = 0;
  double keys_ = 0;
};

// Streams of their own: states one step of the generator apart would repeat one another.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream) {
  return internal::SplitMix64{internal::SplitMix64{seed}() + stream}();
}

// How many of the keys fall into this share of the places: a binomial variable, by the normal law.
std::uint64_t keys_in_share(double keys, double share, std::uint64_t seed) {
  internal::SplitMix64 random{seed_of(seed, 1)};
  const double one = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
  const double two = static_cast<double>(random() >> 11) * 0x1p-53;
  const double normal = std::sqrt(-2 * std::log(one)) * std::cos(2 * std::numbers::pi * two);
  const double mean = keys * share;
  return static_cast<std::uint64_t>(
      std::llround(std::max(1.0, mean + normal * std::sqrt(mean * (1 - share)))));
}

// Every block is counted: a health() of that many would sample.
double rate_of_bits(const BlockPart& part) {
  const ByteView bytes = part.bytes();
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const std::uint64_t blocks = part.range().size();
  double sum = 0;
  for (std::uint64_t at = 0; at < blocks; at += kPiece) {
    const std::uint64_t count = std::min<std::uint64_t>(kPiece, blocks - at);
    const BlockShape piece{count, part.whole_shape().probes};
    sum += static_cast<double>(count) *
           block_health(piece,
                        bytes.subspan(static_cast<std::size_t>(at) * block::kBlockBytes,
                                      static_cast<std::size_t>(count) * block::kBlockBytes),
                        std::nullopt)
               .error_rate;
  }
  return sum / static_cast<double>(blocks);
}

double deviation_of_part(const Trial& trial, double keys, double share) {
  const double part_keys = keys * share;
  const BlockShape own{blocks_of(trial.part, trial.shape.blocks).size(), trial.shape.probes};
  const double of_hash = rate_deviation(own, part_keys);
  const double more = part_keys + std::sqrt(part_keys * (1 - share));
  return std::hypot(of_hash, expected_rate(own, more) - expected_rate(own, part_keys));
}

class Run {
 public:
  Run(const Trial& trial, BlockPart part)
      : trial_{trial},
        places_{PlaceRange::of(trial.part, trial.shape.blocks)},
        part_{std::move(part)} {}

  Outcome operator()() {
    KeyStream stream = inserted();
    std::uint64_t part_keys = 0;
    std::span<const ByteView> keys;  // those of the stream that are not inserted yet
    for (std::size_t step = 0; step < trial_.steps.size(); ++step) {
      const double share = trial_.steps[step] / trial_.steps.back();
      const bool is_last = step + 1 == trial_.steps.size();
      const auto until = static_cast<std::uint64_t>(share * static_cast<double>(total_));
      while (is_last || part_keys < until) {
        if (keys.empty()) keys = stream.next();
        if (keys.empty()) break;
        const auto count =
            is_last
                ? keys.size()
                : static_cast<std::size_t>(std::min<std::uint64_t>(keys.size(), until - part_keys));
        insert(keys.first(count));
        keys = keys.subspan(count);
        part_keys += count;
      }
      measure(trial_.steps[step], part_keys, step);
    }
    look_up_inserted();
    outcome_.part_bytes = part_.bytes().size();
    outcome_.build_ns = build_.ns_per_key();
    outcome_.hit_ns = hit_.ns_per_key();
    outcome_.miss_ns = miss_.ns_per_key();
    return std::move(outcome_);
  }

 private:
  KeyStream inserted() {
    const double keys = static_cast<double>(trial_.goal.keys) * trial_.steps.back();
    KeySource source{trial_.keys, seed_of(trial_.seed, 0), 0, 0, static_cast<std::uint64_t>(keys)};
    total_ = source.count = keys_in_share(keys, places_.share(), trial_.seed);
    return {trial_.profile, places_, source};
  }
  // Numbers that no scan inserts; of the inverse, other draws.
  KeyStream absent(std::size_t step) const {
    KeySource source{trial_.keys, seed_of(trial_.seed, 2 + step), trial_.queries,
                     (std::uint64_t{1} << 62) + (std::uint64_t{step} << 56), 0};
    source.end = source.first +
                 static_cast<std::uint64_t>(static_cast<double>(trial_.queries) / places_.share());
    return {trial_.profile, places_, source};
  }
  void insert(std::span<const ByteView> keys) {
    const Hasher hasher{trial_.profile};
    for (const ByteView key : keys) outcome_.misrouted += places_.holds(hasher(key).low) ? 0 : 1;
    build_.start();
    part_.insert_batch(keys, answers_);
    build_.stop(keys.size());
  }
  std::size_t look_up(std::span<const ByteView> keys, Stopwatch& watch) {
    watch.start();
    const std::size_t maybes = part_.may_contain_batch(keys, answers_);
    watch.stop(keys.size());
    return maybes;
  }
  void look_up_inserted() {
    KeyStream stream = inserted();
    for (auto keys = stream.next(); !keys.empty(); keys = stream.next())
      outcome_.false_negatives += keys.size() - look_up(keys, hit_);
  }
  void measure(double share, std::uint64_t part_keys, std::size_t step) {
    Measured measured;
    measured.keys = static_cast<double>(trial_.goal.keys) * share;
    measured.part_keys = part_keys;
    measured.expected = expected_rate(trial_.shape, measured.keys);
    measured.part_deviation = deviation_of_part(trial_, measured.keys, places_.share());
    measured.bits_rate = rate_of_bits(part_);
    KeyStream stream = absent(step);
    for (auto keys = stream.next(); !keys.empty(); keys = stream.next()) {
      measured.queries += keys.size();
      measured.maybes += look_up(keys, miss_);
    }
    outcome_.steps.push_back(measured);
  }

  const Trial& trial_;
  PlaceRange places_;
  BlockPart part_;
  std::uint64_t total_ = 0;
  std::array<std::uint8_t, KeyStream::kMost> answers_{};
  Stopwatch build_;
  Stopwatch hit_;
  Stopwatch miss_;
  Outcome outcome_;
};

}  // namespace

double Measured::query_deviation() const {
  return std::sqrt(expected * (1 - expected) / static_cast<double>(queries));
}

double Measured::deviation() const { return std::hypot(query_deviation(), part_deviation); }

Result<Outcome> simulate(const Trial& trial) {
  if (trial.keys == KeySource::Kind::kInverse && !has_inverse(trial.profile))
    return Error{ErrorCode::kInvalidArgument,
                 "only keys of xxh3, xxh3-64 and mix can be drawn from their hashes; scan numbers"};
  auto part = BlockPart::create(trial.shape, trial.part, {Hasher{trial.profile}});
  if (!part) return part.error();
  return Run{trial, std::move(*part)}();
}

}  // namespace bloomery::bench
