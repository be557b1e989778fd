#include <algorithm>

#include "apps/redis_client/shard_info.h"
#include "apps/redis_client/shard_metadata.h"
#include "apps/redis_client/shard_store.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
constexpr int kTries = 5;  // of one shard, each from its first byte

Error refused(ErrorCode code, std::string sentence) { return {code, std::move(sentence)}; }

Status check_source(const ShardSource& source) {
  const NativeHeader& whole = source.whole();
  if (whole.kind != NativeKind::kBlock)
    return refused(ErrorCode::kUnsupported,
                   "only a block filter with one line per key lies in the shards of a cluster; "
                   "build one with --layout block");
  if ((whole.flags & ~kNativePart) != 0)
    return refused(ErrorCode::kUnsupported,
                   "a filter with seeds or a secret cannot take keys in a server; build one "
                   "without --seeded and --secret-file");
  if (whole.funnel != FunnelName::kBytes)
    return refused(ErrorCode::kUnsupported,
                   "the filter was built of numbers, and a server takes bytes");
  if (!whole.provenance().goal)
    return refused(ErrorCode::kUnsupported,
                   "the filter stores no goal; build it with --keys and --fpr");
  return ok();
}

Result<ShardPlan> plan_for(const ShardSource& source, std::uint32_t wanted, std::size_t primaries) {
  if (auto valid = check_source(source); !valid) return valid.error();
  const NativeHeader& whole = source.whole();
  if (wanted != 0 && source.parts() != 0 && wanted != source.parts())
    return refused(ErrorCode::kInvalidArgument,
                   message("the filter is in ", source.parts(), " parts, which make as many ",
                           "shards, and not ", wanted, "; say shards=auto"));
  const BlockShape shape = whole.block_shape();
  ShardPlan plan{.goal = *whole.provenance().goal,
                 .shape = shape,
                 .shards = source.parts() != 0 ? source.parts() : wanted,
                 .hasher = Hasher{static_cast<Profile>(whole.profile), whole.seed},
                 .id = new_shard_id(),
                 .state = ShardState::kLoading};
  if (plan.shards == 0) plan.shards = automatic_shards(shape.bytes(), primaries);
  // What its metadata could not say is refused before anything is sent.
  if (auto valid = ShardPlan::parse(plan.fields()); !valid)
    return refused(ErrorCode::kInvalidArgument, valid.error().message);
  return plan;
}

class Storing {
 public:
  Storing(const RedisAddress& address, RedisCluster cluster, const ShardSource& source,
          ShardPlan plan, Interrupted interrupted)
      : address_{address},
        cluster_{std::move(cluster)},
        source_{source},
        plan_{std::move(plan)},
        keys_{shard_keys(address.key, plan_.shards)},
        keys_loaded_(plan_.shards),
        interrupted_{interrupted} {
    for (const std::string& key : keys_) temporary_.push_back(message(key, ":loading-", plan_.id));
  }

  Status run(const std::optional<ShardPlan>& old) {
    auto stored = load_all();
    if (stored) stored = keep_temporary();
    if (!stored) {
      remove_temporary();
      return stored;
    }
    const auto taken = write_shard_plan(cluster_, address_.key, plan_, old);
    if (taken && *taken) return put_in_place(old);
    remove_temporary();
    if (!taken) return taken.error();
    return refused(ErrorCode::kInvalidArgument,
                   "another process made a filter of this name meanwhile; --force replaces it");
  }

 private:
  std::string command(std::string_view verb) const {
    return message(address_.prefix, address_.prefix.empty() ? "" : ".", "BF.", verb);
  }
  std::uint16_t slot(std::uint32_t shard) const { return slot_of(keys_[shard]); }

  Status send(std::uint32_t shard, std::uint64_t position, ByteView bytes) {
    if (interrupted_ != nullptr && interrupted_())
      return refused(ErrorCode::kIo, "interrupted; the filter is unchanged");
    const std::string load = command("LOADCHUNK");
    const std::string iterator = std::to_string(position);
    const ClusterCommand commands[] = {
        {{load, temporary_[shard], iterator, text_of(bytes)}, slot(shard)},
        {{"EXPIRE", temporary_[shard], "3600"}, slot(shard)}};
    const auto replies = cluster_.call_all(commands, ClusterMode::kOnce);
    if (!replies) return replies.error();
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) return as_error(reply);
    return ok();
  }

  // The header, and then the file that begins with it.
  Status load_once(std::uint32_t shard) {
    const ClusterCommand clear{{"DEL", temporary_[shard]}, slot(shard)};
    if (auto gone = cluster_.call(clear, ClusterMode::kWrite); !gone) return gone.error();
    const auto header = source_.header(plan_.part(shard));
    if (!header) return header.error();
    keys_loaded_[shard] = header->keys_inserted;
    const NativeHeaderBytes first = encode_native_header(*header);
    std::uint64_t position = 1;
    if (auto sent = send(shard, position, first); !sent) return sent;
    const auto go_on = [&](ByteView bytes) -> Status {
      while (!bytes.empty()) {
        const ByteView piece = bytes.first(std::min(bytes.size(), kPieceBytes));
        position += piece.size();
        if (auto sent = send(shard, position, piece); !sent) return sent;
        bytes = bytes.subspan(piece.size());
      }
      return ok();
    };
    if (auto sent = go_on(first); !sent) return sent;
    return source_.each_piece(plan_.part(shard), go_on);
  }

  Status load_all() {
    for (std::uint32_t shard = 0; shard < plan_.shards; ++shard)
      for (int i = 1;; ++i) {
        const auto loaded = load_once(shard);
        if (loaded) break;
        const bool again = loaded.error().code == ErrorCode::kIo && i < kTries &&
                           (interrupted_ == nullptr || !interrupted_());
        if (!again)
          return refused(loaded.error().code, message("shard ", shard, " of ", plan_.shards, ": ",
                                                      loaded.error().message));
      }
    return ok();
  }

  // The first may be near the end of its hour by now.
  Status keep_temporary() {
    std::vector<ClusterCommand> commands;
    for (std::uint32_t i = 0; i < plan_.shards; ++i)
      commands.push_back({{"EXPIRE", temporary_[i], "86400"}, slot(i)});
    const auto replies = cluster_.call_all(commands, ClusterMode::kWrite);
    if (!replies) return replies.error();
    for (std::uint32_t i = 0; i < plan_.shards; ++i) {
      const RedisReply& reply = (*replies)[i];
      if (reply.is_error()) return as_error(reply);
      if (!reply.is_integer() || reply.integer != 1)
        return refused(ErrorCode::kIo, message("shard ", i, " of ", plan_.shards,
                                               " was lost while others were loaded; try again"));
    }
    return ok();
  }

  void remove_temporary() {
    std::vector<ClusterCommand> commands;
    for (std::uint32_t i = 0; i < plan_.shards; ++i)
      commands.push_back({{"UNLINK", temporary_[i]}, slot(i)});
    (void)cluster_.call_all(commands, ClusterMode::kWrite);
  }

  // From here on the metadata says that the filter is being loaded, until all is done.
  Status put_in_place(const std::optional<ShardPlan>& old) {
    if (auto removed = remove_old(old); !removed) return removed;
    std::vector<ClusterCommand> commands;
    for (std::uint32_t i = 0; i < plan_.shards; ++i) {
      commands.push_back({{"RENAME", temporary_[i], keys_[i]}, slot(i)});
      commands.push_back({{"PERSIST", keys_[i]}, slot(i)});
    }
    const auto renamed = cluster_.call_all(commands, ClusterMode::kWrite);
    if (!renamed) return renamed.error();
    for (const RedisReply& reply : *renamed)
      // One that was sent twice has nothing left to rename; check_all() tells it from a lost one.
      if (reply.is_error() && !reply.text.starts_with("ERR no such key")) return as_error(reply);
    if (auto whole = check_all(); !whole) return whole;
    ShardPlan ready = plan_;
    ready.state = ShardState::kReady;
    const auto done = write_shard_plan(cluster_, address_.key, ready, plan_);
    if (!done) return done.error();
    return *done ? ok()
                 : Status{refused(ErrorCode::kIo, "another process replaced the filter meanwhile")};
  }

  // Before the new shards come: no old one may stand in the place of one that was lost.
  Status remove_old(const std::optional<ShardPlan>& old) {
    std::vector<std::string> keys = keys_;
    if (old && old->shards != plan_.shards)
      for (std::string& key : shard_keys(address_.key, old->shards)) keys.push_back(std::move(key));
    std::vector<ClusterCommand> commands;
    for (const std::string& key : keys) commands.push_back({{"UNLINK", key}, slot_of(key)});
    const auto replies = cluster_.call_all(commands, ClusterMode::kWrite);
    if (!replies) return replies.error();
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) return as_error(reply);
    return ok();
  }

  // A client that opened the old filter may have added to a new shard already.
  Status check_all() {
    const std::string info = command("INFO");
    std::vector<ClusterCommand> commands;
    for (std::uint32_t i = 0; i < plan_.shards; ++i)
      commands.push_back({{info, keys_[i]}, slot(i)});
    const auto replies = cluster_.call_all(commands, ClusterMode::kReadPrimary);
    if (!replies) return replies.error();
    for (std::uint32_t i = 0; i < plan_.shards; ++i) {
      const auto found = shard_info(plan_, i, (*replies)[i]);
      if (!found) return about(i, found.error());
      if (found->keys_inserted < keys_loaded_[i])
        return about(i,
                     refused(ErrorCode::kIo,
                             message("it holds ", found->keys_inserted, " of the ", keys_loaded_[i],
                                     " keys that were loaded; load it again with --force")));
    }
    return ok();
  }

  Error about(std::uint32_t shard, const Error& error) const {
    return {error.code, message("shard ", shard, " of ", plan_.shards, " (",
                                printable(keys_[shard]), "): ", error.message)};
  }

  const RedisAddress& address_;
  RedisCluster cluster_;
  const ShardSource& source_;
  ShardPlan plan_;
  std::vector<std::string> keys_;
  std::vector<std::string> temporary_;
  std::vector<std::uint64_t> keys_loaded_;  // of each shard
  Interrupted interrupted_;
};

}  // namespace

Status may_store_shards(const RedisAddress& address, bool replace, Interrupted interrupted) {
  auto cluster = RedisCluster::open(address, interrupted);
  if (!cluster) return cluster.error();
  const auto plan = read_shard_plan(*cluster, address.key);
  if (!plan) return plan.error();
  if (!*plan || replace || (*plan)->state == ShardState::kCreating) return ok();
  return refused(ErrorCode::kInvalidArgument, "the filter exists; --force replaces it");
}

Result<StoredShards> store_shards(const RedisAddress& address, const ShardSource& source,
                                  bool replace, Interrupted interrupted) {
  auto cluster = RedisCluster::open(address, interrupted);
  if (!cluster) return cluster.error();
  const auto plan = plan_for(source, address.shards.value_or(0), cluster->primaries());
  if (!plan) return plan.error();
  const auto old = read_shard_plan(*cluster, address.key);
  if (!old) return old.error();
  if (*old && !replace)
    return refused(ErrorCode::kInvalidArgument, "the filter exists; --force replaces it");
  Storing storing{address, std::move(*cluster), source, *plan, interrupted};
  if (auto stored = storing.run(*old); !stored) return stored.error();
  return StoredShards{plan->shards, plan->shape.bytes()};
}

}  // namespace bloomery::redis_client
