#include "bloomery/formats/dcso.h"

#include <array>
#include <bit>
#include <cmath>

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/gzip.h"

namespace bloomery {
namespace {

constexpr std::size_t kDcsoHeaderBytes = 48;

struct DcsoHeader {
  std::uint64_t flags, goal_keys, goal_rate_bits, probes, bits, keys_inserted;
};

DcsoHeader header_of(std::span<const std::byte, kDcsoHeaderBytes> raw) {
  const auto number = [&](std::size_t index) {
    return load_le<std::uint64_t>(raw.data() + index * 8);
  };
  return {number(0), number(1), number(2), number(3), number(4), number(5)};
}

Status checked(const DcsoHeader& header) {
  if ((header.flags & 0xff) != 1)
    return Error{
        ErrorCode::kMalformed,
        message("a dcso file starts with its version, 1, and byte 0 is ", header.flags & 0xff)};
  if (header.probes > kMaxProbes)
    return Error{ErrorCode::kMalformed, message("a dcso filter has at most ", kMaxProbes,
                                                " probes, and bytes 24 to 31 say ", header.probes)};
  if (header.bits > kMaxBits || (header.bits == 0 && header.probes > 0))
    return Error{ErrorCode::kMalformed,
                 message("a dcso filter with ", header.probes,
                         " probes has 1 to 2^48 bits, and bytes 32 to 39 say ", header.bits)};
  return ok();
}

Error truncated(std::string_view what) {
  return {ErrorCode::kTruncated, message("the bytes end within the ", what, " of a dcso file")};
}

// The same reading from bytes as from gzip.
class PlainReader {
 public:
  explicit PlainReader(ByteView bytes) : left_{bytes} {}
  Result<std::size_t> read(ByteSpan to) {
    const ByteView taken = left_.first(std::min(left_.size(), to.size()));
    std::ranges::copy(taken, to.begin());
    left_ = left_.subspan(taken.size());
    return taken.size();
  }
  std::uint64_t most_remaining() const { return left_.size(); }

 private:
  ByteView left_;
};

// All that follows the filter, if it is at most `room` bytes.
template <class Reader>
Result<std::vector<std::byte>> read_user_data(Reader& reader, std::uint64_t room) {
  std::vector<std::byte> data;
  std::array<std::byte, 16384> piece;
  while (true) {
    const auto got = reader.read(piece);
    if (!got) return got.error();
    if (*got > room - data.size())
      return Error{ErrorCode::kTooLarge,
                   message("the user data of the dcso file has more than the ", room,
                           " bytes that the limit leaves for it")};
    data.insert(data.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*got));
    if (*got < piece.size()) return data;
  }
}

template <class Reader>
Status read_bits(Reader& reader, ClassicFilter<Dcso>& filter) {
  const auto got = reader.read(filter.bytes());
  if (!got) return got.error();
  if (*got < filter.size_bytes()) return truncated("words");
  if (end_of_ones(filter.bytes()) > filter.size_bits())
    return Error{ErrorCode::kMalformed,
                 message("the dcso filter has ", filter.size_bits(),
                         " bits, but its last word has bits set beyond them")};
  return ok();
}

Provenance provenance_of(const DcsoHeader& header) {
  const Goal goal{header.goal_keys, std::bit_cast<double>(header.goal_rate_bits)};
  Provenance provenance{.keys_inserted = header.keys_inserted};
  if (checked(goal)) provenance.goal = goal;
  return provenance;
}

template <class Reader>
Result<DcsoFilter> decode_from(Reader reader, DecodeLimits limits) {
  std::array<std::byte, kDcsoHeaderBytes> raw;
  const auto got = reader.read(raw);
  if (!got) return got.error();
  if (*got < raw.size()) return truncated("header");
  const DcsoHeader header = header_of(raw);
  if (auto valid = checked(header); !valid) return valid.error();
  const Shape shape{header.bits, static_cast<std::uint32_t>(header.probes)};
  if (shape.bytes() > reader.most_remaining()) return truncated("words");
  if (auto fits = within_limit(shape.bytes(), limits); !fits) return fits.error();

  DcsoFilter out{.filter = ClassicFilter<Dcso>{shape},
                 .goal_keys = header.goal_keys,
                 .goal_rate_bits = header.goal_rate_bits,
                 .flags = header.flags};
  if (auto read = read_bits(reader, out.filter); !read) return read.error();
  auto data = read_user_data(reader, limits.max_bytes - shape.bytes());
  if (!data) return data.error();
  out.data = std::move(*data);
  out.filter.set_provenance(provenance_of(header));
  return out;
}

Error cannot_join(std::string_view why) {
  return {ErrorCode::kInvalidArgument, message("the dcso filters cannot be merged: ", why)};
}

}  // namespace

// Written in the peer's order of operations. The number it rounds up is negative, so that bits are
// truncated where bits-and-blooms rounds them up.
Result<Shape> Dcso::shape_for(Goal goal) {
  if (auto valid = bloomery::checked(goal); !valid) return valid.error();
  const auto keys = static_cast<double>(goal.keys);
  const double log_2 = std::log(2.0);
  const double bits =
      std::fabs(std::ceil(keys * std::log(goal.false_positive_rate) / std::pow(log_2, 2)));
  return checked_shape(bits, std::ceil(log_2 * bits / keys));
}

Status DcsoFilter::merge(const DcsoFilter& other) {
  if (goal_keys != other.goal_keys ||
      std::bit_cast<double>(goal_rate_bits) != std::bit_cast<double>(other.goal_rate_bits))
    return cannot_join("they were made for different numbers of keys or rates");
  const auto mine = filter.provenance().keys_inserted;
  const auto theirs = other.filter.provenance().keys_inserted;
  if (mine && theirs && *mine > UINT64_MAX - *theirs)
    return cannot_join("their counts of keys add up to more than 2^64 - 1");
  return filter.merge(other.filter);
}

Result<DcsoFilter> DcsoFilter::fold(std::uint64_t factor) const {
  auto folded = filter.fold(factor);
  if (!folded) return folded.error();
  return DcsoFilter{std::move(*folded), goal_keys, goal_rate_bits, flags, data, gzip};
}

DcsoFilter DcsoFilter::clone() const {
  return {filter.clone(), goal_keys, goal_rate_bits, flags, data, gzip};
}

Result<DcsoFilter> decode_dcso(ByteView bytes, const DecodeOptions& options) {
  if (!looks_like_gzip(bytes)) return decode_from(PlainReader{bytes}, options.limits);
  auto filter = decode_from(GzipReader{bytes}, options.limits);
  if (filter) filter->gzip = true;
  return filter;
}

std::vector<std::byte> encode_dcso(const DcsoFilter& filter) {
  ByteWriter writer;
  writer.reserve(kDcsoHeaderBytes + filter.filter.size_bytes() + filter.data.size());
  writer.le(filter.flags);
  writer.le(filter.goal_keys);
  writer.le(filter.goal_rate_bits);
  writer.le(std::uint64_t{filter.filter.shape().probes});
  writer.le(filter.filter.size_bits());
  writer.le(filter.filter.provenance().keys_inserted.value_or(0));
  writer.put(filter.filter.bytes());
  writer.put(filter.data);
  std::vector<std::byte> plain = writer.take();
  return filter.gzip ? gzipped(plain) : plain;
}

Result<DcsoFilter> create_dcso(const CreateOptions& options) {
  const auto goal = requested_goal(options.sizing, "dcso");
  if (!goal) return goal.error();
  auto filter = empty_filter<Dcso>(Dcso::shape_for(*goal), *goal, options.limits);
  if (!filter) return filter.error();
  return DcsoFilter{.filter = std::move(*filter),
                    .goal_keys = goal->keys,
                    .goal_rate_bits = std::bit_cast<std::uint64_t>(goal->false_positive_rate),
                    .data = options.user_data};
}

// The version byte alone is weak, so a guess also wants a goal that makes sense.
bool looks_like_dcso(ByteView bytes) {
  std::array<std::byte, kDcsoHeaderBytes> raw;
  const bool gzip = looks_like_gzip(bytes);
  const auto got = gzip ? GzipReader{bytes}.read(raw) : PlainReader{bytes}.read(raw);
  if (!got || *got < raw.size()) return false;
  const DcsoHeader header = header_of(raw);
  if (!checked(header) || !provenance_of(header).goal) return false;
  const std::uint64_t words = Shape{header.bits, 1}.bytes();
  return gzip || words <= bytes.size() - raw.size();
}

Description describe(const DcsoFilter& filter) {
  Description description = describe_classic(filter.filter, "dcso");
  if (!filter.data.empty())
    description.notes.push_back(
        message("the file carries ", filter.data.size(), " bytes of user data"));
  if (filter.filter.shape().probes == 0)
    description.notes.emplace_back(
        "the filter has no probes: its goal was too small for dcso's sizing rule, and it answers "
        "\"maybe\" to every key");
  return description;
}

}  // namespace bloomery
