// A log that a search returns, with its place in the chain.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Refers to the block; valid during the call that receives it.
struct FoundLog {
  const ImportedBlock& block;
  std::size_t transaction;  // its place in the block
  std::uint64_t log_index;  // over the whole block
  const Log& log;
};

}  // namespace bloomery::ethlog
