// KeyReader for rows of CSV and TSV.
#include <algorithm>

#include "apps/cli/records/keys.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error stopped_by(const CsvFault& fault, bool prints) {
  return {ErrorCode::kInvalidArgument,
          message(fault_sentence(fault), "; --on-error skip leaves such rows out",
                  prints ? ", and keep prints them as they are" : "")};
}

}  // namespace

bool KeyReader::split_row(ByteView row, const std::byte* readable) {
  if (!row_.split(row, readable)) {
    fault_ = row_.fault();
    return false;
  }
  if (columns_ != nullptr && row_.columns() == columns_->count) return true;
  fault_ = {};
  fault_.columns = row_.columns();
  fault_.expected = columns_ != nullptr ? columns_->count : 0;
  fault_.by_header = options_.csv->has_header;
  return false;
}

// The value of one column, or several fields as a row of their own: in quotes where they must be,
// so that no two choices of values make the same key.
Status KeyReader::append_csv_key() {
  part_.clear();
  decoded_.clear();
  bool is_first = true;
  for (const std::uint32_t column : columns_->chosen) {
    const CsvField& field = row_.fields()[column];
    decoded_.clear();
    ByteView value = row_.written(field);
    if (field.quoted) {
      row_.append_value(field, decoded_);
      value = decoded_;
    }
    if (options_.ignore_case || options_.trim) {
      text_ = text_of(value);
      if (auto done = normalize(text_); !done) return done;
      value = bytes_of(text_);
    }
    if (!columns_->joined) {
      part_.assign(value.begin(), value.end());
      break;
    }
    if (!std::exchange(is_first, false)) part_.push_back(options_.csv->dialect.separator);
    append_as_field(value, options_.csv->dialect, part_);
  }
  decoded_.clear();
  std::size_t fault = 0;
  if (auto done = append_decoded(part_, decoded_, fault); !done) return done;
  return append_typed(decoded_);
}

void KeyReader::keep_csv_part() {
  if (!keeps_parts_) return;
  part_.clear();
  for (const std::uint32_t column : columns_->chosen) {
    if (column != columns_->chosen.front()) part_.push_back(options_.csv->dialect.separator);
    const ByteView written = row_.written(row_.fields()[column]);
    part_.insert(part_.end(), written.begin(), written.end());
  }
  keep_part(part_);
}

Result<std::span<const ByteView>> KeyReader::csv_keys(std::span<const ByteView> rows) {
  const CsvOptions& csv = *options_.csv;
  arena_.clear();
  ends_.clear();
  in_arena_.clear();
  has_key_.clear();
  malformed_.clear();
  keys_.clear();
  parts_arena_.clear();
  part_ends_.clear();
  const bool is_plain = !options_.hex && !options_.base64 && !options_.ignore_case &&
                        !options_.trim &&
                        options_.funnel.value_or(FunnelName::kBytes) == FunnelName::kBytes;
  Status done = ok();
  // Rows behind one another may be read over their ends.
  std::size_t run_end = 0;
  const std::byte* readable = nullptr;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == run_end) {
      for (++run_end; run_end < rows.size(); ++run_end)
        if (rows[run_end].data() != rows[run_end - 1].data() + rows[run_end - 1].size() + 1) break;
      readable = rows[run_end - 1].data() + rows[run_end - 1].size();
    }
    if (!split_row(rows[i], readable)) {
      malformed_.push_back({i, fault_});
      if (csv.on_error == OnError::kStop) {
        done = stopped_by(fault_, options_.prints_rows);
        break;
      }
      has_key_.resize(rows.size(), 1);
      has_key_[i] = 0;
      keys_.emplace_back();
      if (keeps_parts_) part_ends_.push_back(parts_arena_.size());
      continue;
    }
    keep_csv_part();
    if (!csv.reads_keys) {
      keys_.push_back(rows[i]);
      continue;
    }
    const CsvField& first = row_.fields()[columns_->chosen.front()];
    if (is_plain && !columns_->joined && !first.doubled) {
      keys_.push_back(row_.value(first));
      continue;
    }
    if (done = append_csv_key(); !done) {
      arena_.resize(ends_.empty() ? 0 : ends_.back());
      break;
    }
    in_arena_.push_back(i);
    ends_.push_back(arena_.size());
    keys_.emplace_back();
  }
  view_csv_keys();
  view_parts();
  if (!done) return done.error();
  return std::span<const ByteView>{keys_};
}

// The views of keys in the arena, once it has stopped growing.
void KeyReader::view_csv_keys() {
  std::size_t start = 0;
  for (std::size_t i = 0; i < in_arena_.size(); ++i) {
    keys_[in_arena_[i]] = ByteView{arena_}.subspan(start, ends_[i] - start);
    start = ends_[i];
  }
}

}  // namespace bloomery::cli
