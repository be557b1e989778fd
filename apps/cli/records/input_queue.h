// Inputs in their order. With several threads, a compressed one and those behind it are
// decompressed ahead, each by a thread of its own; the bytes are those of one thread.
#pragma once
#include <deque>
#include <vector>

#include "apps/cli/records/inputs.h"

namespace bloomery::cli {

class InputQueue {
 public:
  // As many inputs as how.threads says are open at a time.
  explicit InputQueue(std::vector<InputFile> inputs) : inputs_{std::move(inputs)} {}

  // Nothing at the end.
  std::optional<Result<Input>> next();

 private:
  void open_next(std::size_t ahead_bytes);
  bool may_open_early() const;

  std::vector<InputFile> inputs_;
  std::size_t next_ = 0;
  std::deque<Result<Input>> opened_;
};

// For an input whose turn it is. Nothing happens with one thread, nor where the bytes are plain or
// few: to hand them over would take longer than to read them.
void decompress_ahead(Input& input, const InputFile& file);

}  // namespace bloomery::cli
