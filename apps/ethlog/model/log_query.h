// A log query: a range of blocks or one block, with the addresses and topics that a log must have.
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
  std::optional<Hash> block_hash = {};  // if set, from and to are not
  std::optional<BlockBound> from = {};  // absent: latest
  std::optional<BlockBound> to = {};    // absent: latest
  std::vector<Address> addresses = {};  // a log matches with any of them; empty: any address
  // By position: a log matches with any topic of the list; an empty list: any topic.
  std::vector<std::vector<Topic>> topics = {};
};

}  // namespace bloomery::ethlog
