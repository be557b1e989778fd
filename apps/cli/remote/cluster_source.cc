#include "apps/cli/remote/cluster_source.h"

#include <cmath>

#include "apps/cli/shell/interrupts.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/body.h"

namespace bloomery::cli {

WholeSource::WholeSource(const NativeBlock& held)
    : filter_{held.filter}, whole_{native_header_for(held.filter.hash(), held.funnel)} {
  const BlockShape shape = filter_.block_shape();
  whole_.kind = shape.lines() > 1 ? NativeKind::kLines : NativeKind::kBlock;
  if (shape.seeded) whole_.flags |= kNativeSeeded;
  whole_.bits = shape.bits();
  whole_.probes = shape.probes;
  whole_.set_provenance(filter_.provenance());
  whole_.body_bytes = shape.bytes();
}

ByteView WholeSource::bytes_of_part(Part part) const {
  const auto range = blocks_of(part, filter_.block_shape().blocks);
  return filter_.bytes().subspan(static_cast<std::size_t>(range.first) * block::kBlockBytes,
                                 static_cast<std::size_t>(range.size()) * block::kBlockBytes);
}

// How many keys are in a part, its bits say.
Result<NativeHeader> WholeSource::header(Part part) const {
  const ByteView body = bytes_of_part(part);
  NativeHeader header = whole_;
  header.flags |= kNativePart;
  header.part_index = part.index;
  header.part_count = part.parts;
  header.body_bytes = body.size();
  header.body_checksum = internal::body_checksum(std::span{&body, 1});
  const BlockShape own{body.size() / block::kBlockBytes, filter_.block_shape().probes};
  header.keys_inserted = static_cast<std::uint64_t>(
      std::llround(block_health(own, body, std::nullopt).estimated_keys));
  return header;
}

Status WholeSource::each_piece(Part part, const Use& use) const { return use(bytes_of_part(part)); }

Result<NativeHeader> SetSource::header(Part part) const {
  return part_header(set_.manifest(), part.index);
}

Status SetSource::each_piece(Part part, const Use& use) const {
  std::vector<std::byte> buffer;
  const auto body = set_.body(part.index, buffer);
  return body ? use(*body) : Status{body.error()};
}

Status may_store_in_cluster(const redis_client::RedisAddress& address, std::string_view format,
                            bool replace) {
  if (format != "bloomery")
    return Error{ErrorCode::kUnsupported,
                 "with ?shards= a cluster holds filters of the format bloomery only; leave "
                 "--format out, and convert with --to bloomery"};
  return redis_client::may_store_shards(address, replace, InterruptGuard::interrupted);
}

Status store_in_cluster(const redis_client::RedisAddress& address, const AnyFilter& filter,
                        bool replace) {
  const auto* native = std::get_if<NativeBlock>(&filter);
  if (native == nullptr)
    return Error{ErrorCode::kUnsupported,
                 "only a block filter lies in the shards of a cluster; build one with --layout "
                 "block"};
  const InterruptGuard guard;
  const auto stored = redis_client::store_shards(address, WholeSource{*native}, replace,
                                                 InterruptGuard::interrupted);
  return stored ? ok() : Status{stored.error()};
}

}  // namespace bloomery::cli
