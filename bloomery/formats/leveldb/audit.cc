#include "bloomery/formats/leveldb/audit.h"

#include <algorithm>

#include "bloomery/filter/measure.h"

namespace bloomery {
namespace {

// Shared prefixes let three bytes stand for a key of any length. No honest block is that dense, and
// each key is hashed whole.
constexpr std::uint64_t kMostKeyBytesPerByte = 4096;

std::uint64_t sequence_and_type(ByteView stored_key) {
  return load_le<std::uint64_t>(stored_key.data() + stored_key.size() - kSequenceAndType);
}

bool ends_in_sequence_and_type(ByteView stored_key) {
  return stored_key.size() >= kSequenceAndType && (sequence_and_type(stored_key) & 0xff) <= 1;
}

// LevelDB's order: user keys ascending, of one key the newest first.
bool is_before(ByteView a, ByteView b) {
  const int order = text_of(leveldb_user_key(a)).compare(text_of(leveldb_user_key(b)));
  return order < 0 || (order == 0 && sequence_and_type(a) > sequence_and_type(b));
}

// How keys may have been hashed: whole or without sequence and type, by either writer of the older
// policy. What a table does not say shows in which reading denies no key.
struct Reading {
  bool user_keys;
  LevelDbWriter writer;
  std::uint64_t denied = 0;
  std::vector<std::byte> first_denied = {};
  std::uint64_t first_denied_block = 0;
};

class Audit {
 public:
  Audit(ByteView file, const LevelDbTable& table, const LevelDbAuditOptions& options)
      : file_{file}, table_{table}, options_{options} {
    choose_filters();
    choose_readings();
  }

  LevelDbAudit run() {
    for (const LevelDbDataBlock& block : table_.data_blocks) {
      if (auto read = read_block(block); !read) {
        if (found_.damaged_blocks++ == 0) found_.first_damage = read.error().message;
      } else {
        ++found_.data_blocks;
      }
      if (options_.progress) options_.progress(block.handle.size);
    }
    choose_best_reading();
    count_per_filter();
    return std::move(found_);
  }

 private:
  void choose_filters() {
    asked_.policy_name = table_.policy_name;
    asked_.filters = table_.filters;
    const auto policy = known_leveldb_policy(table_.policy_name);
    if (table_.filter_checksum != LevelDbChecksum::kMismatch || !table_.filter_handle || !policy)
      return;
    const auto stored = find_block(file_, *table_.filter_handle, options_.limits);
    if (!stored || stored->type != 0) return;
    DecodeOptions decode;
    decode.limits = options_.limits;
    if (auto filters = decode_leveldb_block_of(*policy, stored->stored, decode)) {
      asked_.filters = std::move(*filters);
      found_.filters_fail_checksum = true;
    }
  }

  void choose_readings() {
    for (const bool user_keys : {true, false}) {
      if (options_.of_database && !user_keys) continue;
      readings_.push_back({user_keys, LevelDbWriter::kUnsignedTail});
      if (is_older_leveldb_policy(table_.policy_name))
        readings_.push_back({user_keys, LevelDbWriter::kSignedTail});
    }
  }

  Status read_block(const LevelDbDataBlock& block) {
    auto stored = find_block(file_, block.handle, options_.limits);
    if (!stored) return stored.error();
    if (!stored->checksum_ok)
      return Error{ErrorCode::kMalformed, message("the checksum of the data block at byte ",
                                                  block.handle.offset, " is wrong")};
    const auto contents = unpacked(std::move(*stored), options_.limits);
    if (!contents) return contents.error();
    found_.unpacked_bytes += contents->size();
    auto entries = LevelDbEntries::open(*contents);
    if (!entries) return entries.error();
    std::uint64_t budget = contents->size() * kMostKeyBytesPerByte;
    for (;;) {
      const auto more = entries->next();
      if (!more) return more.error();
      if (!*more) return ok();
      if (entries->key().size() > budget)
        return Error{ErrorCode::kMalformed,
                     message("the keys of the data block at byte ", block.handle.offset,
                             " are more than ", kMostKeyBytesPerByte, " times as long as it")};
      budget -= entries->key().size();
      take_key(block, entries->key());
    }
  }

  void take_key(const LevelDbDataBlock& block, ByteView stored_key) {
    ++found_.keys;
    const bool like_database = ends_in_sequence_and_type(stored_key);
    all_like_database_ = all_like_database_ && like_database;
    if (like_database && (sequence_and_type(stored_key) & 0xff) == 0) ++found_.deletions;
    if (asked_.filters) {
      ask(block, stored_key);
      const std::uint64_t filter = block.handle.offset >> asked_.filters->base_lg();
      if (filter < asked_.filters->filter_count()) ++keys_of_filter_[filter];
    }
    if (options_.bytewise && like_database) check_order(block, stored_key);
  }

  void ask(const LevelDbDataBlock& block, ByteView stored_key) {
    for (Reading& reading : readings_) {
      const ByteView key = reading.user_keys ? leveldb_user_key(stored_key) : stored_key;
      asked_.writer = reading.writer;
      if (asked_.may_contain_in_block(block.handle.offset, key)) continue;
      if (reading.denied++ > 0) continue;
      reading.first_denied.assign(key.begin(), key.end());
      reading.first_denied_block = block.handle.offset;
    }
  }

  void check_order(const LevelDbDataBlock& block, ByteView stored_key) {
    const bool after_separator =
        ends_in_sequence_and_type(block.separator) && is_before(block.separator, stored_key);
    if (after_separator || (!last_.empty() && !is_before(last_, stored_key)))
      ++found_.keys_out_of_order;
    last_.assign(stored_key.begin(), stored_key.end());
    if (options_.live != nullptr && (is_before(stored_key, options_.live->smallest) ||
                                     is_before(options_.live->largest, stored_key)))
      ++found_.keys_outside_range;
  }

  void choose_best_reading() {
    found_.user_keys = options_.of_database || (all_like_database_ && found_.keys > 0);
    if (!asked_.filters) return;
    const auto is_better = [&](const Reading& a, const Reading& b) {
      if (a.denied != b.denied) return a.denied < b.denied;
      return (a.user_keys == found_.user_keys) > (b.user_keys == found_.user_keys);
    };
    const Reading& best = *std::ranges::min_element(readings_, is_better);
    // Where every reading denies keys, the table is judged as what it looks like.
    const auto like_it_looks = std::ranges::find(readings_, found_.user_keys, &Reading::user_keys);
    const Reading& chosen = best.denied == 0 ? best : *like_it_looks;
    found_.user_keys = chosen.user_keys;
    found_.denied_keys = chosen.denied;
    found_.first_denied = chosen.first_denied;
    found_.first_denied_block = chosen.first_denied_block;
    name_writer(chosen.user_keys);
  }

  // Only a key that one writer denies shows that it was the other.
  void name_writer(bool user_keys) {
    if (!is_older_leveldb_policy(table_.policy_name)) return;
    std::uint64_t denied[2] = {};
    for (const Reading& reading : readings_)
      if (reading.user_keys == user_keys)
        denied[reading.writer == LevelDbWriter::kSignedTail ? 1 : 0] = reading.denied;
    if (denied[0] == 0 && denied[1] > 0) found_.writer = LevelDbWriter::kUnsignedTail;
    if (denied[1] == 0 && denied[0] > 0) found_.writer = LevelDbWriter::kSignedTail;
  }

  void count_per_filter() {
    for (const auto& [filter, keys] : keys_of_filter_) {
      found_.most_keys = std::max(found_.most_keys, keys);
      found_.fewest_keys = found_.fewest_keys == 0 ? keys : std::min(found_.fewest_keys, keys);
    }
  }

  ByteView file_;
  const LevelDbTable& table_;
  const LevelDbAuditOptions& options_;
  LevelDbTable asked_;  // its filters and policy, without the index
  std::vector<Reading> readings_;
  bool all_like_database_ = true;
  std::vector<std::byte> last_;
  std::map<std::uint64_t, std::uint64_t> keys_of_filter_;
  LevelDbAudit found_;
};

// measured_rate's idea of a filter: each filter of the block in turn, as often as it has keys.
class AskedInShares {
 public:
  AskedInShares(const LevelDbTable& table, std::uint64_t samples) : table_{table} {
    for (std::size_t i = 0; i < table.filters->filter_count(); ++i) {
      const auto filter = table.filters->filter_at(i);
      if (filter && filter->size() < 2) continue;
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + (filter ? filter->size() : 1));
      offsets_.push_back(std::uint64_t{i} << table.filters->base_lg());
    }
    step_ = ends_.empty() ? 0 : static_cast<double>(ends_.back()) / static_cast<double>(samples);
  }
  bool is_empty() const { return ends_.empty(); }

  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto at = static_cast<std::uint64_t>((static_cast<double>(asked_++) + 0.5) * step_);
      const auto found = std::ranges::upper_bound(ends_, at);
      const auto filter =
          std::min<std::size_t>(static_cast<std::size_t>(found - ends_.begin()), ends_.size() - 1);
      answers[i] = table_.may_contain_in_block(offsets_[filter], keys[i]) ? 1 : 0;
    }
  }

 private:
  const LevelDbTable& table_;
  std::vector<std::uint64_t> ends_;  // bytes of the filters up to here: as good as keys
  std::vector<std::uint64_t> offsets_;
  double step_ = 0;
  mutable std::uint64_t asked_ = 0;
};

void measure(const LevelDbTable& table, std::uint64_t samples, LevelDbFilterSummary& summary) {
  const AskedInShares asked{table, samples};
  if (samples == 0 || asked.is_empty()) return;
  summary.samples = samples;
  summary.measured_rate = measured_rate(asked, samples, 1);
  summary.rate = confirmed_rate(summary.rate_of_bits, summary.measured_rate, samples);
}

}  // namespace

LevelDbAudit audit_leveldb_table(ByteView file, const LevelDbTable& table,
                                 const LevelDbAuditOptions& options) {
  return Audit{file, table, options}.run();
}

LevelDbFilterSummary summarize_filters(const LevelDbTable& table, std::uint64_t samples) {
  LevelDbFilterSummary summary;
  if (table.filter_handle) summary.block_bytes = table.filter_handle->size;
  if (!table.filters) return summary;
  const LevelDbFilterBlock& block = *table.filters;
  summary.filters = block.filter_count();
  for (std::size_t i = 0; i < block.filter_count(); ++i) {
    const auto filter = block.filter_at(i);
    if (!filter || filter->size() < 2) continue;
    const Shape shape = block.shape_of(*filter);
    ++summary.with_keys;
    summary.bits += shape.bits;
    ++summary.probes[shape.probes];
    if (!block.holds(*filter)) ++summary.damaged;
  }
  const Health health = block.health_of_one();
  summary.fill = health.fill;
  summary.estimated_keys = health.estimated_keys;
  summary.rate_of_bits = summary.measured_rate = summary.rate = health.error_rate;
  measure(table, samples, summary);
  return summary;
}

}  // namespace bloomery
