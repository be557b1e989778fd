// A reader that runs ahead of its consumer, in a thread of its own.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::input {

class ReadAhead {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  struct Source {
    std::function<Result<std::size_t>(ByteSpan)> read;  // 0 at the end
    std::function<std::uint64_t()> consumed;            // after each read, by the same thread
    std::function<void()> stop;                         // ends a read that waits
  };
  // Holds at most this many bytes, and one block at least. Throws std::system_error where there is
  // no thread.
  ReadAhead(Source source, std::size_t most_bytes);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  // For one consumer: the bytes of the source in their order, then its end or its error.
  Result<std::size_t> read(ByteSpan into);
  std::uint64_t consumed() const { return consumed_; }  // with the block that is handed out

 private:
  struct Block {
    std::vector<std::byte> bytes;
    std::size_t size = 0;
    std::uint64_t consumed = 0;
  };
  void run();
  bool add(Block block);        // false: stopped
  bool take_block(bool waits);  // false: none is there, or none comes any more

  Source source_;
  std::size_t most_blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> filled_;
  std::vector<Block> empty_;
  bool ended_ = false;
  bool stopped_ = false;
  Status error_ = ok();
  std::exception_ptr thrown_;
  Block current_;
  std::size_t taken_ = 0;  // of the current block
  std::uint64_t consumed_ = 0;
  std::thread thread_;
};

}  // namespace bloomery::input
