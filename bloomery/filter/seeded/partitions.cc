#include "bloomery/filter/seeded/partitions.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace bloomery::internal {
namespace {

// About 200 KB of hashes at ten bits per key: they and their sorted copy sit in a second-level
// cache.
constexpr std::uint32_t kFewestBlocksShift = 8;
// More tails than this would no longer sit in a near cache while keys arrive.
constexpr std::uint64_t kMostPartitions = 4096;
constexpr std::uint64_t kLeastBytesPerPartition = 1024;
constexpr std::size_t kMostChunkHashes = 256;
constexpr std::size_t kSlabBytes = std::size_t{4} << 20;
constexpr std::size_t kWriteHashes = std::size_t{1} << 16;
// A partition holds some ten thousand keys; where it holds this many, most are the same few.
constexpr std::size_t kManyHashes = std::size_t{1} << 22;

std::uint32_t shift_for(std::uint64_t blocks) {
  std::uint32_t shift = kFewestBlocksShift;
  while ((blocks - 1) >> shift >= kMostPartitions) ++shift;
  return shift;
}

}  // namespace

SeededPartitions::SeededPartitions(std::uint64_t blocks, PartRange range,
                                   std::uint64_t memory_bytes, std::string spill_directory)
    : blocks_{blocks},
      range_{range},
      shift_{shift_for(range.size())},
      tails_(static_cast<std::size_t>((range.size() - 1) >> shift_) + 1),
      spill_directory_{std::move(spill_directory)} {
  const std::uint64_t bytes = std::max(memory_bytes, tails_.size() * kLeastBytesPerPartition);
  const std::uint64_t hashes = bytes / sizeof(Hash128);
  chunk_hashes_ = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::bit_floor(hashes / tails_.size() / 8), kMostChunkHashes));
  most_chunks_ = static_cast<std::size_t>(hashes / chunk_hashes_);
  slab_chunks_ = std::min(kSlabBytes / (chunk_hashes_ * sizeof(Hash128)), most_chunks_);
}

std::uint64_t SeededPartitions::end_block(std::size_t partition) const {
  return std::min(range_.end, first_block(partition + 1));
}

Status SeededPartitions::add(std::span<const Hash128> hashes) {
  for (const Hash128& hash : hashes) {
    Tail& tail = tails_[partition_of(hash)];
    if (tail.at == tail.end) [[unlikely]]
      if (auto started = start_chunk(tail); !started) return started;
    *tail.at++ = hash;
  }
  return ok();
}

Status SeededPartitions::start_chunk(Tail& tail) {
  if (used_chunks_ == most_chunks_)
    if (auto spilled = spill(); !spilled) return spilled;
  const std::size_t slab = used_chunks_ / slab_chunks_;
  if (slab == slabs_.size()) slabs_.emplace_back(slab_chunks_ * chunk_hashes_ * sizeof(Hash128));
  auto* hashes = reinterpret_cast<Hash128*>(slabs_[slab].span().data());
  tail.at = hashes + used_chunks_ % slab_chunks_ * chunk_hashes_;
  tail.end = tail.at + chunk_hashes_;
  tail.chunks.push_back(tail.at);
  ++used_chunks_;
  return ok();
}

std::span<const Hash128> SeededPartitions::chunk(const Tail& tail, std::size_t number) const {
  const bool last = number + 1 == tail.chunks.size();
  Hash128* first = tail.chunks[number];
  return {first, last ? tail.at : first + chunk_hashes_};
}

Status SeededPartitions::spill() {
  if (!file_) {
    auto created = SpillFile::create(spill_directory_);
    if (!created) return created.error();
    file_ = *std::move(created);
  }
  Run run;
  run.offsets.reserve(tails_.size() + 1);
  run.offsets.push_back(file_->size_bytes());
  std::vector<Hash128> pending;
  pending.reserve(kWriteHashes + kMostChunkHashes);
  const auto write = [&]() -> Status {
    auto written = file_->append(std::as_bytes(std::span{pending}));
    pending.clear();
    return written;
  };
  for (Tail& tail : tails_) {
    for (std::size_t i = 0; i < tail.chunks.size(); ++i) {
      const auto hashes = chunk(tail, i);
      pending.insert(pending.end(), hashes.begin(), hashes.end());
      if (pending.size() < kWriteHashes) continue;
      if (auto written = write(); !written) return written;
    }
    run.offsets.push_back(file_->size_bytes() + pending.size() * sizeof(Hash128));
    tail.at = tail.end = nullptr;
    tail.chunks.clear();
  }
  if (auto written = write(); !written) return written;
  runs_.push_back(std::move(run));
  used_chunks_ = 0;
  return ok();
}

Status SeededPartitions::read(std::size_t number, SeededPartition& partition) const {
  partition.pieces.clear();
  if (auto read = read_back(number, partition.read_back); !read) return read;
  partition.pieces.emplace_back(partition.read_back);
  const Tail& tail = tails_[number];
  for (std::size_t i = 0; i < tail.chunks.size(); ++i) partition.pieces.push_back(chunk(tail, i));
  return ok();
}

Status SeededPartitions::read_back(std::size_t number, std::vector<Hash128>& hashes) const {
  hashes.clear();
  std::size_t many = kManyHashes;
  for (const Run& run : runs_) {
    const std::uint64_t from = run.offsets[number];
    const auto bytes = static_cast<std::size_t>(run.offsets[number + 1] - from);
    const std::size_t before = hashes.size();
    hashes.resize(before + bytes / sizeof(Hash128));
    const auto into = std::as_writable_bytes(std::span{hashes}.subspan(before));
    if (auto read = file_->read(from, into); !read) return read;
    if (hashes.size() < many) continue;
    remove_duplicates(hashes);
    many = std::max(kManyHashes, 2 * hashes.size());
  }
  return ok();
}

void remove_duplicates(std::vector<Hash128>& hashes) {
  std::ranges::sort(hashes, {}, [](const Hash128& hash) { return std::tie(hash.low, hash.high); });
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace bloomery::internal
