// An environment of LevelDB that counts how often a table file is read, which is what a filter is
// there to save. For tests and benchmarks.
#pragma once
#include <leveldb/env.h>

#include <atomic>
#include <memory>
#include <string>

namespace bloomery::testing {

class CountingEnv final : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper{leveldb::Env::Default()} {}
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override {
    const auto status = target()->NewRandomAccessFile(name, file);
    if (status.ok()) *file = new CountingFile{*file, reads};
    return status;
  }
  std::atomic<std::uint64_t> reads = 0;

 private:
  class CountingFile final : public leveldb::RandomAccessFile {
   public:
    CountingFile(leveldb::RandomAccessFile* file, std::atomic<std::uint64_t>& reads)
        : file_{file}, reads_{reads} {}
    leveldb::Status Read(std::uint64_t offset, std::size_t n, leveldb::Slice* result,
                         char* scratch) const override {
      ++reads_;
      return file_->Read(offset, n, result, scratch);
    }

   private:
    std::unique_ptr<leveldb::RandomAccessFile> file_;
    std::atomic<std::uint64_t>& reads_;
  };
};

}  // namespace bloomery::testing
