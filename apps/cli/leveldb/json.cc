#include "apps/cli/leveldb/json.h"

#include <cmath>

#include "apps/cli/filters/description_json.h"
#include "apps/cli/shell/json.h"

namespace bloomery::cli {
namespace {

// Names and sentences come from files, whose bytes need not be UTF-8.
std::string dumped(const Json& json) { return json.dump() + "\n"; }

Json checksum_json(LevelDbChecksum checksum) {
  if (checksum == LevelDbChecksum::kAbsent) return nullptr;
  return checksum == LevelDbChecksum::kOk ? "ok" : "mismatch";
}

std::string hex(ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[static_cast<std::size_t>(byte >> 4)];
    text += kDigits[static_cast<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

Json probes_json(const LevelDbFilterSummary& filters) {
  Json json = Json::object();
  for (const auto& [probes, count] : filters.probes) json[std::to_string(probes)] = count;
  return json;
}

void add_audit(Json& json, const LevelDbTableFacts& facts) {
  const auto& audit = facts.audit;
  json["keys"] = audit ? Json(audit->keys) : Json(nullptr);
  json["deletions"] = audit ? Json(audit->deletions) : Json(nullptr);
  json["keys_per_filter"] = nullptr;
  if (audit && audit->most_keys > 0)
    json["keys_per_filter"] = Json{{"fewest", audit->fewest_keys}, {"most", audit->most_keys}};
  json["denied_keys"] = audit ? Json(audit->denied_keys) : Json(nullptr);
  json["first_denied_key_hex"] = nullptr;
  if (audit && audit->denied_keys > 0) json["first_denied_key_hex"] = hex(audit->first_denied);
  json["damaged_data_blocks"] = audit ? Json(audit->damaged_blocks) : Json(nullptr);
}

Json table_json(const LevelDbTableFacts& facts) {
  const LevelDbFilterSummary& filters = facts.filters;
  Json json;
  json["file"] = facts.name;
  json["level"] = facts.level ? Json(*facts.level) : Json(nullptr);
  json["number"] = facts.level ? Json(facts.number) : Json(nullptr);
  json["file_bytes"] = facts.file_bytes;
  json["data_blocks"] = facts.data_blocks;
  json["data_bytes"] = facts.data_bytes;
  json["policy"] = facts.policy.empty() ? Json(nullptr) : Json(facts.policy);
  json["other_policies"] = facts.other_policies;
  json["why_no_filters"] = facts.base_lg ? Json(nullptr) : Json(facts.why_no_filters);
  json["filters"] = filters.with_keys;
  json["base_lg"] = facts.base_lg ? Json(*facts.base_lg) : Json(nullptr);
  json["filter_bytes"] = filters.block_bytes;
  json["bits"] = filters.bits;
  json["probes"] = probes_json(filters);
  json["estimated_keys"] =
      facts.base_lg ? Json(std::llround(filters.estimated_keys)) : Json(nullptr);
  json["bits_per_key"] = facts.base_lg && facts.keys() > 0
                             ? Json(static_cast<double>(filters.bits) / facts.keys())
                             : Json(nullptr);
  json["fill"] = filters.fill;
  json["estimated_fpr"] = filters.rate;
  json["measured_fpr"] = filters.samples > 0 ? Json(filters.measured_rate) : Json(nullptr);
  json["samples"] = filters.samples;
  json["checksums"] = Json{{"metaindex", checksum_json(facts.metaindex_checksum)},
                           {"index", checksum_json(facts.index_checksum)},
                           {"filters", checksum_json(facts.filter_checksum)}};
  add_audit(json, facts);
  json["verdict"] = facts.problems.empty() ? "ok" : "damaged";
  json["problems"] = facts.problems;
  return json;
}

Json totals_json(const LevelDbTotals& totals) {
  return Json{{"tables", totals.tables},
              {"tables_with_filters", totals.tables_with_filters},
              {"file_bytes", totals.file_bytes},
              {"keys", std::llround(totals.keys)},
              {"deletions", totals.deletions},
              {"filters", totals.filters},
              {"filter_bytes", totals.filter_bytes},
              {"bits", totals.bits},
              {"bits_per_key", or_null(totals.bits_per_key())},
              {"fill", totals.fill},
              {"estimated_fpr", totals.rate},
              {"data_blocks", totals.data_blocks},
              {"damaged_data_blocks", totals.damaged_blocks},
              {"denied_keys", totals.denied_keys}};
}

Json log_json(const LevelDbLog& log) {
  return Json{{"number", log.number},
              {"file_bytes", log.file_bytes},
              {"batches", log.batches},
              {"keys", log.keys.size()},
              {"deletions", log.deletions},
              {"torn_bytes", log.torn_bytes},
              {"damaged_bytes", log.damaged_bytes}};
}

Json manifest_json(const LevelDbFolder& folder) {
  const LevelDbManifest& manifest = folder.manifest;
  return Json{{"file", folder.manifest_name},
              {"edits", manifest.edits},
              {"torn_bytes", manifest.torn_bytes},
              {"log_number", manifest.log_number},
              {"next_file_number", manifest.next_file_number},
              {"last_sequence", manifest.last_sequence}};
}

}  // namespace

std::string table_facts_json(const LevelDbTableFacts& facts) {
  Json json = description_json(facts.description);
  json["table"] = table_json(facts);
  return dumped(json);
}

std::string database_facts_json(const LevelDbDatabaseFacts& facts) {
  Json json;
  json["format"] = "leveldb";
  json["layout"] = "database";
  json["comparator"] = facts.folder.manifest.comparator;
  json["manifest"] = manifest_json(facts.folder);
  json["total"] = totals_json(facts.total);
  json["wasted_reads_per_absent_get"] = facts.absent_get.wasted_reads;
  json["estimated_fpr"] = facts.absent_get.maybe_rate;
  json["levels"] = Json::array();
  for (const auto& [level, totals] : facts.levels) {
    Json one{{"level", level}};
    one.update(totals_json(totals));
    json["levels"].push_back(std::move(one));
  }
  json["tables"] = Json::array();
  for (const LevelDbTableFacts& table : facts.tables) json["tables"].push_back(table_json(table));
  json["logs"] = Json::array();
  for (const LevelDbLog& log : facts.folder.logs) json["logs"].push_back(log_json(log));
  json["not_live"] = Json::array();
  for (const LevelDbTableFile& file : facts.not_live) json["not_live"].push_back(file.name);
  json["replaced_meanwhile"] = facts.replaced;
  json["verdict"] = facts.problem_count() == 0 ? "ok" : "damaged";
  json["problems"] = facts.problems;
  return dumped(json);
}

}  // namespace bloomery::cli
