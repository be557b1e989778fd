// A chain folder as a feed: opened for each step, so that an import can run between them.
#pragma once
#include <filesystem>

#include "apps/ethlog/output/log_feed.h"
#include "apps/ethlog/search/log_search.h"

namespace bloomery::ethlog {

struct FolderFeedOptions {
  bool uses_index = true;
  MissingBlocks missing = MissingBlocks::kError;
  // Called once where the folder is open in another program, which is waited for. Without it, that
  // is an error.
  std::function<void(const Error&)> on_wait = {};
};

std::unique_ptr<LogFeed> make_folder_feed(std::filesystem::path folder, FolderFeedOptions options);

}  // namespace bloomery::ethlog
