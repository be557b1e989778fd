#include "apps/cli/eth/search_cost.h"

#include <algorithm>

#include "apps/cli/shell/numbers.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

std::string cost_text(const SearchEstimatePart& part) {
  std::string text = message(significant(part.candidates, 3), " candidates, ",
                             format_bytes(static_cast<std::uint64_t>(part.bytes)), " read, ");
  if (part.decoded >= 0.5) text += message("receipts of ", format_count(part.decoded), " blocks, ");
  return text + message("about ", significant(part.milliseconds, 2), " ms");
}

// Sections that have enough blocks above them, missing blocks apart.
std::uint64_t sections_by_number(const ChainStatus& status) {
  if (!status.head || *status.head < kDefaultConfirms || status.section_size == 0) return 0;
  const std::uint64_t past = (*status.head + 1 - kDefaultConfirms) / status.section_size;
  const std::uint64_t first =
      (status.lowest.value_or(0) + status.section_size - 1) / status.section_size;
  return past > first ? past - first : 0;
}

}  // namespace

void add_search_cost(const SearchEstimate& cost, Report& report) {
  for (const SearchEstimatePart& part : cost.parts) {
    const std::string name = message("  by ", part.by);
    const std::string blocks = message(format_count(part.blocks), " blocks: ");
    if (part.sampled_blocks == 0)
      report.row(name, message(blocks, "not known: ", cost.problem));
    else
      report.row(name, blocks + cost_text(part));
  }
}

Json search_cost_json(const SearchEstimate& cost) {
  Json parts = Json::array();
  for (const SearchEstimatePart& part : cost.parts) {
    Json json{{"by", part.by}, {"blocks", part.blocks}, {"sampled_blocks", part.sampled_blocks}};
    if (part.sampled_blocks > 0)
      json.update({{"candidates", part.candidates},
                   {"decoded", part.decoded},
                   {"bytes", part.bytes},
                   {"milliseconds", part.milliseconds}});
    parts.push_back(std::move(json));
  }
  return parts;
}

std::vector<std::string> cheaper_searches(const std::string& folder, const ChainStatus& status) {
  std::vector<std::string> all;
  if (!status.head) return all;
  const std::uint64_t made = status.adaptive ? status.adaptive->sections : 0;
  const std::uint64_t possible = sections_by_number(status);
  if (status.geth) {
    if (possible > 0)
      all.push_back(
          message("import it into a folder of its own, which indexes it (bloomery eth "
                  "import --db DIR ",
                  folder, ")"));
    return all;
  }
  if (!status.gaps.empty())
    all.push_back(message("import ", text_of_ranges(status.gaps),
                          ": a section with a missing block is not indexed"));
  if (possible > made)
    all.push_back(message("bloomery eth index --db ", folder, " (adaptive sections: ",
                          format_count(made), " of ", format_count(possible), ")"));
  if (status.adaptive && status.adaptive->old_sections > 0)
    all.push_back(message("make ", format_count(status.adaptive->old_sections),
                          " sections of version 1 anew: bloomery eth index --db ", folder,
                          " --drop --kind adaptive, then bloomery eth index --db ", folder));
  return all;
}

}  // namespace bloomery::cli
