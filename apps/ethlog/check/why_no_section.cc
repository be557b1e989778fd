#include "apps/ethlog/check/why_no_section.h"

#include <algorithm>

#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/store/chain_census.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// The sections that could be there by their numbers.
struct SectionsSought {
  std::uint64_t size;
  std::uint64_t first;
  std::uint64_t past;
};

std::string blocks_of_section(std::uint64_t section, std::uint64_t size) {
  return message("section ", section, " (blocks ", section * size, " to ", (section + 1) * size - 1,
                 ")");
}

Result<std::uint64_t> count_valid(const ChainReader& reader, IndexKind kind,
                                  const SectionsSought& sought) {
  std::uint64_t valid = 0;
  for (std::uint64_t section = sought.first; section < sought.past; ++section) {
    if (kind == IndexKind::kBloombits) {
      const auto there = is_section_valid(reader, sought.size, section);
      if (!there) return there.error();
      valid += *there ? 1 : 0;
    } else {
      const auto there = valid_section_metadata(reader, sought.size, section);
      if (!there) return there.error();
      valid += *there ? 1 : 0;
    }
  }
  return valid;
}

// The missing blocks of sought sections, and how many of these are not whole.
struct SectionGaps {
  std::vector<BlockRange> ranges;
  std::uint64_t sections = 0;
};

Result<SectionGaps> gaps_within(const ChainReader& reader, const SectionsSought& sought) {
  const auto census = count_blocks(reader);
  if (!census) return census.error();
  SectionGaps found;
  std::uint64_t next = sought.first;  // that was not counted yet
  for (const BlockRange& gap : census->gaps) {
    if (gap.first / sought.size >= sought.past) break;
    found.ranges.push_back(gap);
    const std::uint64_t past = std::min(gap.last / sought.size + 1, sought.past);
    const std::uint64_t first = std::max(gap.first / sought.size, next);
    if (past > first) found.sections += past - first;
    next = std::max(next, past);
  }
  return found;
}

std::string of_sections(std::uint64_t count) {
  return message(count, count == 1 ? " section" : " sections");
}

void append_reason(std::string& all, const std::string& one) {
  if (!all.empty()) all += "; ";
  all += one;
}

}  // namespace

Result<std::string> why_no_section(const ChainStore& store, IndexKind kind,
                                   const IndexProgress& progress, std::uint64_t confirms) {
  const ChainReader& reader = store.reader();
  const auto head = reader.head();
  if (!head) return head.error();
  const auto size = store.section_size();
  if (!size) return size.error();
  if (!*head) return std::string{"the folder has no blocks yet; import some (bloomery eth import)"};
  const std::uint64_t lowest = store.counts().lowest.value_or(0);
  SectionsSought sought{*size, (lowest + *size - 1) / *size, 0};
  sought.past = **head < confirms ? 0 : (**head + 1 - confirms) / *size;
  const std::uint64_t needed = (std::max(sought.first, sought.past) + 1) * *size - 1;
  const std::string waits =
      **head < needed
          ? message("a section of ", *size, " blocks (--section) needs block ", needed, " and ",
                    confirms, " blocks after it (--confirms), but the newest block is ", **head)
          : message(blocks_of_section(needed / *size, *size), " waits until ", confirms,
                    " blocks have come after it (--confirms), but only ", **head - needed, " have");
  if (sought.past <= sought.first) return waits;
  const auto valid = count_valid(reader, kind, sought);
  if (!valid) return valid.error();
  if (*valid == sought.past - sought.first)
    return message(*valid == 1 ? "the section that can be made is"
                               : message("all ", *valid, " sections that can be made are"),
                   " there; the next one needs block ", needed, " and ", confirms,
                   " blocks after it");
  std::string why;
  const auto gaps = gaps_within(reader, sought);
  if (!gaps) return gaps.error();
  if (!gaps->ranges.empty())
    append_reason(why, message(of_sections(gaps->sections), " cannot be made because ",
                               text_of_ranges(gaps->ranges), " are missing; import them"));
  if (progress.without_receipts > 0)
    append_reason(why, message(of_sections(progress.without_receipts),
                               " cannot be made because the receipts of a block are missing; "
                               "import these blocks again with their receipts, or index the header "
                               "blooms (--kind bloombits)"));
  if (*valid > 0)
    append_reason(why,
                  message(of_sections(*valid), *valid == 1 ? " is" : " are", " there already"));
  return why.empty() ? waits : why;
}

}  // namespace bloomery::ethlog
