#include "bloomery/formats/layered/layer.h"

#include "bloomery/base/error.h"
#include "bloomery/formats/native/body.h"

namespace bloomery {
namespace {

constexpr std::uint8_t kCounterBits = 4;

Result<Shape> shape_for(LayerKind layout, Goal goal) {
  if (layout != LayerKind::kBlock) return BloomeryClassic::shape_for(goal);
  const auto shape = block_shape_for(goal);
  if (!shape) return shape.error();
  return Shape{shape->bits(), shape->probes};
}

NativeHeader header_of(LayerKind layout, Goal goal, Shape shape, const KeyHash& hash) {
  NativeHeader header = native_header_for(hash, FunnelName::kBytes);
  header.kind = static_cast<NativeKind>(layout);
  header.bits = shape.bits;
  header.probes = shape.probes;
  header.counter_bits = layout == LayerKind::kCounting ? kCounterBits : std::uint8_t{0};
  header.set_provenance({.goal = goal, .keys_inserted = 0});
  header.body_bytes = native_body_bytes(header);
  return header;
}

}  // namespace

Result<std::uint64_t> FilterLayer::bytes_for(LayerKind layout, Goal goal, const KeyHash& hash) {
  const auto shape = shape_for(layout, goal);
  if (!shape) return shape.error();
  return header_of(layout, goal, *shape, hash).body_bytes;
}

Result<FilterLayer> FilterLayer::make(LayerKind layout, Goal goal, const KeyHash& hash,
                                      std::uint64_t max_bytes, std::pmr::memory_resource* memory) {
  const auto shape = shape_for(layout, goal);
  if (!shape) return shape.error();
  const NativeHeader header = header_of(layout, goal, *shape, hash);
  if (header.body_bytes > max_bytes)
    return Error{ErrorCode::kTooLarge, message("a layer of ", header.body_bytes,
                                               " bytes is needed, and ", max_bytes, " are left")};
  const auto filter = [&]() -> Filter {
    if (layout == LayerKind::kBlock) return BlockFilter{header.block_shape(), hash, memory};
    if (layout == LayerKind::kClassic) return Classic{*shape, BloomeryClassic{hash}, memory};
    return Counting{*shape, BloomeryClassic{hash}, memory};
  };
  FilterLayer layer{filter(), goal};
  std::visit([&](auto& held) { held.set_provenance(header.provenance()); }, layer.filter_);
  return layer;
}

Result<FilterLayer> FilterLayer::make_part(const LayeredPlan& plan, std::uint64_t max_bytes,
                                           std::pmr::memory_resource* memory) {
  const LayeredPart& part = *plan.part;
  const std::uint64_t bytes = part_bytes(part.shape, part.part);
  if (bytes > max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("a part of ", bytes, " bytes is needed, and ", max_bytes, " are left")};
  auto filter = BlockPart::create(part.shape, part.part, plan.hash(), memory);
  if (!filter) return filter.error();
  filter->set_provenance({.goal = plan.goal, .keys_inserted = 0});
  FilterLayer layer{std::move(*filter), plan.goal};
  layer.most_keys_ = part.most_keys(plan.goal.keys);
  return layer;
}

Result<FilterLayer> FilterLayer::part_from_header(const NativeHeader& header,
                                                  const LayeredPlan& plan,
                                                  std::pmr::memory_resource* memory) {
  const auto provenance = header.provenance();
  const bool same = header.kind == NativeKind::kBlock && header.flags == kNativePart &&
                    header.block_shape() == plan.part->shape && header.part() == plan.part->part &&
                    provenance.goal == plan.goal && provenance.keys_inserted &&
                    header.funnel == FunnelName::kBytes;
  if (!same) return malformed("a layer is not the part that its filter says");
  const auto hash = native_hash(header, std::nullopt);
  if (!hash) return hash.error();
  if (!(*hash == plan.hash()))
    return malformed("a layer hashes its keys in another way than its filter");
  auto layer = make_part(plan, UINT64_MAX, memory);
  if (layer) std::get<BlockPart>(layer->filter_).set_provenance(provenance);
  return layer;
}

Result<FilterLayer> FilterLayer::from_header(const NativeHeader& header, const LayeredPlan& plan,
                                             std::pmr::memory_resource* memory) {
  if (plan.part) return part_from_header(header, plan, memory);
  if (static_cast<std::uint16_t>(header.kind) != static_cast<std::uint16_t>(plan.layout))
    return malformed("a layer has another layout than its filter");
  const auto hash = native_hash(header, plan.hash().hasher.key());
  if (!hash) return hash.error();
  const auto provenance = header.provenance();
  if (!(*hash == plan.hash()) || header.funnel != FunnelName::kBytes)
    return malformed("a layer hashes its keys in another way than its filter");
  if ((header.flags & ~kNativeKeyed) != 0 || !provenance.goal || !provenance.keys_inserted)
    return malformed("a layer was made for a goal, counts its keys, is closed and has no seeds");
  const bool counting = plan.layout == LayerKind::kCounting;
  if (counting && header.counter_bits != kCounterBits)
    return malformed("a layer that counts has counters of four bits");
  const auto filter = [&]() -> Filter {
    if (plan.layout == LayerKind::kBlock) return BlockFilter{header.block_shape(), *hash, memory};
    if (counting) return Counting{header.shape(), BloomeryClassic{*hash}, memory};
    return Classic{header.shape(), BloomeryClassic{*hash}, memory};
  };
  FilterLayer layer{filter(), *provenance.goal};
  std::visit([&](auto& held) { held.set_provenance(provenance); }, layer.filter_);
  return layer;
}

NativeHeader FilterLayer::header() const {
  const auto [layout, hash, provenance] = std::visit(
      [](const auto& held) {
        if constexpr (requires { held.part(); })
          return std::tuple{LayerKind::kBlock, held.hash(), Provenance{held.provenance()}};
        else if constexpr (requires { held.block_shape(); })
          return std::tuple{LayerKind::kBlock, held.hash(), Provenance{held.provenance()}};
        else if constexpr (requires { held.stuck_counters(); })
          return std::tuple{LayerKind::kCounting, KeyHash{held.dialect()}, held.provenance()};
        else
          return std::tuple{LayerKind::kClassic, KeyHash{held.dialect()}, held.provenance()};
      },
      filter_);
  NativeHeader header = header_of(layout, goal_, shape(), hash);
  if (const auto* part = std::get_if<BlockPart>(&filter_)) {
    header.flags |= kNativePart;
    header.bits = part->whole_shape().bits();
    header.part_index = part->part().index;
    header.part_count = part->part().parts;
    header.body_bytes = native_body_bytes(header);
  }
  header.set_provenance(provenance);
  const ByteView body = bytes();
  header.body_checksum = internal::body_checksum(std::span{&body, 1});
  return header;
}

void FilterLayer::insert_batch(ByteKeys keys, std::span<std::uint8_t> is_new) {
  std::visit([&](auto& held) { held.insert_batch(keys, is_new); }, filter_);
}

void FilterLayer::may_contain_batch(ByteKeys keys, std::span<std::uint8_t> answers) const {
  std::visit([&](const auto& held) { held.may_contain_batch(keys, answers); }, filter_);
}

bool FilterLayer::insert(ByteView key) {
  const bool is_new = std::visit(
      [&](auto& held) {
        if constexpr (requires { held.insert(key); })
          return held.insert(key);
        else
          return held.insert(held.hash().digest(key));
      },
      filter_);
  room_taken_ += is_new ? 1 : 0;
  return is_new;
}

bool FilterLayer::may_contain(ByteView key) const {
  return std::visit(
      [&](const auto& held) {
        if constexpr (requires { held.may_contain(key); })
          return held.may_contain(key);
        else
          return held.may_contain(held.hash().digest(key));
      },
      filter_);
}

bool FilterLayer::remove(ByteView key) {
  auto* counting = std::get_if<Counting>(&filter_);
  if (counting == nullptr || !counting->remove(key)) return false;
  if (room_taken_ > 0 && !counting->may_contain(key)) --room_taken_;
  return true;
}

Status FilterLayer::merge(const FilterLayer& other) {
  if (filter_.index() != other.filter_.index())
    return Error{ErrorCode::kInvalidArgument, "the filters have different layouts"};
  auto merged = std::visit(
      [&](auto& held) {
        return held.merge(*std::get_if<std::remove_reference_t<decltype(held)>>(&other.filter_));
      },
      filter_);
  if (merged) room_taken_ += std::min(other.room_taken_, UINT64_MAX - room_taken_);
  return merged;
}

Result<bool> FilterLayer::is_subset_of(const FilterLayer& other) const {
  if (filter_.index() != other.filter_.index())
    return Error{ErrorCode::kInvalidArgument, "the filters have different layouts"};
  return std::visit(
      [&](const auto& held) -> Result<bool> {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (requires { held.is_subset_of(held); })
          return held.is_subset_of(*std::get_if<Held>(&other.filter_));
        else
          return false;
      },
      filter_);
}

FilterLayer FilterLayer::clone() const {
  FilterLayer copy{std::visit([](const auto& held) -> Filter { return held.clone(); }, filter_),
                   goal_};
  copy.room_taken_ = room_taken_;
  copy.most_keys_ = most_keys_;
  return copy;
}

bool FilterLayer::same_bytes(const FilterLayer& other) const {
  return goal_ == other.goal_ && room_taken() == other.room_taken() &&
         keys_inserted() == other.keys_inserted() && filter_ == other.filter_;
}

bool FilterLayer::counts() const { return std::holds_alternative<Counting>(filter_); }

Shape FilterLayer::shape() const {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { held.shape(); })
          return held.shape();
        else
          return Shape{held.view().own_shape().bits(), held.whole_shape().probes};
      },
      filter_);
}

ByteView FilterLayer::bytes() const {
  return std::visit([](const auto& held) { return held.bytes(); }, filter_);
}

ByteSpan FilterLayer::bytes() {
  return std::visit([](auto& held) { return held.bytes(); }, filter_);
}

std::uint64_t FilterLayer::keys_inserted() const {
  return std::visit([](const auto& held) { return held.provenance().keys_inserted.value_or(0); },
                    filter_);
}

Health FilterLayer::health() const {
  return std::visit([](const auto& held) { return held.health(); }, filter_);
}

}  // namespace bloomery
