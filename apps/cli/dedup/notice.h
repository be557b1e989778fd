// A line on stderr when a signal ends the command: what happened to the state that was to be saved.
#pragma once
#include <array>
#include <csignal>
#include <string>

namespace bloomery::cli {

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE print the line to stderr and then end the
// process as ever. One at a time. A signal that was ignored stays so.
class EndNotice {
 public:
  explicit EndNotice(const std::string& line);
  EndNotice(const EndNotice&) = delete;
  EndNotice& operator=(const EndNotice&) = delete;
  ~EndNotice();

 private:
  static constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> old_{};
};

}  // namespace bloomery::cli
