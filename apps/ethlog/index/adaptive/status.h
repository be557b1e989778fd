// Size and real error rate of the adaptive index of a chain.
#pragma once
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

struct AdaptiveStatus {
  std::uint64_t sections = 0;      // that are valid
  std::uint64_t blocks = 0;        // in them
  std::uint64_t old_sections = 0;  // of them, of version 1: without postings
  std::uint32_t least_rows = 0;    // in a section, likewise the others
  std::uint32_t most_rows = 0;
  std::uint32_t least_probes = 0;
  std::uint32_t most_probes = 0;
  std::uint64_t keys = 0;       // distinct ones of each block, added up
  std::uint64_t row_bytes = 0;  // as stored
  std::uint64_t column_bytes = 0;
  double goal = 0;        // of the last section
  double rate = 0;        // from the bits as they are: the mean over all blocks
  double worst_rate = 0;  // of a section
  std::uint64_t worst_section = 0;
  double measured_rate = 0;          // with keys that are in no block
  std::uint64_t measured_pairs = 0;  // of such a key and a block that were looked at
};

// Nothing where there is no valid section.
Result<std::optional<AdaptiveStatus>> adaptive_status(const ChainReader& reader,
                                                      std::uint64_t section_size);

}  // namespace bloomery::ethlog
