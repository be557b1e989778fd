#include "apps/ethlog/node/node_client.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// Good batches before a larger one is tried: after the node refused one, and after it only failed.
constexpr std::size_t kRowAfterRefusal = 64;
constexpr std::size_t kRowAfterFailure = 8;
constexpr std::size_t kFirstAttempts = 4;  // of a node that never answered: a wrong address
constexpr std::size_t kBusyFactor = 4;     // a busy node is given more time than a broken one

}  // namespace

// The calls that have no outcome yet, as places in the list of all.
struct NodeClient::Work {
  std::span<const RpcCall> calls;
  std::vector<std::optional<CallOutcome>> outcomes;
  std::vector<std::size_t> open;
  std::size_t failures = 0;  // in a row
};

NodeClient::NodeClient(NodeOptions options, std::unique_ptr<NodeConnector> connector)
    : options_{std::move(options)},
      secrets_{options_},
      connector_{std::move(connector)},
      gate_{std::max<std::size_t>(1, options_.jobs)},
      batch_{std::max<std::size_t>(1, options_.calls)} {}

Result<std::unique_ptr<NodeClient>> NodeClient::make(NodeOptions options) {
  auto connector = NodeConnector::make(options);
  if (!connector) return connector.error();
  return std::unique_ptr<NodeClient>{new NodeClient{std::move(options), std::move(*connector)}};
}

std::string NodeClient::named(const std::string& why) const {
  const std::string shown = options_.address.shown();
  const std::string clean = secrets_.clean(why);
  return clean.starts_with(shown) ? clean : message(shown, ": ", clean);
}

std::unique_ptr<NodeConnection> NodeClient::take_connection() {
  const std::lock_guard lock{mutex_};
  if (idle_.empty()) return connector_->connection();
  auto connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void NodeClient::put_back(std::unique_ptr<NodeConnection> connection) {
  const std::lock_guard lock{mutex_};
  idle_.push_back(std::move(connection));
}

NodeResult<RpcAnswers> NodeClient::request(std::span<const RpcCall> calls,
                                           const std::stop_token& stop) {
  if (!gate_.enter(stop)) return stopped_failure();
  const std::uint64_t first_id = next_id_.fetch_add(calls.size());
  auto connection = take_connection();
  requests_ += 1;
  auto reply = connection->exchange(encode_calls(calls, first_id), stop);
  gate_.leave(reply && reply->status == 200);
  if (!reply) return reply.failure();
  bytes_ += reply->body.size();
  auto answers = decode_answers(reply->body, first_id, calls.size());
  // After an answer to something else the next one may be out of step as well.
  if (answers) put_back(std::move(connection));
  // Providers send errors of JSON-RPC with other statuses as well, and pages of HTML.
  if (reply->status != 200 && !(answers && answers->of_all)) {
    NodeFailure failure = failure_of_status(reply->status);
    failure.wait = reply->retry_after;
    return failure;
  }
  if (!answers) return NodeFailure{NodeTrouble::kWrong, answers.error().message};
  if (answers->of_all) {
    NodeFailure failure = failure_of(*answers->of_all);
    if (reply->status == 429) failure.trouble = NodeTrouble::kBusy;
    if (reply->status >= 500 && failure.trouble == NodeTrouble::kRefused)
      failure.trouble = NodeTrouble::kPassing;
    failure.wait = reply->retry_after;
    return failure;
  }
  reached_ = true;
  return std::move(*answers);
}

// Fewer calls at a time, or, of a single one, its outcome.
std::optional<NodeFailure> NodeClient::shrink(Work& work, std::size_t count, NodeFailure failure) {
  if (count > 1) {
    batch_ = std::max<std::size_t>(1, std::min<std::size_t>(batch_, count) / 2);
    good_batches_ = 0;
    row_ = failure.trouble == NodeTrouble::kTooLarge ? kRowAfterRefusal : kRowAfterFailure;
    return std::nullopt;
  }
  work.outcomes[work.open.front()].emplace(std::move(failure));
  work.open.erase(work.open.begin());
  return std::nullopt;
}

std::optional<NodeFailure> NodeClient::take(Work& work, std::size_t count, RpcAnswers& answers) {
  std::vector<std::size_t> open;
  std::optional<NodeFailure> trouble;
  bool progress = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = work.open[i];
    auto& answer = answers.of_calls[i];
    if (answer && !answer->fault) {
      work.outcomes[place].emplace(std::move(answer->result));
      progress = true;
      continue;
    }
    NodeFailure failure =
        answer ? failure_of(*answer->fault)
               : NodeFailure{NodeTrouble::kWrong, "an answer of the batch is missing"};
    const bool final = (work.calls[place].may_fail && failure.trouble == NodeTrouble::kPassing) ||
                       failure.trouble == NodeTrouble::kRefused ||
                       failure.trouble == NodeTrouble::kNoMethod ||
                       (failure.trouble == NodeTrouble::kTooLarge && count == 1);
    if (final) {
      work.outcomes[place].emplace(std::move(failure));
      progress = true;
      continue;
    }
    open.push_back(place);
    if (!trouble || failure.trouble == NodeTrouble::kBusy) trouble = std::move(failure);
  }
  open.insert(open.end(), work.open.begin() + static_cast<std::ptrdiff_t>(count), work.open.end());
  work.open = std::move(open);
  if (!trouble) {
    if (count == batch_ && batch_ < options_.calls && ++good_batches_ >= row_) {
      batch_ = std::min(options_.calls, batch_ * 2);
      good_batches_ = 0;
    }
    return std::nullopt;
  }
  if (trouble->trouble == NodeTrouble::kTooLarge) return shrink(work, count, std::move(*trouble));
  // What was answered is progress, but a node that is busy is still to be given time.
  if (trouble->trouble == NodeTrouble::kBusy || !progress) return trouble;
  return std::nullopt;
}

std::optional<NodeFailure> NodeClient::advance(Work& work, const std::stop_token& stop) {
  const std::size_t count = std::min<std::size_t>(work.open.size(), batch_);
  std::vector<RpcCall> calls;
  calls.reserve(count);
  for (std::size_t i = 0; i < count; ++i) calls.push_back(work.calls[work.open[i]]);
  auto answers = request(calls, stop);
  if (answers) return take(work, count, *answers);
  NodeFailure failure = std::move(answers.failure());
  switch (failure.trouble) {
    case NodeTrouble::kTooLarge:
      return shrink(work, count, std::move(failure));
    case NodeTrouble::kNoMethod:
    case NodeTrouble::kRefused:
      // Of a batch the node may only refuse that it is one. Of connections it says no for all.
      if (failure.why.starts_with("the node answered with error")) {
        if (count == 1) return shrink(work, 1, std::move(failure));
        batch_ = 1;
        return std::nullopt;
      }
      return failure;
    case NodeTrouble::kPassing:
    case NodeTrouble::kWrong:
      // A smaller one may come in time, and whole. One failure may have any reason.
      if (count > 1 && work.failures > 0) shrink(work, count, failure);
      return failure;
    default:
      return failure;
  }
}

NodeResult<std::vector<CallOutcome>> NodeClient::call(std::span<const RpcCall> calls,
                                                      const std::stop_token& stop) {
  Work work{.calls = calls, .outcomes = {}, .open = {}, .failures = 0};
  work.outcomes.resize(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) work.open.push_back(i);
  while (!work.open.empty()) {
    const std::size_t open_before = work.open.size();
    auto failure = advance(work, stop);
    if (!failure) {
      work.failures = 0;
      continue;
    }
    if (failure->trouble == NodeTrouble::kStopped || failure->trouble == NodeTrouble::kRefused)
      return std::move(*failure);
    work.failures = work.open.size() < open_before ? 1 : work.failures + 1;
    failures_ += 1;
    const bool busy = failure->trouble == NodeTrouble::kBusy;
    const std::size_t most =
        reached_ || busy ? options_.attempts : std::min(options_.attempts, kFirstAttempts);
    if (work.failures >= most) {
      failure->why += message(" (", work.failures, " attempts)");
      failure->trouble = NodeTrouble::kPassing;  // callers need not try as often again
      return std::move(*failure);
    }
    const auto first = options_.first_wait * (busy ? kBusyFactor : 1);
    const auto wait =
        failure->wait.value_or(back_off(work.failures - 1, first, options_.longest_wait));
    if (busy) gate_.slow_down(wait);
    if (!wait_unless_stopped(wait, stop)) return stopped_failure();
  }
  std::vector<CallOutcome> outcomes;
  outcomes.reserve(calls.size());
  for (auto& outcome : work.outcomes) outcomes.push_back(std::move(*outcome));
  return outcomes;
}

NodeResult<std::string> NodeClient::call(const RpcCall& call, const std::stop_token& stop) {
  auto outcomes = this->call(std::span{&call, 1}, stop);
  if (!outcomes) return outcomes.failure();
  return std::move(outcomes->front());
}

}  // namespace bloomery::ethlog
