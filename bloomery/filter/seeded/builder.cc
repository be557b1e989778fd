#include "bloomery/filter/seeded/builder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery {
namespace {

using internal::SeededPartitions;

constexpr std::size_t kPiece = 256;

// The keys of one block, each once: no choice of windows sees a key twice, and the count is of
// different keys.
class DistinctKeys {
 public:
  // Moves them to the front, in any order, and returns how many there are.
  std::size_t operator()(std::span<Hash128> keys) {
    if (keys.size() > kFew) return sorted(keys);
    seen_.fill(0);
    std::size_t kept = 0;
    for (const Hash128 key : keys) {
      std::uint64_t& word = seen_[key.high / 64 % seen_.size()];
      const std::uint64_t bit = std::uint64_t{1} << (key.high % 64);
      const bool known = (word & bit) != 0 && std::ranges::find(keys.first(kept), key) !=
                                                  keys.begin() + static_cast<std::ptrdiff_t>(kept);
      word |= bit;
      keys[kept] = key;
      kept += known ? 0 : 1;
    }
    return kept;
  }

 private:
  // A block for its best has some fifty keys; one with more than this is full with any choice.
  static constexpr std::size_t kFew = 1024;
  static std::size_t sorted(std::span<Hash128> keys) {
    std::vector<Hash128> copy{keys.begin(), keys.end()};
    internal::remove_duplicates(copy);
    std::ranges::copy(copy, keys.begin());
    return copy.size();
  }
  std::array<std::uint64_t, 64> seen_{};  // of a key, by twelve of its bits
};

// What threads that take partitions in turn share.
struct Work {
  const SeededPartitions& hashes;
  BlockShape shape;
  std::uint32_t window_sets;
  PartRange range;  // of blocks that are built
  ByteSpan memory;  // theirs: the blocks, then their seeds
  std::atomic<std::size_t> next_partition = 0;
  std::atomic<std::uint64_t> keys = 0;
  std::atomic<bool> stopped = false;
  std::mutex failing = {};
  std::optional<Error> failed = {};
  std::exception_ptr thrown = {};
};

class Worker {
 public:
  explicit Worker(Work& work) : work_{work}, kernels_{simd::active_block_kernels()} {}

  void run() {
    for (;;) {
      const std::size_t partition = work_.next_partition.fetch_add(1, std::memory_order_relaxed);
      if (partition >= work_.hashes.count() || work_.stopped.load(std::memory_order_relaxed)) break;
      if (auto read = work_.hashes.read(partition, partition_); !read) {
        stop(read.error());
        break;
      }
      first_block_ = work_.hashes.first_block(partition);
      sort(static_cast<std::size_t>(work_.hashes.end_block(partition) - first_block_));
      for (std::size_t i = 0; i + 1 < starts_.size(); ++i) build_block(i);
    }
    work_.keys.fetch_add(keys_, std::memory_order_relaxed);
  }

 private:
  std::size_t block_of(const Hash128& hash) const {
    return static_cast<std::size_t>(block::block_of(hash.low, work_.shape.blocks) - first_block_);
  }
  // By block: count, sum up, put in place.
  void sort(std::size_t blocks) {
    starts_.assign(blocks + 1, 0);
    const std::size_t total = count_blocks();
    for (std::size_t i = 0; i < blocks; ++i) starts_[i + 1] += starts_[i];
    places_.assign(starts_.begin(), starts_.end());
    if (sorted_.size() < total) sorted_.resize(total);
    for (const auto piece : partition_.pieces)
      for (const Hash128& hash : piece) sorted_[places_[block_of(hash)]++] = hash;
  }
  // The first to touch the pieces, which lie apart in memory: while one is counted, the next is
  // fetched.
  std::size_t count_blocks() {
    const auto& pieces = partition_.pieces;
    std::size_t total = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Hash128* next = pieces[std::min(i + 1, pieces.size() - 1)].data();
      for (const Hash128& hash : pieces[i]) {
        __builtin_prefetch(next++);
        ++starts_[block_of(hash) + 1];
      }
      total += pieces[i].size();
    }
    return total;
  }
  void build_block(std::size_t i) {
    const std::span<Hash128> keys{sorted_.data() + starts_[i], sorted_.data() + starts_[i + 1]};
    if (keys.empty()) return;
    const std::size_t count = distinct_(keys);
    block::BlockMask sectors;
    const std::uint8_t seed =
        kernels_.best_windows(keys.data(), count, work_.shape.probes, work_.window_sets, sectors);
    const auto number = static_cast<std::size_t>(first_block_ - work_.range.first) + i;
    std::byte* to = work_.memory.data() + number * block::kBlockBytes;
    for (std::size_t j = 0; j < sectors.size(); ++j)
      store_le(to + j * sizeof sectors[j], sectors[j]);
    const auto blocks = static_cast<std::size_t>(work_.range.size());
    work_.memory[blocks * block::kBlockBytes + number] = std::byte{seed};
    keys_ += count;
  }
  void stop(const Error& error) {
    work_.stopped = true;
    const std::scoped_lock lock{work_.failing};
    if (!work_.failed) work_.failed = error;
  }

  Work& work_;
  const simd::BlockKernels& kernels_;
  std::uint64_t first_block_ = 0;
  std::uint64_t keys_ = 0;
  internal::SeededPartition partition_;
  std::vector<Hash128> sorted_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> places_;
  DistinctKeys distinct_;
};

// Memory that runs out in another thread is reported in this one.
void run_guarded(Work& work) noexcept {
  try {
    Worker{work}.run();
  } catch (...) {
    work.stopped = true;
    const std::scoped_lock lock{work.failing};
    work.thrown = std::current_exception();
  }
}

void run_in_threads(Work& work, std::uint32_t threads) {
  std::vector<std::jthread> others;
  try {
    for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back(run_guarded, std::ref(work));
  } catch (const std::system_error&) {
    // The system gives no more threads: those that run do the work of all.
  }
  run_guarded(work);
}

}  // namespace

Result<SeededBuilder> SeededBuilder::create(BlockShape shape, const KeyHash& hash,
                                            SeededOptions options) {
  return create_part(shape, Part{}, hash, std::move(options));
}

Result<SeededBuilder> SeededBuilder::create_part(BlockShape shape, Part part, const KeyHash& hash,
                                                 SeededOptions options) {
  if (auto valid = checked(shape); !valid) return valid.error();
  if (!shape.seeded)
    return invalid_argument("a seeded builder makes seeded filters, and a plain shape was given");
  if (!hash.whole_numbers && !hash.hasher.accepts_bytes())
    return invalid_argument(
        "the profile mix hashes whole numbers only: say that the keys are such");
  if (options.threads == 0)
    return invalid_argument("a seeded filter is built by 1 or more threads, not 0");
  if (options.window_sets != 8 && options.window_sets != 16 && options.window_sets != 32)
    return invalid_argument(
        message("a seeded builder tries 8, 16 or 32 window sets per block, and ",
                options.window_sets, " were asked for"));
  if (auto valid = checked(part, shape.blocks); !valid) return valid.error();
  return SeededBuilder{shape, part, hash, std::move(options)};
}

SeededBuilder::SeededBuilder(BlockShape shape, Part part, const KeyHash& hash,
                             SeededOptions options)
    : shape_{shape},
      part_{part},
      range_{blocks_of(part, shape.blocks)},
      hash_{hash},
      options_{std::move(options)},
      hashes_{shape.blocks, range_, options_.memory_bytes, options_.spill_directory} {}

template <class Key, class HashPiece>
Status SeededBuilder::add_hashed(std::span<const Key> keys, HashPiece hash_piece) {
  std::array<Hash128, kPiece> hashes;
  for (std::size_t at = 0; at < keys.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, keys.size() - at);
    hash_piece(keys.data() + at, count, hashes.data());
    if (auto added = add(std::span<const Hash128>{hashes}.first(count)); !added) return added;
  }
  return ok();
}

Status SeededBuilder::add(std::span<const ByteView> keys) {
  return add_hashed(keys, [&](const ByteView* piece, std::size_t count, Hash128* hashes) {
    if (!hash_.whole_numbers)
      simd::active_block_kernels().hash_bytes(hash_.hasher, piece, count, hashes);
    else
      for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_.digest(piece[i]);
  });
}

Status SeededBuilder::add(std::span<const std::uint64_t> keys) {
  assert(hash_.whole_numbers);
  return add_hashed(keys, [&](const std::uint64_t* piece, std::size_t count, Hash128* hashes) {
    simd::active_block_kernels().hash_numbers(hash_.hasher, piece, count, hashes);
  });
}

Status SeededBuilder::add(std::span<const Hash128> hashes) {
  if (failed_) return *failed_;
  auto added = range_.size() == shape_.blocks ? hashes_.add(hashes) : add_own(hashes);
  if (!added) failed_ = added.error();
  return added;
}

Status SeededBuilder::add_own(std::span<const Hash128> hashes) {
  std::array<Hash128, kPiece> own;
  std::size_t count = 0;
  for (const Hash128& hash : hashes) {
    if (!range_.holds(block::block_of(hash.low, shape_.blocks))) continue;
    own[count++] = hash;
    if (count < own.size()) continue;
    if (auto added = hashes_.add(own); !added) return added;
    count = 0;
  }
  return hashes_.add(std::span<const Hash128>{own}.first(count));
}

Result<std::uint64_t> SeededBuilder::build_into(ByteSpan memory) {
  if (failed_) return *failed_;
  Work work{.hashes = hashes_,
            .shape = shape_,
            .window_sets = options_.window_sets,
            .range = range_,
            .memory = memory};
  run_in_threads(work, options_.threads);
  if (work.thrown) std::rethrow_exception(work.thrown);
  if (work.failed) {
    failed_ = work.failed;
    return *failed_;
  }
  hashes_ =
      SeededPartitions{shape_.blocks, range_, options_.memory_bytes, options_.spill_directory};
  return work.keys.load();
}

Result<BlockFilter> SeededBuilder::finish() {
  assert(part_.parts == 1);
  if (failed_) return *failed_;
  BlockFilter filter{shape_, hash_};
  const auto keys = build_into(filter.bytes());
  if (!keys) return keys.error();
  filter.set_provenance({.goal = {}, .keys_inserted = *keys});
  return filter;
}

Result<BlockPart> SeededBuilder::finish_part() {
  if (failed_) return *failed_;
  auto part = BlockPart::create(shape_, part_, hash_);
  if (!part) return part.error();
  const auto keys = build_into(part->bytes());
  if (!keys) return keys.error();
  part->set_provenance({.goal = {}, .keys_inserted = *keys});
  return part;
}

}  // namespace bloomery
