// Pages of remote files, kept in a folder of this user: each a file of its own with a checksum,
// written beside and renamed, so that several processes may use one folder and a kill leaves no
// half page. Not for users.
#pragma once
#include <filesystem>
#include <string>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::internal {

inline constexpr std::size_t kPageBytes = std::size_t{64} << 10;

struct PageName {
  Hash128 object;  // the version of a file that the page is of
  std::uint64_t number = 0;
};

class PageCache {
 public:
  // Makes the folder, for this user alone. kIo where it cannot, and where other users could put
  // pages into it.
  static Result<PageCache> open(std::filesystem::path folder, std::uint64_t most_bytes);

  // Fills `page`. False where there is no such page, or a damaged one, which is removed.
  bool load(const PageName& name, ByteSpan page);
  // What cannot be stored is reported, and costs a request later. Above its limit, the cache drops
  // the pages that were used least recently.
  Status store(const PageName& name, ByteView page);

 private:
  PageCache(std::filesystem::path folder, std::uint64_t most_bytes)
      : folder_{std::move(folder)}, most_bytes_{most_bytes} {}
  std::filesystem::path folder_of(const PageName& name) const;
  void drop_oldest() const;

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
  std::uint64_t stored_since_ = 0;  // since pages were dropped
  bool was_swept_ = false;
};

}  // namespace bloomery::internal
