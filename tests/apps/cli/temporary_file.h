// A file with given bytes, gone when the test is.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace bloomery::testing {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "bloomery_test.XXXXXX").string();
    ::close(::mkstemp(name.data()));
    path_ = name;
    std::ofstream{path_, std::ios::binary} << bytes;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace bloomery::testing
