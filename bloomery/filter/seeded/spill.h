// A temporary file without a name: what is too much for memory is appended and read back, and it is
// gone with the process, however that ends.
#pragma once
#include <filesystem>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::internal {

class SpillFile {
 public:
  // An empty path is the system's temporary folder, as the standard library names it.
  static Result<SpillFile> create(const std::filesystem::path& directory);
  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&& other) noexcept;
  ~SpillFile();

  std::uint64_t size_bytes() const { return size_bytes_; }
  Status append(ByteView bytes);
  // Precondition: that many bytes were appended. Any number of threads may read at once.
  Status read(std::uint64_t offset, ByteSpan into) const;

 private:
  SpillFile(int descriptor, std::filesystem::path directory)
      : descriptor_{descriptor}, directory_{std::move(directory)} {}
  int descriptor_;
  std::uint64_t size_bytes_ = 0;
  std::filesystem::path directory_;  // for messages
};

}  // namespace bloomery::internal
