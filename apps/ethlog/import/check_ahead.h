// Blocks of a source, read and checked by threads ahead of the one that stores them, in the order
// of the source.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

struct CheckedBlock {
  ImportedBlock block;
  // What check_block returned; nothing where it was not called, and the store is to call it.
  std::optional<Status> checked;
};

class CheckAhead {
 public:
  // Source and store must outlive it. Without `threads`, or where the system starts none, blocks
  // are read when they are taken, and not checked. The source is not called again after it ended.
  CheckAhead(const BlockSource& source, const ChainStore& store, std::size_t threads);
  CheckAhead(const CheckAhead&) = delete;
  CheckAhead& operator=(const CheckAhead&) = delete;
  ~CheckAhead();  // waits for the call of the source that is under way

  // The next block; nothing at the end. The error of the source comes after its blocks, and so does
  // an exception of a thread.
  Result<std::optional<CheckedBlock>> next();

 private:
  enum class Stage : std::uint8_t { kRead, kTaken, kChecked };
  struct Slot {
    CheckedBlock block;
    Stage stage = Stage::kRead;
  };

  void read();
  void check();
  // Checks the slot while the lock is not held; the slot is taken by the caller.
  void check_slot(Slot& slot, std::unique_lock<std::mutex>& lock);
  template <class Work>
  void guarded(Work work) noexcept;

  const BlockSource& source_;
  const ChainStore& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot> slots_;  // the front is the next; a slot stays where it is
  bool quit_ = false;
  std::optional<Status> end_;  // of the source: how it ended
  std::exception_ptr thrown_;
  std::vector<std::jthread> threads_;  // the last member: they end before the others do
};

}  // namespace bloomery::ethlog
