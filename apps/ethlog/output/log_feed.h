// A chain that grows, as a search follows it: a folder that is opened again, or a server.
#pragma once
#include <functional>
#include <memory>

#include "apps/ethlog/model/log_query.h"
#include "apps/ethlog/output/tail_state.h"

namespace bloomery::ethlog {

using OnLogRecord = std::function<Status(LogRecord&&)>;

class LogFeed {
 public:
  virtual ~LogFeed() = default;
  // The newest block, at the beginning of a step; nothing while the chain cannot be read, or has no
  // blocks. From here on, hash_of and logs are about the chain with this head.
  virtual Result<std::optional<TailBlock>> refresh() = 0;
  virtual void release() = 0;  // the end of the step
  // Between refresh and release:
  virtual Result<std::uint64_t> chain_id() = 0;
  virtual Result<std::uint64_t> lowest() = 0;                             // block
  virtual Result<std::optional<std::uint64_t>> tagged(BlockTag tag) = 0;  // finalized, safe
  virtual Result<std::optional<Hash>> hash_of(std::uint64_t number) = 0;  // nothing: unknown
  // In their order, of the blocks from first to last.
  virtual Status logs(const LogQuery& query, std::uint64_t first, std::uint64_t last,
                      const OnLogRecord& on_record) = 0;
  // Whether all answers of a step are about one and the same chain. Otherwise they are looked at
  // again before a log counts.
  virtual bool is_steady() const = 0;
  // Whether the last call's error may pass by itself and is waited for; says so where it is new.
  virtual bool is_waited_for(const Error& error) = 0;
};

}  // namespace bloomery::ethlog
