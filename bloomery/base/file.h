// Files: read whole, mapped to be read or written, and saved so that a crash leaves the old file or
// the new one.
#pragma once
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/file_lock.h"
#include "bloomery/base/file_name.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery {

// The whole file; kTooLarge when it is longer than the limit. Pipes and devices are read too.
Result<std::vector<std::byte>> read_file(FileName path, DecodeLimits limits);

// Read-only pages of a file. To change the file, replace it, as save_file does: a mapping keeps the
// old bytes. Where another process writes into the file, bytes() changes under the reader; where it
// truncates the file, reading beyond the new end raises SIGBUS, which no library can turn into an
// error without taking the signal from its host. A program that cannot trust the writers of its
// files reads them (read_file), or handles SIGBUS.
class MappedFile {
 public:
  static Result<MappedFile> open(FileName path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  ByteView bytes() const { return {data_, size_}; }
  // kIo where the file that was mapped is shorter now than the mapping. A file that was replaced
  // under its name, or removed, is not looked at: nothing that knows its name can truncate it.
  Status check_size() const;
  // Random: a fault reads its own page, and not those around it. Sequential: it reads far ahead.
  enum class Reads : std::uint8_t { kRandom, kSequential };
  void expect_reads(Reads reads) const;

 private:
  MappedFile(std::string path, const std::byte* data, std::size_t size, dev_t device, ino_t inode)
      : path_{std::move(path)}, data_{data}, size_{size}, device_{device}, inode_{inode} {}
  std::string path_;
  const std::byte* data_;
  std::size_t size_;
  dev_t device_;
  ino_t inode_;
};

// Pages of a file that are written in place. One writer at a time: a second is refused while the
// first lives, in this process or another. Readers are not kept out.
class WritableMappedFile {
 public:
  static Result<WritableMappedFile> open(FileName path);
  WritableMappedFile(WritableMappedFile&& other) noexcept;
  WritableMappedFile& operator=(WritableMappedFile&& other) noexcept;
  ~WritableMappedFile();  // what was written reaches the file, but at a time of the system's choice

  ByteSpan bytes() { return {data_, size_}; }
  ByteView bytes() const { return {data_, size_}; }

  // Returns once every byte written so far would survive a loss of power.
  Status sync();
  // Replaces the first bytes, at most kSector of them, and syncs the file. A crash leaves the old
  // ones or the new ones, where writing through bytes() could leave a mixture.
  Status replace_start(ByteView start);
  static constexpr std::size_t kSector = 512;

 private:
  WritableMappedFile(std::string path, int fd, std::byte* data, std::size_t size)
      : path_{std::move(path)}, fd_{fd}, data_{data}, size_{size} {}
  std::string path_;  // for sentences
  int fd_;            // holds the lock
  std::byte* data_;
  std::size_t size_;
};

// Writes the parts one after the other to a temporary file in the same folder, syncs it, renames it
// over `path` (through a symbolic link, onto its target) and syncs the folder. Owner, group, mode,
// access control list and user attributes of an old file are kept; where they cannot be, because
// the file is another user's, the save fails. Other hard links to an old file keep its old bytes.
// Devices and pipes are refused. After an error but in the last step, the folder's sync, the old
// file is as it was. The temporary file is called .NAME.<20 digits>, and a process that is killed
// while it saves leaves it behind; the next save of the same file by the same user removes it, and
// every other file of such a name that no process has locked.
// `stop`, where given, is asked between pieces: once it says true, the save ends with kIo and the
// old file stays.
Status save_file(FileName path, std::span<const ByteView> parts, bool (*stop)() = nullptr);
Status save_file(FileName path, ByteView bytes, bool (*stop)() = nullptr);

// The same under a lock on `path`, taken before the file was read: where the lock is empty, because
// there was no file, one that appeared since is not replaced (kIo); nor is one that a process
// without regard to locks put in the place of the locked one.
Status save_file(FileName path, std::span<const ByteView> parts, const FileLock& lock,
                 bool (*stop)() = nullptr);
Status save_file(FileName path, ByteView bytes, const FileLock& lock, bool (*stop)() = nullptr);
// The same under a lock of its own, for a program that did not read the file: what another process
// reads, changes and saves at the same time comes before it or after it.
Status replace_file(FileName path, std::span<const ByteView> parts, const LockWait& wait = {},
                    bool (*stop)() = nullptr);

}  // namespace bloomery
