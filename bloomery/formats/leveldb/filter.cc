#include "bloomery/formats/leveldb/filter.h"

#include <array>
#include <cassert>
#include <cmath>

namespace bloomery {
namespace {

constexpr double kMostBitsPerKey = 65536;

std::uint32_t leveldb_probes_for(double bits_per_key, LevelDbRule rule) {
  if (rule == LevelDbRule::kGo) {
    const auto uncut = static_cast<std::uint32_t>(bits_per_key) * 69 / 100;
    return std::clamp<std::uint32_t>(static_cast<std::uint8_t>(uncut), 1, LevelDb::kMostProbes);
  }
  const auto probes = static_cast<std::uint32_t>(bits_per_key * 0.69);
  return std::clamp<std::uint32_t>(probes, 1, LevelDb::kMostProbes);
}

// Beyond 2^32 bits, where a 32-bit hash is never reduced. Also the plain reading of the rule.
template <class Divisor>
bool all_set(const std::byte* bits, const LevelDb::Digest& digest, Shape shape,
             const Divisor& divisor) {
  for (std::uint32_t i = 0; i < shape.probes; ++i) {
    const std::uint64_t position = LevelDb::probe(digest, i, divisor);
    if ((bits[position / 8] & std::byte{1} << (position % 8)) == std::byte{0}) return false;
  }
  return true;
}

void set_one_by_one(std::span<const std::uint32_t> hashes, Shape shape, std::byte* bits) {
  const Modulus modulus{shape.bits};
  for (const std::uint32_t hash : hashes)
    for (std::uint32_t i = 0; i < shape.probes; ++i) {
      const std::uint64_t position = LevelDb::probe({hash, std::rotr(hash, 17)}, i, modulus);
      bits[position / 8] |= std::byte{1} << (position % 8);
    }
}

// Precondition: bits / 8 <= simd::kMostStepBytes.
simd::StepShape step_shape(Shape shape) {
  return {static_cast<std::uint32_t>(shape.bits / 8), shape.probes};
}

Result<Shape> leveldb_wanted_shape(const SizingRequest& sizing) {
  if (sizing.bits && sizing.probes) {
    if (*sizing.bits == 0 || *sizing.bits % 8 != 0 || *sizing.bits > kMaxBits)
      return Error{ErrorCode::kInvalidArgument, message("a LevelDB filter has whole bytes, and ",
                                                        *sizing.bits, " bits are not")};
    if (*sizing.probes == 0 || *sizing.probes > LevelDb::kMostProbes)
      return Error{ErrorCode::kInvalidArgument, message("a LevelDB filter has 1 to 30 probes, and ",
                                                        *sizing.probes, " were asked for")};
    return Shape{*sizing.bits, *sizing.probes};
  }
  if (!sizing.keys)
    return Error{ErrorCode::kInvalidArgument,
                 "a LevelDB filter is sized by its number of keys (and bits per key, 10 unless "
                 "said), or by bits and probes: give one of them"};
  if (sizing.rate && !sizing.bits_per_key) return LevelDb::shape_for({*sizing.keys, *sizing.rate});
  return leveldb_shape(*sizing.keys, sizing.bits_per_key.value_or(kLevelDbBitsPerKey));
}

}  // namespace

Result<Shape> leveldb_shape(std::uint64_t keys, double bits_per_key, LevelDbRule rule) {
  if (!(bits_per_key >= 0 && bits_per_key <= kMostBitsPerKey) ||
      bits_per_key != std::trunc(bits_per_key))
    return Error{ErrorCode::kInvalidArgument,
                 message("LevelDB takes a whole number of bits per key from 0 to 65536, and ",
                         bits_per_key, " was given")};
  const double wanted = static_cast<double>(keys) * bits_per_key;
  if (wanted > static_cast<double>(kMaxBits))
    return Error{ErrorCode::kInvalidArgument, "a filter has at most 2^48 bits"};
  if (rule == LevelDbRule::kGo && wanted >= 0x1p32)
    return Error{ErrorCode::kInvalidArgument,
                 message("goleveldb counts bits in 32 bits, and ", keys, " keys of ", bits_per_key,
                         " bits need more")};
  const auto bits = std::max<std::uint64_t>(64, keys * static_cast<std::uint64_t>(bits_per_key));
  return Shape{(bits + 7) / 8 * 8, leveldb_probes_for(bits_per_key, rule)};
}

Result<Shape> LevelDb::shape_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  constexpr double kLn2 = 0.6931471805599453;
  return leveldb_shape(goal.keys, std::ceil(-std::log(goal.false_positive_rate) / (kLn2 * kLn2)));
}

Shape leveldb_shape_of(ByteView filter) noexcept {
  if (filter.size() < 2) return {0, 0};
  const auto probes = static_cast<std::uint32_t>(filter.back());
  return {std::uint64_t{filter.size() - 1} * 8, probes > LevelDb::kMostProbes ? 0 : probes};
}

bool leveldb_may_contain(ByteView filter, const LevelDb::Digest& digest) noexcept {
  if (filter.size() < 2) return false;
  const Shape shape = leveldb_shape_of(filter);
  if (shape.probes == 0) return true;
  // The step follows from the hash for every digest().
  if (shape.bits / 8 <= simd::kMostStepBytes)
    return simd::active_step_kernels().may_contain(filter.data(), step_shape(shape), digest.hash);
  return all_set(filter.data(), digest, shape, shape.bits);
}

bool leveldb_may_contain(ByteView filter, ByteView key) noexcept {
  const Shape shape = leveldb_shape_of(filter);
  if (shape.probes == 0 || shape.bits / 8 > simd::kMostStepBytes)
    return leveldb_may_contain(filter, LevelDb{}.digest(key));
  return simd::active_step_kernels().may_contain_key(filter.data(), step_shape(shape), key,
                                                     LevelDb::kHashSeed);
}

Health leveldb_health(Shape shape, ByteView bits, std::optional<Goal> goal) {
  constexpr std::uint64_t kMeasuredFromBits = 65536;
  constexpr std::uint32_t kSamples = 65536;
  Health health = classic_health(shape, count_ones(bits), goal);
  if (shape.bits < kMeasuredFromBits || shape.probes == 0) return health;
  const Modulus modulus{shape.bits};
  std::uint32_t passed = 0;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    // Fibonacci hashing: no two samples are close, for any size of the filter.
    const std::uint32_t hash = i * 0x9e3779b1U + 0x7f4a7c15U;
    if (all_set(bits.data(), {hash, std::rotr(hash, 17)}, shape, modulus)) ++passed;
  }
  health.error_rate = static_cast<double>(passed) / kSamples;
  health.verdict = judge(health.fill, health.error_rate, goal);
  health.sampled = true;
  return health;
}

void leveldb_hashes(std::span<const ByteView> keys, std::uint32_t* hashes) noexcept {
  for (const ByteView key : keys) *hashes++ = LevelDb{}.digest(key).hash;
}

void leveldb_fill(std::span<const std::uint32_t> hashes, Shape shape, ByteSpan filter) noexcept {
  assert(filter.size() == shape.bits / 8 + 1);
  if (shape.bits / 8 <= simd::kMostStepBytes)
    simd::active_step_kernels().insert_batch(filter.data(), step_shape(shape), hashes.data(),
                                             hashes.size());
  else
    set_one_by_one(hashes, shape, filter.data());
  filter.back() = static_cast<std::byte>(shape.probes);
}

Status LevelDbBuilder::finish(double bits_per_key, LevelDbRule rule, std::vector<std::byte>& out) {
  const auto shape = leveldb_shape(hashes_.size(), bits_per_key, rule);
  if (!shape) return shape.error();
  const std::size_t start = out.size();
  out.resize(start + static_cast<std::size_t>(shape->bits / 8) + 1);
  leveldb_fill(hashes_, *shape, ByteSpan{out}.subspan(start));
  hashes_.clear();
  return ok();
}

Result<std::vector<std::byte>> LevelDbBuilder::finish(double bits_per_key, LevelDbRule rule) {
  std::vector<std::byte> out;
  if (auto done = finish(bits_per_key, rule, out); !done) return done.error();
  return out;
}

Result<ClassicFilter<LevelDb>> decode_leveldb(ByteView bytes, const DecodeOptions& options) {
  if (bytes.size() < 2)
    return Error{ErrorCode::kTruncated,
                 message("a LevelDB filter has at least 2 bytes, one of bits and one that counts "
                         "the probes, and there are ",
                         bytes.size())};
  if (bytes.size() > options.limits.max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("the filter has ", bytes.size(), " bytes, and the limit is ",
                         options.limits.max_bytes)};
  LevelDb dialect;
  if (static_cast<std::uint32_t>(bytes.back()) > LevelDb::kMostProbes)
    dialect.reserved_probes = static_cast<std::uint8_t>(bytes.back());
  ClassicFilter<LevelDb> filter{leveldb_shape_of(bytes), dialect};
  std::ranges::copy(bytes.first(bytes.size() - 1), filter.bytes().begin());
  filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return filter;
}

std::vector<std::byte> encode_leveldb(const ClassicFilter<LevelDb>& filter) {
  const ByteView bits = filter.bytes().first(static_cast<std::size_t>(filter.size_bits() / 8));
  std::vector<std::byte> out;
  out.reserve(bits.size() + 1);
  out.assign(bits.begin(), bits.end());
  const std::uint32_t reserved = filter.dialect().reserved_probes;
  out.push_back(static_cast<std::byte>(reserved != 0 ? reserved : filter.shape().probes));
  return out;
}

Result<Shape> leveldb_shape_for(const CreateOptions& options) {
  auto shape = leveldb_wanted_shape(options.sizing);
  if (shape && shape->bytes() > options.limits.max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("the filter would have ", shape->bytes(), " bytes, and the limit is ",
                         options.limits.max_bytes)};
  return shape;
}

Result<ClassicFilter<LevelDb>> create_leveldb(const CreateOptions& options) {
  const auto shape = leveldb_shape_for(options);
  if (!shape) return shape.error();
  ClassicFilter<LevelDb> filter{*shape};
  if (options.sizing.keys && options.sizing.rate)
    if (auto goal = checked(Goal{*options.sizing.keys, *options.sizing.rate}))
      filter.set_provenance({.goal = *goal, .keys_inserted = 0});
  return filter;
}

Description describe(const ClassicFilter<LevelDb>& filter) {
  Description description = describe_classic(filter, "leveldb");
  description.health = leveldb_health(filter.shape(), filter.bytes(), filter.provenance().goal);
  if (description.health->sampled)
    description.notes.emplace_back(
        "the probes of a LevelDB filter of this size cluster: the rate shown is measured, and the "
        "estimated keys may be a sixth too low");
  if (filter.dialect().reserved_probes != 0)
    description.notes.push_back(
        message("the filter says ", +filter.dialect().reserved_probes,
                " probes, a number that LevelDB reserves: it answers \"maybe\" to every key"));
  return description;
}

}  // namespace bloomery
