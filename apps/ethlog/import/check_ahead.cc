#include "apps/ethlog/import/check_ahead.h"

#include <algorithm>

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostBlocksAhead = 16;  // a block may take some megabytes

}  // namespace

CheckAhead::CheckAhead(const BlockSource& source, const ChainStore& store, std::size_t threads)
    : source_{source}, store_{store} {
  if (threads == 0) return;
  threads_.reserve(threads + 1);
  try {
    threads_.emplace_back([this] { guarded([this] { read(); }); });
    for (std::size_t i = 0; i < threads; ++i)
      threads_.emplace_back([this] { guarded([this] { check(); }); });
  } catch (const std::exception&) {
    // The system gives no more threads: next() checks what no thread checks.
  }
}

CheckAhead::~CheckAhead() {
  {
    const std::lock_guard lock{mutex_};
    quit_ = true;
  }
  changed_.notify_all();
}

template <class Work>
void CheckAhead::guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    const std::lock_guard lock{mutex_};
    thrown_ = std::current_exception();
  }
  changed_.notify_all();
}

void CheckAhead::read() {
  std::unique_lock lock{mutex_};
  while (!end_) {
    changed_.wait(lock, [&] { return quit_ || slots_.size() < kMostBlocksAhead; });
    if (quit_) return;
    lock.unlock();
    auto block = source_();
    lock.lock();
    if (block && *block)
      slots_.push_back({{std::move(**block), {}}, Stage::kRead});
    else
      end_ = block ? ok() : Status{block.error()};
    changed_.notify_all();
  }
}

void CheckAhead::check() {
  std::unique_lock lock{mutex_};
  for (;;) {
    const auto next = std::ranges::find(slots_, Stage::kRead, &Slot::stage);
    if (quit_ || thrown_ || (end_ && next == slots_.end())) return;
    if (next == slots_.end())
      changed_.wait(lock);
    else
      check_slot(*next, lock);
  }
}

void CheckAhead::check_slot(Slot& slot, std::unique_lock<std::mutex>& lock) {
  slot.stage = Stage::kTaken;
  lock.unlock();
  // A block that is stored already is skipped by the store, right or wrong.
  const auto known = store_.is_known(slot.block.block);
  std::optional<Status> checked;
  if (known && !*known) checked = check_block(slot.block.block);
  lock.lock();
  slot.block.checked = std::move(checked);
  slot.stage = Stage::kChecked;
  changed_.notify_all();
}

Result<std::optional<CheckedBlock>> CheckAhead::next() {
  if (threads_.empty()) {
    auto block = source_();
    if (!block) return block.error();
    if (!*block) return std::optional<CheckedBlock>{};
    return std::optional{CheckedBlock{std::move(**block), {}}};
  }
  std::unique_lock lock{mutex_};
  for (;;) {
    const bool front_ready = !slots_.empty() && slots_.front().stage == Stage::kChecked;
    if (front_ready) break;
    if (thrown_) std::rethrow_exception(thrown_);
    if (!slots_.empty() && slots_.front().stage == Stage::kRead) {
      check_slot(slots_.front(), lock);
      break;
    }
    if (slots_.empty() && end_) {
      if (*end_) return std::optional<CheckedBlock>{};
      return end_->error();
    }
    changed_.wait(lock);
  }
  std::optional<CheckedBlock> block{std::move(slots_.front().block)};
  slots_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return block;
}

}  // namespace bloomery::ethlog
