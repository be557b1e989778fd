// A file of LevelDB that counts its reads.
#pragma once
#include <leveldb/env.h>

#include <atomic>
#include <memory>

namespace bloomery::testing {

class CountingFile final : public leveldb::RandomAccessFile {
 public:
  CountingFile(leveldb::RandomAccessFile* file, std::atomic<std::uint64_t>& reads)
      : file_{file}, reads_{reads} {}
  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    ++reads_;
    return file_->Read(offset, size, result, scratch);
  }

 private:
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::atomic<std::uint64_t>& reads_;
};

}  // namespace bloomery::testing
