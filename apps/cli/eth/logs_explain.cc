#include "apps/cli/eth/logs_explain.h"

#include <iomanip>
#include <iostream>

#include "apps/cli/shell/numbers.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

std::string_view end_text(QueryEnd end) {
  switch (end) {
    case QueryEnd::kComplete:
      return "complete";
    case QueryEnd::kLimit:
      return "at the limit";
    case QueryEnd::kStopped:
    case QueryEnd::kDeadline:
      break;
  }
  return "stopped";
}

void explain(const SourceReport& source) {
  std::cerr << "by " << std::left << std::setw(14) << source.name << source.blocks << " blocks in "
            << source.cost.sections << " sections: " << source.cost.vectors << " vectors, "
            << source.cost.bytes << " bytes read, " << source.candidates << " candidates\n";
  if (const std::uint64_t direct = source.cost.sections - source.cost.sections_threaded; direct > 0)
    std::cerr << "directly         " << direct << " sections\n";
  if (source.cost.sections_threaded > 0)
    std::cerr << "by threads       " << source.cost.sections_threaded << " sections, "
              << source.cost.vectors_shared << " vectors shared with other searches\n";
  if (source.cost.clauses_skipped > 0)
    std::cerr << "not looked up    " << source.cost.clauses_skipped
              << " clauses of sections: checking candidates is cheaper\n";
  if (source.checked > 0)
    std::cerr << "checked          " << source.checked << " candidates by their columns, "
              << source.refused << " of them without a match\n";
}

void explain(const StageTimes& times) {
  const auto milliseconds = [](StageTimes::Duration time) {
    return significant(std::chrono::duration<double, std::milli>(time).count(), 3);
  };
  std::cerr << "time in ms       planning " << milliseconds(times.planning) << ", index "
            << milliseconds(times.index) << ", header blooms " << milliseconds(times.headers)
            << ", checking " << milliseconds(times.checking) << ", reading "
            << milliseconds(times.reading) << ", matching " << milliseconds(times.matching) << '\n';
}

}  // namespace

void explain_search(const QueryReport& report) {
  const std::uint64_t blocks = report.range ? report.range->last - report.range->first + 1 : 0;
  if (report.range)
    std::cerr << "range            " << report.range->first << " to " << report.range->last << ", "
              << blocks << " blocks\n";
  std::uint64_t refused = 0;
  for (const SourceReport& source : report.sources) {
    explain(source);
    refused += source.refused;
  }
  std::cerr << "by header blooms " << report.header_blooms << " blocks\n"
            << "read             " << report.blocks_read << " blocks, "
            << report.false_positives - refused << " of them without a match\n"
            << "false positives  " << report.false_positives << '\n'
            << "found            " << report.logs << " logs, " << end_text(report.end) << '\n';
  if (report.missing_blocks > 0)
    std::cerr << "missing          " << report.missing_blocks << " blocks\n";
  explain(report.times);
}

}  // namespace bloomery::cli
