// Bytes of a file that another process may change or cut while it is read: every read is a copy, so
// that what was checked is what is used, and a file that became shorter is an error. A mapped file
// would be read twice, and end the process when it is cut.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// Copies of one share the file. Many threads may read.
class ReadAt {
 public:
  static Result<ReadAt> open(const std::filesystem::path& path);
  // The bytes must outlive it.
  explicit ReadAt(ByteView bytes) : bytes_{bytes}, size_{bytes.size()} {}

  std::uint64_t size() const { return size_; }  // when it was opened
  // kTruncated where the file has not so many bytes, or not any more.
  Result<std::vector<std::byte>> read(std::uint64_t offset, std::size_t size) const;

 private:
  struct File;
  ReadAt(std::shared_ptr<const File> file, std::uint64_t size)
      : file_{std::move(file)}, size_{size} {}
  std::shared_ptr<const File> file_;  // null: the bytes
  ByteView bytes_;
  std::uint64_t size_;
};

}  // namespace bloomery::ethlog
