#include "apps/ethlog/output/folder_feed.h"

#include <sys/stat.h>

#include <algorithm>

#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/store/geth_config.h"
#include "apps/ethlog/store/geth_directory.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

// Names, sizes and times of the files in a folder: what differs after every write of a database.
std::string look_of(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed)) {
    struct stat facts {};
    if (::stat(at->path().c_str(), &facts) == 0)
      files.push_back(message(at->path().filename().string(), ' ', facts.st_size, ' ',
                              facts.st_mtim.tv_sec, '.', facts.st_mtim.tv_nsec, '\n'));
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) all += file;
  return all;
}

class FolderFeed final : public LogFeed {
 public:
  FolderFeed(fs::path folder, FolderFeedOptions options)
      : folder_{std::move(folder)}, options_{std::move(options)} {}

  Result<std::optional<TailBlock>> refresh() override {
    using Head = std::optional<TailBlock>;
    std::string look = look_of(folder_);
    if (!last_look_.empty() && look == last_look_) return Head{};
    auto chain = ChainFolder::open(folder_);
    if (!chain) return chain.error();
    chain_ = std::make_unique<ChainFolder>(std::move(*chain));
    look_ = std::move(look);
    auto sources = std::vector<CandidateSource>{};
    if (options_.uses_index) {
      auto found = sources_of(reader());
      if (!found) return found.error();
      sources = std::move(*found);
    }
    waited_ = false;
    search_ = std::make_unique<LogSearch>(reader(), std::move(sources));
    const auto number = reader().head();
    if (!number) return number.error();
    if (!*number) return Head{};
    const auto hash = hash_of(**number);
    if (!hash) return hash.error();
    if (!*hash)
      return Error{ErrorCode::kMalformed, message("block ", **number, " is missing in the chain")};
    return Head{TailBlock{**number, **hash}};
  }

  void release() override {
    if (chain_ == nullptr) return;
    search_.reset();
    chain_.reset();
    last_look_ = std::move(look_);  // as it was before it was read: what came since is new
  }

  Result<std::uint64_t> chain_id() override {
    if (chain_->own() != nullptr) return chain_->own()->chain_id();
    const auto id = geth_chain_id(reader());
    if (!id) return id.error();
    return *id;
  }
  Result<std::uint64_t> lowest() override {
    const auto number = reader().lowest();
    if (!number) return number.error();
    return number->value_or(0);
  }
  Result<std::optional<std::uint64_t>> tagged(BlockTag) override { return reader().finalized(); }
  Result<std::optional<Hash>> hash_of(std::uint64_t number) override {
    return reader().canonical_hash(number);
  }
  Status logs(const LogQuery& query, std::uint64_t first, std::uint64_t last,
              const OnLogRecord& on_record) override {
    LogQuery ranged = query;
    ranged.block_hash.reset();
    ranged.from = BlockBound{BlockTag::kNumber, first};
    ranged.to = BlockBound{BlockTag::kNumber, last};
    Status outcome = ok();
    const auto report =
        search_->run(ranged, {.missing = options_.missing}, [&](const FoundLog& found) {
          outcome = on_record(record_of(found));
          return outcome.has_value();
        });
    if (!outcome) return outcome;
    if (!report) return report.error();
    return ok();
  }
  bool is_steady() const override { return true; }
  bool is_waited_for(const Error& error) override {
    const bool is_busy = error.message.find("open in another program") != std::string::npos;
    if (!is_busy || !options_.on_wait) return false;
    if (!std::exchange(waited_, true)) options_.on_wait(error);
    return true;
  }

 private:
  const ChainReader& reader() const { return chain_->reader(); }

  fs::path folder_;
  FolderFeedOptions options_;
  std::unique_ptr<ChainFolder> chain_;
  std::unique_ptr<LogSearch> search_;
  std::string look_;       // of the files, before they were opened
  std::string last_look_;  // of those that were read to the end
  bool waited_ = false;
};

}  // namespace

std::unique_ptr<LogFeed> make_folder_feed(fs::path folder, FolderFeedOptions options) {
  return std::make_unique<FolderFeed>(std::move(folder), std::move(options));
}

}  // namespace bloomery::ethlog
