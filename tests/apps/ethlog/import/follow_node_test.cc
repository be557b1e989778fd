#include "apps/ethlog/import/follow.h"
#include "apps/ethlog/import/import_node.h"
#include "tests/apps/ethlog/node/mock_node.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using Reply = std::optional<MockReply>;

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

NodeOptions quick(const MockNode& node) {
  NodeOptions options = node.options();
  options.poll = std::chrono::milliseconds{2};
  options.attempts = 2;
  return options;
}

// A served chain that follows a node.
struct Following {
  explicit Following(const NodeOptions& node, const std::vector<ImportedBlock>& stored = {},
                     std::uint64_t chain_id = 1)
      : served{store_in_memory(), {}, chain_id} {
    add_all(served.store, stored, Gaps::kAllowed);
    follower.emplace(served.live, FollowOptions{.nodes = {node}},
                     [this](const std::string& sentence) {
                       const std::lock_guard lock{mutex};
                       warnings.push_back(sentence);
                     });
  }
  bool has(const BlockId& id) const {
    return served.live.reader().canonical_hash(id.number)->value_or(Hash{}) == id.hash;
  }
  bool has_head(const ImportedBlock& block) const {
    return served.live.reader().head()->value_or(0) == block.header.number &&
           has({block.header.number, block.header.hash});
  }
  ServedChain served;
  std::mutex mutex;
  std::vector<std::string> warnings;
  std::optional<Follower> follower;
};

TEST(FollowNode, TakesWhatIsThereAndWhatComes) {
  const auto chain = made_chain(0, 120, {});
  MockNode node{{chain.begin(), chain.begin() + 100}};
  Following following{quick(node), {chain.begin(), chain.begin() + 10}};
  EXPECT_TRUE(comes_true([&] { return following.has_head(chain[99]); }));
  for (std::size_t i = 100; i < 120; ++i) {
    node.chain().add({chain[i]});
    ASSERT_TRUE(comes_true([&] { return following.has_head(chain[i]); })) << i;
  }
  EXPECT_EQ(following.follower->counts().stored, 110U);
  EXPECT_EQ(following.follower->counts().last_error, "");
}

TEST(FollowNode, FollowsReorganisationsOfAnyDepth) {
  const auto chain = made_chain(0, 100, {});
  MockNode node{chain};
  Following following{quick(node)};
  EXPECT_TRUE(comes_true([&] { return following.has_head(chain.back()); }));
  std::vector<ImportedBlock> now = chain;
  for (const std::uint64_t depth : {1, 5, 40, 90}) {
    const std::uint64_t common = 99 - depth;
    const auto branch = made_chain(common + 1, depth + 1, now[common].header.hash, depth);
    node.chain().add(branch);
    now = joined(now, common, branch);
    ASSERT_TRUE(comes_true([&] { return following.has_head(now.back()); })) << depth;
    for (const ImportedBlock& block : now)
      ASSERT_TRUE(following.has({block.header.number, block.header.hash})) << block.header.number;
    now.pop_back();  // of 100 again
    node.chain().add({now.back()});
    const auto last = made_chain(99, 1, now[98].header.hash, depth + 1000);
    node.chain().add(last);
    now.back() = last.back();
    ASSERT_TRUE(comes_true([&] { return following.has_head(now.back()); })) << depth;
  }
  EXPECT_GT(following.follower->counts().displaced, 130U);
}

TEST(FollowNode, ReportsANodeThatFailsUntilItIsBack) {
  const auto chain = made_chain(0, 30, {});
  std::atomic<bool> down = true;
  MockNode node{chain, [&](const MockRequest&, MockNode&) -> Reply {
                  if (!down) return std::nullopt;
                  return MockReply{.bytes = http_bytes("", "503 Unavailable")};
                }};
  NodeOptions options = quick(node);
  options.address.target = "/v3/topsecretkey";
  Following following{options};
  const auto error = [&] { return following.follower->counts().last_error; };
  EXPECT_TRUE(comes_true([&] { return !error().empty(); }));
  EXPECT_THAT(error(), HasSubstr("HTTP status 503"));
  EXPECT_THAT(error(), HasSubstr("/...: "));
  EXPECT_THAT(error(), testing::Not(HasSubstr("topsecret")));
  down = false;
  EXPECT_TRUE(comes_true([&] { return following.has_head(chain.back()) && error().empty(); }));
  down = true;
  EXPECT_TRUE(comes_true([&] { return !error().empty(); }));
  down = false;
  EXPECT_TRUE(comes_true([&] { return error().empty(); }));
  const std::lock_guard lock{following.mutex};
  EXPECT_EQ(following.warnings.size(), 2U) << "one sentence for each time that it failed";
}

TEST(FollowNode, TakesNewBlocksWhileAGapCannotBeFilled) {
  const auto chain = made_chain(0, 60, {});
  MockNode node{
      chain, [](const MockRequest& request, MockNode&) -> Reply {
        if (request.body.find("\"0x14\"") == std::string::npos) return std::nullopt;
        return MockReply{
            .bytes = http_bytes(R"({"id":null,"error":{"code":4444,"message":"pruned history"}})")};
      }};
  Following following{quick(node), {chain[10], chain[11], chain[40], chain[41]}};
  EXPECT_TRUE(comes_true([&] { return following.has_head(chain.back()); }));
  EXPECT_TRUE(comes_true([&] { return !following.follower->counts().last_error.empty(); }));
  EXPECT_THAT(following.follower->counts().last_error, HasSubstr("pruned history"));
}

TEST(FollowNode, TakesNothingFromAnotherChain) {
  MockNode node{made_chain(0, 30, {}), {}, 5};
  Following following{quick(node), made_chain(0, 3, {})};
  EXPECT_TRUE(comes_true([&] { return following.follower->counts().errors > 0; }));
  EXPECT_THAT(following.follower->counts().last_error,
              HasSubstr("it is a node of chain 5, but chain 1 is served"));
  EXPECT_EQ(following.served.live.reader().head()->value(), 2U);
}

TEST(FollowNode, EndsAtOnceWhileTheNodeIsSilent) {
  MockNode node{made_chain(0, 3, {}), [](const MockRequest&, MockNode&) -> Reply {
                  return MockReply{.bytes = "", .before = std::chrono::milliseconds{1'500}};
                }};
  std::optional<Following> following{quick(node)};
  EXPECT_TRUE(comes_true([&] { return node.socket().requests() > 0; }));
  const auto begun = std::chrono::steady_clock::now();
  following->follower.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds{1'000});
}

// ---- import

Result<SyncReport> import_all_of(ChainStore& store, const MockNode& node, const NodeImport& options,
                                 ImportProgress& progress, const std::stop_token& stop = {}) {
  auto client = NodeClient::make(node.options());
  EXPECT_TRUE(client);
  BlockFetcher fetcher{**client};
  return import_from_node(store, fetcher, options, progress, stop);
}

TEST(ImportNode, CountsWhatWasVerified) {
  MockNode node{golden_chain(), {}, 1337};
  ChainStore store = store_in_memory();
  ImportProgress progress;
  const auto report = import_all_of(store, node, {}, progress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(progress.stored, 701U);
  EXPECT_EQ(progress.verified.header_hash, 701U);
  EXPECT_EQ(progress.verified.receipts_root, 701U);
  EXPECT_EQ(progress.verified.bloom, 701U);
  EXPECT_EQ(progress.acknowledged, 700U);
  EXPECT_EQ(*store.chain_id(), 1337U);
}

TEST(ImportNode, RefusesTheNodeOfAnotherChain) {
  MockNode node{made_chain(0, 5, {}), {}, 5};
  ChainStore store = store_in_memory();
  ImportProgress progress;
  const auto unwanted = import_all_of(store, node, {.range = {}, .chain_id = 7}, progress);
  ASSERT_FALSE(unwanted);
  EXPECT_THAT(unwanted.error().message, HasSubstr("it is a node of chain 5, not of chain 7"));
  add_all(store, made_chain(0, 3, {}));
  const auto other = import_all_of(store, node, {}, progress);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("the folder holds blocks of chain 1"));
}

TEST(ImportNode, GoesOnWhereItWasStopped) {
  const auto chain = made_chain(0, 300, {});
  MockNode node{chain};
  ChainStore store = store_in_memory();
  std::uint64_t runs = 0;
  for (ImportProgress progress;
       !store.reader().head()->has_value() || *store.reader().head() != 299U; ++runs) {
    std::stop_source stop;
    const std::uint64_t until = progress.blocks + 70;
    const auto report = import_all_of(store, node,
                                      {.range = {},
                                       .on_progress =
                                           [&](const ImportProgress& now) {
                                             if (now.blocks >= until) stop.request_stop();
                                           }},
                                      progress, stop.get_token());
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_LT(runs, 10U);
  }
  EXPECT_EQ(store.counts().blocks, 300U);
}

}  // namespace
}  // namespace bloomery::ethlog
