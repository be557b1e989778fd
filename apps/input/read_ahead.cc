#include "apps/input/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bloomery::input {

ReadAhead::ReadAhead(Source source, std::size_t most_bytes)
    : source_{std::move(source)},
      most_blocks_{std::max<std::size_t>(1, most_bytes / kBlockBytes)},
      thread_{[this] { run(); }} {}

ReadAhead::~ReadAhead() {
  {
    const std::scoped_lock lock{mutex_};
    stopped_ = true;
  }
  changed_.notify_all();
  source_.stop();
  thread_.join();
}

void ReadAhead::run() {
  Status error = ok();
  std::exception_ptr thrown;
  try {
    for (;;) {
      Block block;
      {
        const std::scoped_lock lock{mutex_};
        if (!empty_.empty()) {
          block = std::move(empty_.back());
          empty_.pop_back();
        }
      }
      block.bytes.resize(kBlockBytes);
      const auto got = source_.read(block.bytes);
      if (!got) error = got.error();
      if (!got || *got == 0) break;
      block.size = *got;
      block.consumed = source_.consumed();
      if (!add(std::move(block))) return;
    }
  } catch (...) {  // memory ran out: the consumer reports it
    thrown = std::current_exception();
  }
  const std::scoped_lock lock{mutex_};
  ended_ = true;
  error_ = std::move(error);
  thrown_ = std::move(thrown);
  changed_.notify_all();
}

bool ReadAhead::add(Block block) {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return stopped_ || filled_.size() < most_blocks_; });
  if (stopped_) return false;
  filled_.push_back(std::move(block));
  changed_.notify_all();
  return true;
}

bool ReadAhead::take_block(bool waits) {
  std::unique_lock lock{mutex_};
  if (!current_.bytes.empty()) empty_.push_back(std::move(current_));
  current_ = {};
  taken_ = 0;
  if (waits) changed_.wait(lock, [this] { return ended_ || !filled_.empty(); });
  if (filled_.empty()) return false;
  current_ = std::move(filled_.front());
  filled_.pop_front();
  consumed_ = current_.consumed;
  changed_.notify_all();
  return true;
}

// The rest of one block and what fits of the next: else every second reader would get a few bytes.
Result<std::size_t> ReadAhead::read(ByteSpan into) {
  std::size_t given = 0;
  while (given < into.size()) {
    if (taken_ == current_.size && !take_block(given == 0)) break;
    const std::size_t part = std::min(into.size() - given, current_.size - taken_);
    std::memcpy(into.data() + given, current_.bytes.data() + taken_, part);
    taken_ += part;
    given += part;
  }
  if (given != 0 || into.empty()) return given;
  const std::scoped_lock lock{mutex_};
  if (thrown_) std::rethrow_exception(thrown_);
  if (!error_) return error_.error();
  return std::size_t{0};
}

}  // namespace bloomery::input
