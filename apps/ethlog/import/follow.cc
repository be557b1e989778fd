#include "apps/ethlog/import/follow.h"

#include <algorithm>
#include <set>
#include <utility>

#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/import/follow_lines.h"
#include "apps/ethlog/import/follow_sections.h"
#include "apps/ethlog/import/read_jsonl.h"
#include "apps/ethlog/store/schema.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSyncEvery = 1'000;  // blocks

bool has_blocks(const std::string& name) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{".jsonl", ".jsonl.xz", ".jsonl.gz", ".jsonl.zst",
                                         ".jsonl.bz2", ".jsonl.lz4", ".era1", ".ere"},
      [&](const char* ending) { return name.ends_with(ending); });
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed))
    if (const std::string name = at->path().filename().string(); has_blocks(name))
      names.push_back(name);
  std::ranges::sort(names);
  return names;
}

bool is_missing(const fs::path& path) {
  std::error_code failed;
  return fs::status(path, failed).type() == fs::file_type::not_found;
}

std::string located(const fs::path& path, const std::string& sentence) {
  return sentence.starts_with(path.string()) ? sentence : message(path.string(), ": ", sentence);
}

}  // namespace

Follower::Follower(LiveChain& chain, FollowOptions options, Warn warn)
    : chain_{chain}, options_{std::move(options)}, warn_{std::move(warn)} {
  threads_.reserve(options_.paths.size() + options_.nodes.size() + 1);
  threads_.emplace_back(
      [this](const std::stop_token& stop) { keep_on("the index", stop, [&] { index(stop); }); });
  for (const fs::path& path : options_.paths)
    threads_.emplace_back([this, path](const std::stop_token& stop) {
      keep_on(path, stop, [&] { follow(path, stop); });
    });
  for (const NodeOptions& node : options_.nodes)
    threads_.emplace_back([this, node](const std::stop_token& stop) {
      keep_on(node.address.shown(), stop, [&] { follow_node(node, stop); });
    });
}

void Follower::follow(const fs::path& path, const std::stop_token& stop) {
  for (; !stop.stop_requested(); rest(stop, options_.poll)) {
    std::error_code failed;
    const fs::file_type type = fs::status(path, failed).type();  // once: it may be made meanwhile
    if (type == fs::file_type::directory) {
      follow_folder(path, stop);
      continue;
    }
    note_whether_there(path);
    if (type != fs::file_type::not_found) return follow_file(path, stop);
  }
}

// Memory may run out in the middle of a block: it was not stored then, and a source that is read
// again from its beginning brings it once more.
void Follower::keep_on(const fs::path& what, const std::stop_token& stop,
                       const std::function<void()>& work) {
  while (!stop.stop_requested()) {
    try {
      return work();
    } catch (const std::exception& thrown) {
      try {
        fail(what,
             {ErrorCode::kIo, message("interrupted: ", thrown.what(), "; it is tried again")});
      } catch (const std::exception&) {  // not even the sentence
      }
    }
    std::unique_lock lock{mutex_};
    index_wanted_ = true;
    grown_.wait_for(lock, stop, options_.poll, [] { return false; });
  }
}

Follower::~Follower() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

FollowCounts Follower::counts() const {
  const std::lock_guard lock{mutex_};
  FollowCounts counts = counts_;
  if (!store_failure_.empty())
    counts.last_error = store_failure_;
  else if (counts.last_error.empty() && !awaited_.empty())
    counts.last_error = awaited_.begin()->second;
  return counts;
}

void Follower::fail(const fs::path& path, const Error& error) {
  const std::string sentence = located(path, error.message);
  bool first = false;
  {
    const std::lock_guard lock{mutex_};
    counts_.errors += 1;
    first = counts_.last_error.empty();
    counts_.last_error = sentence;
  }
  if (first) warn_(sentence);
}

void Follower::fail_to_store(const fs::path& path, const Error& error) {
  const std::string sentence = located(path, error.message);
  bool first = false;
  {
    const std::lock_guard lock{mutex_};
    counts_.errors += 1;
    first = store_failure_.empty();
    store_failure_ = sentence;  // the next may say more: what to do
  }
  if (first) warn_(sentence);
}

void Follower::await(const fs::path& path, const std::string& sentence) {
  const std::string whole = located(path, sentence);
  bool first = false;
  {
    const std::lock_guard lock{mutex_};
    std::string& reported = awaited_[path];
    first = std::exchange(reported, whole) != whole;
    counts_.errors += first ? 1 : 0;
  }
  if (first) warn_(whole);
}

void Follower::note_whether_there(const fs::path& path) {
  if (!is_missing(path)) return await_no_more(path);
  {
    const std::lock_guard lock{mutex_};
    if (awaited_.contains(path)) return;  // reported already
  }
  await(path, "it is not there: waiting for it");
}

void Follower::await_no_more(const fs::path& path) {
  const std::lock_guard lock{mutex_};
  awaited_.erase(path);
}

// The block itself is wrong, or the store cannot take any.
void Follower::fail_to_take(const fs::path& path, const Error& error) {
  return error.code == ErrorCode::kIo ? fail_to_store(path, error) : fail(path, error);
}

bool Follower::is_stored(const ImportedBlock& block) const {
  const ChainReader& reader = chain_.reader();
  const auto number = reader.number_of(block.header.hash);
  if (!number || !*number) return false;
  if (!block.has_receipts) return true;
  const auto receipts = reader.store().get(receipts_key(**number, block.header.hash));
  return receipts && receipts->has_value();
}

Status Follower::take(ImportedBlock block, Reading& reading, Gaps gaps) {
  if (reading.catching_up && is_stored(block)) {
    const std::lock_guard lock{mutex_};
    counts_.blocks += 1;
    return ok();
  }
  const auto change = chain_.add(std::move(block), gaps);
  if (!change) return change.error();
  if (!change->added.empty()) reading.catching_up = false;
  if (change->stored && ++reading.unsynced >= kSyncEvery) sync(reading);
  const std::lock_guard lock{mutex_};
  counts_.blocks += 1;
  counts_.stored += change->stored ? 1 : 0;
  counts_.displaced += change->removed.size();
  counts_.last_error.clear();
  if (change->stored) store_failure_.clear();
  index_wanted_ = true;
  grown_.notify_all();
  return ok();
}

void Follower::sync(Reading& reading) {
  if (reading.unsynced == 0) return;
  reading.unsynced = 0;
  if (const Status synced = chain_.sync(); !synced) fail_to_store("the chain", synced.error());
}

void Follower::follow_file(const fs::path& path, const std::stop_token& stop) {
  Reading reading;
  JsonlReader reader{tail_lines(path, options_.poll, stop,
                                {.on_idle =
                                     [&] {
                                       sync(reading);
                                       note_whether_there(path);
                                     },
                                 .on_again = [&reading] { reading.catching_up = true; }})};
  for (;;) {
    auto block = reader.next();
    if (stop.stop_requested()) break;  // the last block may lack receipts that come later
    if (block && !*block) break;
    if (!block)
      fail(path, block.error());
    else if (const Status taken = take(std::move(**block), reading, options_.gaps); !taken)
      fail_to_take(path, taken.error());
  }
  sync(reading);
}

bool Follower::take_file(const fs::path& path, const std::stop_token& stop) {
  const auto blocks = blocks_in_file(path);
  if (!blocks) {
    fail(path, blocks.error());
    return false;
  }
  Reading reading;
  bool whole = true;
  while (!stop.stop_requested()) {
    auto block = (*blocks)();
    if (block && !*block) break;
    const Status taken =
        block ? take(std::move(**block), reading, options_.gaps) : Status{block.error()};
    if (taken) continue;
    if (block)
      fail_to_take(path, taken.error());
    else
      fail(path, taken.error());
    whole = false;
    break;
  }
  sync(reading);
  return whole;
}

void Follower::follow_folder(const fs::path& path, const std::stop_token& stop) {
  auto watch = FolderWatch::open(path);  // before the first look: nothing is missed
  if (!watch) return await(path, watch.error().message + "; it is tried again");
  await_no_more(path);
  std::vector<std::string> news = files_in(path);
  std::set<std::string> waiting;  // for blocks that another file may bring
  while (!stop.stop_requested()) {
    bool progress = false;
    for (const std::string& name : news) {
      const bool whole = !stop.stop_requested() && take_file(path / name, stop);
      progress = progress || whole;
      if (whole)
        waiting.erase(name);
      else
        waiting.insert(name);
    }
    news.clear();
    if (progress && !waiting.empty()) {
      news.assign(waiting.begin(), waiting.end());
      continue;
    }
    const auto came = watch->wait(options_.poll);
    if (!came) return fail(path, came.error());
    if (came->gone) return await(path, "the folder was removed or moved away: waiting for it");
    news = came->everything ? files_in(path) : came->names;
    std::erase_if(news, [](const std::string& name) { return !has_blocks(name); });
  }
}

void Follower::index(const std::stop_token& stop) {
  SectionKeeper keeper{chain_, options_.confirms};
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock{mutex_};
      grown_.wait(lock, stop, [&] { return index_wanted_; });
      index_wanted_ = false;
    }
    const auto made = keeper.run(stop);
    if (!made) fail("the index", made.error());
    const std::lock_guard lock{mutex_};
    if (made) counts_.sections += *made;
  }
}

}  // namespace bloomery::ethlog
