// Threads that copy memory together, for as long as one call. Not for users.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace bloomery::gpu::internal {

// For one caller at a time. Where threads cannot be started, fewer copy, or the caller alone.
class CopyCrew {
 public:
  explicit CopyCrew(unsigned threads);
  CopyCrew(const CopyCrew&) = delete;
  CopyCrew& operator=(const CopyCrew&) = delete;
  ~CopyCrew();

  void copy(void* to, const void* from, std::uint64_t bytes);  // returns when all is copied

 private:
  void work(std::size_t number);
  void copy_share(std::size_t number) const;

  std::mutex mutex_;
  std::condition_variable start_, done_;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::size_t shares_ = 1;
  std::vector<std::thread> threads_;
};

}  // namespace bloomery::gpu::internal
