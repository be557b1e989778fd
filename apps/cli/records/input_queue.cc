#include "apps/cli/records/input_queue.h"

namespace bloomery::cli {
namespace {

// An input whose turn it is: enough to level out its blocks, and little enough for the cache.
constexpr std::size_t kAheadBytes = std::size_t{2} << 20;
// Those behind it: a file of this size and less is decompressed whole meanwhile.
constexpr std::size_t kEarlyBytes = std::size_t{32} << 20;
// A smaller file is decompressed before a thread has begun.
constexpr std::uint64_t kWorthAThread = std::uint64_t{32} << 10;

void decompress_ahead(Input& input, const InputFile& file, std::size_t bytes) {
  if (file.how.threads <= 1 || input.compression() == Compression::kNone) return;
  if (file.bytes.value_or(kWorthAThread) >= kWorthAThread) input.read_ahead(bytes);
}

}  // namespace

void decompress_ahead(Input& input, const InputFile& file) {
  decompress_ahead(input, file, kAheadBytes);
}

std::optional<Result<Input>> InputQueue::next() {
  if (opened_.empty() && next_ < inputs_.size()) open_next(kAheadBytes);
  if (opened_.empty()) return std::nullopt;
  Result<Input> input = std::move(opened_.front());
  opened_.pop_front();
  while (input && may_open_early()) open_next(kEarlyBytes);
  return input;
}

// A pipe is opened when its turn comes: another process may wait for that.
bool InputQueue::may_open_early() const {
  return next_ < inputs_.size() && inputs_[next_].bytes &&
         opened_.size() + 1 < inputs_[next_].how.threads;
}

void InputQueue::open_next(std::size_t ahead_bytes) {
  const InputFile& file = inputs_[next_++];
  opened_.push_back(open_input(file));
  if (opened_.back()) decompress_ahead(*opened_.back(), file, ahead_bytes);
}

}  // namespace bloomery::cli
