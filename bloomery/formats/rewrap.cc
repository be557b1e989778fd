#include "bloomery/formats/rewrap.h"

#include <iomanip>
#include <limits>
#include <sstream>

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/format_sizes.h"

namespace bloomery {
namespace {

using Bytes = std::vector<std::byte>;

// Each overload gives the same filter as another format's kind, or nothing.
template <class Held>
std::optional<AnyFilter> sibling(const Held& held) {
  (void)held;
  return std::nullopt;
}

// Counters become bits: set where the counter is not zero.
template <unsigned kCounterBits>
std::optional<AnyFilter> sibling(const NativeCounting<kCounterBits>& counting) {
  return AnyFilter{NativeClassic{counting.filter.to_classic(), counting.funnel, counting.was_open}};
}

// For two dialects with the same digest and the same probes.
template <Dialect To, Dialect From>
ClassicFilter<To> same_bits(const ClassicFilter<From>& from) {
  ClassicFilter<To> to{from.shape()};
  std::ranges::copy(from.bytes(), to.bytes().begin());
  to.set_provenance(from.provenance());
  return to;
}

// The C# design took Guava's second strategy, on any number of bits.
std::optional<AnyFilter> sibling(const ClassicFilter<GuavaMitz64>& filter) {
  return AnyFilter{same_bits<EventHorizonX64>(filter)};
}
std::optional<AnyFilter> sibling(const ClassicFilter<EventHorizonX64>& filter) {
  if (filter.size_bits() % bits_multiple<GuavaMitz64>() != 0) return std::nullopt;
  return AnyFilter{same_bits<GuavaMitz64>(filter)};
}

template <class T>
std::optional<AnyFilter> any_if(Result<T> decoded) {
  if (!decoded) return std::nullopt;
  return AnyFilter{std::move(*decoded)};
}

// These bytes were a filter a moment ago: what they need is there.
DecodeOptions room_for(ByteView bytes) {
  DecodeOptions options;
  options.limits.max_bytes = bytes.size() + 1024;
  return options;
}

// A block of one filter: the filter, its offset, where the offsets begin, and LevelDB's base_lg.
std::optional<AnyFilter> sibling(const ClassicFilter<LevelDb>& filter) {
  const CreateOptions defaults;
  ByteWriter block;
  const Bytes bytes = encode_leveldb(filter);
  block.put(bytes);
  block.le(std::uint32_t{0});
  block.le(static_cast<std::uint32_t>(bytes.size()));
  block.le(static_cast<std::uint8_t>(defaults.base_lg));
  return any_if(decode_leveldb_block(block.take(), room_for(bytes)));
}
std::optional<AnyFilter> sibling(const LevelDbFilterBlock& block) {
  if (block.filter_count() != 1) return std::nullopt;
  const auto only = block.filter_at(0);
  return only ? any_if(decode_leveldb(*only, room_for(*only))) : std::nullopt;
}
std::optional<AnyFilter> sibling(const LevelDbTable& table) {
  if (!table.filters) return std::nullopt;
  return AnyFilter{table.filters->clone()};
}

// The command that makes the filter anew, of its size where it records that.
std::string command_for(const Format& to, const std::optional<Goal>& goal) {
  std::string command = message("bloomery build --format ", to.name);
  if (!goal || !takes_sizes(to.name, kSizeKeys | kSizeRate)) return command;
  std::ostringstream rate;
  throw_on_failure(rate);
  rate << std::setprecision(std::numeric_limits<double>::digits10) << goal->false_positive_rate;
  return message(command, " -n ", goal->keys, " -p ", rate.str(), " -o FILTER FILE");
}

Error hash_differs(const AnyFilter& filter, const Format& to) {
  const Description from = describe(filter);
  return {ErrorCode::kUnsupported,
          message("a ", from.layout, " filter of ", from.format, " (dialect ", from.dialect,
                  ") cannot be written as ", to.name,
                  ": that format finds the bits of a key in another way, and a filter does not "
                  "keep its keys; build it from them with `",
                  command_for(to, from.goal), "`")};
}

}  // namespace

Result<Bytes> rewrap(const AnyFilter& filter, const Format& to) {
  const auto kin_of = [](const AnyFilter& any) {
    return std::visit([](const auto& held) { return sibling(held); }, any);
  };
  auto kin = kin_of(filter);
  // To our own format, from our own format: the request is to drop the counters.
  const bool drops_counters = kin && std::holds_alternative<NativeClassic>(*kin);
  auto bytes = to.encode(drops_counters ? *kin : filter);
  // Two steps lead from a whole table to its one filter.
  for (int step = 0; step < 2 && kin; ++step) {
    if (bytes || bytes.error().code != ErrorCode::kUnsupported) return bytes;
    bytes = to.encode(*kin);
    kin = kin_of(*kin);
  }
  if (bytes || bytes.error().code != ErrorCode::kUnsupported) return bytes;
  return hash_differs(filter, to);
}

}  // namespace bloomery
