#include "apps/cli/dedup/printer.h"

#include <algorithm>
#include <utility>

#include "apps/cli/dedup/output.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

Status RecordPrinter::open(const CheckpointState* resumed) {
  auto output = resumed != nullptr ? Destination::resume(options_->output, resumed->output_bytes,
                                                         resumed->finished)
                                   : Destination::open(options_->output);
  if (!output) return output.error();
  output_.emplace(std::move(*output));
  if (options_->dupes.empty()) return ok();
  const DestinationOptions replaced{options_->dupes, options_->output.compression, true};
  auto dupes = resumed != nullptr
                   ? Destination::resume(replaced, resumed->dupes_bytes, resumed->finished)
                   : Destination::open(replaced);
  if (!dupes) {
    if (resumed == nullptr) output_->abandon();
    return dupes.error();
  }
  dupes_.emplace(std::move(*dupes));
  return ok();
}

// A value of a column may hold the delimiter, and would be printed as two records.
Status RecordPrinter::check_values(const Chunk& chunk) const {
  if (options_->records.input.column.empty()) return ok();
  for (const ByteView value : chunk.records)
    if (std::ranges::find(value, options_->records.delimiter) != value.end())
      return Error{ErrorCode::kInvalidArgument,
                   message(chunk.file, ": a value of the column contains the delimiter, and would ",
                           "be printed as two records; choose another (-z, or -D)")};
  return ok();
}

Status RecordPrinter::arrange(Chunk& chunk) const {
  if (prints_anything())
    if (auto fits = check_values(chunk); !fits) return fits;
  chunk.dupes.clear();
  if (!options_->dupes.empty()) copy_records(chunk, false, chunk.dupes);
  chunk.output = {};
  if (!prints_records_) return ok();
  chunk.marked.clear();
  if (options_->count_each) {
    number_records(chunk, chunk.marked, separator());
  } else if (!options_->mark_name.empty() && !options_->records.csv) {
    // The records before one that cannot be marked are printed first.
    if (auto marked = mark_objects(chunk, options_->mark_name, chunk.marked); !marked)
      chunk.failed = marked.error();
  } else if (options_->mark) {
    mark_records(chunk, chunk.marked, separator());
  } else {
    chunk.output = gather_records(chunk, !options_->repeats);
    return ok();
  }
  chunk.output = chunk.marked;
  return ok();
}

std::byte RecordPrinter::separator() const {
  return options_->records.csv ? options_->records.csv->dialect.separator : std::byte{'\t'};
}

Status RecordPrinter::print_preamble(const CsvPreamble* preamble) {
  if (preamble == nullptr || std::exchange(has_preamble_, true)) return ok();
  const auto text = [&](std::string_view column) {
    std::string first{column};
    if (!column.empty()) first += static_cast<char>(separator());
    return message(preamble->mark, preamble->header.empty() ? "" : first, preamble->header);
  };
  if (prints_records_) {
    const std::string column = options_->count_each           ? "count"
                               : !options_->mark_name.empty() ? options_->mark_name
                               : options_->mark               ? "mark"
                                                              : "";
    if (auto fits = check_new_column(*preamble, column); !fits && !column.empty()) return fits;
    std::vector<std::byte> field;
    append_as_field(bytes_of(column), options_->records.csv->dialect, field);
    if (auto written = output_->write(bytes_of(text(text_of(field)))); !written) return written;
  }
  return dupes_ ? dupes_->write(bytes_of(text(""))) : ok();
}

Status RecordPrinter::print(Chunk& chunk) {
  if (auto written = print_preamble(chunk.preamble.get()); !written) return written;
  if (auto written = output_->write(chunk.output); !written) return written;
  return dupes_ ? dupes_->write(chunk.dupes) : ok();
}

Status RecordPrinter::settle(bool sync) {
  if (prints_records_)
    if (auto settled = output_->settle(sync || !options_->output.path.empty()); !settled)
      return settled;
  return dupes_ ? dupes_->settle(true) : ok();
}

Status RecordPrinter::publish() {
  if (prints_records_)
    if (auto named = output_->publish(); !named) return named;
  return dupes_ ? dupes_->publish() : ok();
}

void RecordPrinter::abandon() {
  if (output_) output_->abandon();
  if (dupes_) dupes_->abandon();
}

}  // namespace bloomery::cli
