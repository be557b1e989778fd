#include "apps/ethlog/serve/chain_service.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr auto kSnapshotAge = std::chrono::seconds{2};
constexpr std::size_t kLongestName = 32;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

Status check_chain_name(std::string_view name) {
  const bool spelled =
      !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_name_character);
  if (!spelled)
    return Error{ErrorCode::kInvalidArgument,
                 message("the chain name \"", name, "\" should have 1 to ", kLongestName,
                         " letters, digits, - and _")};
  if (name == "health" || name == "metrics")
    return Error{
        ErrorCode::kInvalidArgument,
        message("the chain name ", name, " is a path of the server itself; choose another name")};
  return ok();
}

ChainService::ChainService(ChainToServe chain, const RpcLimits& limits, const std::string& version,
                           const std::shared_ptr<Clients>& clients)
    : chain_{std::move(chain)}, service_{*chain_.chain, limits, version, clients} {}

void ChainService::begin(const Follower::Warn& warn) {
  if (!chain_.follow) return;
  const Follower::Warn named = [warn, name = chain_.name](const std::string& sentence) {
    warn(name.empty() ? sentence : name + ": " + sentence);
  };
  const std::lock_guard lock{writers_mutex_};
  follower_.emplace(*chain_.chain, *chain_.follow, named);
  indexer_.emplace(*chain_.chain, named);
}

ServerSnapshot ChainService::snapshot() {
  ServerSnapshot snapshot;
  {
    const std::lock_guard lock{snapshot_mutex_};
    const auto now = std::chrono::steady_clock::now();
    if (!gathered_ || now - *gathered_ >= kSnapshotAge) {
      gathered_snapshot_ = {};
      snapshot_chain(*chain_.chain, chain_.folder, gathered_snapshot_);
      gathered_ = now;
    }
    snapshot = gathered_snapshot_;
  }
  snapshot.name = chain_.name;
  {
    const std::lock_guard lock{writers_mutex_};
    if (follower_) snapshot.follow = follower_->counts();
  }
  snapshot.filters = service_.filters.size();
  snapshot.subscriptions = service_.subscriptions.size();
  snapshot.methods = service_.statistics.methods();
  snapshot.totals = service_.statistics.totals();
  snapshot.last_queries = service_.statistics.last_queries();
  return snapshot;
}

}  // namespace bloomery::ethlog
