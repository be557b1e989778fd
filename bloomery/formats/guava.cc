#include "bloomery/formats/guava.h"

#include <cmath>
#include <type_traits>

namespace bloomery {
namespace {

constexpr std::uint64_t kGuavaHeaderBytes = 6;
constexpr std::uint64_t kMaxWords = (std::uint64_t{1} << 31) - 1;  // a Java array's
constexpr std::uint32_t kMaxProbesInByte = 255;

template <class D>
constexpr auto kStrategy = std::uint8_t{std::is_same_v<D, GuavaMitz64> ? 1 : 0};

struct GuavaHeader {
  std::uint8_t strategy;
  std::uint8_t probes;
  std::uint32_t words;  // signed in Java: from 2^31 on it is negative, and refused
};

GuavaHeader read_guava_header(ByteReader& reader) {
  const auto strategy = reader.le<std::uint8_t>();
  const auto probes = reader.le<std::uint8_t>();
  return {strategy, probes, reader.be<std::uint32_t>()};
}

Status checked(const GuavaHeader& header) {
  if (header.strategy > 1)
    return Error{ErrorCode::kMalformed,
                 message("a guava filter starts with its strategy, 0 or 1, and byte 0 is ",
                         unsigned{header.strategy})};
  if (header.probes == 0)
    return Error{ErrorCode::kMalformed,
                 "a guava filter has at least 1 probe, and byte 1 says it has none"};
  if (header.words == 0 || header.words > kMaxWords)
    return Error{ErrorCode::kMalformed, message("a guava filter has 1 to ", kMaxWords,
                                                " words, and bytes 2 to 5 say ", header.words)};
  return ok();
}

template <class D>
GuavaFilter filled(const GuavaHeader& header, ByteView words) {
  ClassicFilter<D> filter{Shape{std::uint64_t{header.words} * 64, header.probes}};
  copy_swapped_words(words, filter.bytes());
  filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return filter;
}

}  // namespace

// Written in the peer's order of operations (BloomFilter.optimalNumOfBits and
// optimalNumOfHashFunctions, 31.1 and 33.5.0): another order rounds other integers.
Result<Shape> shape_for_release(Goal goal, GuavaRelease release) {
  if (auto valid = checked(goal); !valid) return valid.error();
  const double log_2 = std::log(2.0);
  const auto keys = static_cast<double>(goal.keys);
  const double log_rate = std::log(goal.false_positive_rate);
  const double bits = std::trunc(-keys * log_rate / (log_2 * log_2));
  if (bits < 1)
    return Error{ErrorCode::kInvalidArgument,
                 message("a guava filter for ", goal.keys, " keys at a rate of ",
                         goal.false_positive_rate, " would have 0 bits")};
  if (goal.keys > INT64_MAX || bits > static_cast<double>(kMaxWords * 64))
    return Error{ErrorCode::kInvalidArgument,
                 message("a guava filter has at most 2^31 - 1 words of 64 bits, and ", bits,
                         " bits would be needed")};
  const double ideal = release == GuavaRelease::k31 ? bits / keys * log_2 : -log_rate / log_2;
  const double probes = std::max(1.0, std::floor(ideal + 0.5));
  if (probes > kMaxProbesInByte)
    return Error{ErrorCode::kInvalidArgument, message("a guava filter has at most 255 probes, and ",
                                                      probes, " would be needed")};
  const std::uint64_t words = (static_cast<std::uint64_t>(bits) + 63) / 64;
  return Shape{words * 64, static_cast<std::uint32_t>(probes)};
}

Result<Shape> GuavaMitz32::shape_for(Goal goal) {
  return shape_for_release(goal, GuavaRelease::k33_4);
}
Result<Shape> GuavaMitz64::shape_for(Goal goal) {
  return shape_for_release(goal, GuavaRelease::k33_4);
}

Result<GuavaFilter> read_guava(ByteReader& reader, DecodeLimits limits) {
  const GuavaHeader header = read_guava_header(reader);
  if (reader.failed()) return reader.truncated("the header of a guava filter");
  if (auto valid = checked(header); !valid) return valid.error();
  const ByteView words = reader.take(std::uint64_t{header.words} * 8);
  if (reader.failed()) return reader.truncated("the words of a guava filter");
  if (auto fits = within_limit(words.size(), limits); !fits) return fits.error();
  return header.strategy == 0 ? filled<GuavaMitz32>(header, words)
                              : filled<GuavaMitz64>(header, words);
}

Result<GuavaFilter> decode_guava(ByteView bytes, const DecodeOptions& options) {
  ByteReader reader{bytes};
  auto filter = read_guava(reader, options.limits);
  if (filter && reader.remaining() > 0)
    return Error{ErrorCode::kMalformed, message("the guava filter ends at byte ", reader.position(),
                                                ", but ", reader.remaining(), " more follow")};
  return filter;
}

template <Dialect D>
Result<std::vector<std::byte>> encode_guava(const ClassicFilter<D>& filter) {
  const Shape shape = filter.shape();
  const std::uint64_t words = shape.bits / 64;
  if (shape.bits % 64 != 0 || words == 0 || words > kMaxWords || shape.probes == 0 ||
      shape.probes > kMaxProbesInByte)
    return Error{ErrorCode::kUnsupported,
                 message("a guava filter has whole 64-bit words and 1 to 255 probes, and ",
                         shape.bits, " bits with ", shape.probes, " probes do not fit")};
  std::vector<std::byte> out(kGuavaHeaderBytes + filter.size_bytes());
  out[0] = std::byte{kStrategy<D>};
  out[1] = static_cast<std::byte>(shape.probes);
  store_be(out.data() + 2, static_cast<std::uint32_t>(words));
  copy_swapped_words(filter.bytes(), ByteSpan{out}.subspan(kGuavaHeaderBytes));
  return out;
}
template Result<std::vector<std::byte>> encode_guava(const ClassicFilter<GuavaMitz32>&);
template Result<std::vector<std::byte>> encode_guava(const ClassicFilter<GuavaMitz64>&);

template <Dialect D>
Result<ClassicFilter<D>> create_guava(const CreateOptions& options) {
  auto goal = requested_goal(options.sizing, "guava");
  if (!goal) return goal.error();
  goal->keys = std::max<std::uint64_t>(1, goal->keys);
  return empty_filter<D>(shape_for_release(*goal, options.guava_release), *goal, options.limits);
}
template Result<ClassicFilter<GuavaMitz32>> create_guava(const CreateOptions&);
template Result<ClassicFilter<GuavaMitz64>> create_guava(const CreateOptions&);

bool looks_like_guava(ByteView bytes) {
  ByteReader reader{bytes};
  const GuavaHeader header = read_guava_header(reader);
  return !reader.failed() && checked(header).has_value() &&
         reader.remaining() == std::uint64_t{header.words} * 8;
}

Description describe(const ClassicFilter<GuavaMitz64>& filter) {
  return describe_classic(filter, "guava");
}

Description describe(const ClassicFilter<GuavaMitz32>& filter) {
  Description description = describe_classic(filter, "guava:mitz32");
  if (filter.size_bits() <= GuavaMitz32::kReachableBits) return description;
  const Shape reachable{GuavaMitz32::kReachableBits, filter.shape().probes};
  const ByteView bits = filter.bytes().first(static_cast<std::size_t>(reachable.bytes()));
  description.health = classic_health(reachable, count_ones(bits), filter.provenance().goal);
  description.notes.emplace_back(
      "strategy MITZ_32 never reaches bit 2^31 or any above it: the health shown is that of the "
      "smaller filter these bits really are");
  return description;
}

}  // namespace bloomery
