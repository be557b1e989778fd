// Sections of a store's indexes, made as soon as they are complete: of every index that the store
// has, and of the adaptive index where it has none.
#pragma once
#include <stop_token>

#include "apps/ethlog/index/bloombits/index.h"

namespace bloomery::ethlog {

// How many sections end at least `confirms` blocks before the head, complete or not.
Result<std::uint64_t> confirmed_sections(const ChainReader& reader, std::uint64_t confirms);

// Makes up to `most` sections that are missing, the lowest first, and returns how many. A section
// with a block that is missing is left out, and in the adaptive index also one without receipts.
// `on_made` is called after each.
Result<std::uint64_t> make_sections(ChainStore& store, std::uint64_t confirms, std::uint64_t most,
                                    const std::function<void()>& on_made = {},
                                    const std::stop_token& stop = {});

}  // namespace bloomery::ethlog
