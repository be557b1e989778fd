#include "apps/ethlog/node/node_sync.h"

#include "tests/apps/ethlog/node/mock_node.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using Reply = std::optional<MockReply>;

// Answers the calls of a method with an error.
MockNode::Misbehave without(std::vector<std::string> methods, const std::string& text) {
  return [methods = std::move(methods), text](const MockRequest& request, MockNode& node) -> Reply {
    json calls = json::parse(request.body);
    if (!calls.is_array()) calls = json::array({calls});
    json answers = json::parse(node.answer(calls.dump()));
    for (std::size_t i = 0; i < calls.size(); ++i)
      for (const std::string& method : methods)
        if (calls[i]["method"] == method)
          answers[i] = {{"jsonrpc", "2.0"},
                        {"id", calls[i]["id"]},
                        {"error", {{"code", -32601}, {"message", text}}}};
    return MockReply{.bytes = http_bytes(json::parse(request.body).is_array() ? answers.dump()
                                                                              : answers[0].dump())};
  };
}

// Alters every answer's result to one method.
MockNode::Misbehave altered(std::string method,
                            std::function<void(json& result, const json& call)> alter,
                            std::uint64_t times = 1'000'000) {
  auto left = std::make_shared<std::atomic<std::int64_t>>(static_cast<std::int64_t>(times));
  return [=](const MockRequest& request, MockNode& node) -> Reply {
    const json call = json::parse(request.body);
    const json calls = call.is_array() ? call : json::array({call});
    json answers = json::parse(node.answer(calls.dump()));
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i]["method"] == method && answers[i].contains("result") && (*left)-- > 0)
        alter(answers[i]["result"], calls[i]);
    return MockReply{.bytes = http_bytes(call.is_array() ? answers.dump() : answers[0].dump())};
  };
}

TEST(NodeSync, TakesOverAWholeChain) {
  MockNode node{golden_chain()};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options()), "");
  target.expect_chain(golden_chain());
  EXPECT_EQ(target.receipts, ReceiptSource::kBlock);
  for (std::uint64_t number : {1, 500, 700}) {
    const auto block = *target.store.reader().block(number, target.hash_of(number));
    EXPECT_TRUE(block->verified.header_hash && block->verified.receipts_root &&
                block->verified.bloom);
  }
  target.added.clear();
  EXPECT_EQ(target.sync(node.options()), "");
  EXPECT_TRUE(target.added.empty());
}

TEST(NodeSync, TakesOnlyTheRangeAndFillsGapsLater) {
  const auto chain = made_chain(0, 100, {});
  MockNode node{chain};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options(), {.from = 40, .to = 49}), "");
  EXPECT_EQ(target.store.counts().blocks, 10U);
  EXPECT_EQ(target.sync(node.options(), {.from = 70, .to = 79}), "");
  EXPECT_EQ(target.store.counts().gaps, 20U);
  EXPECT_EQ(target.sync(node.options(), {.from = 20, .to = 30}), "");
  EXPECT_EQ(target.sync(node.options()), "");  // from the lowest: 20
  EXPECT_EQ(target.store.counts().gaps, 0U);
  EXPECT_EQ(target.store.counts().lowest, 20U);
  EXPECT_EQ(target.sync(node.options(), {.from = 0, .to = {}}), "");
  target.expect_chain(chain);
}

TEST(NodeSync, FallsBackToReceiptsOfTransactions) {
  // Our own server has no eth_getTransactionReceipt in every version: the mock makes them.
  MockNode node{
      golden_chain(), [](const MockRequest& request, MockNode& mock) -> Reply {
        const json call = json::parse(request.body);
        json answers = json::array();
        for (const json& one : call.is_array() ? call : json::array({call})) {
          json answer{{"jsonrpc", "2.0"}, {"id", one["id"]}};
          if (one["method"] == "eth_getBlockReceipts") {
            answer["error"] = {{"code", -32601}, {"message", "the method does not exist"}};
          } else if (one["method"] == "eth_getTransactionReceipt") {
            answer["result"] = nullptr;
            static const auto* const places = [] {
              auto* const all = new std::map<std::string, std::uint64_t>;
              for (const ImportedBlock& block : golden_chain())
                for (const Hash& hash : block.transaction_hashes)
                  all->emplace(hash.hex(), block.header.number);
              return all;
            }();
            const std::uint64_t number = places->at(one["params"][0]);
            const json list = json::parse(
                mock.answer(ServedChain::request("eth_getBlockReceipts", {to_quantity(number)})));
            for (const json& receipt : list["result"])
              if (receipt["transactionHash"] == one["params"][0]) answer["result"] = receipt;
          } else {
            answer = json::parse(mock.answer(one.dump()));
          }
          answers.push_back(answer);
        }
        return MockReply{.bytes = http_bytes(call.is_array() ? answers.dump() : answers[0].dump())};
      }};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options(), {.from = 0, .to = 300}), "");
  EXPECT_EQ(target.receipts, ReceiptSource::kTransaction);
  EXPECT_EQ(target.hash_of(300), golden_chain()[300].header.hash);
  EXPECT_TRUE((*target.store.reader().block(300, target.hash_of(300)))->verified.receipts_root);
}

TEST(NodeSync, FallsBackToLogs) {
  MockNode node{golden_chain(),
                without({"eth_getBlockReceipts", "eth_getTransactionReceipt"}, "Method not found")};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options()), "");
  EXPECT_EQ(target.receipts, ReceiptSource::kLogs);
  target.expect_chain(golden_chain());
  const auto block = *target.store.reader().block(500, target.hash_of(500));
  EXPECT_TRUE(block->verified.header_hash && block->verified.bloom);
  EXPECT_FALSE(block->receipts_complete);
}

TEST(NodeSync, TakesTheHintsOfProvidersForLogs) {
  std::atomic<int> refused = 0;
  const auto fallback = without({"eth_getBlockReceipts", "eth_getTransactionReceipt"}, "no method");
  MockNode node{
      golden_chain(), [&](const MockRequest& request, MockNode& mock) -> Reply {
        const json call = json::parse(request.body);
        if (call.is_object() && call["method"] == "eth_getLogs") {
          const auto first =
              *number_from_quantity(call["params"][0]["fromBlock"].get_ref<const std::string&>());
          const auto last =
              *number_from_quantity(call["params"][0]["toBlock"].get_ref<const std::string&>());
          if (last - first >= 3) {
            refused += 1;
            const std::string text =
                message("query returned more than 10000 results. Try with this block range [",
                        to_quantity(first), ", ", to_quantity(first + 2), "].");
            return MockReply{.bytes =
                                 http_bytes(json{{"jsonrpc", "2.0"},
                                                 {"id", call["id"]},
                                                 {"error", {{"code", -32005}, {"message", text}}}}
                                                .dump())};
          }
        }
        return fallback(request, mock);
      }};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options(), {.from = 400, .to = 500}), "");
  EXPECT_GE(refused, 1);
  EXPECT_LE(refused, 8);  // and no more once the hint was taken
  EXPECT_EQ(target.hash_of(500), golden_chain()[500].header.hash);
}

// ---- answers that are wrong: never stored, and overcome where they pass

struct WrongAnswer {
  const char* name;
  const char* method;
  std::function<void(json&, const json&)> alter;
  const char* sentence;
};

const std::vector<WrongAnswer>& wrong_answers() {
  static const std::vector<WrongAnswer> all{
      {"null block", "eth_getBlockByNumber", [](json& r, const json&) { r = nullptr; },
       "has no block"},
      {"another number", "eth_getBlockByNumber", [](json& r, const json&) { r["number"] = "0x5"; },
       "was asked for"},
      {"another hash", "eth_getBlockByNumber",
       [](json& r, const json&) { r["hash"] = filled_hash(1).hex(); }, ""},
      {"no hash", "eth_getBlockByNumber", [](json& r, const json&) { r.erase("hash"); }, "hash"},
      {"another parent", "eth_getBlockByNumber",
       [](json& r, const json&) { r["parentHash"] = filled_hash(2).hex(); }, ""},
      {"another bloom", "eth_getBlockByNumber",
       [](json& r, const json&) { r["logsBloom"] = Bloom{}.hex(); }, ""},
      {"no transactions", "eth_getBlockByNumber",
       [](json& r, const json&) { r.erase("transactions"); }, "list of transactions"},
      {"a text", "eth_getBlockByNumber", [](json& r, const json&) { r = "block"; }, "object"},
      {"null receipts", "eth_getBlockReceipts", [](json& r, const json&) { r = nullptr; },
       "no receipts"},
      {"no receipts", "eth_getBlockReceipts", [](json& r, const json&) { r = json::array(); },
       "receipts"},
      {"a receipt twice", "eth_getBlockReceipts",
       [](json& r, const json&) { r.push_back(json(r[0])); }, "receipts"},
      {"receipts of another block", "eth_getBlockReceipts",
       [](json& r, const json&) { r[0]["blockHash"] = filled_hash(3).hex(); }, "belongs to"},
      {"an altered log", "eth_getBlockReceipts",
       [](json& r, const json&) { r[0]["logs"][0]["address"] = Address{}.hex(); }, "bloom"},
      {"altered data", "eth_getBlockReceipts",
       [](json& r, const json&) { r[0]["logs"][0]["data"] = "0x1234"; }, "root of its receipts"},
      {"a log too few", "eth_getBlockReceipts",
       [](json& r, const json&) { r[0]["logs"] = json::array(); }, "bloom"},
      {"another status", "eth_getBlockReceipts",
       [](json& r, const json&) { r[0]["status"] = "0x0"; }, "root of its receipts"},
      {"another gas", "eth_getBlockReceipts",
       [](json& r, const json&) { r[0]["cumulativeGasUsed"] = "0x1"; }, "root of its receipts"}};
  return all;
}

TEST(NodeSync, OvercomesWrongBlocksAndReceipts) {
  const auto chain = made_chain(0, 30, {});
  for (const WrongAnswer& wrong : wrong_answers()) {
    // Not the three tags of the head, which are asked for first.
    std::atomic<int> left = 4;
    MockNode node{chain, altered(wrong.method, [&](json& result, const json& call) {
                    const std::string name = call["params"][0];
                    if (name.starts_with("0x") && left-- > 0) wrong.alter(result, call);
                  })};
    MockTarget target;
    EXPECT_EQ(target.sync(node.options()), "") << wrong.name;
    target.expect_chain(chain);
  }
}

TEST(NodeSync, StoresNothingThatIsWrong) {
  const auto chain = made_chain(0, 30, {});
  for (const WrongAnswer& wrong : wrong_answers()) {
    MockNode node{chain, altered(wrong.method, [&](json& result, const json& call) {
                    const std::string name = call["params"][0];
                    if (name.starts_with("0x") && name == "0x14") wrong.alter(result, call);
                  })};
    MockTarget target;
    const std::string why = target.sync(node.options());
    EXPECT_THAT(why, HasSubstr("block")) << wrong.name;
    EXPECT_THAT(why, HasSubstr(wrong.sentence)) << wrong.name;
    EXPECT_LT(target.store.reader().head()->value_or(0), 20U) << wrong.name;
    for (std::uint64_t number = 0; number < target.store.counts().blocks; ++number)
      ASSERT_EQ(target.hash_of(number), chain[number].header.hash);
  }
}

TEST(NodeSync, RefusesAnotherChain) {
  MockNode node{made_chain(0, 10, {}, 1)};
  MockTarget target;
  add_all(target.store, made_chain(0, 10, {}));
  EXPECT_THAT(target.sync(node.options()), HasSubstr("the node of another chain"));
  EXPECT_EQ(target.store.counts().blocks, 10U);
}

// ---- reorganisations

TEST(NodeSync, DisplacesABranchFromTheLastCommonBlockOn) {
  const auto old_chain = made_chain(0, 200, {});
  for (const std::uint64_t depth : {1, 2, 3, 63, 64, 65, 150, 198}) {
    const std::uint64_t common = 199 - depth;
    const auto branch = made_chain(common + 1, depth + 3, old_chain[common].header.hash, 1);
    const auto new_chain = joined(old_chain, common, branch);
    MockNode node{new_chain};
    MockTarget target;
    add_all(target.store, old_chain);
    target.added.clear();
    SyncReport report;
    EXPECT_EQ(target.sync(node.options(), {}, &report), "") << depth;
    target.expect_chain(new_chain);
    EXPECT_EQ(report.reorganisations, 1U);
    EXPECT_EQ(target.added.size(), depth + 3) << "only the branch is fetched";
  }
}

TEST(NodeSync, DisplacesEverythingThatIsStoredButNotTheFirstBlock) {
  const auto below = made_chain(0, 50, {});
  const auto branch = made_chain(40, 30, below[39].header.hash, 1);
  MockNode node{joined(below, 39, branch)};
  MockTarget target;
  add_all(target.store, made_chain(40, 20, below[39].header.hash), Gaps::kAllowed);
  EXPECT_EQ(target.sync(node.options()), "");
  target.expect_chain(branch);
  EXPECT_EQ(target.store.counts().lowest, 40U);
}

TEST(NodeSync, DisplacesABranchAboveAGap) {
  const auto below = made_chain(0, 200, {});
  const auto branch = made_chain(101, 99, below[100].header.hash, 1);
  const auto new_chain = joined(below, 100, branch);
  MockNode node{new_chain};
  MockTarget target;
  for (const BlockRange part : {BlockRange{0, 30}, {60, 80}, {150, 199}})
    for (std::uint64_t number = part.first; number <= part.last; ++number)
      ASSERT_TRUE(target.store.add(below[number], Gaps::kAllowed));
  EXPECT_EQ(target.sync(node.options()), "");
  target.expect_chain(new_chain);
  EXPECT_EQ(target.store.counts().gaps, 0U);
}

// The chain changes while a batch of it is answered: between two calls, and between two requests.
TEST(NodeSync, SurvivesAReorganisationInTheMiddleOfABatch) {
  const auto first = made_chain(0, 60, {});
  const auto branch = made_chain(11, 60, first[10].header.hash, 1);
  for (std::uint64_t moment = 0; moment < 12; ++moment) {
    std::atomic<bool> changed = false;
    MockNode node{first, [&](const MockRequest& request, MockNode& mock) -> Reply {
                    const json call = json::parse(request.body);
                    if (request.number < moment || !call.is_array() || changed.exchange(true))
                      return std::nullopt;
                    json answers = json::array();
                    for (std::size_t i = 0; i < call.size(); ++i) {
                      if (i == call.size() / 2) mock.chain().add(branch);
                      answers.push_back(json::parse(mock.answer(call[i].dump())));
                    }
                    return MockReply{.bytes = http_bytes(answers.dump())};
                  }};
    MockTarget target;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(target.sync(node.options()), "") << moment;
    // It may have changed behind the answer that names the head.
    if (changed) {
      EXPECT_EQ(target.sync(node.options()), "") << moment;
    }
    target.expect_chain(changed ? joined(first, 10, branch) : first);
  }
}

// Nodes behind one address, each on a branch of its own: half of the answers are of the other.
TEST(NodeSync, EndsOnOneOfTwoBranchesThatAnswerByTurns) {
  const auto below = made_chain(0, 40, {});
  const auto one = joined(below, 19, made_chain(20, 30, below[19].header.hash, 1));
  const auto two = joined(below, 19, made_chain(20, 30, below[19].header.hash, 2));
  MockNode other{two};
  std::atomic<std::uint64_t> turns = 0;
  MockNode node{one, [&](const MockRequest& request, MockNode&) -> Reply {
                  if (turns++ % 2 == 0 || turns > 40) return std::nullopt;
                  return MockReply{.bytes = http_bytes(other.answer(request.body))};
                }};
  MockTarget target;
  std::string why = target.sync(node.options());
  if (!why.empty()) why = target.sync(node.options());
  EXPECT_EQ(why, "");
  target.expect_chain(one);
}

TEST(NodeSync, KeepsAnOldHeadWhereTheNodeIsBehind) {
  const auto chain = made_chain(0, 50, {});
  MockNode node{{chain.begin(), chain.begin() + 30}};
  MockTarget target;
  add_all(target.store, chain);
  SyncReport report;
  EXPECT_EQ(target.sync(node.options(), {}, &report), "");
  EXPECT_EQ(report.behind, 29U);
  target.expect_chain(chain);
}

// ---- finality

MockNode::Misbehave with_tags(std::uint64_t safe, std::uint64_t finalized) {
  return [=](const MockRequest& request, MockNode& node) -> Reply {
    std::string body = request.body;
    for (const auto& [tag, number] : {std::pair{"\"safe\"", safe}, {"\"finalized\"", finalized}})
      if (const std::size_t at = body.find(tag); at != std::string::npos)
        body.replace(at, std::string{tag}.size(), "\"" + to_quantity(number) + "\"");
    return MockReply{.bytes = http_bytes(node.answer(body))};
  };
}

TEST(NodeSync, NotesWhatIsSafeAndFinalized) {
  const auto chain = made_chain(0, 100, {});
  MockNode node{chain, with_tags(80, 70)};
  MockTarget target;
  EXPECT_EQ(target.sync(node.options(), {.from = 0, .to = 50}), "");
  // What is stored lies below the finalized block.
  EXPECT_EQ(target.store.reader().finality()->finalized, (BlockId{50, chain[50].header.hash}));
  EXPECT_EQ(target.sync(node.options()), "");
  EXPECT_EQ(target.store.reader().finality()->finalized, (BlockId{70, chain[70].header.hash}));
  EXPECT_EQ(target.store.reader().finality()->safe, (BlockId{80, chain[80].header.hash}));
}

TEST(NodeSync, RefusesToDisplaceWhatIsFinal) {
  const auto chain = made_chain(0, 100, {});
  MockTarget target;
  {
    MockNode node{chain, with_tags(80, 70)};
    EXPECT_EQ(target.sync(node.options()), "");
  }
  MockNode node{joined(chain, 60, made_chain(61, 50, chain[60].header.hash, 1))};
  EXPECT_THAT(
      target.sync(node.options()),
      HasSubstr("differs from the folder's from block 61 on, but the folder's is final up to "
                "block 70"));
  target.expect_chain(chain);
}

}  // namespace
}  // namespace bloomery::ethlog
