// Files too large to be built in memory: written piece by piece beside the file that they replace,
// or changed in place where their format can be.
#pragma once
#include <memory>
#include <string>

#include "bloomery/base/bytes.h"
#include "bloomery/base/file_lock.h"
#include "bloomery/base/file_name.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Bytes of a file at given places. Errors name the file.
class PositionedFile {
 public:
  static Result<PositionedFile> open_to_read(FileName path);
  static Result<PositionedFile> open_to_change(FileName path);
  PositionedFile(PositionedFile&& other) noexcept;
  PositionedFile& operator=(PositionedFile&& other) noexcept;
  ~PositionedFile();

  Result<std::uint64_t> size() const;
  // kTruncated where the file ends before.
  Status read_at(std::uint64_t offset, ByteSpan into) const;
  Status write_at(std::uint64_t offset, ByteView bytes);
  Status set_size(std::uint64_t bytes);
  Status sync();  // returns once every byte written so far would survive a loss of power

 private:
  friend class NewFile;
  PositionedFile(std::string path, int fd, bool closes = true)
      : path_{std::move(path)}, fd_{fd}, closes_{closes} {}
  std::string path_;
  int fd_;
  bool closes_;  // false for the file of a NewFile, which keeps its lock
};

// What save_file does, for a file that is streamed: until commit() the old file stays as it is, and
// where there is no commit the new one is removed.
class NewFile {
 public:
  static Result<NewFile> create(FileName path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();

  PositionedFile& file();
  // Gives the file its name, under the lock that save_file would take. Precondition: the first.
  Status commit(const FileLock& lock);

 private:
  struct State;
  explicit NewFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bloomery
