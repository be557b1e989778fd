#include "bloomery/formats/bits_and_blooms.h"

#include <cmath>
#include <type_traits>

namespace bloomery {
namespace {

constexpr std::uint64_t words_for(std::uint64_t bits) { return Shape{bits, 1}.bytes() / 8; }

struct Sizes {
  double bits;  // before rounding
  double keys;
};

// Written in the peer's order of operations (EstimateParameters): another order rounds other
// integers.
Result<Sizes> peer_sizes(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  const auto keys = static_cast<double>(goal.keys);
  return Sizes{-1 * keys * std::log(goal.false_positive_rate) / std::pow(std::log(2.0), 2), keys};
}

Result<Shape> shape_of(double bits, double keys) {
  return checked_shape(bits, std::ceil(std::log(2.0) * bits / keys));
}

struct BitsAndBloomsHeader {
  std::uint64_t bits;
  std::uint64_t probes;
  std::uint64_t bitset_length;
  bool little_endian;
};

// The bitset's byte order is a switch of the writing process. A length that equals the bits only
// when its bytes are reversed was written by one that had it on.
BitsAndBloomsHeader read_bits_and_blooms_header(ByteReader& reader) {
  BitsAndBloomsHeader header{};
  header.bits = reader.be<std::uint64_t>();
  header.probes = reader.be<std::uint64_t>();
  header.bitset_length = reader.be<std::uint64_t>();
  const std::uint64_t reversed = byte_swapped(header.bitset_length);
  header.little_endian = header.bitset_length != header.bits && reversed == header.bits;
  if (header.little_endian) header.bitset_length = reversed;
  return header;
}

Status checked(const BitsAndBloomsHeader& header) {
  if (header.bits == 0 || header.bits > kMaxBits)
    return Error{ErrorCode::kMalformed, message("a bits-and-blooms filter has 1 to 2^48 bits, and "
                                                "its first number says ",
                                                header.bits)};
  if (header.probes == 0 || header.probes > kMaxProbes)
    return Error{ErrorCode::kMalformed,
                 message("a bits-and-blooms filter has 1 to ", kMaxProbes,
                         " probes, and its second number says ", header.probes)};
  return ok();
}

// The words of a file's bitset, in its byte order.
struct BitsetWords {
  ByteView bytes;
  bool little_endian;
  std::uint64_t size() const { return bytes.size() / 8; }
  std::uint64_t operator[](std::uint64_t index) const {
    const std::byte* at = bytes.data() + index * 8;
    return little_endian ? load_le<std::uint64_t>(at) : load_be<std::uint64_t>(at);
  }
};

// Precondition: as many words as the length needs.
Status no_ones_past_the_end(std::uint64_t length, const BitsetWords& words) {
  if (length % 64 == 0 || words[words.size() - 1] >> (length % 64) == 0) return ok();
  return Error{
      ErrorCode::kMalformed,
      message("the bitset is ", length, " bits long, but its last word has bits set beyond them")};
}

// Distributes the words over the filter and what lies beyond it.
template <Dialect D>
void fill(BitsAndBloomsFilter<D>& into, const BitsetWords& words) {
  const ByteSpan bits = into.filter.bytes();
  const std::uint64_t shared = std::min<std::uint64_t>(words.size(), bits.size() / 8);
  for (std::uint64_t i = 0; i < shared; ++i) store_le(bits.data() + i * 8, words[i]);
  const std::uint64_t size = into.filter.size_bits();
  if (into.bitset_length <= size) return;
  for (std::uint64_t i = size / 64; i < words.size(); ++i) into.beyond.push_back(words[i]);
  if (size % 64 == 0) return;
  const std::uint64_t own = ~std::uint64_t{0} >> (64 - size % 64);
  into.beyond.front() &= ~own;
  store_le(bits.data() + bits.size() - 8, words[size / 64] & own);
}

template <Dialect D>
std::uint64_t word_of(const BitsAndBloomsFilter<D>& from, std::uint64_t index) {
  std::uint64_t word = 0;
  if (const ByteView bits = from.filter.bytes(); index < bits.size() / 8)
    word = load_le<std::uint64_t>(bits.data() + index * 8);
  const std::uint64_t first_beyond = from.filter.size_bits() / 64;
  if (index >= first_beyond && index - first_beyond < from.beyond.size())
    word |= from.beyond[static_cast<std::size_t>(index - first_beyond)];
  return word;
}

template <Dialect D>
std::uint64_t length_to_write(const BitsAndBloomsFilter<D>& filter) {
  return std::max(filter.bitset_length, end_of_ones(filter.filter.bytes()));
}

}  // namespace

Result<Shape> BitsAndBlooms::shape_for(Goal goal) {
  const auto sizes = peer_sizes(goal);
  if (!sizes) return sizes.error();
  return shape_of(std::ceil(sizes->bits), sizes->keys);
}

Result<Shape> BitsAndBloomsV1::shape_for(Goal goal) {
  const auto sizes = peer_sizes(goal);
  if (!sizes) return sizes.error();
  return shape_of(std::trunc(sizes->bits), sizes->keys);
}

template <Dialect D>
Status BitsAndBloomsFilter<D>::merge(const BitsAndBloomsFilter& other) {
  if (auto merged = filter.merge(other.filter); !merged) return merged;
  bitset_length = std::max(bitset_length, other.bitset_length);
  beyond.resize(std::max(beyond.size(), other.beyond.size()));
  for (std::size_t i = 0; i < other.beyond.size(); ++i) beyond[i] |= other.beyond[i];
  return ok();
}

template <Dialect D>
Result<BitsAndBloomsFilter<D>> BitsAndBloomsFilter<D>::fold(std::uint64_t factor) const {
  auto folded = filter.fold(factor);
  if (!folded) return folded.error();
  const std::uint64_t length = folded->size_bits();
  return BitsAndBloomsFilter{std::move(*folded), length, {}, encoding};
}

template <Dialect D>
Result<BitsAndBloomsFilter<D>> read_bits_and_blooms(ByteReader& reader, DecodeLimits limits) {
  const BitsAndBloomsHeader header = read_bits_and_blooms_header(reader);
  if (reader.failed()) return reader.truncated("the header of a bits-and-blooms filter");
  if (auto valid = checked(header); !valid) return valid.error();
  const ByteView raw = reader.take(words_for(header.bitset_length) * 8);
  if (reader.failed()) return reader.truncated("the bitset of a bits-and-blooms filter");
  const std::uint64_t all_bits = std::max(header.bits, header.bitset_length);
  if (auto fits = within_limit(words_for(all_bits) * 8, limits); !fits) return fits.error();

  const BitsetWords words{raw, header.little_endian};
  if (auto clean = no_ones_past_the_end(header.bitset_length, words); !clean) return clean.error();
  BitsAndBloomsFilter<D> out{
      .filter = ClassicFilter<D>{Shape{header.bits, static_cast<std::uint32_t>(header.probes)}},
      .bitset_length = header.bitset_length,
      .encoding = {.little_endian = header.little_endian}};
  fill(out, words);
  out.filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return out;
}

template <Dialect D>
void append_bits_and_blooms(ByteWriter& writer, const BitsAndBloomsFilter<D>& filter) {
  const std::uint64_t length = length_to_write(filter);
  const std::uint64_t words = words_for(length);
  writer.reserve(writer.size() + 24 + static_cast<std::size_t>(words * 8));
  writer.be(filter.filter.size_bits());
  writer.be(std::uint64_t{filter.filter.shape().probes});
  const auto put = [&](std::uint64_t number) {
    filter.encoding.little_endian ? writer.le(number) : writer.be(number);
  };
  put(length);
  for (std::uint64_t i = 0; i < words; ++i) put(word_of(filter, i));
}

template <Dialect D>
Result<BitsAndBloomsFilter<D>> decode_bits_and_blooms(ByteView bytes,
                                                      const DecodeOptions& options) {
  ByteReader reader{bytes};
  auto filter = read_bits_and_blooms<D>(reader, options.limits);
  if (filter && reader.remaining() > 0)
    return Error{ErrorCode::kMalformed,
                 message("the bits-and-blooms filter ends at byte ", reader.position(), ", but ",
                         reader.remaining(), " more follow")};
  return filter;
}

template <Dialect D>
std::vector<std::byte> encode_bits_and_blooms(const BitsAndBloomsFilter<D>& filter) {
  ByteWriter writer;
  append_bits_and_blooms(writer, filter);
  return writer.take();
}

template <Dialect D>
Result<BitsAndBloomsFilter<D>> create_bits_and_blooms(const CreateOptions& options) {
  const SizingRequest& sizing = options.sizing;
  std::optional<Goal> goal;
  Result<Shape> shape = Shape{};
  if (sizing.bits && sizing.probes && !sizing.keys) {
    shape = checked(Shape{*sizing.bits, *sizing.probes});
  } else {
    const auto asked = requested_goal(sizing, D::kName);
    if (!asked) return asked.error();
    goal = *asked;
    shape = D::shape_for(*asked);
  }
  auto filter = empty_filter<D>(shape, goal, options.limits);
  if (!filter) return filter.error();
  return BitsAndBloomsFilter<D>{.filter = std::move(*filter), .bitset_length = shape->bits};
}

bool looks_like_bits_and_blooms(ByteView bytes) {
  ByteReader reader{bytes};
  const BitsAndBloomsHeader header = read_bits_and_blooms_header(reader);
  return !reader.failed() && checked(header).has_value() && header.bitset_length == header.bits &&
         reader.remaining() == words_for(header.bits) * 8;
}

template <Dialect D>
Description describe(const BitsAndBloomsFilter<D>& filter) {
  constexpr bool kOld = std::is_same_v<D, BitsAndBloomsV2>;
  Description description =
      describe_classic(filter.filter, kOld ? "bits-and-blooms:v2.0.0" : "bits-and-blooms");
  description.notes.emplace_back(
      "the file does not say which release hashed its keys; it was read as one of ");
  description.notes.back() += kOld ? "v2.0.0" : "v2.0.1 to v3.7.1";
  if (filter.bitset_length > filter.filter.size_bits())
    description.notes.push_back(message("its bitset has ", filter.bitset_length,
                                        " bits, more than the filter's ", filter.filter.size_bits(),
                                        "; the rest is kept, and no key reaches it"));
  return description;
}

// The two dialects that the container carries.
template struct BitsAndBloomsFilter<BitsAndBlooms>;
template struct BitsAndBloomsFilter<BitsAndBloomsV2>;

template Result<BitsAndBloomsFilter<BitsAndBlooms>> read_bits_and_blooms(ByteReader&, DecodeLimits);
template void append_bits_and_blooms(ByteWriter&, const BitsAndBloomsFilter<BitsAndBlooms>&);
template Result<BitsAndBloomsFilter<BitsAndBlooms>> decode_bits_and_blooms(ByteView,
                                                                           const DecodeOptions&);
template std::vector<std::byte> encode_bits_and_blooms(const BitsAndBloomsFilter<BitsAndBlooms>&);
template Result<BitsAndBloomsFilter<BitsAndBlooms>> create_bits_and_blooms(const CreateOptions&);
template Description describe(const BitsAndBloomsFilter<BitsAndBlooms>&);

template Result<BitsAndBloomsFilter<BitsAndBloomsV2>> read_bits_and_blooms(ByteReader&,
                                                                           DecodeLimits);
template void append_bits_and_blooms(ByteWriter&, const BitsAndBloomsFilter<BitsAndBloomsV2>&);
template Result<BitsAndBloomsFilter<BitsAndBloomsV2>> decode_bits_and_blooms(ByteView,
                                                                             const DecodeOptions&);
template std::vector<std::byte> encode_bits_and_blooms(const BitsAndBloomsFilter<BitsAndBloomsV2>&);
template Result<BitsAndBloomsFilter<BitsAndBloomsV2>> create_bits_and_blooms(const CreateOptions&);
template Description describe(const BitsAndBloomsFilter<BitsAndBloomsV2>&);

}  // namespace bloomery
