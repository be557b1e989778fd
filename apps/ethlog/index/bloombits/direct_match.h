// The search over vectors that lie in memory, without threads: rows are ANDed and ORed as they are
// read. It finds what MatcherSession finds.
#pragma once
#include <functional>
#include <stop_token>

#include "apps/ethlog/model/clauses.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// The vector of a bit in a section, uncompressed; empty if it is not there. The view must live
// until the call that asked for it has returned.
using VectorSource = std::function<ByteView(std::uint32_t bit, std::uint64_t section)>;

// The candidates of one section, ascending, never none; valid during the call. False ends the
// search.
using BlockSink = std::function<bool(std::span<const std::uint64_t> blocks)>;

// Many threads may search with one matcher, each with a source of its own or a source that is safe.
class DirectMatcher {
 public:
  DirectMatcher(std::uint64_t section_size, std::vector<BitClause> clauses);

  // Hands out, ascending, the blocks from begin to end (both included) that may match. kIo for a
  // vector that is not there or has another length; what was handed out before it holds. A stopped
  // search returns ok(): the caller knows that it stopped.
  Status match(std::uint64_t begin, std::uint64_t end, const VectorSource& source,
               const BlockSink& sink, const std::stop_token& stop = {}) const;
  // The same, appended to a list.
  Status match(std::uint64_t begin, std::uint64_t end, const VectorSource& source,
               std::vector<std::uint64_t>& blocks, const std::stop_token& stop = {}) const;

  // The candidates of one whole section as a vector; whether there is any. Precondition: `bits` has
  // section_size / 8 bytes.
  Result<bool> match_section(std::uint64_t section, const VectorSource& source,
                             ByteSpan bits) const;

 private:
  using Rows = std::vector<const std::byte*>;
  Status find_rows(std::span<const KeyBits> keys, std::uint64_t section, const VectorSource& source,
                   Rows& rows) const;
  Result<bool> match_section(std::uint64_t section, const VectorSource& source, ByteSpan bits,
                             Rows& rows) const;

  std::uint64_t section_size_;
  std::vector<KeyBits> required_;   // the only keys of their clauses: one AND over all their rows
  std::vector<BitClause> choices_;  // the other clauses, the one with fewest keys first
};

}  // namespace bloomery::ethlog
