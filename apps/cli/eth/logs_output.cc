#include "apps/cli/eth/logs_output.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/standard_output.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/base/new_file.h"

namespace bloomery::cli {
namespace {

using ethlog::Hash;
using ethlog::TailState;

constexpr std::size_t kOutputPiece = 1 << 20;

Error io_trouble(std::string sentence) { return {ErrorCode::kIo, std::move(sentence)}; }

class StdoutOutput final : public LogsOutput {
 public:
  Status write(std::string_view text) override {
    std::cout << text;
    return std::cout ? ok() : Status{io_trouble(output_failure())};
  }
  Status settle(TailState& state) override {
    state.output_bytes.reset();
    std::cout.flush();
    return std::cout ? ok() : Status{io_trouble(output_failure())};
  }
  Status finish() override {
    std::cout.flush();
    return std::cout ? ok() : Status{io_trouble(output_failure())};
  }
};

// Pieces behind one another in a file.
class FileEnd {
 public:
  explicit FileEnd(std::uint64_t bytes) : bytes_{bytes} {}
  Status write(PositionedFile& file, std::string_view text) {
    waiting_ += text;
    return waiting_.size() < kOutputPiece ? ok() : flush(file);
  }
  Status flush(PositionedFile& file) {
    if (Status s = file.write_at(bytes_, std::as_bytes(std::span{waiting_})); !s) return s;
    bytes_ += waiting_.size();
    waiting_.clear();
    return ok();
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  std::string waiting_;
};

class NewFileOutput final : public LogsOutput {
 public:
  NewFileOutput(NewFile file, FileLock lock) : file_{std::move(file)}, lock_{std::move(lock)} {}
  Status write(std::string_view text) override { return end_.write(file_.file(), text); }
  Status settle(TailState&) override { return ok(); }
  Status finish() override {
    if (Status s = end_.flush(file_.file()); !s) return s;
    return file_.commit(lock_);
  }

 private:
  NewFile file_;
  FileLock lock_;
  FileEnd end_{0};
};

Result<Hash> hash_before(const PositionedFile& file, std::uint64_t end) {
  std::vector<std::byte> bytes(std::min<std::uint64_t>(end, ethlog::kTailBytes));
  if (Status s = file.read_at(end - bytes.size(), bytes); !s) return s.error();
  return ethlog::keccak_hash(bytes);
}

class GrowingOutput final : public LogsOutput {
 public:
  GrowingOutput(PositionedFile file, FileLock lock, std::uint64_t bytes)
      : file_{std::move(file)}, lock_{std::move(lock)}, end_{bytes} {}
  Status write(std::string_view text) override { return end_.write(file_, text); }
  Status settle(TailState& state) override {
    if (Status s = end_.flush(file_); !s) return s;
    if (Status s = file_.sync(); !s) return s;
    const auto hash = hash_before(file_, end_.bytes());
    if (!hash) return hash.error();
    state.output_bytes = end_.bytes();
    state.output_tail = *hash;
    return ok();
  }
  Status finish() override { return ok(); }

 private:
  PositionedFile file_;
  FileLock lock_;
  FileEnd end_;
};

Result<std::unique_ptr<LogsOutput>> growing(const std::string& path, std::uint64_t bytes,
                                            const Hash* expected) {
  auto lock = FileLock::acquire(path, LockWait{.timeout = std::chrono::milliseconds{0}});
  if (!lock) return lock.error();
  auto file = PositionedFile::open_to_change(path);
  if (!file) return file.error();
  if (expected != nullptr) {
    const auto size = file->size();
    if (!size) return size.error();
    const auto hash = *size < bytes ? Result<Hash>{Hash{}} : hash_before(*file, bytes);
    if (!hash) return hash.error();
    if (*size < bytes || *hash != *expected)
      return io_trouble(message(path, ": it is not the file that the checkpoint was made with: ",
                                *size < bytes ? "it is shorter" : "its bytes differ",
                                "; restore it, or begin anew with another checkpoint"));
  }
  if (Status s = file->set_size(bytes); !s) return s.error();
  return std::unique_ptr<LogsOutput>{
      std::make_unique<GrowingOutput>(std::move(*file), std::move(*lock), bytes)};
}

Status may_create(const std::string& path, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::exists(path, ignored))
    return io_trouble(message(path, ": the file exists; --force replaces it"));
  return ok();
}

}  // namespace

std::unique_ptr<LogsOutput> output_to_stdout() { return std::make_unique<StdoutOutput>(); }

Result<std::unique_ptr<LogsOutput>> output_to_new_file(const std::string& path, bool force) {
  if (Status s = may_create(path, force); !s) return s.error();
  auto lock = force ? FileLock::acquire(path) : Result<FileLock>{FileLock{}};
  if (!lock) return lock.error();
  auto file = NewFile::create(path);
  if (!file) return file.error();
  return std::unique_ptr<LogsOutput>{
      std::make_unique<NewFileOutput>(std::move(*file), std::move(*lock))};
}

Result<std::unique_ptr<LogsOutput>> output_to_growing_file(const std::string& path, bool force) {
  std::error_code ignored;
  const bool is_empty = std::filesystem::is_regular_file(path, ignored) &&
                        std::filesystem::file_size(path, ignored) == 0;
  if (Status s = may_create(path, force || is_empty); !s) return s.error();
  if (!std::filesystem::exists(path, ignored))
    if (Status s = save_file(path, ByteView{}, FileLock{}); !s) return s.error();
  return growing(path, 0, nullptr);
}

Result<std::unique_ptr<LogsOutput>> output_continued(const std::string& path,
                                                     const TailState& state) {
  return growing(path, *state.output_bytes, &state.output_tail);
}

}  // namespace bloomery::cli
