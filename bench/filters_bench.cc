// Nanoseconds per key for adding, for keys that are in and for keys that are not, one at a time and
// in batches; every line with bits per key and the false-positive rate measured on the same filter.
//   filters_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
// bench/results.py runs it beside the peers of other languages and writes RESULTS.md.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench/keys.h"
#include "bench/peers.h"
#include "bloomery/formats/any_filter.h"

namespace bloomery::bench {
namespace {

constexpr std::size_t kQueries = 1 << 20;  // fewer would let the branch predictor learn them
constexpr std::size_t kBatch = 1024;
constexpr double kRate = 0.01;
constexpr std::size_t kMillion = 1'000'000;

const Keys& present(std::size_t count) {
  static std::unique_ptr<Keys> keys;
  if (!keys || keys->views().size() != count) keys = std::make_unique<Keys>(count, 1);
  return *keys;
}
const Keys& absent() {
  static const Keys keys{kQueries, 2};
  return keys;
}

template <class F>
void describe_line(benchmark::State& state, const F& filter, std::size_t keys) {
  std::size_t maybe = 0;
  for (const ByteView key : absent().views()) maybe += filter.may_contain(key) ? 1 : 0;
  state.counters["fpr"] = static_cast<double>(maybe) / kQueries;
  state.counters["bits_per_key"] =
      static_cast<double>(filter.size_bytes()) * 8 / static_cast<double>(keys);
  state.counters["keys"] = static_cast<double>(keys);
}

// The keys a lookup asks for: the first of those inserted, in another order, or absent ones.
std::span<const ByteView> queries(std::size_t keys, bool hits) {
  return hits ? present(keys).views().last(std::min(keys, kQueries)) : absent().views();
}

template <class F>
void look_up(benchmark::State& state, const F& filter, std::span<const ByteView> asked) {
  for (auto _ : state) {
    std::size_t maybe = 0;
    for (const ByteView key : asked) maybe += filter.may_contain(key) ? 1 : 0;
    benchmark::DoNotOptimize(maybe);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * asked.size()));
}

template <class F>
void look_up_batch(benchmark::State& state, const F& filter, std::span<const ByteView> asked) {
  std::vector<std::uint8_t> answers(kBatch);
  for (auto _ : state)
    for (std::size_t at = 0; at + kBatch <= asked.size(); at += kBatch) {
      filter.may_contain_batch(asked.subspan(at, kBatch), answers);
      benchmark::DoNotOptimize(answers.data());
    }
  state.SetItemsProcessed(
      static_cast<std::int64_t>(state.iterations() * (asked.size() / kBatch * kBatch)));
}

template <class F>
void add_all(F& filter, std::span<const ByteView> keys, bool batch) {
  if constexpr (requires { filter.insert_batch(keys); }) {
    if (batch) {
      for (std::size_t at = 0; at < keys.size(); at += kBatch)
        filter.insert_batch(keys.subspan(at, std::min(kBatch, keys.size() - at)));
      return;
    }
  }
  if constexpr (requires { filter.build(keys); }) {
    filter.build(keys);
  } else {
    for (const ByteView key : keys) filter.insert(key);
  }
}

// One benchmark: what is done (add, hit, miss), how (one, batch), on a filter that `make` gives.
template <class Make>
void measure(const std::string& name, std::size_t keys, Make make, bool has_batch) {
  using F = std::remove_cvref_t<decltype(*make())>;
  const auto filled = std::make_shared<std::unique_ptr<F>>();  // made when first asked, then shared
  const auto get = [=]() -> F& {
    if (!*filled) {
      *filled = make();
      add_all(**filled, present(keys).views(), false);
    }
    return **filled;
  };
  for (const bool batch : {false, true}) {
    if (batch && !has_batch) continue;
    const std::string suffix = std::string{"/"} + (batch ? "batch" : "one");
    benchmark::RegisterBenchmark((name + "/add" + suffix).c_str(), [=](benchmark::State& state) {
      for (auto _ : state) {
        state.PauseTiming();
        auto filter = make();
        state.ResumeTiming();
        add_all(*filter, present(keys).views(), batch);
      }
      state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * keys));
      describe_line(state, get(), keys);
    });
    for (const bool hits : {true, false})
      benchmark::RegisterBenchmark(
          (name + (hits ? "/hit" : "/miss") + suffix).c_str(), [=](benchmark::State& state) {
            const F& filter = get();
            if constexpr (requires(std::span<std::uint8_t> out) {
                            filter.may_contain_batch(absent().views(), out);
                          }) {
              if (batch) {
                look_up_batch(state, filter, queries(keys, hits));
                return describe_line(state, filter, keys);
              }
            }
            look_up(state, filter, queries(keys, hits));
            describe_line(state, filter, keys);
          });
  }
}

template <Dialect D>
void measure_dialect(std::size_t keys, Shape shape) {
  measure(
      std::string{D::kName} + "/" + std::to_string(keys), keys,
      [=] { return std::make_unique<ClassicFilter<D>>(shape); }, true);
}

template <Dialect D>
void measure_dialect(std::size_t keys) {
  measure_dialect<D>(keys, *D::shape_for({keys, kRate}));
}

void register_all() {
  measure_dialect<LevelDb>(kMillion, *leveldb_shape(kMillion, 10));
  measure(
      "peer:leveldb/1000000", kMillion, [] { return std::make_unique<LevelDbPolicy>(10); }, false);
  measure_dialect<GuavaMitz64>(kMillion);
  measure_dialect<BitsAndBlooms>(kMillion);
  measure_dialect<GoBloom>(kMillion);
  measure_dialect<Dcso>(kMillion);
  measure_dialect<EventHorizonX86>(kMillion, {9585059, 7});
  measure_dialect<BloomeryClassic>(kMillion);
  measure(
      "peer:libbloom/1000000", kMillion, [] { return std::make_unique<LibBloom>(kMillion, kRate); },
      false);
  for (const std::size_t keys : {10 * kMillion}) {
    measure_dialect<BloomeryClassic>(keys);
    measure_dialect<LevelDb>(keys, *leveldb_shape(keys, 10));
    measure(
        "peer:libbloom/" + std::to_string(keys), keys,
        [=] { return std::make_unique<LibBloom>(keys, kRate); }, false);
    measure(
        "peer:leveldb/" + std::to_string(keys), keys,
        [] { return std::make_unique<LevelDbPolicy>(10); }, false);
  }
}

}  // namespace
}  // namespace bloomery::bench

int main(int argc, char** argv) {
  bloomery::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
