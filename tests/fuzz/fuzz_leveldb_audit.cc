// A table, read to its last key: as it is, and with its checksums set right.
#include <cstdlib>

#include "bloomery/formats/leveldb/audit.h"
#include "tests/fuzz/leveldb_checksums.h"

namespace {

using namespace bloomery;

void use(ByteView file, const DecodeOptions& decode) {
  const auto table = decode_leveldb_table(file, decode);
  if (!table) return;
  const auto summary = summarize_filters(*table, 64);
  if (summary.rate < 0 || summary.rate > 1 || summary.with_keys > summary.filters) std::abort();
  for (const bool of_database : {false, true}) {
    LevelDbAuditOptions options;
    options.limits = decode.limits;
    options.of_database = options.bytewise = of_database;
    const LevelDbAudit audit = audit_leveldb_table(file, *table, options);
    if (audit.denied_keys > audit.keys) std::abort();
    if (audit.data_blocks + audit.damaged_blocks != table->data_blocks.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  DecodeOptions decode;
  decode.limits.max_bytes = 1 << 20;
  use(input, decode);
  use(fuzz::with_right_table_checksums(input, decode), decode);
  return 0;
}
