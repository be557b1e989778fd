#include "tests/apps/http/no_file_descriptors.h"

#include <sys/socket.h>

#include <cerrno>

#include "tests/apps/http/client.h"

namespace bloomery::http {
namespace {

Count& failed_accepts() {
  static Count count;
  return count;
}

}  // namespace

NoFileDescriptors::NoFileDescriptors() : failures_before_{failed_accepts().now()} {
  EXPECT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before_));
  const int lowest_free = ::dup(0);
  ::close(lowest_free);
  const rlimit none{static_cast<rlim_t>(lowest_free), before_.rlim_max};
  EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none));
}
NoFileDescriptors::~NoFileDescriptors() { EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before_)); }

bool NoFileDescriptors::has_failed(int times) const {
  return failed_accepts().reaches(failures_before_ + times);
}

}  // namespace bloomery::http

// Asio calls this instead of the C library's.
extern "C" int accept(int listener, sockaddr* __restrict address, socklen_t* __restrict bytes) {
  const int descriptor = ::accept4(listener, address, bytes, 0);
  const int error = errno;
  if (descriptor < 0 && error == EMFILE) bloomery::http::failed_accepts().add();
  errno = error;
  return descriptor;
}
