// A write-ahead log: decoded as it is, and with its checksums set right.
#include <cstdlib>

#include "bloomery/formats/leveldb/log.h"
#include "tests/fuzz/leveldb_checksums.h"

namespace {

void use(bloomery::ByteView file) {
  using namespace bloomery;
  const auto log = decode_leveldb_log(file, {1 << 20});
  if (!log) return;
  if (log->keys.size() > log->writes || log->deletions > log->writes) std::abort();
  if (log->damaged_bytes > 0 && log->first_damage.empty()) std::abort();
  for (const std::string& key : log->keys)
    if (!log->may_contain(bytes_of(key))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bloomery::ByteView input = std::as_bytes(std::span{data, size});
  use(input);
  use(bloomery::fuzz::with_right_log_checksums(input));
  return 0;
}
