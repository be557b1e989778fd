#include "bloomery/formats/leveldb/database.h"

#include <algorithm>

#include "bloomery/base/file.h"

namespace bloomery {
namespace {

bool key_before(ByteView a, ByteView b) { return text_of(a) < text_of(b); }

bool in_range(const LevelDbDatabase::Table& table, ByteView key) {
  return !key_before(key, table.smallest) && !key_before(table.largest, key);
}

std::uint64_t memory_of(const LevelDbTable& table) {
  std::uint64_t bytes = sizeof table + (table.filters ? table.filters->contents().size() : 0);
  for (const LevelDbDataBlock& block : table.data_blocks)
    bytes += sizeof block + block.separator.size();
  return bytes;
}

// Level 0 holds tables as they were flushed: where they overlap, the newest is asked first. Below,
// tables are in the order of their keys.
bool comes_before(const LevelDbDatabase::Table& a, const LevelDbDatabase::Table& b) {
  if (a.level != b.level) return a.level < b.level;
  if (a.level == 0U) return a.number > b.number;
  return key_before(a.smallest, b.smallest);
}

struct Rates {
  double sum = 0;
  double all_say_no = 1;
};

Rates of_deepest_overlap(std::vector<const LevelDbTableCost*> tables, bool bytewise) {
  Rates most;
  // Some table begins where the most overlap.
  for (const auto* start : tables) {
    Rates here;
    for (const auto* table : tables) {
      const bool covers = !bytewise || (!key_before(start->smallest, table->smallest) &&
                                        !key_before(table->largest, start->smallest));
      if (!covers) continue;
      here.sum += table->rate;
      here.all_say_no *= 1 - table->rate;
    }
    if (here.sum > most.sum) most = here;
    if (!bytewise) break;
  }
  return most;
}

Rates of_one_table(const std::vector<const LevelDbTableCost*>& tables) {
  double weight = 0;
  double weighted = 0;
  for (const auto* table : tables) {
    const double keys = std::max(1.0, table->keys);
    weight += keys;
    weighted += keys * table->rate;
  }
  const double rate = weight > 0 ? weighted / weight : 0;
  return {rate, 1 - rate};
}

}  // namespace

LevelDbGetCost cost_of_absent_get(std::span<const LevelDbTableCost> tables, bool bytewise) {
  std::vector<std::vector<const LevelDbTableCost*>> levels;
  for (const LevelDbTableCost& table : tables) {
    if (table.level >= levels.size()) levels.resize(std::size_t{table.level} + 1);
    levels[table.level].push_back(&table);
  }
  LevelDbGetCost cost;
  double all_say_no = 1;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const bool all_are_asked = level == 0 || !bytewise;
    const Rates rates = all_are_asked ? of_deepest_overlap(std::move(levels[level]), bytewise)
                                      : of_one_table(levels[level]);
    cost.wasted_reads += rates.sum;
    all_say_no *= rates.all_say_no;
  }
  cost.maybe_rate = 1 - all_say_no;
  return cost;
}

Result<LevelDbDatabase::Table> LevelDbDatabase::read_table(const LevelDbLiveTable& live,
                                                           ByteView file,
                                                           const DecodeOptions& options) const {
  const ByteView smallest = leveldb_user_key(live.smallest);
  const ByteView largest = leveldb_user_key(live.largest);
  Table one;
  one.level = live.level;
  one.number = live.number;
  one.smallest.assign(smallest.begin(), smallest.end());
  one.largest.assign(largest.begin(), largest.end());
  if (auto table = decode_leveldb_table(file, options)) {
    one.table = std::move(*table);
  } else if (table.error().code == ErrorCode::kTooLarge) {
    return table.error();
  } else {
    one.table.why_no_filters = table.error().message;
  }
  one.table.ordered_by_stored_keys = false;
  if (!folder_.manifest.is_bytewise()) one.table.ordered_by_user_keys = false;
  return one;
}

// `changed` where a table is gone because a newer manifest does without it.
Status LevelDbDatabase::load(const DecodeOptions& options, bool& changed) {
  DecodeOptions remaining = options;
  tables_.clear();
  for (const LevelDbLiveTable& live : folder_.manifest.tables) {
    const LevelDbTableFile* const found = folder_.find_file(live.number);
    auto file = found != nullptr ? MappedFile::open(folder_.path / found->name)
                                 : Result<MappedFile>{leveldb_table_missing(live)};
    if (!file) {
      LevelDbFolder now = folder_;
      if (auto read = reread_leveldb_tables(now, options.limits); !read) return read;
      changed = now.manifest.find_table(live.number) == nullptr;
      folder_ = std::move(now);
      return file.error();
    }
    auto one = read_table(live, file->bytes(), remaining);
    if (!one) return one.error();
    one->name = found->name;
    const std::uint64_t memory = memory_of(one->table);
    if (memory > remaining.limits.max_bytes)
      return Error{ErrorCode::kTooLarge,
                   message("the filters and indexes of the tables take more memory than the limit ",
                           "of ", options.limits.max_bytes, " bytes")};
    remaining.limits.max_bytes -= memory;
    tables_.push_back(std::move(*one));
  }
  return ok();
}

void LevelDbDatabase::find_levels() {
  std::ranges::stable_sort(tables_, comes_before);
  for (std::size_t first = 0; first < tables_.size();) {
    std::size_t last = first;
    bool disjoint = true;
    while (last < tables_.size() && tables_[last].level == tables_[first].level) {
      // One user key may end a table and begin the next.
      if (last > first && key_before(tables_[last].smallest, tables_[last - 1].largest))
        disjoint = false;
      ++last;
    }
    levels_.push_back({first, last, disjoint && tables_[first].level > 0U && uses_ranges()});
    first = last;
  }
}

Result<LevelDbDatabase> LevelDbDatabase::open_table(const std::filesystem::path& path,
                                                    const DecodeOptions& options) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto table = decode_leveldb_table(file->bytes(), options);
  if (!table) return table.error();
  LevelDbDatabase database;
  database.tables_.push_back(
      {std::nullopt, 0, path.filename().string(), {}, {}, std::move(*table)});
  return database;
}

Result<LevelDbDatabase> LevelDbDatabase::open(const std::filesystem::path& path,
                                              const DecodeOptions& options) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return open_table(path, options);
  auto folder = read_leveldb_folder(path, options.limits);
  if (!folder) return folder.error();
  LevelDbDatabase database;
  database.is_folder_ = true;
  database.folder_ = std::move(*folder);
  constexpr int kTries = 8;
  for (int tries = 1;; ++tries) {
    bool changed = false;
    const auto loaded = database.load(options, changed);
    if (loaded) break;
    if (!changed || tries == kTries) return loaded.error();
  }
  database.find_levels();
  return database;
}

template <class Visit>
bool LevelDbDatabase::any_candidate(ByteView key, Visit visit) const {
  if (!is_folder_) return visit(tables_.front());
  for (const Level& level : levels_) {
    const auto some = std::span{tables_}.subspan(level.first, level.last - level.first);
    if (level.is_searchable) {
      const auto found = std::ranges::partition_point(
          some, [&](const Table& table) { return key_before(table.largest, key); });
      if (found != some.end() && !key_before(key, found->smallest) && visit(*found)) return true;
      continue;
    }
    for (const Table& table : some)
      if ((!uses_ranges() || in_range(table, key)) && visit(table)) return true;
  }
  return false;
}

bool LevelDbDatabase::may_contain(ByteView key) const {
  return std::ranges::any_of(logs(), [&](const LevelDbLog& log) { return log.may_contain(key); }) ||
         any_candidate(key, [&](const Table& one) { return one.table.may_contain(key); });
}

void LevelDbDatabase::may_contain_batch(std::span<const ByteView> keys,
                                        std::span<std::uint8_t> answers) const {
  for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i]) ? 1 : 0;
}

void LevelDbDatabase::find_places(ByteView key, std::vector<Place>& places) const {
  places.clear();
  for (std::size_t i = folder_.logs.size(); i-- > 0;)
    if (folder_.logs[i].may_contain(key)) places.push_back({nullptr, &folder_.logs[i]});
  any_candidate(key, [&](const Table& one) {
    if (one.table.may_contain(key)) places.push_back({&one, nullptr});
    return false;
  });
}

Description describe(const LevelDbDatabase& database) {
  Description description;
  if (!database.is_folder()) {
    const LevelDbTable& table = database.tables().front().table;
    description = describe(table);
    if (!table.filters) description.health.reset();
    return description;
  }
  description.format = "leveldb";
  description.layout = "container";
  description.dialect = LevelDb::kName;
  std::vector<LevelDbTableCost> costs;
  std::uint64_t bits = 0;
  double ones = 0;
  double keys = 0;
  for (const auto& one : database.tables()) {
    const Health health = one.table.health();
    costs.push_back({one.level.value_or(0), health.error_rate, health.estimated_keys, one.smallest,
                     one.largest});
    keys += health.estimated_keys;
    description.bytes += memory_of(one.table);
    if (!one.table.filters) continue;
    const std::uint64_t own = describe(*one.table.filters).bits.value_or(0);
    bits += own;
    ones += health.fill * static_cast<double>(own);
  }
  for (const LevelDbLog& log : database.logs()) keys += static_cast<double>(log.keys.size());
  description.bits = bits;
  if (bits == 0) return description;
  const double rate = cost_of_absent_get(costs, database.uses_ranges()).maybe_rate;
  const double fill = ones / static_cast<double>(bits);
  description.health = Health{fill, keys, rate, judge(fill, rate, std::nullopt)};
  return description;
}

}  // namespace bloomery
