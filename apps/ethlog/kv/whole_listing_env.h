// LevelDB on the file system, except that a folder is listed whole or not at all. LevelDB's own
// listing takes a read error for the folder's end: it would open the database without its newest
// log, and then remove that log as unneeded.
#pragma once
#include <leveldb/env.h>

#include <string>
#include <vector>

namespace bloomery::ethlog {

leveldb::Status list_whole(const std::string& folder, std::vector<std::string>* result);

class WholeListingEnv final : public leveldb::EnvWrapper {
 public:
  WholeListingEnv();
  ~WholeListingEnv() override;
  leveldb::Status GetChildren(const std::string& folder, std::vector<std::string>* result) override;
};

}  // namespace bloomery::ethlog
