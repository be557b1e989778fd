// A manifest: decoded as it is, and with its checksums set right.
#include <cstdlib>

#include "bloomery/formats/leveldb/manifest.h"
#include "tests/fuzz/leveldb_checksums.h"

namespace {

void use(bloomery::ByteView file) {
  using namespace bloomery;
  const auto manifest = decode_leveldb_manifest(file, {1 << 20});
  if (!manifest) return;
  for (const LevelDbLiveTable& table : manifest->tables)
    if (manifest->find_table(table.number) == nullptr || table.smallest.size() < 8) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bloomery::ByteView input = std::as_bytes(std::span{data, size});
  use(input);
  use(bloomery::fuzz::with_right_log_checksums(input));
  return 0;
}
