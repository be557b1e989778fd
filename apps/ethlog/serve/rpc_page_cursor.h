// Where the next page of a search begins, as clients carry it: opaque to them, and checked when it
// comes back.
#pragma once
#include "apps/ethlog/model/log_query.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

struct PageCursor {
  std::uint64_t block = 0;  // where the next page begins
  std::uint64_t log = 0;    // in it: those before were delivered
  std::uint64_t last = 0;   // block of the range
  std::optional<BlockId> anchor =
      {};                   // canonical when it was made; everything delivered is up to it
  std::uint64_t query = 0;  // of which filter and chain
  friend bool operator==(const PageCursor&, const PageCursor&) = default;
};

// 0x and digits.
std::string encode_cursor(const PageCursor& cursor);
// Whatever was changed is noticed, unless the client computes our sum anew; it gains nothing by
// that.
Result<PageCursor> decode_cursor(std::string_view text);

// Filters that differ, and chains, have different numbers.
std::uint64_t number_of_query(const LogQuery& query, std::uint64_t chain_id);

}  // namespace bloomery::ethlog
