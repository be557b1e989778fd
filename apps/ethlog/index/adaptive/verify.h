// One section of the adaptive index built once more from receipts, and compared.
#pragma once
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

// What is wrong with a recorded section and its columns, as one sentence; nothing if all is right.
Result<std::optional<std::string>> adaptive_problem(const ChainReader& reader,
                                                    std::uint64_t section_size,
                                                    std::uint64_t section);
// Makes it anew for the rate that it was made for, as far as that can be read. Whether it could be.
bool repair_adaptive(ChainStore& store, std::uint64_t section);

}  // namespace bloomery::ethlog
