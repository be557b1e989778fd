// A scratch database folder, and databases of which each read of a table file is counted.
#pragma once
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <memory>
#include <string>

#include "tests/apps/leveldb/counting_reads.h"

namespace bloomery::testing {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

// No compression and no cache to speak of: every block that is looked at is read.
inline std::unique_ptr<leveldb::DB> open_database(const std::string& path,
                                                  const leveldb::FilterPolicy* policy,
                                                  leveldb::Options options = {}) {
  options.create_if_missing = true;
  options.filter_policy = policy;
  leveldb::DB* database = nullptr;
  const auto status = leveldb::DB::Open(options, path, &database);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<leveldb::DB>{database};
}

}  // namespace bloomery::testing
