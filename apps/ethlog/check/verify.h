// Everything in a store read, recomputed and compared: that no block is missing which was there,
// blocks against their hashes and roots, links between them, every section of the bloom-bit index
// against the header blooms, and every section of the adaptive index, with its columns, against the
// receipts.
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
