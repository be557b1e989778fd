// An environment of LevelDB that counts how often a table file is read, which is what a filter is
// there to save. For tests and benchmarks.
#pragma once
#include <string>

#include "tests/formats/counting_file.h"

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
};

}  // namespace bloomery::testing
