#include "apps/ethlog/output/node_feed.h"

#include <algorithm>

#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/node/node_blocks.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kMostBlocks = 10'000;  // of one request

void append_texts(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (const std::string& text : texts) {
    if (&text != texts.data()) out += ',';
    out += '"' + text + '"';
  }
  out += ']';
}

template <class T>
std::vector<std::string> hex_of(const std::vector<T>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const T& value : values) texts.push_back(value.hex());
  return texts;
}

// The parameters of eth_getLogs, without the range.
std::string criteria_of(const LogQuery& query) {
  std::string out;
  if (!query.addresses.empty()) {
    out += ",\"address\":";
    append_texts(out, hex_of(query.addresses));
  }
  if (query.topics.empty()) return out;
  out += ",\"topics\":[";
  for (const auto& choices : query.topics) {
    if (&choices != query.topics.data()) out += ',';
    if (choices.empty())
      out += "null";
    else
      append_texts(out, hex_of(choices));
  }
  return out + ']';
}

class NodeFeed final : public LogFeed {
 public:
  NodeFeed(NodeClient& client, NodeFeedOptions options)
      : client_{client}, options_{std::move(options)} {}

  Result<std::optional<TailBlock>> refresh() override { return block("\"latest\""); }
  void release() override {}
  Result<std::uint64_t> chain_id() override {
    const auto json = ask("eth_chainId", "[]");
    if (!json) return json.error();
    const auto id = quantity_in(*json);
    if (!id) return wrong(id.error());
    return *id;
  }
  Result<std::uint64_t> lowest() override {
    const auto found = block("\"earliest\"");
    if (!found) return found.error();
    return *found ? (*found)->number : std::uint64_t{0};
  }
  Result<std::optional<std::uint64_t>> tagged(BlockTag tag) override {
    const auto found = block(tag == BlockTag::kSafe ? "\"safe\"" : "\"finalized\"");
    if (!found) return found.error();
    return *found ? std::optional{(*found)->number} : std::nullopt;
  }
  Result<std::optional<Hash>> hash_of(std::uint64_t number) override {
    const auto found = block('"' + to_quantity(number) + '"');
    if (!found) return found.error();
    return *found ? std::optional{(*found)->hash} : std::nullopt;
  }
  bool is_steady() const override { return false; }
  bool is_waited_for(const Error& error) override {
    if (!passing_ || !options_.on_wait) return false;
    if (!std::exchange(waits_, true)) options_.on_wait(error);
    return true;
  }

  // As many blocks at a time as the server answers.
  Status logs(const LogQuery& query, std::uint64_t first, std::uint64_t last,
              const OnLogRecord& on_record) override {
    const std::string criteria = criteria_of(query);
    while (first <= last) {
      const std::uint64_t end = std::min(last, first + blocks_ - 1);
      const std::string range = message("[{\"fromBlock\":\"", to_quantity(first),
                                        "\",\"toBlock\":\"", to_quantity(end), '"');
      const auto found =
          client_.call(RpcCall{"eth_getLogs", range + criteria + "}]"}, options_.stop);
      if (!found && found.failure().trouble == NodeTrouble::kTooLarge && end > first) {
        shrink(found.failure(), first, end);
        continue;
      }
      const auto json = text_in(found);
      if (!json) return json.error();
      if (Status s = deliver(*json, on_record); !s) return s;
      first = end + 1;
      blocks_ = std::min(2 * blocks_, kMostBlocks);
    }
    return ok();
  }

 private:
  void shrink(const NodeFailure& failure, std::uint64_t first, std::uint64_t end) {
    blocks_ = (end - first + 1) / 2;
    if (failure.hint && failure.hint->first <= first && failure.hint->last >= first)
      blocks_ = std::clamp<std::uint64_t>(failure.hint->last - first + 1, 1, blocks_);
  }

  Error wrong(const Error& error) const { return {error.code, client_.named(error.message)}; }

  Result<std::string> text_in(const NodeResult<std::string>& answer) {
    passing_ = false;
    if (!answer) {
      const NodeFailure& failure = answer.failure();
      passing_ = failure.trouble == NodeTrouble::kPassing ||
                 failure.trouble == NodeTrouble::kBusy || failure.trouble == NodeTrouble::kStopped;
      return Error{failure.code, client_.named(failure.why)};
    }
    waits_ = false;
    return *answer;
  }
  Result<std::string> ask(std::string method, std::string params) {
    return text_in(client_.call(RpcCall{std::move(method), std::move(params)}, options_.stop));
  }

  Result<std::optional<TailBlock>> block(const std::string& which) {
    const auto json = ask("eth_getBlockByNumber", '[' + which + ",false]");
    if (!json) return json.error();
    const auto found = block_id_in(*json);
    if (!found) return wrong(found.error());
    if (!*found) return std::optional<TailBlock>{};
    return std::optional{TailBlock{(*found)->id.number, (*found)->id.hash}};
  }

  Status deliver(const std::string& json, const OnLogRecord& on_record) {
    if (json_kind(json) != JsonKind::kArray)
      return Error{ErrorCode::kMalformed, client_.named("eth_getLogs: the answer is no list")};
    Status outcome = ok();
    visit_json_items(json, [&](std::string_view item) {
      auto record = log_record_from(item);
      outcome = record ? on_record(std::move(*record)) : Status{wrong(record.error())};
      return outcome.has_value();
    });
    return outcome;
  }

  NodeClient& client_;
  NodeFeedOptions options_;
  std::uint64_t blocks_ = 1000;
  bool passing_ = false;  // the last failure
  bool waits_ = false;
};

}  // namespace

std::unique_ptr<LogFeed> make_node_feed(NodeClient& client, NodeFeedOptions options) {
  return std::make_unique<NodeFeed>(client, std::move(options));
}

}  // namespace bloomery::ethlog
