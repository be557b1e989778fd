// Any bytes as an input: recognised, decompressed and split into records, with a limit on what a
// small input may become.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "apps/input/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return 0;
  if (::write(file, data, size) != static_cast<ssize_t>(size)) {
    ::close(file);
    return 0;
  }
  auto opened = input::Input::open("/proc/self/fd/" + std::to_string(file));
  ::close(file);
  if (!opened) return 0;
  const auto first = opened->peek(8);
  (void)first;
  input::RecordReader reader{*opened, std::byte{'\n'}};
  for (std::uint64_t bytes = 0; bytes < kMostBytes;) {
    const auto records = reader.next();
    if (!records || records->empty()) break;
    for (const ByteView record : *records) bytes += record.size() + 1;
  }
  return 0;
}
