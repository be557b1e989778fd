#include "bloomery/base/list_folder.h"

#include <dirent.h>

#include <memory>
#include <string_view>

#include "bloomery/base/descriptor.h"

namespace bloomery {
namespace {

struct Close {
  void operator()(DIR* listing) const { ::closedir(listing); }
};

DIR* open_listing(const std::string& folder) {
  for (;;) {
    DIR* const listing = ::opendir(folder.c_str());
    if (listing != nullptr || errno != EINTR) return listing;
  }
}

}  // namespace

Result<std::vector<std::string>> list_folder(const std::string& folder) {
  const std::unique_ptr<DIR, Close> listing{open_listing(folder)};
  if (listing == nullptr) return internal::io_error(folder, "list the folder");
  std::vector<std::string> names;
  for (;;) {
    errno = 0;  // the only way to tell an error from the end
    const dirent* const entry = ::readdir(listing.get());
    if (entry == nullptr && errno != 0) return internal::io_error(folder, "list the folder");
    if (entry == nullptr) return names;
    const std::string_view name{entry->d_name};
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

}  // namespace bloomery
