#include <sys/stat.h>

#include <atomic>

#include "apps/ethlog/import/follow.h"
#include "apps/ethlog/import/follow_lines.h"
#include "apps/ethlog/import/follow_sections.h"
#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/json/criteria.h"
#include "apps/ethlog/search/sources.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::milliseconds kPoll{2};

// A block as a line, with everything that import reads.
std::string line_of(const ImportedBlock& block) {
  const json line{{"headerRlp", to_hex(block.header.rlp)},
                  {"bodyRlp", to_hex(block.body_rlp)},
                  {"receiptsStorageRlp", to_hex(encode_storage(block.receipts))}};
  return line.dump() + "\n";
}

std::string lines_of_all(std::span<const ImportedBlock> blocks) {
  std::string text;
  for (const ImportedBlock& block : blocks) text += line_of(block);
  return text;
}

// Of the logs in the blocks whose number leaves that rest by seven.
std::string chain_address(unsigned rest) {
  Address address;
  address.bytes.fill(static_cast<std::byte>(rest));
  return address.hex();
}

void append(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::app | std::ios::binary} << text;
}

// Numbers of new heads as they come, with their hashes.
struct Watched {
  explicit Watched(ServedChain& served) {
    served.call_as(peer, "eth_subscribe", json::array({"newHeads"}));
  }
  std::vector<std::string> hashes(std::size_t count) {
    std::vector<std::string> all;
    for (const std::string& told : peer->take(count))
      all.push_back(json::parse(told)["params"]["result"]["hash"]);
    return all;
  }
  std::shared_ptr<FakePeer> peer = std::make_shared<FakePeer>();
};

class Complaints {
 public:
  void add(const std::string& sentence) {
    const std::lock_guard lock{mutex_};
    all_.push_back(sentence);
    came_.notify_all();
  }
  std::string wait() {
    std::unique_lock lock{mutex_};
    came_.wait(lock, [&] { return !all_.empty(); });
    const std::string first = all_.front();
    all_.erase(all_.begin());
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::string> all_;
};

// Follows blocks.jsonl; what it complains of is dropped.
Follower quiet_follower(ServedChain& served, const ScratchFolder& folder) {
  return {served.live, {.paths = {folder / "blocks.jsonl"}, .poll = kPoll}, [](const auto&) {}};
}

void wait_for_blocks(const Follower& follower, std::uint64_t blocks) {
  while (follower.counts().blocks < blocks) std::this_thread::yield();
}

TEST(Follow, TakesLinesAsSoonAsTheyAreWhole) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 4, Hash{});
  ServedChain served{store_in_memory()};
  Watched watched{served};
  const Follower follower = quiet_follower(served, folder);
  append(folder / "blocks.jsonl", line_of(chain[0]) + line_of(chain[1]));
  EXPECT_THAT(watched.hashes(2),
              ElementsAre(chain[0].header.hash.hex(), chain[1].header.hash.hex()));
  const std::string third = line_of(chain[2]);
  append(folder / "blocks.jsonl", third.substr(0, 100));
  append(folder / "blocks.jsonl", third.substr(100) + line_of(chain[3]));
  EXPECT_THAT(watched.hashes(2),
              ElementsAre(chain[2].header.hash.hex(), chain[3].header.hash.hex()));
  EXPECT_EQ(served.call("eth_blockNumber")["result"], "0x3");
}

// As log rotation by copying does it. By the next look the file is longer than it was.
TEST(Follow, ReadsAFileThatWasCutAndGrewFromItsBeginning) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 5, Hash{});
  ServedChain served{store_in_memory()};
  Watched watched{served};
  append(folder / "blocks.jsonl", line_of(chain[0]) + line_of(chain[1]));
  const Follower follower{served.live,
                          {.paths = {folder / "blocks.jsonl"}, .poll = std::chrono::seconds{1}},
                          [](const auto&) {}};
  watched.hashes(2);
  std::ofstream{folder / "blocks.jsonl", std::ios::trunc | std::ios::binary}
      << line_of(chain[2]) + line_of(chain[3]) + line_of(chain[4]);
  EXPECT_THAT(watched.hashes(3), ElementsAre(chain[2].header.hash.hex(), chain[3].header.hash.hex(),
                                             chain[4].header.hash.hex()));
}

TEST(Follow, SaysThatAFileCannotBeOpened) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("blocks.jsonl", folder / "blocks.jsonl");  // to itself
  ServedChain served{store_in_memory()};
  Complaints complaints;
  const Follower follower{served.live,
                          {.paths = {folder / "blocks.jsonl"}, .poll = kPoll},
                          [&](const std::string& told) { complaints.add(told); }};
  EXPECT_THAT(complaints.wait(), HasSubstr("blocks.jsonl: cannot open: Too many levels"));
}

TEST(Follow, ReadsAReplacedFileFromItsBeginning) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 4, Hash{});
  ServedChain served{store_in_memory()};
  Watched watched{served};
  append(folder / "blocks.jsonl", line_of(chain[0]) + line_of(chain[1]));
  const Follower follower = quiet_follower(served, folder);
  watched.hashes(2);
  append(folder / "new", line_of(chain[1]) + line_of(chain[2]));
  std::filesystem::rename(folder / "new", folder / "blocks.jsonl");
  EXPECT_THAT(watched.hashes(1), ElementsAre(chain[2].header.hash.hex()));
}

TEST(Follow, GoesOnBehindWhatItCannotTake) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 3, Hash{});
  ServedChain served{store_in_memory()};
  Watched watched{served};
  Complaints complaints;
  append(folder / "blocks.jsonl", "");  // or the first complaint is that it is not there
  const Follower follower{served.live,
                          {.paths = {folder / "blocks.jsonl"}, .poll = kPoll},
                          [&](const std::string& sentence) { complaints.add(sentence); }};
  append(folder / "blocks.jsonl", line_of(chain[0]) + "{nonsense\n");
  EXPECT_THAT(complaints.wait(), HasSubstr("blocks.jsonl: line 2: it is not JSON"));
  append(folder / "blocks.jsonl",
         line_of(chain[2]));  // and 1 is not there: reported only once in a row
  append(folder / "blocks.jsonl", line_of(chain[1]) + line_of(chain[2]));
  EXPECT_EQ(watched.hashes(3).back(), chain[2].header.hash.hex());
  while (!follower.counts().last_error.empty()) std::this_thread::yield();
  EXPECT_EQ(follower.counts().errors, 2U);
  append(folder / "blocks.jsonl", "[]\n");
  EXPECT_THAT(complaints.wait(), HasSubstr("stands without its block"));
}

// A file that tells of a reorganisation, read again: the chain stays as it is.
TEST(Follow, LeavesTheChainAloneWhenItReadsAgainWhatItKnows) {
  const ScratchFolder folder;
  const auto trunk = made_chain(0, 5, Hash{});
  const auto branch = made_chain(3, 3, trunk[2].header.hash, 1);
  append(folder / "blocks.jsonl", lines_of_all(trunk) + lines_of_all(branch));
  ServedChain served{store_in_memory()};
  for (int run = 0; run < 2; ++run) {
    const Follower follower = quiet_follower(served, folder);
    wait_for_blocks(follower, 8);
    EXPECT_EQ(follower.counts().displaced, run == 0 ? 2U : 0U);
    EXPECT_EQ(follower.counts().stored, run == 0 ? 8U : 0U);
  }
  EXPECT_EQ(served.live.reorganisations(), 1U);
}

// Likewise when a block that is refused stands before what it knows.
TEST(Follow, LeavesTheChainAloneWhenABlockIsRefusedWhileItReadsAgain) {
  const ScratchFolder folder;
  const auto trunk = made_chain(0, 5, Hash{});
  const auto branch = made_chain(3, 3, trunk[2].header.hash, 1);
  const auto stranger = made_chain(20, 1, filled_hash(9));
  append(folder / "blocks.jsonl", line_of(trunk[0]) + lines_of_all(stranger) +
                                      lines_of_all(std::span{trunk}.subspan(1)) +
                                      lines_of_all(branch));
  ServedChain served{store_in_memory()};
  for (int run = 0; run < 2; ++run) {
    const Follower follower = quiet_follower(served, folder);
    wait_for_blocks(follower, 8);
    EXPECT_EQ(follower.counts().errors, 1U);
    EXPECT_EQ(follower.counts().displaced, run == 0 ? 2U : 0U);
  }
  EXPECT_EQ(served.live.reorganisations(), 1U);
}

TEST(Follow, LeavesTheChainAloneWhenAFileIsReplacedByACopy) {
  const ScratchFolder folder;
  const auto trunk = made_chain(0, 5, Hash{});
  const auto branch = made_chain(3, 3, trunk[2].header.hash, 1);
  append(folder / "blocks.jsonl", lines_of_all(trunk) + lines_of_all(branch));
  ServedChain served{store_in_memory()};
  const Follower follower = quiet_follower(served, folder);
  wait_for_blocks(follower, 8);
  std::filesystem::copy(folder / "blocks.jsonl", folder / "copy");
  std::filesystem::rename(folder / "copy", folder / "blocks.jsonl");
  wait_for_blocks(follower, 16);
  EXPECT_EQ(served.live.reorganisations(), 1U);
  // What is new in it counts.
  append(folder / "blocks.jsonl", lines_of_all(made_chain(5, 1, trunk[4].header.hash)));
  wait_for_blocks(follower, 17);
  EXPECT_EQ(served.live.reorganisations(), 2U);
}

TEST(Follow, TakesFilesThatAppearInAFolder) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 9, Hash{});
  const std::span<const ImportedBlock> all{chain};
  std::filesystem::create_directory(folder / "in");
  append(folder / "in" / "a.jsonl", lines_of_all(all.first(2)));
  ServedChain served{store_in_memory()};
  Watched watched{served};
  Complaints complaints;
  const Follower follower{served.live,
                          {.paths = {folder / "in"}, .poll = kPoll},
                          [&](const std::string& sentence) { complaints.add(sentence); }};
  watched.hashes(2);
  // Before the file that it builds on: it waits for that one.
  append(folder / "in" / "c.jsonl", lines_of_all(all.subspan(6, 1)));
  EXPECT_THAT(complaints.wait(), HasSubstr("c.jsonl: block 6: block 5 is not in the store"));
  append(folder / "in" / "ignored.tmp", lines_of_all(all.subspan(2, 1)));
  const Bytes era = era1_of(all.subspan(2, 4));
  append(folder / "b.part", text_of(era));
  std::filesystem::rename(folder / "b.part", folder / "in" / "b.era1");
  EXPECT_EQ(watched.hashes(5).back(), chain[6].header.hash.hex());
  append(folder / "in" / "d.jsonl", lines_of_all(all.subspan(7)));
  EXPECT_EQ(watched.hashes(2).back(), chain[8].header.hash.hex());
}

TEST(Follow, RefusesAFileOfAnotherChain) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 5, Hash{});
  ServedChain served{store_in_memory()};
  for (const ImportedBlock& block : chain) ASSERT_TRUE(served.live.add(block, Gaps::kRefused));
  std::filesystem::create_directory(folder / "in");
  append(folder / "in" / "a.jsonl", lines_of_all(made_chain(0, 3, Hash{}, 1)));
  Complaints complaints;
  const Follower follower{served.live,
                          {.paths = {folder / "in"}, .poll = kPoll},
                          [&](const std::string& sentence) { complaints.add(sentence); }};
  EXPECT_THAT(complaints.wait(), HasSubstr("it is of another chain"));
  EXPECT_EQ(served.call("eth_blockNumber")["result"], "0x4");
  EXPECT_EQ(follower.counts().displaced, 0U);
}

TEST(Follow, MakesSectionsThatAreComplete) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 60, Hash{});
  ServedChain served{store_in_memory()};
  ASSERT_TRUE(served.store.set_section_size(16));
  append(folder / "blocks.jsonl", lines_of_all(chain));
  const Follower follower{served.live,
                          {.paths = {folder / "blocks.jsonl"}, .confirms = 8, .poll = kPoll},
                          [](const auto&) {}};
  while (follower.counts().sections < 3) std::this_thread::yield();
  EXPECT_EQ(adaptive_sections(served.store.store())->size(), 3U);
  EXPECT_EQ(*served.store.reader().section_count(), 0U);
}

TEST(Follow, KeepsEveryIndexComplete) {
  const ScratchFolder folder;
  const auto chain = made_chain(0, 60, Hash{});
  ServedChain served{store_in_memory()};
  ASSERT_TRUE(served.store.set_section_size(16));
  served.add({chain.begin(), chain.begin() + 20});
  ASSERT_TRUE((BloombitsIndexer{served.store, 0}.run()));
  ASSERT_TRUE((AdaptiveIndexer{served.store, {.confirms = 0}}.run()));
  append(folder / "blocks.jsonl", lines_of_all(chain));
  const Follower follower{served.live,
                          {.paths = {folder / "blocks.jsonl"}, .confirms = 8, .poll = kPoll},
                          [](const auto&) {}};
  while (follower.counts().sections < 4 || follower.counts().blocks < 60) std::this_thread::yield();
  EXPECT_EQ(*served.store.reader().section_count(), 3U);
  EXPECT_EQ(adaptive_sections(served.store.store())->size(), 3U);
  const json found =
      served.call("eth_getLogs", {{{"fromBlock", "0x0"}, {"address", Address{}.hex()}}});
  EXPECT_EQ(found["result"].size(), 9U);
  EXPECT_EQ(served.service.statistics.last_queries()[0].cost.report.indexed_blocks, 48U);
}

TEST(RpcStatistics, CountEveryCostOfASearch) {
  ServedChain served{store_in_memory()};
  ASSERT_TRUE(served.store.set_section_size(8));
  served.add(made_chain(0, 40, Hash{}));
  ASSERT_TRUE((AdaptiveIndexer{served.store, {.confirms = 0}}.run()));
  const json one = {{"fromBlock", "0x3"}, {"toBlock", "0x3"}, {"address", Address{}.hex()}};
  const auto query = parse_criteria(one.dump());
  const LogSearch search{served.store.reader(), *sources_of(served.store.reader())};
  auto wanted = search.run(*query, {}, [](const FoundLog&) { return true; });
  ASSERT_TRUE(wanted) << wanted.error().message;
  ASSERT_EQ(wanted->index.clauses_skipped, 1U) << "one block alone is checked at once";
  for (int i = 0; i < 2; ++i) served.call("eth_getLogs", {one});
  QueryCost last = served.service.statistics.last_queries()[0].cost.report;
  QueryCost totals = served.service.statistics.totals().cost;
  for (QueryCost* cost : {static_cast<QueryCost*>(&*wanted), &last, &totals}) cost->times = {};
  EXPECT_EQ(last, static_cast<QueryCost>(*wanted));
  last += last;
  EXPECT_EQ(totals, last);
}

// A block without a header came with an empty bloom, and was indexed so: when it comes whole, its
// logs are found, by either index.
TEST(Follow, IndexesABlockAgainThatGotAnotherBloom) {
  const auto chain = made_chain(0, 40, Hash{});
  const auto found = [](ServedChain& served) {
    const json answer = served.call(
        "eth_getLogs",
        {{{"fromBlock", "0x0"}, {"address", chain_address(3)}, {"topics", {nullptr, nullptr}}}});
    std::vector<std::string> numbers;
    for (const json& log : answer["result"]) numbers.push_back(log["blockNumber"]);
    return numbers;
  };
  ImportedBlock empty = chain[10];
  empty.header.rlp.clear();
  empty.header.receipts_root.reset();
  empty.header.bloom = Bloom{};
  empty.body_rlp.clear();
  empty.receipts.clear();
  empty.has_receipts = false;
  for (const bool adaptive : {false, true}) {
    ServedChain served{store_in_memory()};
    ASSERT_TRUE(served.store.set_section_size(16));
    std::vector<ImportedBlock> blocks = chain;
    blocks[10] = empty;
    served.add(blocks);
    if (adaptive) {
      ASSERT_TRUE((AdaptiveIndexer{served.store, {.confirms = 0}}.run()));
    } else {
      ASSERT_TRUE((BloombitsIndexer{served.store, 0}.run()));
    }
    SectionKeeper keeper{served.live, 0};
    ASSERT_TRUE(keeper.run({}));
    EXPECT_THAT(found(served), ElementsAre("0x3", "0x11", "0x18", "0x1f", "0x26"));
    served.add({chain[10]});
    EXPECT_THAT(found(served), ElementsAre("0x3", "0xa", "0x11", "0x18", "0x1f", "0x26"));
    const auto made = keeper.run({});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(*made, 2U);
    EXPECT_THAT(found(served), ElementsAre("0x3", "0xa", "0x11", "0x18", "0x1f", "0x26"));
  }
}

TEST(Follow, MakesSectionsBehindOneThatIsLeftOut) {
  auto chain = made_chain(0, 64, Hash{});
  chain[3].has_receipts = false;
  chain[3].receipts.clear();
  ServedChain served{store_in_memory()};
  ASSERT_TRUE(served.store.set_section_size(16));
  served.add({chain.begin(), chain.begin() + 32});
  ASSERT_TRUE((AdaptiveIndexer{served.store, {.confirms = 0}}.run()));
  served.add({chain.begin() + 32, chain.end()});
  const auto made = SectionKeeper{served.live, 0}.run({});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(*made, 2U);
  EXPECT_THAT(*adaptive_sections(served.store.store()), ElementsAre(1U, 2U, 3U));
}

TEST(Follow, KeepsTheKindOfIndexWhenAllSectionsWereTakenBack) {
  const auto chain = made_chain(0, 40, Hash{});
  ServedChain served{store_in_memory()};
  ASSERT_TRUE(served.store.set_section_size(16));
  served.add(chain);
  ASSERT_TRUE((AdaptiveIndexer{served.store, {.confirms = 0}}.run()));
  served.add(made_chain(5, 30, chain[4].header.hash, 1));
  EXPECT_TRUE(adaptive_sections(served.store.store())->empty());
  ASSERT_TRUE((SectionKeeper{served.live, 0}.run({})));
  EXPECT_THAT(*adaptive_sections(served.store.store()), ElementsAre(0U, 1U));
  EXPECT_EQ(*served.store.reader().section_count(), 0U);
}

// Searches while blocks come and go: every answer is that of one chain.
TEST(Follow, AnswersOfOneChainWhileItIsReorganised) {
  const auto trunk = made_chain(0, 40, Hash{});
  std::vector<std::vector<ImportedBlock>> branches;
  for (std::uint64_t salt = 1; salt <= 2; ++salt)
    branches.push_back(made_chain(20, 30, trunk[19].header.hash, salt));
  ServedChain served{store_in_memory()};
  ASSERT_TRUE(served.store.set_section_size(8));
  served.add(trunk);
  const auto peer = std::make_shared<FakePeer>();
  served.call_as(peer, "eth_subscribe", {"logs", json::object()});
  const std::string filter = served.call("eth_newFilter", {json::object()})["result"];
  std::atomic<bool> over = false;
  std::vector<std::thread> askers;
  std::atomic<std::size_t> answers = 0;
  for (int i = 0; i < 3; ++i)
    askers.emplace_back([&] {
      while (!over) {
        const json found = served.call("eth_getLogs", {{{"fromBlock", "0x0"}}});
        if (found.contains("error")) continue;  // the chain changed too often meanwhile
        std::optional<std::string> salt;
        std::size_t next = 0;
        for (const json& log : found["result"]) {
          ASSERT_EQ(log["blockNumber"], to_quantity(next++));
          if (next <= 20) continue;
          if (!salt) salt = log["topics"][0];
          ASSERT_EQ(log["topics"][0], *salt);
        }
        ++answers;
        served.call("eth_getFilterChanges", {filter});
        served.call("eth_getBlockByNumber", {"latest", false});
      }
    });
  for (int round = 0; round < 6; ++round) {
    served.add(branches[static_cast<std::size_t>(round % 2)]);
    const Status indexed = served.live.write([&](ChainStore& store) -> Status {
      const auto made = BloombitsIndexer{store, 0}.run();
      if (!made) return made.error();
      return ok();
    });
    EXPECT_TRUE(indexed);
    const std::size_t before = answers;
    while (answers < before + 2) std::this_thread::yield();
  }
  over = true;
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(served.live.reorganisations(), 6U);
}

}  // namespace
}  // namespace bloomery::ethlog
