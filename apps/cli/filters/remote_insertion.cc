#include "apps/cli/filters/remote_insertion.h"

#include "bloomery/base/message.h"

namespace bloomery::cli {

Result<Summary> insert_remotely(RemoteFilter& filter, const std::string& path,
                                const std::vector<InputFile>& inputs, const RecordOptions& records,
                                const Globals& globals) {
  KeyReader keys{records, byte_order_of(filter.format().name)};
  std::vector<std::uint8_t> is_new;
  std::uint64_t kept = 0;
  const auto insert = [&](const Batch& batch) -> Result<bool> {
    is_new.resize(batch.keys.size());
    const auto added = filter.insert_batch(batch.keys, is_new);
    if (!added) return Error{added.error().code, message(path, ": ", added.error().message)};
    kept += *added;
    return true;
  };
  const auto totals = for_each_batch(inputs, keys, globals, {insert});
  if (!totals) return totals.error();
  return Summary{.records = totals->records,
                 .selected = kept,
                 .seconds = totals->seconds,
                 .filter = filter.describe(),
                 .skipped = totals->skipped,
                 .malformed = totals->malformed};
}

}  // namespace bloomery::cli
