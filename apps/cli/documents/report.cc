#include "apps/cli/documents/report.h"

#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

std::string plan_json(const DocumentPlan& plan, const Globals& globals) {
  const Json json{{"keys", plan.keys},
                  {"keys_are_counted", plan.keys_are_counted},
                  {"bytes", plan.filter.bytes},
                  {"bytes_with_buffers", plan.filter.bytes + plan.buffers},
                  {"memory_limit", globals.memory},
                  {"layout", plan.filter.layout},
                  {"expected_wrong", plan.wrongly}};
  return json.dump() + "\n";
}

std::string plan_text(const DocumentPlan& plan, const Globals& globals) {
  return message("keys           ", plan.keys_are_counted ? "" : "about ", format_count(plan.keys),
                 plan.keys_are_counted ? " (counted)" : " (estimated from a sample)",
                 "; at most as many different ones\n", "memory         ",
                 format_bytes(plan.filter.bytes), " for the filter (", plan.filter.layout,
                 "), about ", format_bytes(plan.filter.bytes + plan.buffers),
                 " in all with buffers; --memory allows ", format_bytes(globals.memory), "\n",
                 "wrong repeats  about ", rounded_expectation(plan.wrongly),
                 " keys taken for repeats if all differ\n");
}

std::string document_json(const DocumentReport& report) {
  const DocumentTotals& totals = report.totals;
  const auto& health = report.filter.health;
  Json json;
  json["documents"] = totals.documents;
  json["kept"] = totals.kept;
  json["shortened"] = totals.shortened;
  json["dropped"] = totals.documents - totals.kept;
  json["skipped"] = totals.skipped;
  json["keys"] = totals.keys;
  json["repeated"] = totals.repeated;
  json["expected_wrong"] = report.wrongly;
  json["text_bytes"] = totals.text_bytes;
  json["removed_bytes"] = totals.removed_bytes;
  json["seconds"] = report.seconds;
  json["bytes"] = report.filter.bytes;
  json["fill"] = health ? Json(health->fill) : Json(nullptr);
  json["estimated_fpr"] = health ? Json(health->error_rate) : Json(nullptr);
  return json.dump() + "\n";
}

std::string document_sentence(const DocumentReport& report) {
  const DocumentTotals& totals = report.totals;
  std::string words =
      message(counted(totals.documents, "document"), " in ", format_seconds(report.seconds), ": ",
              format_count(totals.kept), " kept (", format_count(totals.shortened), " shortened), ",
              format_count(totals.documents - totals.kept), " dropped; ",
              format_count(totals.repeated), " of ", format_count(totals.keys),
              " keys were seen before (about ", rounded_expectation(report.wrongly), " wrongly",
              report.against ? ", besides those of --against)" : ")");
  if (totals.skipped > 0)
    words += message("; ", format_count(totals.skipped), " of the kept were not compared");
  if (report.filter.health)
    words += message("; fill ", format_probability(report.filter.health->fill),
                     ", false positives ", format_probability(report.filter.health->error_rate));
  return words;
}

}  // namespace bloomery::cli
