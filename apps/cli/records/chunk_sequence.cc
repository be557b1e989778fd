#include "apps/cli/records/chunk_sequence.h"

#include <algorithm>
#include <cassert>

#include "apps/cli/records/input_queue.h"
#include "apps/cli/shell/bus_error.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Result<OpenedFile> open_column_to_read(const InputFile& file) {
  auto opened = open_column(file);
  if (!opened) return opened.error();
  const auto column = std::make_shared<ColumnRecords>(std::move(*opened));
  name_mapping(column->mapping(), column->name());
  return OpenedFile{column->name(), {}, [column] { return column->consumed_bytes(); }, 0, 0,
                    column};
}

Result<OpenedFile> open_to_read(InputQueue& queue) {
  auto opened = *queue.next();
  if (!opened) return opened.error();
  // std::function wants to be copied, and an input does not.
  const auto input = std::make_shared<Input>(std::move(*opened));
  return OpenedFile{input->name(), [input](ByteSpan into) { return input->read(into); },
                    [input] { return input->consumed_bytes(); }};
}

Result<OpenedFile> open_at(const InputFile& file, InputPosition position) {
  auto opened = open_input(file);
  if (!opened) return opened.error();
  const auto input = std::make_shared<Input>(std::move(*opened));
  if (input->compression() == Compression::kNone) {
    if (auto sought = input->skip_to(position.bytes); !sought) return sought.error();
  } else {
    std::vector<std::byte> ignored(ChunkReader::kChunkBytes);
    for (std::uint64_t left = position.bytes; left > 0;) {
      const auto got = input->read(ByteSpan{ignored}.first(
          static_cast<std::size_t>(std::min<std::uint64_t>(left, ignored.size()))));
      if (!got) return got.error();
      if (*got == 0)
        return Error{ErrorCode::kIo, message(file.path, ": it ends before the checkpoint")};
      left -= *got;
    }
    decompress_ahead(*input, file);
  }
  return OpenedFile{input->name(), [input](ByteSpan into) { return input->read(into); },
                    [input] { return input->consumed_bytes(); }, position.records, position.bytes};
}

}  // namespace

std::vector<OpenFile> files_to_open(const std::vector<InputFile>& inputs) {
  std::vector<OpenFile> files;
  const auto queue = std::make_shared<InputQueue>(inputs);
  for (const InputFile& input : inputs)
    if (input.how.column.empty())
      files.emplace_back([queue] { return open_to_read(*queue); });
    else
      files.emplace_back([input] { return open_column_to_read(input); });
  return files;
}

std::vector<OpenFile> files_from(const std::vector<InputFile>& inputs, InputPosition position) {
  const auto first = static_cast<std::ptrdiff_t>(position.file);
  assert(position.file <= inputs.size());
  if (position.bytes == 0 || position.file >= inputs.size())
    return files_to_open({inputs.begin() + first, inputs.end()});
  auto files = files_to_open({inputs.begin() + first + 1, inputs.end()});
  files.insert(files.begin(),
               [input = inputs[position.file], position] { return open_at(input, position); });
  return files;
}

Result<bool> ChunkSequence::open_next() {
  if (next_file_ == files_.size()) return false;
  auto opened = files_[next_file_++]();
  if (!opened) return opened.error();
  file_ = std::move(*opened);
  if (file_->column)
    reader_ = ColumnChunkReader{file_->column, keys_.options.delimiter};
  else
    reader_ = ChunkReader{file_->read, keys_.options.ends()};
  records_before_ = records_ - file_->records_before;  // may wrap; so do the differences
  if (csv_) csv_->begin(file_->name);
  return true;
}

Result<bool> ChunkSequence::read_chunk(Chunk& chunk) {
  return std::visit([&](auto& reader) { return reader.next(chunk); }, reader_);
}

std::uint64_t ChunkSequence::bytes_of_file() const {
  return std::visit([](const auto& reader) { return reader.bytes_handed_out(); }, reader_);
}

// Takes the header out of the rows and notes the columns of the file.
Status ChunkSequence::look_at_rows(Chunk& chunk) {
  const auto before = csv_->columns();
  if (auto looked = csv_->look(chunk.records); !looked) return looked;
  chunk.columns = csv_->columns();
  chunk.preamble = csv_->preamble();
  if (chunk.columns == before) return ok();
  const std::scoped_lock lock{columns_mutex_};
  columns_.push_back({bytes_before_, chunk.columns});
  return ok();
}

std::shared_ptr<const CsvColumns> ChunkSequence::columns_at(std::uint64_t place) const {
  const std::scoped_lock lock{columns_mutex_};
  const auto after = std::ranges::upper_bound(columns_, place, {}, &FileColumns::place);
  return after == columns_.begin() ? nullptr : std::prev(after)->columns;
}

Result<bool> ChunkSequence::next(Chunk& chunk) {
  for (;;) {
    if (!file_) {
      const auto opened = open_next();
      if (!opened || !*opened) return opened;
    }
    chunk.offset = bytes_before_ + bytes_of_file();
    chunk.first_index = records_;
    chunk.bytes_in_file = bytes_of_file();
    if (csv_) chunk.lines_in_file = std::get<ChunkReader>(reader_).lines_handed_out();
    const auto there = read_chunk(chunk);
    if (!there && file_->column) return there.error();
    if (!there)
      return input::at_place(there.error(), file_->name, csv_ ? "row" : "record",
                             number_in_file() + 1);
    if (*there && csv_)
      if (auto looked = look_at_rows(chunk); !looked) return looked.error();
    if (*there && chunk.records.empty()) continue;  // it was the header
    if (*there) break;
    bytes_before_ += bytes_of_file();
    consumed_before_ += file_->consumed();
    file_.reset();
  }
  if (records_ == records_before_ && !progress_->quiet() && !csv_ && !file_->column)
    notice_text_marks(file_->name, chunk.records, keys_.options);
  chunk.file = file_->name;
  chunk.number_in_file = number_in_file();
  records_ += chunk.records.size();
  progress_->update(records_, consumed());
  return true;
}

InputPosition ChunkSequence::position() const {
  if (!file_) return {next_file_, 0, 0};
  return {next_file_ - 1, file_->bytes_before + bytes_of_file(), records_ - records_before_};
}

// The header is row 1.
std::uint64_t ChunkSequence::number_in_file() const {
  return records_ - records_before_ + (csv_ && csv_->header_was_taken() ? 1 : 0);
}

std::string ChunkSequence::malformed_place(Chunk& chunk, std::size_t record, std::size_t offset,
                                           std::string_view sentence) {
  const std::byte* const start = chunk.buffer.data();
  const std::byte* const byte = chunk.records[record].data() + offset;
  const auto lines = static_cast<std::uint64_t>(std::count(start, byte, std::byte{'\n'}));
  return at_row(chunk.file,
                {chunk.number_in_file + record + 1, chunk.lines_in_file + lines + 1,
                 chunk.bytes_in_file + static_cast<std::uint64_t>(byte - start) + 1},
                sentence);
}

void ChunkSequence::read_keys(Chunk& chunk) {
  if (!chunk.key_reader) chunk.key_reader.emplace(keys_.options, keys_.order);
  KeyReader& reader = *chunk.key_reader;
  if (csv_) reader.use_columns(chunk.columns);
  const auto keys = reader.keys(chunk.records);
  if (!keys) {
    chunk.failed =
        csv_ ? failure_in_row(chunk, keys.error())
             : at_record(keys.error(), chunk.file, chunk.number_in_file + reader.failed() + 1);
    chunk.records.resize(reader.failed());
  }
  chunk.keys = keys ? *keys : reader.keys_before();
  chunk.has_key = reader.has_key().first(std::min(reader.has_key().size(), chunk.records.size()));
  if (csv_) note_malformed(chunk);
  if (!chunk.has_key.empty())
    skipped_ += static_cast<std::uint64_t>(std::ranges::count(chunk.has_key, 0));
}

Error ChunkSequence::failure_in_row(Chunk& chunk, const Error& error) {
  const KeyReader& reader = *chunk.key_reader;
  const auto malformed = reader.malformed();
  const bool is_fault = !malformed.empty() && malformed.back().record == reader.failed();
  return {error.code, malformed_place(chunk, reader.failed(),
                                      is_fault ? malformed.back().fault.offset : 0, error.message)};
}

// With --on-error skip, the malformed rows leave the chunk.
void ChunkSequence::note_malformed(Chunk& chunk) {
  chunk.malformed.clear();
  chunk.malformed_unnamed = 0;
  chunk.present_rows.clear();
  const auto malformed = chunk.key_reader->malformed();
  if (malformed.empty() || keys_.options.csv->on_error == OnError::kStop) return;
  // To find the line of a row takes as long as to read the chunk.
  const auto named =
      malformed.first(std::min<std::size_t>(malformed.size(), MalformedRows::kNamed));
  for (const KeyReader::Malformed& row : named)
    chunk.malformed.push_back(
        malformed_place(chunk, row.record, row.fault.offset, fault_sentence(row.fault)));
  chunk.malformed_unnamed = malformed.size() - named.size();
  if (keys_.options.csv->on_error == OnError::kKeep) return;
  std::size_t left = 0;
  chunk.present_keys.clear();
  for (std::size_t i = 0; i < chunk.records.size(); ++i) {
    if (chunk.has_key[i] == 0) continue;
    chunk.records[left++] = chunk.records[i];
    chunk.present_keys.push_back(chunk.keys[i]);
    chunk.present_rows.push_back(static_cast<std::uint32_t>(i));
  }
  left_out_ += chunk.records.size() - left;
  chunk.records.resize(left);
  chunk.keys = chunk.present_keys;
  chunk.has_key = {};
}

void ChunkSequence::report_malformed(const Chunk& chunk) {
  for (const std::string& sentence : chunk.malformed) malformed_.add(sentence);
  malformed_.add_unnamed(chunk.malformed_unnamed);
}

Result<bool> ChunkSequence::fill(Chunk& chunk) {
  const auto there = next(chunk);
  if (there && *there) read_keys(chunk);
  return there;
}

}  // namespace bloomery::cli
