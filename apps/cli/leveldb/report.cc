#include "apps/cli/leveldb/report.h"

#include <iostream>

#include "apps/cli/filters/report.h"
#include "apps/cli/shell/color.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string_view verdict_of(LevelDbChecksum checksum) {
  switch (checksum) {
    case LevelDbChecksum::kOk:
      return "ok";
    case LevelDbChecksum::kMismatch:
      return "wrong";
    case LevelDbChecksum::kAbsent:
      break;
  }
  return "none";
}

std::string checksums_of(const LevelDbTableFacts& facts) {
  std::string verdicts =
      message("metaindex ", verdict_of(facts.metaindex_checksum), ", index ",
              verdict_of(facts.index_checksum), ", filters ", verdict_of(facts.filter_checksum));
  if (!facts.audit) return verdicts + ", data blocks not read";
  return verdicts + message(", ", format_count(facts.audit->data_blocks), " of ",
                            counted(facts.data_blocks, "data block"), " ok");
}

std::string filters_of(const LevelDbTableFacts& facts) {
  if (!facts.base_lg) return "none: " + facts.why_no_filters;
  return message(format_count(facts.filters.with_keys), ", one for each ",
                 format_bytes(std::uint64_t{1} << *facts.base_lg), " of the table that has keys");
}

std::string probes_of(const LevelDbFilterSummary& filters) {
  if (filters.probes.size() == 1) return std::to_string(filters.probes.begin()->first);
  std::string list;
  for (const auto& [probes, count] : filters.probes)
    list += message(list.empty() ? "" : ", ", probes, " in ", counted(count, "filter"));
  return list.empty() ? "-" : list;
}

std::string short_probes_of(const LevelDbFilterSummary& filters) {
  if (filters.probes.empty()) return "-";
  const auto fewest = filters.probes.begin()->first;
  const auto most = filters.probes.rbegin()->first;
  return fewest == most ? std::to_string(fewest) : message(fewest, "-", most);
}

std::string keys_of(const LevelDbTableFacts& facts) {
  if (!facts.audit)
    return facts.base_lg ? "about " + format_count(facts.keys()) + ", by the filters" : "unknown";
  const LevelDbAudit& audit = *facts.audit;
  std::string keys = format_count(audit.keys);
  if (audit.deletions > 0)
    keys += message(", ", counted(audit.deletions, "deletion"), " among them");
  if (audit.most_keys > 0)
    keys += audit.fewest_keys == audit.most_keys
                ? message("; ", format_count(audit.most_keys), " per filter")
                : message("; ", format_count(audit.fewest_keys), " to ",
                          format_count(audit.most_keys), " per filter");
  return keys;
}

std::string rate_of(const LevelDbFilterSummary& filters) {
  const std::string asked = message(format_probability(filters.measured_rate), " of ",
                                    format_count(filters.samples), " absent keys looked up");
  if (filters.samples == 0) return format_probability(filters.rate);
  if (filters.rate != filters.rate_of_bits)
    return message(asked, "; the bits promise ", format_probability(filters.rate_of_bits));
  return message(format_probability(filters.rate), ", from the bits; ", asked);
}

std::string denied_of(const LevelDbTableFacts& facts) {
  if (!facts.audit) return "not asked";
  if (!facts.base_lg && !facts.audit->filters_fail_checksum) return "none: there is no filter";
  if (facts.audit->denied_keys == 0) return "none: each was looked up";
  return red_on_stdout(
      message(format_count(facts.audit->denied_keys), " of ", format_count(facts.audit->keys)));
}

std::string bits_per_key_of(std::uint64_t bits, double keys) {
  return keys > 0 ? significant(static_cast<double>(bits) / keys, 3) : "-";
}

void print_problems(const std::vector<std::string>& problems, const std::string& where) {
  for (const std::string& problem : problems)
    std::cout << "\n  " << red_on_stdout("Damage: ") << where << problem << ".\n";
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::cout << "\n  Note: " << note << ".\n";
}

// Of `tables`, those with filters: where there are none, there is nothing to be healthy.
struct Filtered {
  std::uint64_t tables;
  std::uint64_t with_filters;
};

std::string health_of(std::size_t problems, Filtered filtered, double fill, double rate,
                      const std::optional<Goal>& goal) {
  if (problems > 0) return red_on_stdout(message("damaged: ", counted(problems, "problem")));
  if (filtered.with_filters == 0) return "no filters";
  if (filtered.with_filters < filtered.tables)
    return message(format_count(filtered.tables - filtered.with_filters), " of ",
                   counted(filtered.tables, "table"), " without filters");
  const Verdict verdict = judge(fill, rate, goal);
  const bool unjudged = verdict == Verdict::kOk && !goal;
  return painted_verdict(verdict, message(verdict_name(verdict), unjudged ? kNoGoal : ""));
}

std::vector<std::string> notes_of(const LevelDbTableFacts& facts) {
  std::vector<std::string> notes;
  for (const std::string& name : facts.other_policies)
    notes.push_back(message("the table has filters by ", name, " too, which are not supported"));
  const bool two_writers = is_older_leveldb_policy(facts.policy);
  if (!two_writers || !facts.base_lg) return notes;
  if (facts.audit && facts.audit->writer == LevelDbWriter::kSignedTail)
    notes.emplace_back("the keys show that LevelDB before 1.18 made the filters");
  else if (facts.audit && facts.audit->writer == LevelDbWriter::kUnsignedTail)
    notes.emplace_back("the keys show that goleveldb made the filters");
  else
    notes.emplace_back(
        "goleveldb and LevelDB before 1.18 use this policy name and hash keys with high bytes at "
        "their end differently: query never answers \"no\" to such a key");
  return notes;
}

std::string logs_of(const LevelDbDatabaseFacts& facts) {
  if (facts.folder.logs.empty()) return "none";
  std::string list;
  for (const LevelDbLog& log : facts.folder.logs)
    list += message(list.empty() ? "" : "; ", "log ", log.number, ": ",
                    log.keys.empty() ? "no keys" : counted(log.keys.size(), "key"));
  return list;
}

std::vector<std::string> totals_row(std::string name, const LevelDbTotals& totals) {
  const auto bits = totals.bits_per_key();
  return {std::move(name),
          format_count(totals.tables),
          format_bytes(totals.file_bytes),
          format_count(totals.keys),
          format_count(totals.filters),
          format_bytes(totals.filter_bytes),
          bits ? significant(*bits, 3) : "-",
          format_probability(totals.fill),
          format_probability(totals.rate)};
}

void print_levels(const LevelDbDatabaseFacts& facts) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"  level", "tables", "size", "keys", "filters", "their size", "bits per key",
                  "fill", "false positives"});
  for (const auto& [level, totals] : facts.levels)
    rows.push_back(totals_row(message("  ", level), totals));
  rows.push_back(totals_row("  all", facts.total));
  std::cout << '\n';
  print_table(rows, 1);
}

// Without colours, because the layout of a table counts characters.
std::string verdict_of(const LevelDbTableFacts& table) {
  if (!table.problems.empty()) return "damaged";
  if (!table.base_lg) return table.policy.empty() ? "no filter" : "filter unknown";
  return std::string{verdict_name(judge(table.filters.fill, table.filters.rate, std::nullopt))};
}

void print_tables(const LevelDbDatabaseFacts& facts) {
  if (facts.tables.empty()) return;
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"  table", "policy", "verdict", "level", "size", "keys", "filters", "bits",
                  "probes", "bits per key", "fill", "false positives"});
  for (const LevelDbTableFacts& table : facts.tables)
    rows.push_back({"  " + table.name, table.policy.empty() ? "-" : table.policy, verdict_of(table),
                    std::to_string(table.level.value_or(0)), format_bytes(table.file_bytes),
                    format_count(table.keys()), format_count(table.filters.with_keys),
                    format_count(table.filters.bits), short_probes_of(table.filters),
                    table.base_lg ? bits_per_key_of(table.filters.bits, table.keys()) : "-",
                    format_probability(table.filters.fill),
                    format_probability(table.filters.rate)});
  std::cout << '\n';
  print_table(rows, 3);
}

std::string checksums_of(const LevelDbDatabaseFacts& facts) {
  std::uint64_t wrong = 0;
  bool read = true;
  for (const LevelDbTableFacts& table : facts.tables) {
    for (const LevelDbChecksum one :
         {table.metaindex_checksum, table.index_checksum, table.filter_checksum})
      if (one == LevelDbChecksum::kMismatch) ++wrong;
    read = read && table.audit;
  }
  const LevelDbTotals& total = facts.total;
  return message("index, metaindex and filter blocks ",
                 wrong == 0 ? "ok" : red_on_stdout(format_count(wrong) + " wrong"), ", ",
                 read ? message(format_count(total.data_blocks - total.damaged_blocks), " of ",
                                counted(total.data_blocks, "data block"), " ok")
                      : "data blocks not read");
}

std::string absent_get_of(const LevelDbDatabaseFacts& facts) {
  return message("reads ", significant(facts.absent_get.wasted_reads, 3),
                 " data blocks in vain; some table answers \"maybe\" to ",
                 format_probability(facts.absent_get.maybe_rate), " of absent keys");
}

std::vector<std::string> notes_of(const LevelDbDatabaseFacts& facts) {
  std::vector<std::string> notes;
  const LevelDbManifest& manifest = facts.folder.manifest;
  if (!manifest.is_bytewise())
    notes.push_back(message("the database orders its keys by ", manifest.comparator,
                            ", which is unknown: ranges of keys are not used"));
  if (manifest.torn_bytes > 0)
    notes.push_back(message("the last ", manifest.torn_bytes,
                            " bytes of the manifest are an incomplete edit: its writer died, or is "
                            "writing now; LevelDB ignores them"));
  for (const LevelDbLog& log : facts.folder.logs)
    if (log.torn_bytes > 0)
      notes.push_back(message("the last ", log.torn_bytes, " bytes of log ", log.number,
                              " are an incomplete batch: its writer died, or is writing now"));
  for (const LevelDbTableFile& file : facts.not_live)
    notes.push_back(message(file.name, " is not live: a leftover, or being written now"));
  for (const std::string& name : facts.replaced)
    notes.push_back(message(name, " was replaced while the database was read: it is in use, and ",
                            "the totals leave out this table"));
  return notes;
}

}  // namespace

std::optional<Goal> goal_of(std::optional<double> rate) {
  if (!rate) return std::nullopt;
  return Goal{0, *rate};
}

void print_table_facts(const LevelDbTableFacts& facts, std::optional<double> goal_rate) {
  std::cout << facts.name << '\n';
  Report report;
  report.row("format", "leveldb, a table");
  report.row("size",
             message(format_bytes(facts.file_bytes), ", ", counted(facts.data_blocks, "data block"),
                     " of ", format_bytes(facts.data_bytes)));
  report.row("policy", facts.policy.empty() ? "none" : facts.policy);
  report.row("filters", filters_of(facts));
  if (facts.base_lg) {
    report.row("bits", format_count(facts.filters.bits));
    report.row("probes", probes_of(facts.filters));
  }
  if (facts.filters.block_bytes > 0)
    report.row("filter block", format_bytes(facts.filters.block_bytes));
  report.row("keys", keys_of(facts));
  if (facts.base_lg) {
    report.row("bits per key", bits_per_key_of(facts.filters.bits, facts.keys()));
    report.row("fill", format_probability(facts.filters.fill));
    report.row("false positives", rate_of(facts.filters));
  }
  report.row("denied keys", denied_of(facts));
  report.row("checksums", checksums_of(facts));
  report.row("health", health_of(facts.problems.size(), {1, facts.base_lg ? 1U : 0U},
                                 facts.filters.fill, facts.filters.rate, goal_of(goal_rate)));
  report.print();
  print_layers(facts.description.layers);
  print_problems(facts.problems, "");
  print_notes(notes_of(facts));
}

void print_database_facts(const std::string& path, const LevelDbDatabaseFacts& facts,
                          std::optional<double> goal_rate) {
  const LevelDbTotals& total = facts.total;
  const LevelDbManifest& manifest = facts.folder.manifest;
  std::cout << path << '\n';
  Report report;
  report.row("format", "leveldb, a database");
  report.row("manifest",
             message(facts.folder.manifest_name, ", ", counted(manifest.edits, "edit")));
  report.row("comparator", manifest.comparator.empty() ? "unknown" : manifest.comparator);
  report.row("tables", message(format_count(manifest.tables.size()), " live, ",
                               format_count(total.tables_with_filters), " with filters, ",
                               format_bytes(total.file_bytes)));
  report.row("logs", logs_of(facts));
  report.row("absent Get", absent_get_of(facts));
  report.row("denied keys", facts.tables.empty() || facts.tables.front().audit
                                ? format_count(total.denied_keys)
                                : "not asked");
  report.row("checksums", checksums_of(facts));
  report.row("health", health_of(facts.problem_count(), {total.tables, total.tables_with_filters},
                                 total.fill, total.rate, goal_of(goal_rate)));
  report.print();
  print_levels(facts);
  print_tables(facts);
  print_problems(facts.problems, "");
  for (const LevelDbTableFacts& table : facts.tables)
    print_problems(table.problems, table.name + ": ");
  print_notes(notes_of(facts));
}

std::string first_problem(const LevelDbDatabaseFacts& facts) {
  for (const LevelDbTableFacts& table : facts.tables)
    if (!table.problems.empty()) return table.name + ": " + table.problems.front();
  return facts.problems.front();
}

}  // namespace bloomery::cli
