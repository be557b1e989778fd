// New blocks for a chain that is served: a database has one owner, so the server takes them itself,
// out of files that grow, folders that files are put into and nodes, and indexes what is complete.
#pragma once
#include <condition_variable>
#include <map>
#include <thread>

#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/node/node_sync.h"
#include "apps/ethlog/store/chain_events.h"

namespace bloomery::ethlog {

struct FollowOptions {
  // A folder, or a file of JSON lines, which need not be there yet: it is waited for.
  std::vector<std::filesystem::path> paths = {};
  std::vector<NodeOptions> nodes = {};
  Gaps gaps = Gaps::kRefused;
  std::uint64_t confirms = kDefaultConfirms;
  std::chrono::milliseconds poll{100};
};

// Of a request to a followed node, before the failure is reported; it is tried again for ever.
inline constexpr std::size_t kFollowAttempts = 3;

// Of the first of the nodes; nothing where there is none. For a folder that has no blocks yet.
Result<std::optional<std::uint64_t>> chain_id_of_node(const std::vector<NodeOptions>& nodes);

struct FollowCounts {
  std::uint64_t blocks = 0;     // read
  std::uint64_t stored = 0;     // of them, new
  std::uint64_t displaced = 0;  // by reorganisations
  std::uint64_t errors = 0;
  std::uint64_t sections = 0;  // made by this process
  // The last problem; empty: none since. A failure of the store comes first, because nothing is
  // stored until it is gone, then the last of anything else, then a path that is not there.
  std::string last_error;
};

class Follower {
 public:
  using Warn = std::function<void(const std::string& sentence)>;
  // `warn` is called, from any thread, with the first of a row of errors. The chain must outlive
  // it.
  Follower(LiveChain& chain, FollowOptions options, Warn warn);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();  // ends every thread; what was taken is synced

  FollowCounts counts() const;

 private:
  void follow(const std::filesystem::path& path, const std::stop_token& stop);
  // Until it is stopped: what the node lacks or cannot do is waited for.
  void follow_node(const NodeOptions& options, const std::stop_token& stop);
  NodeStatus sync_with_node(BlockFetcher& fetcher, const std::stop_token& stop);
  void follow_file(const std::filesystem::path& path, const std::stop_token& stop);
  // Until it is gone, or another is in its place.
  void follow_folder(const std::filesystem::path& path, const std::stop_token& stop);
  void index(const std::stop_token& stop);
  // Does the work, and begins it again where it ended in an exception.
  void keep_on(const std::filesystem::path& what, const std::stop_token& stop,
               const std::function<void()>& work);
  // What is stored already is not news when a source is read from its beginning; after the first
  // block that became canonical every block counts, for then it may be a reorganisation.
  struct Reading {
    bool catching_up = true;
    std::uint64_t unsynced = 0;
  };
  Status take(ImportedBlock block, Reading& reading, Gaps gaps);
  bool is_stored(const ImportedBlock& block) const;
  // True: everything in it was taken.
  bool take_file(const std::filesystem::path& path, const std::stop_token& stop);
  void sync(Reading& reading);
  void fail(const std::filesystem::path& path, const Error& error);
  void fail_to_take(const std::filesystem::path& path, const Error& error);
  // Of the store itself: reported until a block is stored again.
  void fail_to_store(const std::filesystem::path& path, const Error& error);
  // Reported once, and by counts() until await_no_more().
  void await(const std::filesystem::path& path, const std::string& sentence);
  void await_no_more(const std::filesystem::path& path);
  void note_whether_there(const std::filesystem::path& path);  // one of both

  LiveChain& chain_;
  FollowOptions options_;
  Warn warn_;
  mutable std::mutex mutex_;
  std::condition_variable_any grown_;
  FollowCounts counts_;
  std::string store_failure_;                             // empty: blocks can be stored
  std::map<std::filesystem::path, std::string> awaited_;  // what is not there, and what is said
  bool index_wanted_ = true;
  std::vector<std::jthread> threads_;
};

}  // namespace bloomery::ethlog
