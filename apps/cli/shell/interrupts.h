// A guard that holds back SIGINT and SIGTERM while work must not be left half done.
#pragma once
#include <csignal>

namespace bloomery::cli {

// While it lives, the signals only set a flag; when it ends, a signal that came does what it would
// have done.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  static bool interrupted();
  // For a command that runs until a signal ends it: the one that came has done its work.
  static void settle();

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace bloomery::cli
