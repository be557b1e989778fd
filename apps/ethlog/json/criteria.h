// What a log search asks for, and how the request object of eth_getLogs says it.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

enum class BlockTag : std::uint8_t { kNumber, kEarliest, kSafe, kFinalized, kLatest, kPending };

struct BlockBound {
  BlockTag tag = BlockTag::kLatest;
  std::uint64_t number = 0;  // for kNumber
  friend bool operator==(const BlockBound&, const BlockBound&) = default;
};

struct LogQuery {
  std::optional<Hash> block_hash = {};  // then there is no range
  std::optional<BlockBound> from = {};  // absent: latest
  std::optional<BlockBound> to = {};    // absent: latest
  std::vector<Address> addresses = {};  // any of them; none: of any address
  std::vector<std::vector<Topic>> topics =
      {};  // by position any of the list; an empty list: any topic
};

// The errors are go-ethereum's (filters of v1.17.5), to the letter, and kInvalidArgument.
Result<LogQuery> parse_criteria(std::string_view json);
// A tag, or 0x and hexadecimal digits.
Result<BlockBound> parse_block_bound(std::string_view text);

}  // namespace bloomery::ethlog
