#include "apps/redis_client/sharded_filter.h"

#include <algorithm>
#include <numeric>

#include "apps/redis_client/shard_info.h"
#include "apps/redis_client/shard_metadata.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/native/body.h"

namespace bloomery::redis_client {
namespace {

Error malformed(std::string sentence) { return {ErrorCode::kMalformed, std::move(sentence)}; }

}  // namespace

ShardedFilter::ShardedFilter(RedisAddress address, RedisCluster cluster, ShardPlan plan)
    : address_{std::move(address)},
      cluster_{std::move(cluster)},
      plan_{std::move(plan)},
      keys_{shard_keys(address_.key, plan_.shards)},
      seen_(plan_.shards) {
  for (const std::string& key : keys_) slots_.push_back(slot_of(key));
}

std::string ShardedFilter::command(std::string_view verb) const {
  return message(address_.prefix, address_.prefix.empty() ? "" : ".", "BF.", verb);
}

Error ShardedFilter::about(std::uint32_t shard, const Error& error) const {
  return {error.code, message("shard ", shard, " of ", plan_.shards, " (", printable(keys_[shard]),
                              " on ", cluster_.node_name(slots_[shard]), "): ", error.message)};
}

Result<ShardedFilter> ShardedFilter::open(const RedisAddress& address, Interrupted interrupted) {
  auto cluster = RedisCluster::open(address, interrupted);
  if (!cluster) return cluster.error();
  const auto plan = read_shard_plan(*cluster, address.key);
  if (!plan) return plan.error();
  if (!*plan)
    return Error{ErrorCode::kIo, message("the cluster has no such filter: there is no key ",
                                         printable(metadata_key(address.key)))};
  if ((*plan)->state == ShardState::kLoading)
    return Error{ErrorCode::kIo,
                 "the filter is being loaded or removed, or that was interrupted; load or build it "
                 "again with --force if no other process does"};
  const std::uint32_t wanted = address.shards.value_or(0);
  if (wanted != 0 && wanted != (*plan)->shards)
    return Error{ErrorCode::kInvalidArgument,
                 message("the filter has ", (*plan)->shards, " shards, and not ", wanted,
                         "; say shards=auto")};
  const bool is_whole = (*plan)->state == ShardState::kReady;
  ShardedFilter filter{address, std::move(*cluster), **plan};
  if (!is_whole)
    if (auto made = filter.reserve_shards(); !made) return made.error();
  std::vector<std::uint32_t> all(filter.plan_.shards);
  std::iota(all.begin(), all.end(), 0U);
  // A replica may not have heard yet of what was made just now.
  const ClusterMode mode = is_whole ? ClusterMode::kRead : ClusterMode::kReadPrimary;
  if (auto there = filter.check_shards(all, mode); !there) return there.error();
  if (!is_whole) {
    if (auto fresh = filter.refuse_leftovers(); !fresh) return fresh.error();
    if (auto ready = filter.set_ready(); !ready) return ready.error();
  }
  return filter;
}

Status ShardedFilter::check_shards(std::span<const std::uint32_t> shards, ClusterMode mode) {
  const std::string info = command("INFO");
  std::vector<ClusterCommand> commands;
  for (const std::uint32_t shard : shards)
    commands.push_back({{info, keys_[shard]}, slots_[shard]});
  const auto replies = cluster_.call_all(commands, mode);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < shards.size(); ++i)
    if (auto valid = check_shard(shards[i], (*replies)[i]); !valid)
      return about(shards[i], valid.error());
  return ok();
}

Status ShardedFilter::check_shard(std::uint32_t shard, const RedisReply& info) {
  const auto found = shard_info(plan_, shard, info);
  if (!found) return found.error();
  Seen now{cluster_.node_name(slots_[shard]), found->keys_inserted, found->bytes};
  Seen& before = seen_[shard];
  // A replica may be behind its primary, and so may be one that became primary.
  if (!address_.reads_replicas && now.node == before.node &&
      now.keys_inserted < before.keys_inserted)
    return Error{ErrorCode::kIo,
                 message("it held ", before.keys_inserted, " keys and holds ", now.keys_inserted,
                         ": it was emptied or replaced; open the filter again")};
  before = std::move(now);
  return ok();
}

// Answers of a missing key would be 0: after each batch the shards that were asked are looked at.
Status ShardedFilter::each_shard_batch(std::span<const ByteView> keys,
                                       std::span<std::uint8_t> answers, const RedisCommand& start,
                                       ClusterMode mode) {
  while (!keys.empty()) {
    std::size_t count = 0;
    constexpr std::uint64_t kBytesInFlight = 64 * kBytesInCommand;
    for (std::uint64_t bytes = 0;
         count < keys.size() && count < kKeysInFlight && (count == 0 || bytes < kBytesInFlight);)
      bytes += keys[count++].size();
    if (auto done = in_flight(keys.first(count), answers.first(count), start, mode); !done)
      return done;
    keys = keys.subspan(count);
    answers = answers.subspan(count);
  }
  return ok();
}

Status ShardedFilter::in_flight(std::span<const ByteView> keys, std::span<std::uint8_t> answers,
                                const RedisCommand& start, ClusterMode mode) {
  std::vector<std::vector<std::uint32_t>> of_shard(plan_.shards);  // indices of keys
  for (std::size_t i = 0; i < keys.size(); ++i)
    of_shard[plan_.shard_of(keys[i])].push_back(static_cast<std::uint32_t>(i));
  std::vector<ClusterCommand> commands;
  std::vector<std::pair<std::uint32_t, std::span<const std::uint32_t>>> parts;  // of each command
  std::vector<std::uint32_t> asked;
  for (std::uint32_t shard = 0; shard < plan_.shards; ++shard) {
    std::span<const std::uint32_t> left = of_shard[shard];
    if (!left.empty()) asked.push_back(shard);
    while (!left.empty()) {
      RedisCommand words{start.front(), keys_[shard]};
      words.insert(words.end(), start.begin() + 1, start.end());
      std::size_t count = 0;
      for (std::uint64_t bytes = 0; count < left.size() && count < kKeysInCommand &&
                                    (count == 0 || bytes < kBytesInCommand);) {
        const ByteView key = keys[left[count++]];
        bytes += key.size();
        words.push_back(text_of(key));
      }
      commands.push_back({std::move(words), slots_[shard]});
      parts.emplace_back(shard, left.first(count));
      left = left.subspan(count);
    }
  }
  const auto replies = cluster_.call_all(commands, mode);
  if (!replies) return replies.error();
  std::vector<std::uint8_t> some;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [shard, indices] = parts[i];
    some.assign(indices.size(), 0);
    if (auto taken = take_answers((*replies)[i], some); !taken) return about(shard, taken.error());
    for (std::size_t k = 0; k < indices.size(); ++k) answers[indices[k]] = some[k];
  }
  return mode == ClusterMode::kRead ? check_shards(asked) : ok();
}

Status ShardedFilter::may_contain_batch(std::span<const ByteView> keys,
                                        std::span<std::uint8_t> answers) {
  const std::string command = this->command("MEXISTS");
  return each_shard_batch(keys, answers, {command}, ClusterMode::kRead);
}

Result<std::size_t> ShardedFilter::insert_batch(std::span<const ByteView> keys,
                                                std::span<std::uint8_t> is_new) {
  std::ranges::fill(is_new, std::uint8_t{0});
  const std::string command = this->command("INSERT");
  auto inserted =
      each_shard_batch(keys, is_new, {command, "NOCREATE", "ITEMS"}, ClusterMode::kWrite);
  if (!inserted) return inserted.error();
  return static_cast<std::size_t>(std::ranges::count(is_new, std::uint8_t{1}));
}

Result<std::vector<ShardedFilter::Shard>> ShardedFilter::shards() {
  std::vector<std::uint32_t> all(plan_.shards);
  std::iota(all.begin(), all.end(), 0U);
  if (auto there = check_shards(all); !there) return there.error();
  std::vector<Shard> shards;
  for (std::uint32_t i = 0; i < plan_.shards; ++i)
    shards.push_back({keys_[i], seen_[i].node, seen_[i].keys_inserted, seen_[i].bytes});
  return shards;
}

// The body of the part, which follows the manifest and the header of its file. Each piece is read
// at one moment, and bits are only added.
Result<std::vector<std::byte>> ShardedFilter::fetch_shard(std::uint32_t shard,
                                                          std::uint64_t bytes) {
  constexpr std::uint64_t kLongestPiece = std::uint64_t{16} << 20;
  const std::string command = this->command("SCANDUMP");
  std::vector<std::byte> body;
  for (std::uint64_t position = kNativeHeaderBytes + 1; body.size() < bytes;) {
    const std::string iterator = std::to_string(position);
    auto reply =
        cluster_.call({{command, keys_[shard], iterator}, slots_[shard]}, ClusterMode::kReadPrimary,
                      kLongestPiece + RedisConnection::kShortReply);
    if (!reply) return reply.error();
    if (reply->elements.size() != 2 || !reply->elements[0].is_integer())
      return malformed("the server answers BF.SCANDUMP with something other than a chunk");
    const ByteView piece = bytes_of(reply->elements[1].text);
    if (piece.empty() || piece.size() > bytes - body.size())
      return malformed(
          message("the dump has ", body.size() + piece.size(), " bytes, and not ", bytes));
    body.insert(body.end(), piece.begin(), piece.end());
    position += piece.size();
  }
  return body;
}

Result<std::vector<std::byte>> ShardedFilter::fetch(DecodeLimits limits) {
  if (plan_.shape.bytes() > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the filter has ", plan_.shape.bytes(),
                                               " bytes; --memory allows ", limits.max_bytes)};
  const auto counted = shards();
  if (!counted) return counted.error();
  NativeHeader header = native_header_for({plan_.hasher, false}, FunnelName::kBytes);
  header.kind = NativeKind::kBlock;
  header.bits = plan_.shape.bits();
  header.probes = plan_.shape.probes;
  std::uint64_t keys = 0;
  for (const Shard& shard : *counted) keys += shard.keys_inserted;
  header.set_provenance({.goal = plan_.goal, .keys_inserted = keys});
  header.body_bytes = plan_.shape.bytes();
  std::vector<std::byte> file(kNativeHeaderBytes);
  file.reserve(kNativeHeaderBytes + static_cast<std::size_t>(plan_.shape.bytes()));
  for (std::uint32_t i = 0; i < plan_.shards; ++i) {
    const auto body = fetch_shard(i, part_bytes(plan_.shape, plan_.part(i)));
    if (!body) return about(i, body.error());
    file.insert(file.end(), body->begin(), body->end());
  }
  const ByteView body = ByteView{file}.subspan(kNativeHeaderBytes);
  header.body_checksum = internal::body_checksum(std::span{&body, 1});
  std::ranges::copy(encode_native_header(header), file.begin());
  return file;
}

}  // namespace bloomery::redis_client
