// A block filter in the memory of one GPU: the bits of filter/block/block.h, at the speed of the
// device's memory.
#pragma once
#include <span>

#include "bloomery/base/file_name.h"
#include "bloomery/filter/block/block.h"
#include "bloomery/formats/options.h"
#include "bloomery/gpu/device.h"
#include "bloomery/gpu/plan.h"

namespace bloomery::gpu {

class HostPipe;
namespace internal {
struct Batched;
}

// Beside the keys of a call on the device.
struct Call {
  Stream stream = {};
  // For the fast way: workspace_bytes() of it, or less. None means direct.
  DeviceBytes workspace = {};
  Method method = Method::kAuto;
  Tuning tuning = {};
};

// Calls that take a stream return after they were launched: they wait for nothing and allocate
// nothing. Their order is that of the stream; a fault of a kernel is reported by a later call or by
// finish(). As with std::vector, two calls from two streams are the caller's to order, but lookups
// may run side by side. Keys, answers and workspace stay valid until the stream has passed the
// call.
class DeviceBlock {
 public:
  // One block per key, fewer than 2^32 blocks, the profile mix or xxh3, not seeded: kUnsupported or
  // kInvalidArgument otherwise. The CPU is never used instead.
  static Result<DeviceBlock> create(const Device& device, BlockShape shape, const KeyHash& hash);
  // A copy; a seeded filter too, which can then be looked up and not inserted into.
  static Result<DeviceBlock> from(const Device& device, const BlockFilter& filter);
  // From a file of ours, whose checksums are verified; its body is copied as it is.
  static Result<DeviceBlock> load(const Device& device, FileName path,
                                  const DecodeOptions& options = {});

  // How much workspace the fast way takes; 0 where that is the direct one. Strings carry more.
  std::uint64_t workspace_bytes(Operation operation, std::uint64_t keys, bool strings = false,
                                const Tuning& tuning = {}) const;

  Status insert(DeviceKeys keys, const Call& call = {});
  Status insert(const DeviceStrings& keys, const Call& call = {});
  // Writes every byte of the answers that answer_bytes() counts.
  Status may_contain(DeviceKeys keys, DeviceAnswers answers, const Call& call = {}) const;
  Status may_contain(const DeviceStrings& keys, DeviceAnswers answers, const Call& call = {}) const;

  // Keys in host memory, sent in chunks through the pipe's buffers. These return when all is done.
  // Precondition: answers hold answer_bytes().
  Status insert(HostPipe& pipe, std::span<const std::uint64_t> keys);
  Status insert(HostPipe& pipe, const HostStrings& keys);
  Status may_contain(HostPipe& pipe, std::span<const std::uint64_t> keys,
                     std::span<std::uint8_t> answers, AnswerKind kind = AnswerKind::kBytes) const;
  Status may_contain(HostPipe& pipe, const HostStrings& keys, std::span<std::uint8_t> answers,
                     AnswerKind kind = AnswerKind::kBytes) const;

  // Union. kInvalidArgument unless device, shape, profile, seed and window sets are the same.
  Status merge(const DeviceBlock& other, Stream stream = {});
  Status reset(Stream stream = {});
  // Of all blocks, never sampled. Waits for the stream.
  Result<Health> health(Stream stream = {}) const;
  // Waits for the stream. What the file and the copy say of keys_inserted: unknown after inserts.
  Result<BlockFilter> to_filter(Stream stream = {}) const;
  // Replaces the file in one step. u64 for whole numbers; else any funnel.
  Status save(FileName path, Stream stream = {}) const;
  Status save(FileName path, FunnelName funnel, Stream stream = {}) const;

  const Device& device() const { return device_; }
  BlockShape block_shape() const { return shape_; }
  const KeyHash& hash() const { return hash_; }
  FunnelName funnel() const { return funnel_; }
  std::uint64_t size_bytes() const { return shape_.bytes(); }
  bool is_known_empty() const { return is_known_empty_; }
  const Provenance& provenance() const { return provenance_; }
  void set_provenance(Provenance provenance) { provenance_ = provenance; }
  DeviceBytes bytes() const { return {memory_.data(), shape_.bytes()}; }  // blocks, then seeds

 private:
  friend class HostPipe;
  DeviceBlock(const Device& device, BlockShape shape, const KeyHash& hash)
      : device_{device}, shape_{shape}, hash_{hash} {}
  static Result<DeviceBlock> allocated(const Device& device, BlockShape shape, const KeyHash& hash);
  Status fill(ByteView body);
  void note_insert();
  Status check_insert() const;
  internal::Batched batched() const;

  Device device_;
  BlockShape shape_;
  KeyHash hash_;
  FunnelName funnel_ = FunnelName::kBytes;
  Provenance provenance_;
  bool is_known_empty_ = true;
  DeviceMemory memory_;  // blocks, seeds, then the sums of health()
};

}  // namespace bloomery::gpu
