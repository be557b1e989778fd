#include "apps/cli/dedup/notice.h"

#include <unistd.h>

namespace bloomery::cli {
namespace {

std::string last_line;

void speak_and_end(int signal) {
  if (::write(STDERR_FILENO, last_line.data(), last_line.size()) < 0) {
    // stderr cannot be written; the process ends all the same.
  }
  std::raise(signal);
}

}  // namespace

EndNotice::EndNotice(const std::string& line) {
  last_line = line + "\n";
  struct sigaction action {};
  action.sa_handler = speak_and_end;
  // The signal raised in the handler finds its default action.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &old_[i]);
    if (old_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

EndNotice::~EndNotice() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
}

}  // namespace bloomery::cli
