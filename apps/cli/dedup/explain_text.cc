// The explanation as text and as JSON.
#include "apps/cli/dedup/explain.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string change_sentence(const Change& change) {
  if (change.option.empty()) return change.reason;
  std::string text = change.option;
  const char* before = ": ";
  const auto add = [&](const std::string& part) {
    text += before + part;
    before = ", ";
  };
  if (change.seconds) add("about " + format_seconds(*change.seconds) + " (measured)");
  if (!change.reason.empty()) add(change.reason);
  if (change.bytes && !change.seconds) add(format_bytes(*change.bytes));
  if (change.wrong_drops && !change.seconds)
    add(message("about ", rounded_expectation(*change.wrong_drops), " dropped wrongly"));
  return text;
}

Json change_json(const Change& change) {
  return {{"option", change.option.empty() ? Json(nullptr) : Json(change.option)},
          {"reason", change.reason.empty() ? Json(nullptr) : Json(change.reason)},
          {"bytes", or_null(change.bytes)},
          {"expected_wrong_drops", or_null(change.wrong_drops)},
          {"seconds", or_null(change.seconds)}};
}

}  // namespace

std::string explanation_text(const Explanation& all, const Globals& globals) {
  return message(
      "records              ", all.records_are_counted ? "" : "about ", format_count(all.records),
      all.records_are_counted ? " (counted)" : " (estimated from a sample)",
      "; at most as many different keys\n", "memory               ", format_bytes(all.bytes),
      " for the filter (", all.filter.layout, ")",
      all.table_bytes == 0
          ? ""
          : message(" and up to ", format_bytes(all.table_bytes), " for the repeated keys"),
      "; --memory allows ", format_bytes(globals.memory), "\n", "wrong drops          about ",
      rounded_expectation(all.wrong_drops), " if all keys differ\n", "time                 about ",
      format_seconds(all.seconds), " with ",
      counted(std::max<std::uint32_t>(1, globals.threads), "thread"),
      all.readings == 1 ? "" : message(" in ", all.readings, " readings"), " (",
      format_speed(all.records_per_second), " on a sample of ", format_bytes(all.sample_bytes),
      ")\n", "to halve the memory  ", change_sentence(all.half_memory), "\n",
      "to halve wrong drops ", change_sentence(all.half_wrong_drops), "\n", "to halve the time    ",
      change_sentence(all.half_time), "\n");
}

std::string explanation_json(const Explanation& all, const Globals& globals) {
  const Json json{{"records", all.records},
                  {"records_are_counted", all.records_are_counted},
                  {"bytes", all.bytes},
                  {"table_bytes", all.table_bytes},
                  {"readings", all.readings},
                  {"memory_limit", globals.memory},
                  {"layout", all.filter.layout},
                  {"expected_wrong_drops", all.wrong_drops},
                  {"threads", std::max<std::uint32_t>(1, globals.threads)},
                  {"seconds", all.seconds},
                  {"records_per_second", all.records_per_second},
                  {"sample_bytes", all.sample_bytes},
                  {"halve_memory", change_json(all.half_memory)},
                  {"halve_wrong_drops", change_json(all.half_wrong_drops)},
                  {"halve_time", change_json(all.half_time)}};
  return json.dump() + "\n";
}

}  // namespace bloomery::cli
