// Frames over a Unix socket: whole ones or an error, within a time, and never more memory than the
// other end really sent.
#pragma once
#include <chrono>
#include <filesystem>

#include "apps/tracker/events/files.h"
#include "apps/tracker/watch/protocol.h"

namespace bloomery::tracker {

struct Frame {
  WatchCall call;
  std::vector<std::byte> content;
};

// `idle`: until the first byte; `patience`: between two pieces of a frame. kTruncated if the other
// end closed before the first byte.
Result<Frame> read_frame(const Descriptor& socket, std::uint64_t most,
                         std::chrono::milliseconds idle, std::chrono::milliseconds patience);
Status write_frame(const Descriptor& socket, WatchCall call, ByteView content,
                   std::chrono::milliseconds patience);

// A socket in that folder, however long its path. Invalid with errno.
Descriptor connect_in(const std::filesystem::path& folder);
// Replaces a socket without a listener; only the owner may connect.
Result<Descriptor> listen_in(const std::filesystem::path& folder);

}  // namespace bloomery::tracker
