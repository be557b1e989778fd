#include "apps/cli/dedup/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error cannot_write() {
  return {ErrorCode::kIo, message("standard output: cannot write: ", std::strerror(errno))};
}

}  // namespace

ByteView gather_records(Chunk& chunk, bool wanted) {
  std::byte* const start = chunk.buffer.data();
  std::byte* to = start;
  const std::size_t count = chunk.records.size();
  for (std::size_t i = 0; i < count;) {
    while (i < count && (chunk.is_new[i] != 0) != wanted) ++i;
    if (i == count) break;
    const std::size_t first = i;
    while (i < count && (chunk.is_new[i] != 0) == wanted) ++i;
    // Neighbours lie side by side, delimiters included.
    const std::byte* from = chunk.records[first].data();
    const std::byte* end = chunk.records[i - 1].data() + chunk.records[i - 1].size() + 1;
    const auto size = static_cast<std::size_t>(end - from);
    if (to != from) std::memmove(to, from, size);
    to += size;
  }
  return {start, static_cast<std::size_t>(to - start)};
}

Status write_all(int descriptor, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write();
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok();
}

Status sync_output(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return ok();
  // EROFS and EINVAL: a file that cannot be synced, which is no failed write.
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) return cannot_write();
  return ok();
}

}  // namespace bloomery::cli
