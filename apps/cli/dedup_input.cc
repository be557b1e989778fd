#include "apps/cli/dedup_input.h"

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Result<OpenedFile> open_input(const std::string& path) {
  auto opened = Input::open(path);
  if (!opened) return opened.error();
  // std::function wants to be copied, and an input does not.
  const auto input = std::make_shared<Input>(std::move(*opened));
  return OpenedFile{input->name(), [input](ByteSpan into) { return input->read(into); },
                    [input] { return input->consumed_bytes(); }};
}

}  // namespace

std::vector<OpenFile> files_to_open(const std::vector<InputFile>& inputs) {
  std::vector<OpenFile> files;
  for (const InputFile& input : inputs)
    files.emplace_back([path = input.path] { return open_input(path); });
  return files;
}

std::optional<std::uint64_t> total_bytes(const std::vector<InputFile>& inputs) {
  std::uint64_t total = 0;
  for (const InputFile& input : inputs) {
    if (!input.bytes) return std::nullopt;
    total += *input.bytes;
  }
  return total;
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
    if (!file_) {
      const auto opened = open_next();
      if (!opened || !*opened) return opened;
    }
    chunk.offset = bytes_before_ + reader_->bytes_handed_out();
    chunk.first_index = records_;
    const auto there = reader_->next(chunk);
    if (!there) return there.error();
    if (*there) break;
    bytes_before_ += reader_->bytes_handed_out();
    consumed_before_ += file_->consumed();
    file_.reset();
  }
  if (auto read = read_keys(chunk); !read) return read.error();
  records_ += chunk.records.size();
  progress_->update(records_, consumed_before_ + file_->consumed());
  return true;
}

Status ChunkSequence::read_keys(Chunk& chunk) {
  if (!chunk.key_reader) chunk.key_reader.emplace(keys_.options, keys_.order);
  const auto keys = chunk.key_reader->keys(chunk.records);
  if (!keys)
    return Error{keys.error().code,
                 message(file_->name, ": record ",
                         records_ - records_before_ + chunk.key_reader->failed() + 1, ": ",
                         keys.error().message)};
  chunk.keys = *keys;
  return ok();
}

}  // namespace bloomery::cli
