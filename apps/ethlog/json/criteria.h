// Parser of the filter object of eth_getLogs.
#pragma once
#include <string_view>

#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// The errors are go-ethereum's (filters of v1.17.5), to the letter, and kInvalidArgument.
Result<LogQuery> parse_criteria(std::string_view json);
// A tag, or 0x and hexadecimal digits.
Result<BlockBound> parse_block_bound(std::string_view text);

}  // namespace bloomery::ethlog
