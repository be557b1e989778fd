// A process that gets no new file descriptor. The program's accept() is ours and counts failures.
#pragma once
#include <sys/resource.h>

namespace bloomery::http {

// While it lives, the limit of file descriptors is what the process has open.
class NoFileDescriptors {
 public:
  NoFileDescriptors();
  ~NoFileDescriptors();
  NoFileDescriptors(const NoFileDescriptors&) = delete;
  NoFileDescriptors& operator=(const NoFileDescriptors&) = delete;

  // Waits until accept() has failed so often for want of one; false after some seconds.
  bool has_failed(int times) const;

 private:
  rlimit before_{};
  int failures_before_;
};

}  // namespace bloomery::http
