#include "apps/cli/commands/speed_trial.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "bloomery/base/split_mix.h"
#include "bloomery/filter/block/block.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/seeded/builder.h"

namespace bloomery::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kQueries = 1 << 20;  // fewer would let a branch predictor learn them
constexpr std::size_t kBatch = 4096;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class RandomKeys {
 public:
  RandomKeys(std::size_t count, std::uint64_t seed) : bytes_(count * kKeyBytes), views_(count) {
    internal::SplitMix64 random{seed};
    for (std::size_t i = 0; i < bytes_.size(); i += 8) store_le(bytes_.data() + i, random());
    for (std::size_t i = 0; i < count; ++i) views_[i] = {bytes_.data() + i * kKeyBytes, kKeyBytes};
  }
  std::span<const ByteView> views() const { return views_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<ByteView> views_;
};

// A filter behind three calls, each over all keys: what differs between filters is paid once.
struct Runner {
  std::string name;
  std::string layout;
  bool batch = false;
  std::function<bool(std::span<const ByteView>)> fill;
  std::function<std::size_t(std::span<const ByteView>)> ask;  // how many may be contained
  std::function<std::size_t()> bytes;
};

template <class F>
std::size_t ask_in_batches(const F& filter, std::span<const ByteView> keys) {
  std::vector<std::uint8_t> answers(kBatch);
  std::size_t maybe = 0;
  for (std::size_t at = 0; at < keys.size(); at += kBatch) {
    const auto piece = keys.subspan(at, std::min(kBatch, keys.size() - at));
    filter.may_contain_batch(piece, std::span{answers}.first(piece.size()));
    maybe += static_cast<std::size_t>(std::count(
        answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(piece.size()), 1));
  }
  return maybe;
}

template <class F>
Runner runner(std::string name, std::string layout, bool batch, std::shared_ptr<F> filter) {
  Runner made{std::move(name), std::move(layout), batch, {}, {}, {}};
  made.fill = [=](std::span<const ByteView> keys) {
    filter->reset();
    if (!batch)
      for (const ByteView key : keys) filter->insert(key);
    for (std::size_t at = 0; batch && at < keys.size(); at += kBatch)
      filter->insert_batch(keys.subspan(at, std::min(kBatch, keys.size() - at)));
    return true;
  };
  made.ask = [=](std::span<const ByteView> keys) {
    if (batch) return ask_in_batches(*filter, keys);
    std::size_t maybe = 0;
    for (const ByteView key : keys) maybe += filter->may_contain(key) ? 1 : 0;
    return maybe;
  };
  made.bytes = [=] { return filter->size_bytes(); };
  return made;
}

Result<Runner> seeded_runner(Goal goal) {
  const auto shape = block_shape_for(goal, true);
  if (!shape) return shape.error();
  const KeyHash hash{Hasher{Profile::kAes}};
  auto filter = std::make_shared<BlockFilter>(*shape, hash);
  Runner made = runner("block seeded, aes", "block", true, filter);
  made.fill = [=, shape = *shape](std::span<const ByteView> keys) {
    auto builder = SeededBuilder::create(shape, hash, {.memory_bytes = std::uint64_t{4} << 30});
    if (!builder || !builder->add(keys)) return false;
    auto built = builder->finish();
    if (!built) return false;
    *filter = std::move(*built);
    return true;
  };
  return made;
}

Result<std::vector<Runner>> all_runners(Goal goal) {
  std::vector<Runner> runners;
  for (const Profile profile : {Profile::kAes, Profile::kXxh3_64, Profile::kXxh3}) {
    const std::string name = "block, " + std::string{profile_name(profile)};
    auto block = BlockFilter::for_goal(goal, KeyHash{Hasher{profile}});
    if (!block) return block.error();
    const auto shared = std::make_shared<BlockFilter>(std::move(*block));
    runners.push_back(runner(name, "block", true, shared));
    runners.push_back(runner(name, "block", false, shared));
  }
  if (!block_layout_suits(goal.false_positive_rate)) {
    auto lines = BlockFilter::lines_for_goal(goal, KeyHash{Hasher{Profile::kXxh3_64}});
    if (!lines) return lines.error();
    const auto shared = std::make_shared<BlockFilter>(std::move(*lines));
    runners.push_back(runner("lines, xxh3-64", "lines", true, shared));
    runners.push_back(runner("lines, xxh3-64", "lines", false, shared));
  }
  auto seeded = seeded_runner(goal);
  if (!seeded) return seeded.error();
  runners.push_back(std::move(*seeded));
  auto classic = ClassicFilter<BloomeryClassic>::for_goal(goal);
  if (!classic) return classic.error();
  const auto shared = std::make_shared<ClassicFilter<BloomeryClassic>>(std::move(*classic));
  runners.push_back(runner("classic, xxh3", "classic", true, shared));
  runners.push_back(runner("classic, xxh3", "classic", false, shared));
  return runners;
}

struct Rounds {
  std::vector<double> insert, hit, miss;
};

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

double spread_of(const std::vector<double>& values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5);
}

class Trial {
 public:
  Trial(Goal goal, std::vector<Runner> runners)
      : present_{static_cast<std::size_t>(goal.keys), 1},
        absent_{kQueries, 2},
        runners_{std::move(runners)},
        rounds_(runners_.size()),
        rows_(runners_.size()) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].name = runners_[i].name;
      rows_[i].layout = runners_[i].layout;
      rows_[i].batch = runners_[i].batch;
      rows_[i].keys = goal.keys;
    }
  }
  bool turn(std::size_t i) {
    const Runner& runner = runners_[i];
    auto begin = Clock::now();
    if (!runner.fill(present_.views())) return false;
    rounds_[i].insert.push_back(per_key(begin, present_.views().size()));
    const auto hits =
        present_.views().last(std::min<std::size_t>(kQueries, present_.views().size()));
    begin = Clock::now();
    static_cast<void>(runner.ask(hits));
    rounds_[i].hit.push_back(per_key(begin, hits.size()));
    begin = Clock::now();
    const std::size_t maybe = runner.ask(absent_.views());
    rounds_[i].miss.push_back(per_key(begin, kQueries));
    rows_[i].rate = static_cast<double>(maybe) / kQueries;
    rows_[i].bits_per_key =
        static_cast<double>(runner.bytes()) * 8 / static_cast<double>(rows_[i].keys);
    return true;
  }
  std::size_t filters() const { return runners_.size(); }
  std::vector<SpeedRow> rows() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].insert_ns = quantile(rounds_[i].insert, 0.5);
      rows_[i].hit_ns = quantile(rounds_[i].hit, 0.5);
      rows_[i].miss_ns = quantile(rounds_[i].miss, 0.5);
      rows_[i].spread = std::max(spread_of(rounds_[i].hit), spread_of(rounds_[i].miss));
    }
    return rows_;
  }

 private:
  static double per_key(Clock::time_point begin, std::size_t keys) {
    return seconds_since(begin) * 1e9 / static_cast<double>(keys);
  }
  RandomKeys present_;
  RandomKeys absent_;
  std::vector<Runner> runners_;
  std::vector<Rounds> rounds_;
  std::vector<SpeedRow> rows_;
};

}  // namespace

Result<std::vector<SpeedRow>> run_speed_trial(const SpeedPlan& plan,
                                              const std::function<void()>& tick) {
  const auto begin = Clock::now();
  auto runners = all_runners(plan.goal);
  if (!runners) return runners.error();
  Trial trial{plan.goal, std::move(*runners)};
  for (;;) {
    const double before = seconds_since(begin);
    for (std::size_t i = 0; i < trial.filters(); ++i) {
      if (!trial.turn(i))
        return Error{ErrorCode::kIo,
                     "the seeded filter could not be built: see the temporary folder"};
      tick();
    }
    const double after = seconds_since(begin);
    if (after + (after - before) > plan.seconds) return trial.rows();
  }
}

const SpeedRow* winner(const std::vector<SpeedRow>& rows) {
  constexpr double kMostSpread = 0.05;
  const auto lookup = [](const SpeedRow& row) { return row.hit_ns + row.miss_ns; };
  const auto fastest = std::ranges::min_element(rows, {}, lookup);
  for (const SpeedRow& row : rows)
    if (row.spread > kMostSpread && lookup(row) < lookup(*fastest) * (1 + 2 * row.spread))
      return nullptr;
  return &*fastest;
}

}  // namespace bloomery::cli
