#include "apps/cli/records/stream.h"

#include <algorithm>

#include "apps/cli/records/input_queue.h"
#include "apps/cli/records/key_threads.h"
#include "apps/cli/records/threaded_stream.h"
#include "apps/cli/shell/bus_error.h"

namespace bloomery::cli {
namespace {

// One input at a time, and what is counted over all of them.
class Streaming {
 public:
  Streaming(KeyReader& keys, Progress& progress, const Globals& globals, const BatchSteps& steps)
      : options_{keys.options()},
        reader_{keys},
        keys_{keys, keys.options().csv || keys.keeps_parts() ? 1 : globals.threads},
        progress_{progress},
        globals_{globals},
        steps_{steps} {
    if (options_.csv) files_.emplace(*options_.csv);
  }

  // False when `use` has had enough.
  Result<bool> run(Input& input) {
    RecordReader reader{input, options_.ends()};
    if (files_) files_->begin(input.name());
    file_ = input.name();
    std::uint64_t number = 1;
    for (;;) {
      auto next = reader.next();
      if (!next) return next.error();
      if (next->empty()) break;
      std::span<const ByteView> records = *next;
      if (files_) {
        if (auto looked = look(records, number); !looked) return looked.error();
      } else if (number == 1 && !globals_.quiet) {
        notice_text_marks(input.name(), records, options_);
      }
      const auto keys = keys_.keys(records);
      const auto place = [&](std::size_t record, std::size_t offset) -> RowPlace {
        const std::byte* const byte = records[record].data() + offset;
        return {number + record, reader.lines_before(byte) + 1, reader.bytes_before(byte) + 1};
      };
      if (keys) report_malformed(input.name(), place);
      const auto good = keys ? records : records.first(keys_.failed());
      const auto go_on = use({number, good, keys ? *keys : keys_.keys_before()});
      if (!go_on || !*go_on) return go_on;
      if (!keys && files_)
        return Error{keys.error().code, at_row(input.name(), place(keys_.failed(), failed_offset()),
                                               keys.error().message)};
      if (!keys) return at_record(keys.error(), input.name(), number + keys_.failed());
      number += records.size();
      progress_.update(records_, bytes_before_ + input.consumed_bytes());
    }
    bytes_before_ += input.consumed_bytes();
    return true;
  }
  // The same of a column; its nulls count as records without a key.
  Result<bool> run(ColumnRecords& column) {
    name_mapping(column.mapping(), column.name());
    file_ = column.name();
    std::uint64_t nulls = 0;
    for (;;) {
      const auto batch = column.next();
      if (!batch) return batch.error();
      records_ += column.nulls() - nulls;
      skipped_ += column.nulls() - nulls;
      nulls = column.nulls();
      if (batch->records.empty()) break;
      const auto go_on = take(column.name(), *batch);
      if (!go_on || !*go_on) return go_on;
      progress_.update(records_, bytes_before_ + column.consumed_bytes());
    }
    bytes_before_ += column.consumed_bytes();
    return true;
  }
  StreamTotals totals() const {
    StreamTotals totals{records_, skipped_, progress_.seconds()};
    if (files_) totals.malformed = malformed_.count();
    return totals;
  }

 private:
  Result<bool> take(const std::string& name, const input::ColumnBatch& batch) {
    const auto keys = keys_.keys(batch.records);
    const auto good = keys ? batch.records : batch.records.first(keys_.failed());
    const auto go_on = use({batch.first_number, good, keys ? *keys : keys_.keys_before(),
                            batch.places.first(std::min(batch.places.size(), good.size()))});
    if (!go_on || !*go_on || keys) return go_on;
    const std::size_t failed = keys_.failed();
    return at_record(keys.error(), name,
                     batch.first_number + (batch.places.empty() ? failed : batch.places[failed]));
  }

  // The header is row 1, and no record.
  Status look(std::span<const ByteView>& records, std::uint64_t& number) {
    const bool had_preamble = files_->preamble() != nullptr;
    const bool had_header = files_->header_was_taken();
    if (auto looked = files_->look(records, rows_); !looked) return looked;
    if (files_->header_was_taken() && !had_header) ++number;
    reader_.use_columns(files_->columns());
    if (had_preamble || files_->preamble() == nullptr || !steps_.preamble) return ok();
    return steps_.preamble(*files_->preamble());
  }

  template <class PlaceOf>
  void report_malformed(const std::string& name, const PlaceOf& place_of) {
    for (const KeyReader::Malformed& row : reader_.malformed())
      if (malformed_.names_the_next())
        malformed_.add(
            at_row(name, place_of(row.record, row.fault.offset), fault_sentence(row.fault)));
      else
        malformed_.add_unnamed(1);
  }
  std::size_t failed_offset() const {
    const auto malformed = reader_.malformed();
    return malformed.empty() || malformed.back().record != keys_.failed()
               ? 0
               : malformed.back().fault.offset;
  }

  Result<bool> use(Batch batch) {
    batch.file = file_;
    records_ += batch.records.size();
    if (keys_.has_key().empty()) {
      batch.parts = reader_.parts();
      return answer_and_use(batch);
    }
    kept_records_.clear();
    kept_keys_.clear();
    kept_parts_.clear();
    places_.clear();
    kept_rows_.clear();
    const bool keeps = files_ && files_->options().on_error == OnError::kKeep;
    for (std::size_t i = 0; i < batch.records.size(); ++i) {
      const std::size_t place = batch.places.empty() ? i : batch.places[i];
      if (keys_.has_key()[i] == 0) {
        if (keeps) kept_rows_.push_back({place, batch.records[i]});
        continue;
      }
      kept_records_.push_back(batch.records[i]);
      kept_keys_.push_back(batch.keys[i]);
      if (!reader_.parts().empty()) kept_parts_.push_back(reader_.parts()[i]);
      places_.push_back(place);
    }
    const std::uint64_t without = batch.records.size() - places_.size();
    if (files_)
      records_ -= without;
    else
      skipped_ += without;
    return answer_and_use(Batch{batch.first_number, kept_records_, kept_keys_, places_, kept_parts_,
                                kept_rows_, file_});
  }
  Result<bool> answer_and_use(Batch batch) {
    if (steps_.answer) {
      answers_.resize(batch.keys.size());
      if (auto answered = steps_.answer(batch.keys, answers_); !answered) return answered.error();
      batch.answers = answers_;
    }
    return steps_.use(batch);
  }

  const RecordOptions& options_;
  KeyReader& reader_;  // its columns, parts and malformed rows, where it works alone
  KeyThreads keys_;
  Progress& progress_;
  const Globals& globals_;
  const BatchSteps& steps_;
  std::optional<CsvFiles> files_;
  MalformedRows malformed_;
  std::string file_;
  std::uint64_t records_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t bytes_before_ = 0;
  std::vector<ByteView> rows_;
  std::vector<ByteView> kept_records_;
  std::vector<ByteView> kept_keys_;
  std::vector<ByteView> kept_parts_;
  std::vector<std::size_t> places_;
  std::vector<Batch::Kept> kept_rows_;
  std::vector<std::uint8_t> answers_;
};

// Rows of CSV, values of a column and the parts of keys are read by one thread. So is a pipe: a
// second thread would wait for its next bytes when the user has had enough.
bool can_use_threads(const std::vector<InputFile>& inputs, const KeyReader& keys,
                     const Globals& globals) {
  const RecordOptions& options = keys.options();
  return globals.threads > 1 && total_bytes(inputs) && !options.csv &&
         options.input.column.empty() && !keys.keeps_parts();
}

std::vector<InputFile> with_threads(std::vector<InputFile> inputs, std::uint32_t threads) {
  for (InputFile& input : inputs) input.how.threads = threads;
  return inputs;
}

}  // namespace

Result<StreamTotals> for_each_batch(const std::vector<InputFile>& files, KeyReader& keys,
                                    const Globals& globals, const BatchSteps& steps) {
  const std::vector<InputFile> inputs = with_threads(files, globals.threads);
  Progress progress{globals, total_bytes(inputs)};
  if (can_use_threads(inputs, keys, globals))
    return for_each_batch_by_threads(inputs, keys, globals, progress, steps);
  Streaming streaming{keys, progress, globals, steps};
  const bool reads_columns = !inputs.empty() && !inputs.front().how.column.empty();
  for (const InputFile& file : inputs) {
    if (!reads_columns) break;
    auto column = open_column(file);
    if (!column) return column.error();
    const auto go_on = streaming.run(*column);
    if (!go_on) return go_on.error();
    if (!*go_on) break;
  }
  if (reads_columns) return streaming.totals();
  InputQueue queue{inputs};
  while (auto input = queue.next()) {
    if (!*input) return input->error();
    const auto go_on = streaming.run(**input);
    if (!go_on) return go_on.error();
    if (!*go_on) break;
  }
  return streaming.totals();
}

}  // namespace bloomery::cli
