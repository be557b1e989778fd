#include "apps/cli/commands/size_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/cli/filters/plan.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/formats/any_filter.h"
#include "bloomery/formats/options.h"
#include "bloomery/formats/trial_rate.h"
#include "bloomery/layout/block_solve.h"

namespace bloomery::cli {
namespace {

SizeRow row(std::string_view layout, std::string_view dialect, std::uint64_t keys, Shape shape) {
  return {std::string{layout},
          std::string{dialect},
          keys,
          expected_rate(shape, static_cast<double>(keys)),
          shape.bits,
          shape.bytes(),
          shape.probes};
}

void add_block(SizeTable& table, std::string_view layout, std::string_view dialect,
               const Result<BlockSizing>& sizing) {
  if (!sizing) return;
  const std::uint64_t keys = sizing->goal.keys;
  const double rate = expected_rate(sizing->shape, static_cast<double>(keys));
  const std::uint64_t bytes = sizing->shape.bytes();
  table.rows.push_back({std::string{layout}, std::string{dialect}, keys, rate, bytes * 8, bytes,
                        sizing->shape.probes});
}

// As `build --layout block` makes them, the second with --seeded, and as `build --layout lines`
// does where one block takes too many bits. They answer the request in their own way: where the
// keys are asked for, theirs.
void add_blocks(SizeTable& table, const SizingRequest& request, double rate) {
  add_block(table, "block", BloomeryBlock::kName, solve_block(request));
  add_block(table, "seeded", BloomeryBlock::kName, solve_block(request, true));
  if (!block_layout_suits(rate) && lines_layout_suits(rate))
    add_block(table, "lines", BloomeryBlock::kLinesName, solve_lines(request));
}

// As `build --layout` makes them.
void add_our_layouts(SizeTable& table, const SizingRequest& request, Goal goal) {
  const bool shape_is_given = request.bits || request.probes || request.bits_per_key;
  const Shape solved{table.sizing.bits, table.sizing.probes};
  const auto shape = shape_is_given ? Result<Shape>{solved} : BloomeryClassic::shape_for(goal);
  if (!shape) return;
  table.rows.push_back(row("classic", BloomeryClassic::kName, goal.keys, *shape));
  add_blocks(table, request, goal.false_positive_rate);
  const CreateOptions defaults;
  SizeRow counting = row("counting", BloomeryClassic::kName, goal.keys, *shape);
  counting.bits *= defaults.counter_bits;
  counting.bytes = Shape{counting.bits, 1}.bytes();
  table.rows.push_back(counting);
  // Its later layers have false positives too: the first must leave them a share of the rate.
  const Goal first{goal.keys, goal.false_positive_rate * (1 - defaults.growth.tightening)};
  if (const auto layer = BloomeryClassic::shape_for(first))
    table.rows.push_back(row("scalable", BloomeryClassic::kName, goal.keys, *layer));
}

template <class D>
void add_dialect(SizeTable& table, Goal goal, std::string_view layout = "classic") {
  const bool is_known = std::ranges::any_of(
      table.rows, [](const SizeRow& known) { return known.dialect == D::kName; });
  const auto shape = D::shape_for(goal);
  if (is_known || !shape || !checked(*shape)) return;
  SizeRow sized = row(layout, D::kName, goal.keys, *shape);
  const double rate = trial_rate<D>(*shape, goal.keys, sized.rate);
  sized.tried_out = rate != sized.rate;
  sized.rate = rate;
  table.rows.push_back(sized);
}

template <class Held>
void add_alternative(SizeTable& table, Goal goal) {
  using Core = std::remove_cvref_t<decltype(internal::core(std::declval<Held&>()))>;
  if constexpr (requires { typename Core::DialectType::Digest; })
    // A filter of one fixed size has no alternatives.
    if constexpr (!requires { Core::DialectType::kShape; })
      add_dialect<typename Core::DialectType>(table, goal);
}

// Its layers start at half of the rate, so that their sum stays below it.
void add_redisbloom(SizeTable& table, Goal goal) {
  const double rate = std::min(goal.false_positive_rate, RedisBloomFilter::kMaxRate) / 2;
  add_dialect<RedisBloom>(table, {goal.keys, rate}, "scalable");
}

// Blocks fill unevenly: the rate is the mean over a Poisson law of how many keys met in a block.
double split_block_rate(double keys_per_block) {
  double rate = 0;
  double probability = std::exp(-keys_per_block);
  const auto most = static_cast<int>(keys_per_block + 12 * std::sqrt(keys_per_block) + 24);
  for (int keys = 0; keys <= most; ++keys) {
    const double word_fill = 1 - std::pow(31.0 / 32, keys);
    rate += probability * std::pow(word_fill, split_block::kWordsPerBlock);
    probability *= keys_per_block / (keys + 1);
  }
  return rate;
}

void add_parquet(SizeTable& table, Goal goal) {
  const auto blocks = parquet_blocks_for(goal);
  if (!blocks) return;
  SizeRow sized = row("split-block", ParquetFilter::kDialect, goal.keys,
                      {*blocks * split_block::kBlockBits, split_block::kWordsPerBlock});
  sized.rate = split_block_rate(static_cast<double>(goal.keys) / static_cast<double>(*blocks));
  table.rows.push_back(sized);
}

// One row for each dialect that some format carries, by its own rounding.
template <class... Held>
void add_dialects(SizeTable& table, Goal goal, const std::variant<Held...>*) {
  (add_alternative<Held>(table, goal), ...);
}

bool needs_a_rate(const SizingRequest& request) {
  const int sizes =
      (request.keys ? 1 : 0) + (request.bits ? 1 : 0) + (request.bits_per_key ? 1 : 0);
  return !request.rate && sizes == 1;
}

}  // namespace

Result<SizeTable> size_table(SizingRequest request) {
  if (needs_a_rate(request)) request.rate = kDefaultRate;
  const auto sizing = solve(request);
  if (!sizing) return sizing.error();
  SizeTable table{*sizing, {}};
  const Goal goal{sizing->keys, std::min(request.rate.value_or(sizing->rate), 0.999999)};
  add_our_layouts(table, request, goal);
  add_dialects(table, goal, static_cast<const AnyFilter*>(nullptr));
  add_redisbloom(table, goal);
  add_parquet(table, goal);
  return table;
}

}  // namespace bloomery::cli
