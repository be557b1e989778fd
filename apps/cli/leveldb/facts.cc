#include "apps/cli/leveldb/facts.h"

#include <algorithm>

#include "apps/cli/leveldb/problems.h"
#include "apps/cli/shell/progress.h"
#include "bloomery/base/file.h"
#include "bloomery/filter/measure.h"

namespace bloomery::cli {
namespace {

// Absent keys looked up in a table. For one of many: enough to see where 1 % is rather 1.15 %, few
// enough to take less time than reading the table; and fewer where it is not read.
constexpr std::uint64_t kSamplesAlone = 1'000'000;
constexpr std::uint64_t kSamplesOfMany = 100'000;
constexpr std::uint64_t kSamplesIfQuick = 10'000;

std::uint64_t samples_for(bool alone, bool quick) {
  if (alone) return kSamplesAlone;
  return quick ? kSamplesIfQuick : kSamplesOfMany;
}

// Counts what was read over all tables.
class Reading {
 public:
  Reading(const Globals& globals, std::uint64_t total_bytes)
      : progress_{globals, total_bytes, "blocks"} {}
  void block(std::uint64_t bytes) { progress_.update(++blocks_, bytes_ += bytes); }
  void rest_of_table(std::uint64_t bytes) { progress_.update(blocks_, bytes_ += bytes); }

 private:
  Progress progress_;
  std::uint64_t blocks_ = 0;
  std::uint64_t bytes_ = 0;
};

void take_table(const LevelDbTable& table, std::uint64_t samples, LevelDbTableFacts& facts) {
  facts.data_blocks = table.data_blocks.size();
  for (const LevelDbDataBlock& block : table.data_blocks) facts.data_bytes += block.handle.size;
  facts.policy = table.policy_name;
  facts.other_policies = table.other_policies;
  facts.why_no_filters = table.why_no_filters;
  facts.metaindex_checksum = table.metaindex_checksum;
  facts.index_checksum = table.index_checksum;
  facts.filter_checksum = table.filter_checksum;
  if (table.filters) facts.base_lg = table.filters->base_lg();
  facts.filters = summarize_filters(table, samples);
}

// `live` is null for a table that was opened alone.
void read_table(ByteView file, const LevelDbTable& table, const LevelDbLiveTable* live,
                bool bytewise, const LevelDbInspection& inspection, Reading& reading,
                LevelDbTableFacts& facts) {
  facts.file_bytes = file.size();
  take_table(table, samples_for(live == nullptr, inspection.quick), facts);
  if (!inspection.quick) {
    LevelDbAuditOptions options;
    options.limits = inspection.decode.limits;
    options.of_database = live != nullptr;
    options.bytewise = bytewise;
    options.live = live;
    options.progress = [&](std::uint64_t bytes) { reading.block(bytes); };
    facts.audit = audit_leveldb_table(file, table, options);
  }
  const std::uint64_t read = inspection.quick ? 0 : facts.data_bytes;
  reading.rest_of_table(file.size() - std::min<std::uint64_t>(read, file.size()));
  find_problems(facts);
}

void add_to(LevelDbTotals& totals, const LevelDbTableFacts& table) {
  const double keys = table.keys();
  const double rate = table.filters.rate;
  // Means are kept over what was added so far: of bits for the fill, of keys for the rate.
  const double weight = std::max(1.0, keys);
  const double weight_before = std::max(totals.keys, static_cast<double>(totals.tables));
  totals.rate = (totals.rate * weight_before + rate * weight) / (weight_before + weight);
  const auto bits = static_cast<double>(table.filters.bits);
  const auto bits_before = static_cast<double>(totals.bits);
  if (bits > 0)
    totals.fill = (totals.fill * bits_before + table.filters.fill * bits) / (bits_before + bits);
  ++totals.tables;
  if (table.base_lg) {
    ++totals.tables_with_filters;
    totals.keys_with_filters += keys;
  }
  totals.file_bytes += table.file_bytes;
  totals.keys += keys;
  totals.filters += table.filters.with_keys;
  totals.filter_bytes += table.filters.block_bytes;
  totals.bits += table.filters.bits;
  totals.data_blocks += table.data_blocks;
  if (!table.audit) return;
  totals.deletions += table.audit->deletions;
  totals.damaged_blocks += table.audit->damaged_blocks;
  totals.denied_keys += table.audit->denied_keys;
}

// The tables of a database are alike. Where their rates are higher than their bits promise, that
// shows in all of them together before it shows in each.
void judge_rates_together(std::vector<LevelDbTableFacts>& tables) {
  double promised = 0;
  double measured = 0;
  std::uint64_t samples = 0;
  for (const LevelDbTableFacts& table : tables) {
    const auto weight = static_cast<double>(table.filters.samples);
    promised += weight * table.filters.rate_of_bits;
    measured += weight * table.filters.measured_rate;
    samples += table.filters.samples;
  }
  if (samples == 0) return;
  promised /= static_cast<double>(samples);
  measured /= static_cast<double>(samples);
  const bool bits_are_right = confirmed_rate(promised, measured, samples) == promised;
  for (LevelDbTableFacts& table : tables)
    if (table.filters.samples > 0)
      table.filters.rate =
          bits_are_right ? table.filters.rate_of_bits : table.filters.measured_rate;
}

void add_up(LevelDbDatabaseFacts& facts) {
  judge_rates_together(facts.tables);
  std::vector<LevelDbTableCost> costs;
  for (const LevelDbTableFacts& table : facts.tables) {
    const std::uint32_t level = table.level.value_or(0);
    add_to(facts.levels[level], table);
    add_to(facts.total, table);
    costs.push_back({level, table.filters.rate, table.keys(), table.smallest, table.largest});
  }
  facts.absent_get = cost_of_absent_get(costs, facts.folder.manifest.is_bytewise());
}

class DatabaseReader {
 public:
  DatabaseReader(LevelDbDatabaseFacts& facts, const LevelDbInspection& inspection,
                 const Globals& globals)
      : facts_{facts}, inspection_{inspection}, reading_{globals, bytes_of_tables(facts)} {}

  Status read_all() {
    for (const LevelDbLiveTable& live : facts_.folder.manifest.tables)
      if (auto read = this->read(live); !read) return read;
    return ok();
  }

 private:
  static std::uint64_t bytes_of_tables(const LevelDbDatabaseFacts& facts) {
    std::uint64_t bytes = 0;
    for (const LevelDbLiveTable& live : facts.folder.manifest.tables) bytes += live.file_bytes;
    return bytes;
  }

  Status read(const LevelDbLiveTable& live) {
    const LevelDbTableFile* const found = facts_.folder.find_file(live.number);
    auto file = found != nullptr ? MappedFile::open(facts_.folder.path / found->name)
                                 : Result<MappedFile>{leveldb_table_missing(live)};
    if (!file) return missing(live, found, file.error());
    LevelDbTableFacts facts;
    facts.name = found->name;
    facts.level = live.level;
    facts.number = live.number;
    facts.file_bytes = file->bytes().size();
    const ByteView smallest = leveldb_user_key(live.smallest);
    const ByteView largest = leveldb_user_key(live.largest);
    facts.smallest.assign(smallest.begin(), smallest.end());
    facts.largest.assign(largest.begin(), largest.end());
    if (facts.file_bytes != live.file_bytes)
      facts.problems.push_back(message("the file has ", facts.file_bytes,
                                       " bytes, and the manifest says ", live.file_bytes));
    const auto table = decode_leveldb_table(file->bytes(), inspection_.decode);
    if (!table && table.error().code == ErrorCode::kTooLarge) return table.error();
    if (table) {
      read_table(file->bytes(), *table, &live, facts_.folder.manifest.is_bytewise(), inspection_,
                 reading_, facts);
    } else {
      facts.why_no_filters = table.error().message;
      facts.problems.push_back("the table cannot be read: " + table.error().message);
    }
    facts_.tables.push_back(std::move(facts));
    return ok();
  }

  // A database that is in use drops tables once others took their place.
  Status missing(const LevelDbLiveTable& live, const LevelDbTableFile* found, const Error& why) {
    LevelDbFolder now = facts_.folder;
    if (auto read = reread_leveldb_tables(now, inspection_.decode.limits); !read) return read;
    const std::string name = found != nullptr ? found->name : message("table ", live.number);
    if (now.manifest.find_table(live.number) == nullptr)
      facts_.replaced.push_back(name);
    else
      facts_.problems.push_back(why.message);
    return ok();
  }

  LevelDbDatabaseFacts& facts_;
  const LevelDbInspection& inspection_;
  Reading reading_;
};

void find_not_live(LevelDbDatabaseFacts& facts) {
  std::vector<std::uint64_t> live;
  for (const LevelDbLiveTable& table : facts.folder.manifest.tables) live.push_back(table.number);
  std::ranges::sort(live);
  for (const LevelDbTableFile& file : facts.folder.table_files)
    if (!std::ranges::binary_search(live, file.number)) facts.not_live.push_back(file);
}

}  // namespace

double LevelDbTableFacts::keys() const {
  return audit ? static_cast<double>(audit->keys) : filters.estimated_keys;
}

std::optional<double> LevelDbTotals::bits_per_key() const {
  if (keys_with_filters <= 0) return std::nullopt;
  return static_cast<double>(bits) / keys_with_filters;
}

std::size_t LevelDbDatabaseFacts::problem_count() const {
  std::size_t count = problems.size();
  for (const LevelDbTableFacts& table : tables) count += table.problems.size();
  return count;
}

Result<LevelDbTableFacts> find_table_facts(const std::string& path,
                                           const LevelDbInspection& inspection,
                                           const Globals& globals) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  const auto table = decode_leveldb_table(file->bytes(), inspection.decode);
  if (!table) return table.error();
  LevelDbTableFacts facts;
  facts.name = path;
  Reading reading{globals, file->bytes().size()};
  read_table(file->bytes(), *table, nullptr, false, inspection, reading, facts);
  facts.description = describe(*table);
  if (facts.audit) facts.description.keys_inserted = facts.audit->keys;
  if (!facts.base_lg) facts.description.health.reset();
  if (facts.base_lg) {
    Health& health = *facts.description.health;
    health.sampled = health.sampled || health.error_rate != facts.filters.rate;
    health.error_rate = facts.filters.rate;
    health.verdict = judge(health.fill, health.error_rate, std::nullopt);
  }
  return facts;
}

Result<LevelDbDatabaseFacts> find_database_facts(const std::string& path,
                                                 const LevelDbInspection& inspection,
                                                 const Globals& globals) {
  auto folder = read_leveldb_folder(path, inspection.decode.limits);
  if (!folder) return folder.error();
  LevelDbDatabaseFacts facts;
  facts.folder = std::move(*folder);
  find_not_live(facts);
  for (const LevelDbLog& log : facts.folder.logs)
    if (log.damaged_bytes > 0 || log.is_missing) facts.problems.push_back(log_problem(log));
  if (auto read = DatabaseReader{facts, inspection, globals}.read_all(); !read) return read.error();
  add_up(facts);
  return facts;
}

}  // namespace bloomery::cli
