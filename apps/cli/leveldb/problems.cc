#include "apps/cli/leveldb/problems.h"

#include <algorithm>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

void find_wrong_checksums(LevelDbTableFacts& facts) {
  auto& problems = facts.problems;
  if (facts.metaindex_checksum == LevelDbChecksum::kMismatch)
    problems.emplace_back(
        "the checksum of the metaindex block is wrong: its filters are not found");
  if (facts.index_checksum == LevelDbChecksum::kMismatch)
    problems.emplace_back(
        "the checksum of the index block is wrong: no data block is found through it");
  if (facts.filter_checksum != LevelDbChecksum::kMismatch) return;
  std::string sentence = "the checksum of the filter block is wrong";
  if (facts.audit && facts.audit->filters_fail_checksum && facts.audit->denied_keys == 0)
    sentence += ", though its filters deny none of their keys";
  problems.push_back(sentence);
}

void find_denied_keys(const LevelDbAudit& audit, std::vector<std::string>& problems) {
  if (audit.denied_keys == 0) return;
  problems.push_back(message(
      format_count(audit.denied_keys), " of ", counted(audit.keys, "key"),
      audit.denied_keys == 1 ? " is" : " are", " denied by ", audit.keys == 1 ? "its" : "their",
      " own filter, so that LevelDB does not find ", audit.denied_keys == 1 ? "it" : "them",
      audit.filters_fail_checksum ? " unless it verifies checksums" : "", "; the first is ",
      shown_key(audit.first_denied), " in the data block at byte ", audit.first_denied_block));
}

}  // namespace

std::string shown_key(ByteView key) {
  constexpr std::size_t kLongest = 40;
  const bool is_text = std::ranges::all_of(
      key, [](std::byte b) { return b >= std::byte{0x20} && b < std::byte{0x7f}; });
  const ByteView start = key.first(std::min(key.size(), kLongest));
  std::string shown = is_text ? "\"" : "0x";
  if (is_text) {
    shown += text_of(start);
    shown += '"';
  } else {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::byte byte : start) {
      shown += kDigits[static_cast<std::size_t>(byte >> 4)];
      shown += kDigits[static_cast<std::size_t>(byte & std::byte{15})];
    }
  }
  if (key.size() > kLongest) shown += message("... (", key.size(), " bytes)");
  return shown;
}

void find_problems(LevelDbTableFacts& facts) {
  auto& problems = facts.problems;
  if (facts.audit) find_denied_keys(*facts.audit, problems);  // first: these keys are lost
  find_wrong_checksums(facts);
  if (facts.filters.damaged > 0)
    problems.push_back(message(counted(facts.filters.damaged, "filter"), " of ",
                               format_count(facts.filters.with_keys),
                               " fail their own check and answer \"maybe\" to every key"));
  if (!facts.audit) return;
  const LevelDbAudit& audit = *facts.audit;
  if (audit.damaged_blocks > 0)
    problems.push_back(message(format_count(audit.damaged_blocks), " of ",
                               counted(facts.data_blocks, "data block"),
                               " cannot be read; the first: ", audit.first_damage));
  if (audit.keys_out_of_order > 0)
    problems.push_back(message(counted(audit.keys_out_of_order, "key"),
                               " out of order: a search for them or their neighbours fails"));
  if (audit.keys_outside_range > 0)
    problems.push_back(message(counted(audit.keys_outside_range, "key"),
                               " outside the range in the manifest: lookups do not reach them"));
}

std::string log_problem(const LevelDbLog& log) {
  if (log.is_missing)
    return message("log ", log.number,
                   " is missing: the manifest names it, and what was written last is lost");
  return message("log ", log.number, ": ", log.damaged_bytes,
                 " bytes do not verify: ", log.first_damage);
}

}  // namespace bloomery::cli
