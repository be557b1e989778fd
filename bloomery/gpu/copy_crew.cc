#include "bloomery/gpu/copy_crew.h"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace bloomery::gpu::internal {
namespace {

constexpr std::uint64_t kAlone = std::uint64_t{1} << 18;  // fewer bytes are not worth waking others

}  // namespace

CopyCrew::CopyCrew(unsigned threads) {
  threads_.reserve(threads);
  try {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
  }
  const std::lock_guard lock{mutex_};
  shares_ = threads_.size() + 1;
}

CopyCrew::~CopyCrew() {
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CopyCrew::copy(void* to, const void* from, std::uint64_t bytes) {
  if (bytes < kAlone || shares_ == 1) {
    if (bytes != 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  {
    const std::lock_guard lock{mutex_};
    to_ = static_cast<std::byte*>(to);
    from_ = static_cast<const std::byte*>(from);
    bytes_ = bytes;
    busy_ = threads_.size();
    ++round_;
  }
  start_.notify_all();
  copy_share(0);
  std::unique_lock lock{mutex_};
  done_.wait(lock, [this] { return busy_ == 0; });
}

void CopyCrew::work(std::size_t number) {
  std::uint64_t seen = 0;
  std::unique_lock lock{mutex_};
  for (;;) {
    start_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    lock.unlock();
    copy_share(number);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

// Whole pages, so that two threads never write one line.
void CopyCrew::copy_share(std::size_t number) const {
  const std::uint64_t each = (bytes_ / shares_ + 4095) / 4096 * 4096;
  const std::uint64_t first = std::min(bytes_, each * number);
  const std::uint64_t last = number + 1 == shares_ ? bytes_ : std::min(bytes_, first + each);
  if (last > first) std::memcpy(to_ + first, from_ + first, static_cast<std::size_t>(last - first));
}

}  // namespace bloomery::gpu::internal
