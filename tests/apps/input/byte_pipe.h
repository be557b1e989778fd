// A pipe that brings given bytes and ends, under a name to open.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

namespace bloomery::testing {

class BytePipe {
 public:
  // The writer hands over `piece_bytes` at a time.
  explicit BytePipe(std::string bytes, std::size_t piece_bytes = SIZE_MAX) {
    if (::pipe(ends_) != 0) std::abort();
    writer_ = std::thread{[this, piece_bytes, bytes = std::move(bytes)] {
      for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t some =
            ::write(ends_[1], bytes.data() + at, std::min(piece_bytes, bytes.size() - at));
        if (some <= 0) break;
        at += static_cast<std::size_t>(some);
      }
      ::close(ends_[1]);
    }};
  }
  BytePipe(const BytePipe&) = delete;
  BytePipe& operator=(const BytePipe&) = delete;
  ~BytePipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {};
  std::thread writer_;
};

}  // namespace bloomery::testing
