// Reads, recomputes and compares everything in a store. No block may be missing which was there.
// Blocks are compared with their hashes and roots, and with the blocks before them. Sections of the
// bloom-bit index are compared with the header blooms, and those of the adaptive index, with their
// columns, with the receipts.
#pragma once
#include "apps/ethlog/index/bloombits/index.h"

namespace bloomery::ethlog {

struct VerifyReport {
  std::uint64_t blocks = 0;
  std::uint64_t unverifiable = 0;  // of them, without a header RLP to hash
  std::uint64_t sections = 0;
  std::uint64_t problems = 0;
  std::uint64_t repaired = 0;  // sections, and their size; a block can only be imported again
  std::vector<std::string> messages;  // of the first problems, one sentence each
};
using OnVerify = std::function<void(const VerifyReport&)>;  // after every block and section

// Null for `repair`: nothing is changed. Otherwise the store of the reader, and every section that
// is wrong is made anew. Stopped: what was seen by then.
Result<VerifyReport> verify_chain(const ChainReader& reader, ChainStore* repair,
                                  const OnVerify& on_verify = {}, const std::stop_token& stop = {});

}  // namespace bloomery::ethlog
