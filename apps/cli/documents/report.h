// The totals of a run over documents, as JSON and as a sentence.
#pragma once
#include "apps/cli/filters/summary.h"

namespace bloomery::cli {

struct DocumentTotals {
  std::uint64_t documents = 0;
  std::uint64_t kept = 0;
  std::uint64_t shortened = 0;  // of the kept
  std::uint64_t skipped = 0;    // of the kept: without a text to compare
  std::uint64_t keys = 0;
  std::uint64_t repeated = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t removed_bytes = 0;
};

struct DocumentReport {
  DocumentTotals totals;
  double seconds = 0;
  Description filter;    // as it is now
  double wrongly = 0;    // keys that were taken for repeats, as the filter lets expect
  bool against = false;  // besides those that the filters of --against took for repeats
};

// What a run would take; of --explain.
struct DocumentPlan {
  std::uint64_t keys = 0;
  bool keys_are_counted = false;
  Description filter;
  std::uint64_t buffers = 0;  // bytes besides the filter
  double wrongly = 0;         // keys taken for repeats, if all differ
};

std::string plan_json(const DocumentPlan& plan, const Globals& globals);
std::string plan_text(const DocumentPlan& plan, const Globals& globals);
std::string document_json(const DocumentReport& report);
std::string document_sentence(const DocumentReport& report);

}  // namespace bloomery::cli
