// The protocol between commands and a watcher over the watcher's socket: frames, and the bytes in
// them. Both ends are one program of one version; a frame of another version is refused.
#pragma once
#include <optional>

#include "apps/tracker/state/history.h"
#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

// "BLMW", u16 version, u16 call, u64 bytes of content; all numbers little-endian.
enum class WatchCall : std::uint16_t {
  kHello = 1,  // nothing; nothing
  kMark,       // MarkCall; nothing
  kCycle,      // CycleRequest; CycleAnswer
  kNextCycle,  // nothing; CycleAnswer
  kQuery,      // QueryCall; a byte for each path
  kBarrier,    // nothing; nothing
  kStatus,     // nothing; TrackerStatus
  kRoots,      // nothing; paths
  kSnapshot,   // nothing; a state with the history (docs/formats/tracker.md)
  kAnswer = 100,
  kRefusal,  // Error
};
inline constexpr std::uint16_t kWatchProtocol = 2;
inline constexpr std::size_t kFrameHeadBytes = 16;
inline constexpr std::uint64_t kMostCallBytes = 8 << 20;  // of a command's frame

struct FrameHead {
  WatchCall call;
  std::uint64_t bytes;
};
std::vector<std::byte> encode_frame(WatchCall call, ByteView content);
// Precondition: kFrameHeadBytes bytes. kUnsupported for another version, kTooLarge beyond `most`.
Result<FrameHead> decode_frame_head(ByteView head, std::uint64_t most);

struct MarkCall {
  bool below = false;
  std::vector<std::string> paths = {};
};
struct QueryCall {
  std::optional<CycleId> since = {};
  std::vector<std::string> paths = {};
};

// Each decode takes all the bytes, and checks every length before it allocates.
std::vector<std::byte> encode(const MarkCall& call);
std::vector<std::byte> encode(const QueryCall& call);
std::vector<std::byte> encode(const CycleRequest& request);
std::vector<std::byte> encode(const CycleAnswer& answer);
std::vector<std::byte> encode(const Error& error);
std::vector<std::byte> encode(const std::vector<std::string>& paths);
Result<MarkCall> decode_mark_call(ByteView bytes);
Result<QueryCall> decode_query_call(ByteView bytes);
Result<CycleRequest> decode_cycle_request(ByteView bytes);
Result<CycleAnswer> decode_cycle_answer(ByteView bytes);
Error decode_refusal(ByteView bytes);  // kMalformed if it is none
Result<std::vector<std::string>> decode_paths(ByteView bytes);

// watch_status_protocol.cc
std::vector<std::byte> encode(const TrackerStatus& status);
Result<TrackerStatus> decode_status(ByteView bytes);

}  // namespace bloomery::tracker
