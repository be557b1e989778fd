// Debian's LevelDB exports no type information of its classes: this file is compiled without any.
#include "apps/ethlog/kv/whole_listing_env.h"

#include "bloomery/base/list_folder.h"

namespace bloomery::ethlog {

leveldb::Status list_whole(const std::string& folder, std::vector<std::string>* result) {
  auto names = list_folder(folder);
  if (!names) return leveldb::Status::IOError(names.error().message);
  *result = std::move(*names);
  return leveldb::Status::OK();
}

WholeListingEnv::WholeListingEnv() : EnvWrapper{leveldb::Env::Default()} {}
WholeListingEnv::~WholeListingEnv() = default;

leveldb::Status WholeListingEnv::GetChildren(const std::string& folder,
                                             std::vector<std::string>* result) {
  return list_whole(folder, result);
}

}  // namespace bloomery::ethlog
