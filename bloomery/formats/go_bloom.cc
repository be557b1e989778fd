#include "bloomery/formats/go_bloom.h"

#include <cmath>

namespace bloomery {
namespace {

struct GoBloomSizes {
  double bytes;
  double probes;
};

// Written in the peer's order of operations: another order rounds other integers.
GoBloomSizes peer_sizes(double keys, double rate) {
  constexpr double kLog2E = 1.4426950408889634;
  const double probes = -std::log(rate) * kLog2E;
  const double bits = keys * probes * kLog2E;
  return {std::trunc(bits / 8), std::trunc(probes)};
}

Error needs_sizing() {
  return {
      ErrorCode::kInvalidArgument,
      "a go-bloom bit array has no header: give the keys and the rate it was made for, or its bits "
      "and probes"};
}

Result<Shape> go_bloom_shape(const SizingRequest& sizing) {
  if (sizing.bits && sizing.probes) return Shape{*sizing.bits, *sizing.probes};
  if (!sizing.keys || !sizing.rate) return needs_sizing();
  if (!(*sizing.rate > 0 && *sizing.rate <= 1))
    return Error{ErrorCode::kInvalidArgument,
                 message("the rate of a go-bloom filter lies in (0, 1], and is ", *sizing.rate)};
  const GoBloomSizes sizes = peer_sizes(static_cast<double>(*sizing.keys), *sizing.rate);
  if (sizes.bytes > static_cast<double>(kMaxBits) / 8)
    return Error{ErrorCode::kInvalidArgument, "a filter has at most 2^48 bits"};
  return Shape{static_cast<std::uint64_t>(sizes.bytes) * 8,
               static_cast<std::uint32_t>(sizes.probes)};
}

}  // namespace

Result<Shape> GoBloom::shape_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  const GoBloomSizes sizes = peer_sizes(static_cast<double>(goal.keys), goal.false_positive_rate);
  return checked_shape(sizes.bytes * 8, sizes.probes);
}

Result<ClassicFilter<GoBloom>> decode_go_bloom(ByteView bytes, const DecodeOptions& options) {
  const auto shape = go_bloom_shape(options.sizing);
  if (!shape) return shape.error();
  if (shape->bits % 8 != 0 || shape->bits / 8 != bytes.size())
    return Error{ErrorCode::kMalformed,
                 message("a go-bloom filter of ", shape->bits, " bits has ", shape->bits / 8,
                         " bytes, and there are ", bytes.size())};
  if (shape->probes > kMaxProbes || (shape->bits == 0 && shape->probes > 0))
    return Error{ErrorCode::kMalformed, message("a filter of ", shape->bits, " bits cannot have ",
                                                shape->probes, " probes")};
  if (bytes.size() > options.limits.max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("the filter has ", bytes.size(), " bytes, and the limit is ",
                         options.limits.max_bytes)};
  ClassicFilter<GoBloom> filter{*shape};
  std::ranges::copy(bytes, filter.bytes().begin());
  Provenance provenance{.goal = std::nullopt, .keys_inserted = std::nullopt};
  if (options.sizing.keys && options.sizing.rate)
    if (auto goal = checked(Goal{*options.sizing.keys, *options.sizing.rate}))
      provenance.goal = *goal;
  filter.set_provenance(provenance);
  return filter;
}

std::vector<std::byte> encode_go_bloom(const ClassicFilter<GoBloom>& filter) {
  const ByteView bits = filter.bytes().first(static_cast<std::size_t>(filter.size_bits() / 8));
  return {bits.begin(), bits.end()};
}

Result<ClassicFilter<GoBloom>> create_go_bloom(const CreateOptions& options) {
  const SizingRequest& sizing = options.sizing;
  if (sizing.keys && sizing.rate && !sizing.bits && !sizing.probes) {
    const Goal goal{*sizing.keys, *sizing.rate};
    return empty_filter<GoBloom>(GoBloom::shape_for(goal), goal, options.limits);
  }
  const auto shape = go_bloom_shape(sizing);
  if (!shape) return shape.error();
  if (auto valid = checked(*shape); !valid) return valid.error();
  if (shape->bits % 8 != 0)
    return Error{ErrorCode::kInvalidArgument,
                 message("a go-bloom filter has whole bytes, and ", shape->bits, " bits are not")};
  return empty_filter<GoBloom>(*shape, std::nullopt, options.limits);
}

Description describe(const ClassicFilter<GoBloom>& filter) {
  Description description = describe_classic(filter, "go-bloom");
  description.notes.emplace_back(
      "go-bloom's two hashes share their lowest bit, so its filters err about five times as often "
      "as asked "
      "(5 % for 1 %); the rate shown is measured on these bits");
  return description;
}

}  // namespace bloomery
