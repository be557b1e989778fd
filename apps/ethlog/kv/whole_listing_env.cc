// Debian's LevelDB exports no type information of its classes: this file is compiled without any.
#include "apps/ethlog/kv/whole_listing_env.h"

#include <filesystem>

namespace bloomery::ethlog {

leveldb::Status list_whole(const std::string& folder, std::vector<std::string>* result) {
  result->clear();
  std::error_code failed;
  for (std::filesystem::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed))
    result->push_back(at->path().filename().string());
  if (!failed) return leveldb::Status::OK();
  result->clear();
  const std::string why = "the folder cannot be listed: " + failed.message();
  return failed == std::errc::no_such_file_or_directory ? leveldb::Status::NotFound(folder, why)
                                                        : leveldb::Status::IOError(folder, why);
}

WholeListingEnv::WholeListingEnv() : EnvWrapper{leveldb::Env::Default()} {}
WholeListingEnv::~WholeListingEnv() = default;

leveldb::Status WholeListingEnv::GetChildren(const std::string& folder,
                                             std::vector<std::string>* result) {
  return list_whole(folder, result);
}

}  // namespace bloomery::ethlog
