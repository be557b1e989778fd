// Whether a block has a log that a search asks for, by the columns of its logs alone.
#pragma once
#include "apps/ethlog/index/adaptive/columns.h"
#include "apps/ethlog/index/adaptive/parts.h"
#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// A query made ready for many blocks. Many threads may ask one.
class ColumnsCheck {
 public:
  // What is asked is copied.
  explicit ColumnsCheck(const LogQuery& query);

  // No: certain. Yes: only where needs_logs() is false; otherwise the logs decide. A block without
  // logs is not asked for.
  bool may_match(const KeyColumn& keys) const;
  bool needs_logs() const { return !positions_.empty(); }
  // Exactly whether a log of the block matches. Both columns are of one block.
  bool matches(const KeyColumn& keys, const LogColumn& logs) const;
  // The same of a block in parts, of which only those are read that decide.
  Result<bool> matches(const PartedColumns& columns) const;

 private:
  struct Position {
    std::vector<Topic> topics;  // ascending; none: any topic
    std::vector<std::uint32_t> fingerprints;
  };
  std::vector<Address> addresses_;  // ascending
  std::vector<Position> positions_;
};

}  // namespace bloomery::ethlog
