#include "apps/cli/shell/interrupts.h"

namespace bloomery::cli {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

void remember(int signal) { caught_signal = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = remember;
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
  if (caught_signal != 0) std::raise(caught_signal);
}

bool InterruptGuard::interrupted() { return caught_signal != 0; }
void InterruptGuard::settle() { caught_signal = 0; }

}  // namespace bloomery::cli
