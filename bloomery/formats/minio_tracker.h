// MinIO's change tracker (dataUpdateTracker at b21d3f9b82): which folders changed since which
// scanner cycle, and its file .tracker.bin, version 7. One bits-and-blooms filter per cycle.
#pragma once
#include <string>

#include "bloomery/formats/bits_and_blooms.h"

namespace bloomery {

using MinioFilter = BitsAndBloomsFilter<BitsAndBlooms>;

inline constexpr Goal kMinioGoal{200000, 0.1};
inline constexpr Shape kMinioShape{958506, 4};  // what the peer makes of that goal

struct MinioCycle {
  std::uint64_t index;
  MinioFilter filter;

  bool contains_dir(std::string_view path) const;  // may contain, in the peer's words
  MinioCycle clone() const { return {index, filter.clone()}; }
};
MinioCycle empty_minio_cycle(std::uint64_t index);

struct MinioCycleRequest {
  std::uint64_t oldest = 0;
  std::uint64_t current = 0;      // 0 looks without changing anything
  std::string oldest_clean = {};  // if not empty: only ask since when this folder is unchanged
};
struct MinioCycleAnswer {
  std::uint64_t current_index = 0;
  std::uint64_t oldest_index = 0;
  std::uint64_t newest_index = 0;  // newest of the history that went in; 0 if none did
  bool complete = false;           // false: some cycle is missing, so "absent" proves nothing
  std::optional<MinioFilter> filter = {};
};

// The peer checks the bucket of a change only when its debug switch is on.
enum class MinioBuckets : std::uint8_t { kAny, kUsableOnly };

struct MinioTracker {
  std::int64_t saved_unix = 0;
  MinioCycle current;
  std::vector<MinioCycle> history = {};  // in the order of the file: newest first after any cycle
  std::uint64_t trailing_bytes = 0;      // of the file it came from: ignored, as the peer does
  bool dirty = false;                    // changed since it was saved

  static MinioTracker starting_at(std::uint64_t index = 1);

  void mark_dirty(std::string_view bucket, std::string_view prefix,
                  MinioBuckets buckets = MinioBuckets::kAny);
  // Starts the cycle `request.current`, forgets those before `request.oldest`, and answers what
  // changed since. Any index is accepted, also a lower one, as in the peer.
  MinioCycleAnswer cycle_filter(const MinioCycleRequest& request);
  // The union of the cycles oldest..newest. Work is bounded by the history, not by the numbers.
  MinioCycleAnswer filter_from(std::uint64_t oldest, std::uint64_t newest) const;
  // The cycle since which a folder has been left alone; the current one if that cannot be said.
  std::uint64_t latest_with_dir(std::string_view dir) const;

  const MinioCycle* find_cycle(std::uint64_t index) const;  // null if there is none
  // The newest cycle, by index, that may hold the path.
  std::optional<std::uint64_t> newest_cycle_with(std::string_view path) const;
  // A key exactly as a filter holds it (minio_key of a path), in any cycle.
  bool may_contain(ByteView key) const;
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;

  MinioTracker clone() const;
};

Result<MinioTracker> decode_minio_tracker(ByteView bytes, const DecodeOptions& options);
std::vector<std::byte> encode_minio_tracker(const MinioTracker& tracker);
bool looks_like_minio_tracker(ByteView bytes);
Description describe(const MinioTracker& tracker);

// Which of the files on several drives to go on with. The peer never remembers the time of the file
// it loaded, so its last readable drive wins, even if it is the oldest: kLastReadable is exact.
enum class MinioLoad : std::uint8_t { kNewest, kLastReadable };
std::optional<std::size_t> choose_minio_tracker(std::span<const Result<MinioTracker>> drives,
                                                MinioLoad rule);

}  // namespace bloomery
