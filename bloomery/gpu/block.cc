#include "bloomery/gpu/block.h"

#include "bloomery/base/message.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/gpu/block_parts.h"

namespace bloomery::gpu {
namespace {

// Blocks are counted in 32 bits on the device: 256 GiB.
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 32) - 1;
// The sums of health() lie behind the filter, so that no call allocates.
constexpr std::uint64_t kSumBytes = 256;

std::uint64_t sums_at(BlockShape shape) {
  return (shape.bytes() + internal::kAlignment - 1) / internal::kAlignment * internal::kAlignment;
}

Status check_on_device(BlockShape shape, const KeyHash& hash) {
  if (shape.lines() > 1)
    return Error{ErrorCode::kUnsupported,
                 "a filter with several blocks per key cannot lie on a GPU; use 4 to 8 probes"};
  if (auto possible = checked_one_line(shape); !possible) return possible.error();
  if (shape.blocks > kMostBlocks)
    return Error{ErrorCode::kTooLarge, message("a filter on a GPU has at most ", kMostBlocks,
                                               " blocks, not ", shape.blocks)};
  const Profile profile = hash.hasher.profile();
  if (profile != Profile::kMix && profile != Profile::kXxh3)
    return Error{ErrorCode::kUnsupported,
                 message("keys hashed by ", profile_name(profile),
                         " cannot be hashed on a GPU; make the filter with mix or xxh3")};
  return ok();
}

}  // namespace

namespace internal {

Result<KeySource> source_of(const KeyHash& hash, DeviceKeys keys) {
  const Hasher& hasher = hash.hasher;
  if (!hash.takes_numbers())
    return Error{ErrorCode::kInvalidArgument,
                 "the profile mix hashes whole numbers, and the keys of this filter are bytes"};
  return KeySource{hasher.profile() == Profile::kMix ? KeyKind::kMix : KeyKind::kXxh3,
                   keys.data,
                   nullptr,
                   nullptr,
                   hasher.seed(),
                   keys.size};
}
Result<KeySource> source_of(const KeyHash& hash, const DeviceStrings& keys) {
  if (hash.whole_numbers || !hash.hasher.accepts_bytes())
    return Error{ErrorCode::kInvalidArgument,
                 "the keys of this filter are whole numbers, and strings were given"};
  return string_source(keys, hash.hasher.seed());
}

}  // namespace internal

internal::Batched DeviceBlock::batched() const {
  auto* const bytes = static_cast<std::byte*>(memory_.data());
  return {device_,
          {bytes, shape_.seeded ? bytes + shape_.blocks * block::kBlockBytes : nullptr,
           static_cast<std::uint32_t>(shape_.blocks), shape_.probes},
          block::kBlockBytes};
}

Result<DeviceBlock> DeviceBlock::allocated(const Device& device, BlockShape shape,
                                           const KeyHash& hash) {
  if (auto possible = check_on_device(shape, hash); !possible) return possible.error();
  DeviceBlock filter{device, shape, hash};
  if (hash.whole_numbers) filter.funnel_ = FunnelName::kU64;
  auto memory = DeviceMemory::allocate(device, sums_at(shape) + kSumBytes);
  if (!memory) return memory.error();
  filter.memory_ = std::move(*memory);
  return filter;
}

Result<DeviceBlock> DeviceBlock::create(const Device& device, BlockShape shape,
                                        const KeyHash& hash) {
  if (shape.seeded)
    return Error{ErrorCode::kUnsupported,
                 "a seeded filter cannot be built on a GPU; build it on the CPU and load it"};
  auto filter = allocated(device, shape, hash);
  if (!filter) return filter;
  if (auto cleared = filter->reset(); !cleared) return cleared.error();
  if (auto done = finish(device); !done) return done.error();
  return filter;
}

Result<DeviceBlock> DeviceBlock::from(const Device& device, const BlockFilter& filter) {
  auto copy = allocated(device, filter.block_shape(), filter.hash());
  if (!copy) return copy;
  copy->provenance_ = filter.provenance();
  if (auto filled = copy->fill(filter.bytes()); !filled) return filled.error();
  return copy;
}

Result<DeviceBlock> DeviceBlock::load(const Device& device, FileName path,
                                      const DecodeOptions& options) {
  const auto mapped = MappedNative::open(path, options);
  if (!mapped) return mapped.error();
  if (mapped->kind() != NativeKind::kBlock)
    return Error{ErrorCode::kUnsupported,
                 message(path.view(),
                         ": only a block filter with one block per key can lie on a "
                         "GPU")};
  if (auto intact = mapped->verify(); !intact) return intact.error();
  const Shape shape = mapped->shape();
  const std::uint64_t blocks = shape.bits / block::kBlockBits;
  const BlockShape block_shape{blocks, shape.probes,
                               mapped->bytes().size() > blocks * block::kBlockBytes};
  auto filter = allocated(device, block_shape, mapped->hash());
  if (!filter)
    return Error{filter.error().code, message(path.view(), ": ", filter.error().message)};
  filter->funnel_ = mapped->funnel();
  filter->provenance_ = mapped->provenance();
  if (auto filled = filter->fill(mapped->bytes()); !filled) return filled.error();
  return filter;
}

Status DeviceBlock::fill(ByteView body) {
  is_known_empty_ = false;
  const internal::Runtime& runtime = device_.runtime();
  const auto copied = runtime.copy(device_.index(), memory_.data(), body.data(), body.size(), {});
  return copied ? finish(device_) : copied;
}

std::uint64_t DeviceBlock::workspace_bytes(Operation operation, std::uint64_t keys, bool strings,
                                           const Tuning& tuning) const {
  if (shape_.seeded) return 0;
  return gpu::workspace_bytes(
      operation, {shape_.blocks, block::kBlockBytes, keys, strings ? 16u : 8u}, tuning);
}

// Also before an insert that then fails: some of its keys may be in.
void DeviceBlock::note_insert() {
  is_known_empty_ = false;
  provenance_.keys_inserted.reset();
}

Status DeviceBlock::check_insert() const {
  if (!shape_.seeded) return ok();
  return Error{ErrorCode::kUnsupported, "no keys can be inserted into a seeded filter on a GPU"};
}

Status DeviceBlock::insert(DeviceKeys keys, const Call& call) {
  const auto source = internal::source_of(hash_, keys);
  if (!source) return source.error();
  if (auto possible = check_insert(); !possible) return possible;
  if (keys.size == 0) return ok();
  const bool empty = is_known_empty_;
  note_insert();
  return internal::insert_batch(batched(), *source, empty, call);
}

Status DeviceBlock::insert(const DeviceStrings& keys, const Call& call) {
  const auto source = internal::source_of(hash_, keys);
  if (!source) return source.error();
  if (auto possible = check_insert(); !possible) return possible;
  if (keys.size == 0) return ok();
  const bool empty = is_known_empty_;
  note_insert();
  return internal::insert_batch(batched(), *source, empty, call);
}

Status DeviceBlock::may_contain(DeviceKeys keys, DeviceAnswers answers, const Call& call) const {
  const auto source = internal::source_of(hash_, keys);
  if (!source) return source.error();
  return internal::look_up_batch(batched(), *source, answers, call);
}

Status DeviceBlock::may_contain(const DeviceStrings& keys, DeviceAnswers answers,
                                const Call& call) const {
  const auto source = internal::source_of(hash_, keys);
  if (!source) return source.error();
  return internal::look_up_batch(batched(), *source, answers, call);
}

Status DeviceBlock::merge(const DeviceBlock& other, Stream stream) {
  if (other.device_.index() != device_.index() || other.shape_ != shape_ || other.hash_ != hash_ ||
      other.funnel_ != funnel_)
    return Error{ErrorCode::kInvalidArgument,
                 "only filters on the same GPU, with the same shape, hash and funnel, can be "
                 "merged"};
  if (shape_.seeded)
    return Error{ErrorCode::kUnsupported,
                 "seeded filters cannot be merged on a GPU; merge them on the CPU"};
  is_known_empty_ = is_known_empty_ && other.is_known_empty_;
  provenance_.keys_inserted =
      sum_of_keys(provenance_.keys_inserted, other.provenance_.keys_inserted);
  return device_.runtime().merge(device_.index(), memory_.data(), other.memory_.data(),
                                 shape_.blocks * block::kBlockBytes, stream);
}

Status DeviceBlock::reset(Stream stream) {
  provenance_.keys_inserted = 0;
  is_known_empty_ = true;
  return device_.runtime().clear(device_.index(), memory_.data(),
                                 shape_.blocks * block::kBlockBytes, stream);
}

Result<Health> DeviceBlock::health(Stream stream) const {
  const internal::Runtime& runtime = device_.runtime();
  const internal::Batched filter = batched();
  auto* const on_device = reinterpret_cast<internal::HealthSums*>(
      static_cast<std::byte*>(memory_.data()) + sums_at(shape_));
  if (auto sent = runtime.health(device_.index(), filter.memory, on_device, stream); !sent)
    return sent.error();
  internal::HealthSums sums{};
  if (auto copied = runtime.copy(device_.index(), &sums, on_device, sizeof sums, stream); !copied)
    return copied.error();
  if (auto done = finish(device_, stream); !done) return done.error();
  BlockTally tally{shape_, shape_.blocks};
  tally.add_all(sums.ones, sums.products);
  return tally.health(provenance_.goal);
}

Result<BlockFilter> DeviceBlock::to_filter(Stream stream) const {
  BlockFilter filter{shape_, hash_};
  const ByteSpan body = filter.bytes();
  const auto copied =
      device_.runtime().copy(device_.index(), body.data(), memory_.data(), shape_.bytes(), stream);
  if (!copied) return copied.error();
  if (auto done = finish(device_, stream); !done) return done.error();
  filter.set_provenance(provenance_);
  return filter;
}

Status DeviceBlock::save(FileName path, Stream stream) const { return save(path, funnel_, stream); }

Status DeviceBlock::save(FileName path, FunnelName funnel, Stream stream) const {
  if ((funnel == FunnelName::kU64) != hash_.whole_numbers)
    return Error{ErrorCode::kInvalidArgument,
                 message(path.view(), ": the funnel ", funnel_name(funnel),
                         " is not that of the keys of this filter")};
  const auto filter = to_filter(stream);
  if (!filter) return filter.error();
  return save_native(*filter, funnel, path);
}

}  // namespace bloomery::gpu
