// Parser of the filter object of eth_getLogs.
#pragma once
#include <string_view>

#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// The errors have go-ethereum's texts (filters of v1.17.5) and are kInvalidArgument. Of text that
// was not checked: the server checks the whole request, tests and fuzz targets begin here.
Result<LogQuery> parse_criteria(std::string_view text);
// The same, of text that was checked. Precondition: is_json(json), or a piece of such text.
Result<LogQuery> criteria_from(std::string_view json);
// A tag, or 0x and hexadecimal digits.
Result<BlockBound> parse_block_bound(std::string_view text);

}  // namespace bloomery::ethlog
