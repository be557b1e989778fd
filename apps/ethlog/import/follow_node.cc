
#include "apps/ethlog/import/follow.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::chrono::milliseconds kLongestSilence{15'000};  // then the head is asked for

// Tells when the node has a new head: by a subscription where it serves one, else by the clock.
class HeadWatch {
 public:
  explicit HeadWatch(const NodeClient& client) : client_{client} {}

  // Returns when there may be a new head. A broken connection is no failure here: the next question
  // to the node says what is wrong.
  void wait(const std::stop_token& stop) {
    const NodeOptions& options = client_.options();
    if (!options.address.web_socket || refused_ || !subscribed(stop)) {
      wait_unless_stopped(options.poll, stop);
      return;
    }
    const auto news = connection_->receive(kLongestSilence, stop);
    if (!news) connection_.reset();
  }
  // Before the head is asked for, so that none that comes between is missed.
  void begin(const std::stop_token& stop) {
    if (client_.options().address.web_socket && !refused_) subscribed(stop);
  }

 private:
  bool subscribed(const std::stop_token& stop) {
    if (connection_ != nullptr) return true;
    auto connection = client_.connection();
    const RpcCall call{"eth_subscribe", "[\"newHeads\"]"};
    const auto reply = connection->exchange(encode_calls({&call, 1}, 1), stop);
    if (!reply) return false;
    const auto answers = decode_answers(reply->body, 1, 1);
    const bool taken =
        answers && !answers->of_all && answers->of_calls[0] && !answers->of_calls[0]->fault;
    refused_ = !taken;
    if (taken) connection_ = std::move(connection);
    return taken;
  }

  const NodeClient& client_;
  std::unique_ptr<NodeConnection> connection_;  // null: not subscribed
  bool refused_ = false;                        // it has no subscriptions
};

Error error_of(const NodeClient& client, const NodeFailure& failure) {
  return {failure.code, client.named(failure.why)};
}

}  // namespace

Result<std::optional<std::uint64_t>> chain_id_of_node(const std::vector<NodeOptions>& nodes) {
  if (nodes.empty()) return std::optional<std::uint64_t>{};
  const auto client = NodeClient::make(nodes.front());
  if (!client) return client.error();
  const auto id = BlockFetcher{**client}.chain_id({});
  if (!id) {
    Error error = error_of(**client, id.failure());
    error.message += "; an empty folder takes over the id of its chain: give --chain-id";
    return error;
  }
  return std::optional{*id};
}

NodeStatus Follower::sync_with_node(BlockFetcher& fetcher, const std::stop_token& stop) {
  Reading reading{.catching_up = false, .unsynced = 0};
  const SyncTarget target{
      .reader = chain_.reader(),
      .gaps =
          [&] {
            const auto counts = chain_.counts();
            return counts ? counts->gaps : 0;
          },
      .add = [&](ImportedBlock block, Gaps gaps) { return take(std::move(block), reading, gaps); },
      .set_finality =
          [&](const Finality& finality) {
            return chain_.write([&](ChainStore& store) { return store.set_finality(finality); });
          }};
  const auto report = NodeSync{fetcher}.run(target, {}, stop);
  sync(reading);
  if (!report) return report.failure();
  return std::monostate{};
}

void Follower::follow_node(const NodeOptions& options, const std::stop_token& stop) {
  const std::filesystem::path shown = options.address.shown();
  auto client = NodeClient::make(options);
  if (!client) return await(shown, client.error().message);
  BlockFetcher fetcher{**client};
  HeadWatch watch{**client};
  bool right_chain = false;
  for (std::size_t failures = 0; !stop.stop_requested();) {
    NodeStatus synced = std::monostate{};
    if (!right_chain) {
      const auto id = fetcher.chain_id(stop);
      const auto empty = chain_.counts();
      if (!id)
        synced = id.failure();
      else if (*id != chain_.chain_id())
        synced = NodeFailure{
            NodeTrouble::kRefused,
            message(
                "it is a node of chain ", *id, ", but chain ", chain_.chain_id(), " is served",
                empty && empty->blocks == 0 ? "; give its --chain-id" : "; use another folder")};
      right_chain = static_cast<bool>(synced);
    }
    if (synced) {
      watch.begin(stop);
      synced = sync_with_node(fetcher, stop);
    }
    if (stop.stop_requested()) return;
    if (synced) {
      failures = 0;
      await_no_more(shown);
      watch.wait(stop);
      continue;
    }
    const NodeFailure& failure = synced.failure();
    if (failure.trouble == NodeTrouble::kStore)
      fail_to_take(shown, {failure.code, failure.why});
    else
      await(shown, error_of(**client, failure).message + "; it is tried again");
    const auto wait = back_off(failures++, options.first_wait, options.longest_wait);
    wait_unless_stopped(wait, stop);
  }
}

}  // namespace bloomery::ethlog
