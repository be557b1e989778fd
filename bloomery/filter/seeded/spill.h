// A temporary file without a name: what is too much for memory is appended and read back, and it is
// gone with the process, however that ends.
#pragma once
#include <string>

#include "bloomery/base/bytes.h"
#include "bloomery/base/file_name.h"
#include "bloomery/base/result.h"

namespace bloomery::internal {

class SpillFile {
 public:
  // An empty name is the system's temporary folder, as the standard library names it.
  static Result<SpillFile> create(FileName directory);
  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&& other) noexcept;
  ~SpillFile();

  std::uint64_t size_bytes() const { return size_bytes_; }
  Status append(ByteView bytes);
  // Precondition: that many bytes were appended. Any number of threads may read at once.
  Status read(std::uint64_t offset, ByteSpan into) const;

 private:
  SpillFile(int descriptor, std::string directory)
      : descriptor_{descriptor}, directory_{std::move(directory)} {}
  int descriptor_;
  std::uint64_t size_bytes_ = 0;
  std::string directory_;  // for messages
};

}  // namespace bloomery::internal
