#include "apps/ethlog/import/read_jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::vector<ImportedBlock> read_all(LineSource lines) {
  JsonlReader reader{std::move(lines)};
  return all_blocks(reader);
}

std::string error_of(std::string text) {
  JsonlReader reader{lines_in(std::move(text))};
  for (;;) {
    const auto block = reader.next();
    if (!block) return block.error().message;
    if (!*block) return "";
  }
}

LineSource file_lines(const std::string& path) {
  auto bytes = bytes_of_file(path);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return lines_of(std::move(*bytes));
}

// A header's members as JSON-RPC writes them, taken from its RLP.
json members_of(ByteView rlp) {
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(rlp, failure, "Header");
  json members;
  for (const HeaderMember& member : header_members()) {
    if (items.done()) break;
    const std::string text = to_hex(items.bytes(member.name));
    if (member.kind != HeaderMember::Kind::kInteger)
      members[std::string{member.name}] = text;
    else if (text == "0x")
      members[std::string{member.name}] = "0x0";
    else
      members[std::string{member.name}] = text[2] == '0' ? "0x" + text.substr(3) : text;
  }
  EXPECT_TRUE(items.done());
  return members;
}

json rpc_block(const ImportedBlock& block) {
  json out = members_of(block.header.rlp);
  out["hash"] = block.header.hash.hex();
  out["size"] = "0x220";
  out["uncles"] = json::array();
  out["transactions"] = json::array();
  const Body body = *decode_body(block.body_rlp);
  for (const Transaction& transaction : body.transactions)
    out["transactions"].push_back(transaction.hash().hex());
  return out;
}

json rpc_receipts(const ImportedBlock& block) {
  json list = json::array();
  for (const Receipt& receipt : block.receipts) {
    json one = {{"type", to_quantity(receipt.type)},
                {"status", receipt.succeeded ? "0x1" : "0x0"},
                {"cumulativeGasUsed", to_quantity(receipt.cumulative_gas_used)},
                {"logsBloom", receipt.bloom->hex()},
                {"blockHash", block.header.hash.hex()},
                {"blockNumber", to_quantity(block.header.number)},
                {"transactionIndex", to_quantity(list.size())},
                {"logs", json::array()},
                {"gasUsed", "0x5208"},
                {"contractAddress", nullptr}};
    for (const Log& log : receipt.logs) {
      json topics = json::array();
      for (const Topic& topic : log.topics) topics.push_back(topic.hex());
      one["logs"].push_back({{"address", log.address.hex()},
                             {"topics", topics},
                             {"data", to_hex(log.data)},
                             {"removed", false}});
    }
    list.push_back(one);
  }
  return list;
}

void expect_sample(ImportedBlock block, const ImportedBlock& sample) {
  const Status checked = check_block(block);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(block.verified, (Verified{true, false, true, true, false}));
  EXPECT_EQ(block.header, sample.header);
  ASSERT_EQ(block.receipts.size(), sample.receipts.size());
  for (std::size_t i = 0; i < sample.receipts.size(); ++i)
    EXPECT_EQ(block.receipts[i].logs, sample.receipts[i].logs);
  EXPECT_EQ(block.receipts[1].extra_json, R"({"contractAddress":null,"gasUsed":"0x5208"})");
  EXPECT_EQ(block.transaction_hashes.size(), 4U);
}

TEST(JsonLines, OfTheSampleChainAreAllVerified) {
  std::size_t logs = 0;
  std::size_t blocks = 0;
  std::optional<Hash> parent;
  for (ImportedBlock& block : read_all(file_lines(golden_path("chain_blocks.jsonl")))) {
    const Status checked = check_block(block);
    ASSERT_TRUE(checked) << checked.error().message;
    const Status linked = check_parent(block, parent, Gaps::kRefused);
    ASSERT_TRUE(linked) << linked.error().message;
    EXPECT_EQ(block.verified, (Verified{true, true, true, true, false})) << block.header.number;
    EXPECT_EQ(block.transaction_hashes.size(), block.receipts.size());
    EXPECT_EQ(block.header.number, blocks);
    for (const Receipt& receipt : block.receipts) logs += receipt.logs.size();
    parent = block.header.hash;
    ++blocks;
  }
  EXPECT_EQ(blocks, 701U);
  EXPECT_EQ(logs, 1280U);
}

TEST(JsonLines, OfRealBlocksAreVerifiedAsFarAsTheirSourceSays) {
  const std::string path = real_path("mainnet_blocks.jsonl.xz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "The real data is not here: " << path;
  const LineSource said_lines = file_lines(path);
  std::size_t blocks = 0;
  std::size_t logs = 0;
  std::size_t with_header = 0;
  for (ImportedBlock& block : read_all(file_lines(path))) {
    const auto line = said_lines();
    ASSERT_TRUE(line && *line);
    const json said = json::parse(**line);
    const Status checked = check_block(block);
    ASSERT_TRUE(checked) << checked.error().message;
    const auto& verified = said["verified"];
    const bool root = std::find(verified.begin(), verified.end(), "receiptsRoot") != verified.end();
    EXPECT_TRUE(block.verified.bloom) << block.header.number;
    EXPECT_EQ(block.verified.receipts_root, root) << block.header.number;
    EXPECT_EQ(block.verified.header_hash, said.contains("headerRlp")) << block.header.number;
    EXPECT_EQ(block.header.hash.hex(), said["hash"].get<std::string>());
    std::size_t of_block = 0;
    for (const Receipt& receipt : block.receipts) of_block += receipt.logs.size();
    EXPECT_EQ(of_block, said["nLogs"].get<std::size_t>());
    logs += of_block;
    ++blocks;
    if (block.header.rlp.empty()) continue;
    ++with_header;
    // Its RLP made again from the members that a node would answer, for every fork there was.
    const json members = members_of(block.header.rlp);
    const auto made = encode_header([&](std::string_view name) -> std::optional<std::string> {
      const auto found = members.find(name);
      if (found == members.end()) return std::nullopt;
      return found->get<std::string>();
    });
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(*made, block.header.rlp) << block.header.number;
  }
  EXPECT_EQ(blocks, 30U);
  EXPECT_EQ(with_header, 29U);
  EXPECT_EQ(logs, 13'529U);
}

TEST(JsonLines, OfNodesComeInEveryWayThatAnswersAreKept) {
  const ImportedBlock sample = sample_block();
  const json block = rpc_block(sample);
  const json receipts = rpc_receipts(sample);
  json together = block;
  together["receipts"] = receipts;
  const json answer = {{"jsonrpc", "2.0"}, {"id", 1}, {"result", block}};
  const json second = {{"jsonrpc", "2.0"}, {"id", 2}, {"result", receipts}};
  const std::string ways[] = {
      together.dump(),
      json{{"block", block}, {"receipts", receipts}}.dump(),
      block.dump() + "\n" + receipts.dump(),
      answer.dump() + "\r\n\n" + second.dump() + "\n",
      json::array({answer, second}).dump(),
      json{{"block", block}}.dump() + "\n" + second.dump(),
  };
  for (const std::string& text : ways) {
    const auto blocks = read_all(lines_in(text));
    ASSERT_EQ(blocks.size(), 1U) << text.substr(0, 60);
    expect_sample(blocks[0], sample);
  }
  json full = block;
  for (json& transaction : full["transactions"]) transaction = {{"hash", transaction}};
  const auto blocks = read_all(lines_in(full.dump() + "\n" + together.dump()));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_FALSE(blocks[0].has_receipts);
  EXPECT_EQ(blocks[0].transaction_hashes, blocks[1].transaction_hashes);
}

TEST(JsonLines, OfANodeWithoutAllHeaderMembersAreUnverified) {
  const ImportedBlock sample = sample_block();
  json block = rpc_block(sample);
  block["receipts"] = rpc_receipts(sample);
  block.erase("mixHash");
  auto blocks = read_all(lines_in(block.dump()));
  ASSERT_EQ(blocks.size(), 1U);
  ASSERT_TRUE(check_block(blocks[0]));
  EXPECT_TRUE(blocks[0].header.rlp.empty());
  EXPECT_EQ(blocks[0].verified, (Verified{false, false, true, true, false}));
}

TEST(JsonLines, OfARealNodeGiveTheBloomOfItsHeaders) {
  std::ifstream file{real_path("rpc_execution_apis.json")};
  if (!file) GTEST_SKIP() << "The real data is not here: " << real_path("rpc_execution_apis.json");
  const json answers = json::parse(file);
  std::size_t checked = 0;
  for (const json& test : answers["tests"]) {
    if (test["request"]["method"] != "eth_getBlockReceipts") continue;
    const json& result = test["response"]["result"];
    if (!result.is_array() || result.empty()) continue;
    const auto number = *number_from_quantity(result[0]["blockNumber"].get<std::string>());
    json block = answers["chain_headers"][number - 1];
    ASSERT_EQ(block["number"].get<std::uint64_t>(), number);
    block["hash"] = result[0]["blockHash"];
    auto blocks = read_all(lines_in(block.dump() + "\n" + test["response"].dump()));
    ASSERT_EQ(blocks.size(), 1U);
    const Status status = check_block(blocks[0]);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(blocks[0].receipts.size(), block["nTxs"].get<std::size_t>());
    EXPECT_TRUE(blocks[0].verified.bloom);
    ++checked;
  }
  EXPECT_GE(checked, 3U);
}

TEST(JsonLines, ComplainWithTheLineAndTheMember) {
  const ImportedBlock sample = sample_block();
  json good = rpc_block(sample);
  good["receipts"] = rpc_receipts(sample);
  const auto with = [&](const char* name, const json& value) {
    json bad = good;
    bad[json::json_pointer{name}] = value;
    return error_of(good.dump() + "\n\n" + bad.dump());
  };
  EXPECT_EQ(with("/size", "0x1"), "");
  EXPECT_THAT(with("/hash", "0x12"),
              HasSubstr("line 3: the member \"hash\" should be 32 bytes written as 0x"));
  EXPECT_THAT(with("/number", -1), HasSubstr("line 3: the header member number"));
  EXPECT_THAT(with("/gasLimit", json::array()), HasSubstr("the header member gasLimit"));
  EXPECT_THAT(with("/miner", "0x1234"), HasSubstr("the header member miner should be 20 bytes"));
  EXPECT_THAT(with("/transactions/1", 17), HasSubstr("hashes, or objects with a hash; it is 17"));
  EXPECT_THAT(with("/receipts", "no"), HasSubstr("a list of receipts; it is \"no\""));
  EXPECT_THAT(with("/receipts/2", 1), HasSubstr("block 5, receipt 2: the member \"receipts\""));
  EXPECT_THAT(with("/receipts/2/type", "0x100"), HasSubstr("should be from 0 to 255"));
  EXPECT_THAT(with("/receipts/2/status", "0x2"), HasSubstr("should be 0x0 or 0x1"));
  EXPECT_THAT(with("/receipts/2/transactionIndex", "0x3"), HasSubstr("whole and in order"));
  EXPECT_THAT(with("/receipts/2/blockNumber", 6), HasSubstr("belongs to block 6"));
  EXPECT_THAT(with("/receipts/2/blockHash", filled_hash(1).hex()), HasSubstr("not to 0x"));
  EXPECT_THAT(with("/receipts/2/logs", nullptr), HasSubstr("should be a list of logs"));
  EXPECT_THAT(with("/receipts/2/logs/0/address", "0x"), HasSubstr("should be 20 bytes"));
  EXPECT_THAT(with("/receipts/2/logs/0/address", nullptr), HasSubstr("\"address\" is missing"));
  EXPECT_THAT(with("/receipts/2/logs/0/topics", json(5, filled_hash(1).hex())),
              HasSubstr("at most four topics"));
  EXPECT_THAT(with("/receipts/2/logs/0/data", "0x1"), HasSubstr("should be bytes written as 0x"));
  EXPECT_THAT(error_of("{}"), HasSubstr("line 1: the member \"hash\" is missing"));
  EXPECT_THAT(error_of("17"), HasSubstr("line 1: a block (an object) or its receipts"));
  EXPECT_THAT(error_of("[]"), HasSubstr("line 1: a list of receipts stands without its block"));
  EXPECT_THAT(error_of("{\"number\": 1,}"), HasSubstr("it is not JSON: syntax error at byte"));
  EXPECT_THAT(error_of("[1e999]"), HasSubstr("it is not JSON"));
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("nested deeper than 32 levels"));
  EXPECT_THAT(error_of(R"({"jsonrpc":"2.0","id":1,"result":null})"), HasSubstr("does not have"));
  EXPECT_THAT(error_of(R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}})"),
              HasSubstr("the node answered with an error: {"));
}

TEST(JsonLines, LeaveABlockWithoutReceiptsWhenOneOfThemIsMalformed) {
  const ImportedBlock sample = sample_block();
  json receipts = rpc_receipts(sample);
  receipts[2].erase("cumulativeGasUsed");
  receipts[3]["logs"] = 1;
  JsonlReader reader{lines_in(rpc_block(sample).dump() + "\n" + receipts.dump())};
  const auto refused = reader.next();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("line 2: block 5, receipt 3: "));
  const auto block = reader.next();
  ASSERT_TRUE(block && *block);
  EXPECT_EQ((*block)->header.hash, sample.header.hash);
  EXPECT_FALSE((*block)->has_receipts);
  EXPECT_TRUE((*block)->receipts.empty());
  EXPECT_TRUE((*block)->receipts_complete);
}

TEST(JsonLines, SurviveTruncationAndAlteredBytes) {
  const ImportedBlock sample = sample_block();
  json good = rpc_block(sample);
  good["receipts"] = rpc_receipts(sample);
  const std::string text = good.dump();
  for (std::size_t size = 1; size < text.size(); size += 41)
    EXPECT_NE(error_of(text.substr(0, size)), "");
  for (std::size_t at = 0; at < text.size(); at += 13)
    for (const char value : {'\0', '"', '\\', '{', ']', ',', '0', '\xff'}) {
      std::string bad = text;
      bad[at] = value;
      JsonlReader reader{lines_in(bad)};
      auto block = reader.next();
      if (block && *block) (void)check_block(**block);
    }
}

TEST(Lines, AreCutAtTheirEndsAndNoLongerThanTheLimit) {
  const LineSource lines = lines_in("one\r\n\nthree");
  EXPECT_EQ(**lines(), "one");
  EXPECT_EQ(**lines(), "");
  EXPECT_EQ(**lines(), "three");
  EXPECT_FALSE(*lines());
  EXPECT_FALSE(*lines());
  const LineSource endless = lines_of(
      [](ByteSpan out) {
        std::fill(out.begin(), out.end(), std::byte{'x'});
        return Result<std::size_t>{out.size()};
      },
      1 << 20);
  const auto line = endless();
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().message, "the line is longer than 1048576 bytes, the most that is read");
}

TEST(Lines, AreWholeHoweverTheBytesCome) {
  const LineSource lines =
      lines_of([text = std::string_view{"one\n\ntwo\n"}](ByteSpan out) mutable {
        const std::size_t size = text.empty() ? 0 : 1;
        if (size == 1) out[0] = static_cast<std::byte>(text[0]);
        text.remove_prefix(size);
        return Result<std::size_t>{size};
      });
  for (const char* expected : {"one", "", "two"}) {
    const auto line = lines();
    ASSERT_TRUE(line && *line);
    EXPECT_EQ(**line, expected);
  }
  EXPECT_FALSE(*lines());
}

TEST(Lines, OfABrokenXzFileEndInAnError) {
  const std::string magic{
      "\xfd"
      "7zXZ\0",
      6};
  ScratchFolder folder;
  for (const std::string& content : {magic, magic + std::string(100, 'x')}) {
    std::ofstream{folder / "x.xz", std::ios::binary} << content;
    const auto line = file_lines((folder / "x.xz").string())();
    ASSERT_FALSE(line);
    EXPECT_THAT(line.error().message, HasSubstr("the xz data"));
  }
  EXPECT_FALSE(bytes_of_file(folder / "missing"));
}

}  // namespace
}  // namespace bloomery::ethlog
