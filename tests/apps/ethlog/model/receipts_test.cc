#include "apps/ethlog/model/receipts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

Bytes hex(const nlohmann::json& text) { return *bytes_from_hex(text.get<std::string>()); }

nlohmann::json golden_receipts() {
  std::ifstream file{golden_path("receipt_rlp.json")};
  return nlohmann::json::parse(file).at("cases");
}

TEST(Receipts, EqualWhatGethEncodes) {
  const auto cases = golden_receipts();
  ASSERT_EQ(cases.size(), 8U);
  for (const auto& golden : cases) {
    const Bytes consensus = hex(golden["consensus_rlp"]);
    const auto receipt = decode_consensus(consensus);
    ASSERT_TRUE(receipt) << receipt.error().message;
    EXPECT_EQ(receipt->cumulative_gas_used, golden["cumulativeGasUsed"].get<std::uint64_t>());
    EXPECT_EQ(receipt->logs.size(), golden["logs"].size());
    EXPECT_EQ(bloom_of(*receipt).hex(), golden["bloom"].get<std::string>());
    EXPECT_EQ(receipt->bloom, bloom_of(*receipt));
    EXPECT_EQ(encode_consensus(*receipt), consensus);
    Receipt without_bloom = *receipt;
    without_bloom.bloom.reset();
    EXPECT_EQ(encode_consensus(without_bloom), consensus);

    const Bytes storage = hex(golden["storage_rlp"]);
    RlpWriter list;
    list.begin_list();
    list.item(storage);
    list.end_list();
    const Bytes stored = list.take();
    const auto from_storage = decode_storage(stored);
    ASSERT_TRUE(from_storage) << from_storage.error().message;
    EXPECT_EQ((*from_storage)[0].logs, receipt->logs);
    EXPECT_EQ((*from_storage)[0].state_root, receipt->state_root);
    EXPECT_EQ((*from_storage)[0].succeeded, receipt->succeeded);
    EXPECT_EQ(encode_storage(*from_storage), stored);
  }
}

TEST(Receipts, KeepTheirTypeInTheConsensusListAndInTheSlimOne) {
  const std::vector<Receipt> receipts = sample_receipts();
  const auto again = decode_consensus_list(encode_consensus_list(receipts));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, receipts);
  auto slim = decode_slim(encode_slim(receipts));
  ASSERT_TRUE(slim) << slim.error().message;
  for (Receipt& receipt : *slim) receipt.bloom = bloom_of(receipt);
  EXPECT_EQ(*slim, receipts);
  for (const Receipt& receipt : receipts) {
    const auto one = decode_consensus(encode_consensus(receipt));
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(*one, receipt);
  }
}

// As geth 1.8 wrote them: six items, with the bloom seven, and logs that carry where they stand.
Bytes old_storage(std::span<const Receipt> receipts, bool with_bloom) {
  RlpWriter out;
  out.begin_list();
  for (const Receipt& receipt : receipts) {
    out.begin_list();
    out.number(receipt.succeeded ? 1 : 0);
    out.number(receipt.cumulative_gas_used);
    if (with_bloom) out.bytes(bloom_of(receipt).bytes);
    out.bytes(filled_hash(0x77).bytes);
    out.bytes(Address{}.bytes);
    out.begin_list();
    for (const Log& log : receipt.logs) {
      out.begin_list();
      out.bytes(log.address.bytes);
      out.begin_list();
      for (const Topic& topic : log.topics) out.bytes(topic.bytes);
      out.end_list();
      out.bytes(log.data);
      for (unsigned derived = 0; derived < 5; ++derived) out.number(derived);
      out.end_list();
    }
    out.end_list();
    out.number(21'000);
    out.end_list();
  }
  out.end_list();
  return out.take();
}

TEST(Receipts, OfOlderDatabasesAreRead) {
  const std::vector<Receipt> receipts = sample_receipts();
  for (const bool with_bloom : {false, true}) {
    const auto read = decode_storage(old_storage(receipts, with_bloom));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), receipts.size());
    for (std::size_t i = 0; i < receipts.size(); ++i) {
      EXPECT_EQ((*read)[i].logs, receipts[i].logs);
      EXPECT_EQ((*read)[i].succeeded, receipts[i].succeeded);
      EXPECT_EQ((*read)[i].transaction_hash, filled_hash(0x77));
      EXPECT_EQ((*read)[i].bloom.has_value(), with_bloom);
    }
  }
}

TEST(Receipts, RefuseAWrongNumberOfItemsStatusTopicsOrType) {
  const auto refused = [](std::string_view text) {
    const auto bytes = bytes_from_hex(text);
    const auto read = decode_storage(*bytes);
    return read ? std::string{} : read.error().message;
  };
  EXPECT_EQ(refused("0xc4c30180c0"), "");
  EXPECT_EQ(refused("0xc5c4018001c0"), "stored receipt: 3, 6 or 7 items were expected, not 4");
  EXPECT_NE(refused("0xc4c30280c0").find("the first item should be a state root"),
            std::string::npos);
  EXPECT_NE(refused("0xc4c3018080").find("a list was expected"), std::string::npos);
  Receipt receipt;
  receipt.type = 0;
  Bytes typed = encode_consensus(receipt);
  typed.insert(typed.begin(), std::byte{0x80});
  EXPECT_FALSE(decode_consensus(typed));
  typed[0] = std::byte{0};
  EXPECT_FALSE(decode_consensus(typed));
  typed[0] = std::byte{0x7f};
  EXPECT_EQ(decode_consensus(typed)->type, 0x7f);
  RlpWriter wrapped;
  wrapped.begin_list();
  wrapped.bytes(encode_consensus(receipt));
  wrapped.end_list();
  EXPECT_FALSE(decode_consensus_list(wrapped.take()));
}

TEST(Receipts, WithFiveTopicsAreRefused) {
  Receipt receipt;
  receipt.logs.resize(1);
  for (int i = 0; i < 4; ++i) receipt.logs[0].topics.push_back(filled_hash(1));
  Bytes four = encode_storage(std::span{&receipt, 1});
  ASSERT_TRUE(decode_storage(four));
  RlpWriter out;
  for (int i = 0; i < 2; ++i) out.begin_list();
  out.number(1);
  out.number(0);
  for (int i = 0; i < 2; ++i) out.begin_list();
  out.bytes(Address{}.bytes);
  out.begin_list();
  for (int i = 0; i < 5; ++i) out.bytes(Hash{}.bytes);
  out.end_list();
  out.bytes({});
  for (int i = 0; i < 4; ++i) out.end_list();
  const auto read = decode_storage(out.take());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "log: it has more than four topics");
}

TEST(Receipts, SurviveEveryTruncationAndAlteredByte) {
  const std::vector<Receipt> receipts = sample_receipts();
  for (const Bytes& good : {encode_consensus_list(receipts), encode_storage(receipts),
                            old_storage(receipts, true), encode_slim(receipts)}) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      const ByteView cut = ByteView{good}.first(size);
      EXPECT_FALSE(decode_consensus_list(cut));
      EXPECT_FALSE(decode_storage(cut));
      EXPECT_FALSE(decode_slim(cut));
    }
    for (std::size_t at = 0; at < good.size(); ++at)
      for (const unsigned value : {0x00U, 0x7fU, 0x80U, 0xb7U, 0xbfU, 0xc0U, 0xf8U, 0xffU}) {
        Bytes bad = good;
        bad[at] = static_cast<std::byte>(value);
        // What is read can be written again to the same bytes: there is one encoding of each value.
        if (const auto read = decode_consensus_list(bad)) {
          EXPECT_EQ(encode_consensus_list(*read), bad);
        }
        (void)decode_storage(bad);
        if (const auto read = decode_slim(bad)) {
          EXPECT_EQ(encode_slim(*read), bad);
        }
      }
  }
}

TEST(Receipts, OfARealNodeAreReadFromItsRawAnswer) {
  std::ifstream file{real_path("rpc_execution_apis.json")};
  if (!file) GTEST_SKIP() << "The real data is not here: " << real_path("rpc_execution_apis.json");
  const auto answers = nlohmann::json::parse(file);
  std::size_t read = 0;
  for (const auto& test : answers.at("tests")) {
    if (test["request"]["method"] != "debug_getRawReceipts" || !test["response"].contains("result"))
      continue;
    for (const auto& text : test["response"]["result"]) {
      const Bytes raw = hex(text);
      const auto receipt = decode_consensus(raw);
      ASSERT_TRUE(receipt) << receipt.error().message;
      EXPECT_EQ(receipt->bloom, bloom_of(*receipt));
      EXPECT_EQ(encode_consensus(*receipt), raw);
      ++read;
    }
  }
  EXPECT_GE(read, 3U);
}

}  // namespace
}  // namespace bloomery::ethlog
