#include "apps/cli/dedup/input.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Result<OpenedFile> open_to_read(const InputFile& file) {
  auto opened = open_input(file);
  if (!opened) return opened.error();
  // std::function wants to be copied, and an input does not.
  const auto input = std::make_shared<Input>(std::move(*opened));
  return OpenedFile{input->name(), [input](ByteSpan into) { return input->read(into); },
                    [input] { return input->consumed_bytes(); }};
}

}  // namespace

std::vector<OpenFile> files_to_open(const std::vector<InputFile>& inputs) {
  std::vector<OpenFile> files;
  for (const InputFile& input : inputs) files.emplace_back([input] { return open_to_read(input); });
  return files;
}

Result<bool> ChunkSequence::open_next() {
  if (next_file_ == files_.size()) return false;
  auto opened = files_[next_file_++]();
  if (!opened) return opened.error();
  file_ = std::move(*opened);
  reader_.emplace(file_->read, keys_.options.delimiter);
  records_before_ = records_;
  return true;
}

Result<bool> ChunkSequence::fill(Chunk& chunk) {
  for (;;) {
    if (failed_) return *failed_;
    if (!file_) {
      const auto opened = open_next();
      if (!opened || !*opened) return opened;
    }
    chunk.offset = bytes_before_ + reader_->bytes_handed_out();
    chunk.first_index = records_;
    const auto there = reader_->next(chunk);
    if (!there)
      return input::at_place(there.error(), file_->name, "record", records_ - records_before_ + 1);
    if (*there) break;
    bytes_before_ += reader_->bytes_handed_out();
    consumed_before_ += file_->consumed();
    file_.reset();
  }
  if (records_ == records_before_ && !progress_->quiet())
    notice_text_marks(file_->name, chunk.records, keys_.options);
  read_keys(chunk);
  if (failed_ && chunk.records.empty()) return *failed_;
  records_ += chunk.records.size();
  progress_->update(records_, consumed_before_ + file_->consumed());
  return true;
}

void ChunkSequence::read_keys(Chunk& chunk) {
  if (!chunk.key_reader) chunk.key_reader.emplace(keys_.options, keys_.order);
  KeyReader& reader = *chunk.key_reader;
  const auto keys = reader.keys(chunk.records);
  if (!keys) {
    failed_ = input::at_place(keys.error(), file_->name, "record",
                              records_ - records_before_ + reader.failed() + 1);
    chunk.records.resize(reader.failed());
  }
  chunk.keys = keys ? *keys : reader.keys_before();
  chunk.has_key = reader.has_key().first(std::min(reader.has_key().size(), chunk.records.size()));
  skipped_ += static_cast<std::uint64_t>(std::ranges::count(chunk.has_key, 0));
}

}  // namespace bloomery::cli
