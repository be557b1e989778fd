#include "apps/cli/leveldb/inspect.h"

#include <iostream>

#include "apps/cli/leveldb/json.h"
#include "apps/cli/leveldb/report.h"
#include "apps/cli/shell/numbers.h"

namespace bloomery::cli {
namespace {

// An error of one file of a database names that file already.
int refuse(const std::string& path, const Error& error, Session& session) {
  const bool names_it = error.message.starts_with(path);
  return session.exit_code = complain(names_it ? "" : path, error, Blame::kFilterFile);
}

// What the filters must be: LevelDB stores no goal.
struct Demands {
  std::optional<double> goal_rate;
  bool strict;
};

int judged(const std::string& path, bool has_filters, double fill, double rate,
           const Demands& demands) {
  if (demands.strict && !has_filters)
    return complain(path, "there are no filters; --strict demands healthy ones", kExitRefused);
  if (!has_filters) return kExitSuccess;
  const Verdict verdict = judge(fill, rate, goal_of(demands.goal_rate));
  if (!demands.strict || verdict == Verdict::kOk) return kExitSuccess;
  return complain(path,
                  message("the filters are ", verdict_name(verdict), " (false-positive rate ",
                          format_probability(rate), "); --strict demands healthy ones"),
                  kExitRefused);
}

int inspect_table(const std::string& path, const LevelDbInspection& inspection,
                  const Demands& demands, Session& session) {
  auto facts = find_table_facts(path, inspection, session.globals);
  if (!facts) return refuse(path, facts.error(), session);
  judge_by(demands.goal_rate, facts->description);
  if (session.globals.json)
    std::cout << table_facts_json(*facts);
  else
    print_table_facts(*facts, demands.goal_rate);
  if (!facts->problems.empty()) {
    std::cout.flush();
    return complain(path, facts->problems.front(), kExitBadFilter);
  }
  return judged(path, facts->base_lg.has_value(), facts->filters.fill, facts->filters.rate,
                demands);
}

int inspect_database(const std::string& path, const LevelDbInspection& inspection,
                     const Demands& demands, Session& session) {
  const auto facts = find_database_facts(path, inspection, session.globals);
  if (!facts) return refuse(path, facts.error(), session);
  if (session.globals.json)
    std::cout << database_facts_json(*facts);
  else
    print_database_facts(path, *facts, demands.goal_rate);
  if (const auto problems = facts->problem_count(); problems > 0) {
    std::cout.flush();
    return complain(path,
                    message("the database is damaged: ", first_problem(*facts),
                            problems > 1 ? message(" (and ", problems - 1, " more)") : ""),
                    kExitBadFilter);
  }
  return judged(path, facts->total.tables_with_filters > 0, facts->total.fill, facts->total.rate,
                demands);
}

}  // namespace

void add_leveldb_inspect_options(CommandLine& app, LevelDbInspectOptions& options) {
  app.add_flag("--quick", options.quick,
               "leveldb: do not read data blocks; keys are then estimated, not looked up")
      ->group("Options of one format");
}

int inspect_leveldb(const std::string& path, const FormatOptions& format,
                    const LevelDbInspectOptions& options, bool strict, Session& session) {
  const auto decode = decode_options(format, session);
  if (!decode) return session.exit_code;
  const LevelDbInspection inspection{options.quick, *decode};
  const Demands demands{format.sizing.rate, strict};
  return leveldb_kind_of(path, format) == LevelDbKind::kTable
             ? inspect_table(path, inspection, demands, session)
             : inspect_database(path, inspection, demands, session);
}

}  // namespace bloomery::cli
