#include "apps/ethlog/store/block_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

std::string complaint(ImportedBlock block) {
  const Status checked = check_block(block);
  return checked ? std::string{} : checked.error().message;
}

TEST(TrieRoot, OfNothingAndOfOneValueAreTheKnownOnes) {
  EXPECT_EQ(ordered_trie_root({}).hex(),
            "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  EXPECT_EQ(empty_trie_root(), ordered_trie_root({}));
  // By hand: one leaf, key 0x80, so the path is 20 80 and the node [0x2080, "x"].
  const ByteView values[] = {bytes_of("x")};
  EXPECT_EQ(ordered_trie_root(values), keccak_hash(*bytes_from_hex("0xc482208078")));
}

TEST(TrieRoot, PutsShortNodesIntoTheirParents) {
  // By hand: keys 80 and 01 part at the first nibble. Children 0: leaf [31, "b"]; 8: leaf [30,
  // "a"].
  const ByteView values[] = {bytes_of("a"), bytes_of("b")};
  EXPECT_EQ(ordered_trie_root(values),
            keccak_hash(*bytes_from_hex("0xd5c2316280808080808080c230618080808080808080")));
}

TEST(TrieRoot, HashesNodesFromThirtyTwoBytesOn) {
  for (const std::size_t size : {28U, 29U}) {  // the leaf has three bytes more
    const Bytes value(size, std::byte{0xaa});
    RlpWriter leaf;
    leaf.begin_list();
    leaf.number(0x30);
    leaf.bytes(value);
    leaf.end_list();
    const Bytes node = leaf.take();
    RlpWriter branch;
    branch.begin_list();
    branch.item(*bytes_from_hex("0xc23162"));
    for (int i = 1; i < 8; ++i) branch.bytes({});
    if (size == 28)
      branch.item(node);
    else
      branch.bytes(keccak_hash(node).bytes);
    for (int i = 9; i < 17; ++i) branch.bytes({});
    branch.end_list();
    const ByteView values[] = {value, bytes_of("b")};
    EXPECT_EQ(ordered_trie_root(values), keccak_hash(branch.take())) << size;
  }
}

TEST(BlockCheck, VerifiesAWholeBlockAndFillsWhatItsPartsImply) {
  ImportedBlock block = sample_block();
  const Body body = *decode_body(block.body_rlp);
  ASSERT_EQ(complaint(block), "");
  ASSERT_TRUE(check_block(block));
  EXPECT_EQ(block.verified, (Verified{true, false, true, true, true}));
  ASSERT_EQ(block.transaction_hashes.size(), 4U);
  EXPECT_EQ(block.transaction_hashes[0], keccak_hash(*bytes_from_hex("0xc38203e8")));
  EXPECT_EQ(block.transaction_hashes[2], keccak_hash(*bytes_from_hex("0x02c38203ea")));
  EXPECT_EQ(block.receipts[3].transaction_hash, body.transactions[3].hash());
}

TEST(BlockCheck, TakesTypesFromTheBodyWhereReceiptsHaveNone) {
  ImportedBlock block = sample_block();
  block.receipts = *decode_storage(encode_storage(block.receipts));
  block.receipt_types_known = false;
  ASSERT_TRUE(check_block(block)) << complaint(block);
  EXPECT_TRUE(block.verified.receipts_root);
  EXPECT_EQ(block.receipts[3].type, 3);

  ImportedBlock without_body = sample_block();
  without_body.body_rlp.clear();
  without_body.receipts = *decode_storage(encode_storage(without_body.receipts));
  without_body.receipt_types_known = false;
  ASSERT_TRUE(check_block(without_body)) << complaint(without_body);
  EXPECT_EQ(without_body.verified, (Verified{true, false, true, false, false}));
}

TEST(BlockCheck, LeavesABlockWithoutHeaderRlpUnverified) {
  ImportedBlock block = sample_block();
  block.header.rlp.clear();
  block.body_rlp.clear();
  ASSERT_TRUE(check_block(block)) << complaint(block);
  EXPECT_EQ(block.verified, (Verified{false, false, true, true, false}));
  block.receipts[0].cumulative_gas_used = 0;
  ASSERT_TRUE(check_block(block)) << complaint(block);
  EXPECT_EQ(block.verified, (Verified{false, false, true, false, false}));
}

TEST(BlockCheck, KnowsThatAnEmptyRootHasNoReceipts) {
  ImportedBlock block;
  const Bytes body = *bytes_from_hex("0xc2c0c0");
  block.header = *decode_header(header_rlp(9, {}, *decode_body(body), {}));
  ASSERT_TRUE(check_block(block)) << complaint(block);
  EXPECT_TRUE(block.has_receipts);
  EXPECT_TRUE(block.verified.receipts_root);
  ImportedBlock other = sample_block();
  other.receipts.clear();
  other.has_receipts = false;
  ASSERT_TRUE(check_block(other)) << complaint(other);
  EXPECT_FALSE(other.has_receipts);
  EXPECT_FALSE(other.verified.bloom);
}

TEST(BlockCheck, NamesWhatDiffersInTheHeader) {
  ImportedBlock block = sample_block();
  block.header.hash = filled_hash(1);
  EXPECT_THAT(complaint(block), HasSubstr("block 5: its hash should be 0x0101"));
  block = sample_block();
  block.header.rlp[10] ^= std::byte{1};
  EXPECT_THAT(complaint(block), HasSubstr("block 5: its hash should be"));
  block = sample_block();
  block.header.rlp.pop_back();
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the header RLP is broken: block header"));
  block = sample_block();
  block.header.number = 6;
  EXPECT_EQ(complaint(block), "block 6: the header RLP is that of block 5");
  block = sample_block();
  block.header.timestamp = 1;
  EXPECT_THAT(complaint(block), HasSubstr("the timestamp in the header RLP is 1005"));
  block = sample_block();
  block.header.bloom.bytes[0] ^= std::byte{1};
  EXPECT_THAT(complaint(block), HasSubstr("the logs bloom in the header RLP is 0x"));
  using Member = std::optional<Hash> Header::*;
  const std::pair<Member, const char*> members[] = {
      {&Header::parent_hash, "the parent hash in"},
      {&Header::uncles_hash, "the uncles hash in"},
      {&Header::transactions_root, "the transactions root in"},
      {&Header::receipts_root, "the receipts root in"},
      {&Header::withdrawals_root, "the withdrawals root in"}};
  for (const auto& [member, words] : members) {
    block = sample_block();
    block.header.*member = filled_hash(0xee);
    EXPECT_THAT(complaint(block), HasSubstr(words));
  }
}

TEST(BlockCheck, NamesWhatDiffersInReceipts) {
  ImportedBlock block = sample_block();
  block.receipts[1].logs[0].address.bytes[0] ^= std::byte{1};
  EXPECT_EQ(complaint(block), "block 5: the bloom of receipt 1 is not the one of its logs");
  block.receipts[1].bloom.reset();
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the logs in its receipts give another bloom"));
  block = sample_block();
  block.receipts[3].logs[1].data[0] ^= std::byte{1};  // data is in no bloom, but in the root
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the root of its receipts is 0x"));
  block = sample_block();
  block.receipts[2].succeeded = true;
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the root of its receipts is 0x"));
  block.receipts_complete = false;
  EXPECT_EQ(complaint(block), "");
  block = sample_block();
  block.receipts.pop_back();
  EXPECT_EQ(complaint(block), "block 5: it has 4 transactions, but 3 receipts");
  block = sample_block();
  block.receipts[2].type = 1;
  EXPECT_EQ(complaint(block), "block 5: receipt 2 is of type 1, but its transaction of type 2");
  block = sample_block();
  block.receipts[2].transaction_hash = filled_hash(0xee);
  EXPECT_THAT(complaint(block), HasSubstr("block 5: receipt 2 is for transaction 0xeeee"));
  block = sample_block();
  block.transaction_hashes.assign(4, filled_hash(0xee));
  EXPECT_THAT(complaint(block), HasSubstr("its transaction hashes are not those"));
}

TEST(BlockCheck, NamesWhatDiffersInTheBody) {
  ImportedBlock block = sample_block();
  block.body_rlp[4] ^= std::byte{1};
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the root of the transactions in its body is"));
  block = sample_block();
  block.body_rlp.back() ^= std::byte{1};
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the root of the withdrawals in its body is"));
  block = sample_block();
  block.body_rlp.pop_back();
  EXPECT_THAT(complaint(block), HasSubstr("block 5: the body is broken: block body"));
}

TEST(BlockCheck, HoldsABlockToItsParent) {
  ImportedBlock block = sample_block();
  ASSERT_TRUE(check_block(block));
  EXPECT_TRUE(check_parent(block, filled_hash(3), Gaps::kRefused));
  EXPECT_TRUE(block.verified.parent_link);
  ASSERT_TRUE(check_block(block));
  EXPECT_TRUE(check_parent(block, std::nullopt, Gaps::kAllowed));
  EXPECT_FALSE(block.verified.parent_link);
  const Status gap = check_parent(block, std::nullopt, Gaps::kRefused);
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().message,
            "block 5: block 4 is not in the store; import it first, or allow gaps (--gaps)");
  const Status foreign = check_parent(block, filled_hash(4), Gaps::kAllowed);
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("block 5: its parent is 0x0303"));
  ImportedBlock first = sample_block(0, {});
  ASSERT_TRUE(check_block(first));
  EXPECT_TRUE(check_parent(first, std::nullopt, Gaps::kRefused));
  EXPECT_TRUE(first.verified.parent_link);
  ImportedBlock odd = sample_block(0, filled_hash(3));
  EXPECT_FALSE(check_parent(odd, std::nullopt, Gaps::kAllowed));
}

TEST(Header, AcceptsItemsOfForksToCome) {
  const Bytes known = sample_block().header.rlp;
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(known, failure, "Header");
  RlpWriter out;
  out.begin_list();
  while (!items.done()) out.item(items.item("Item"));
  out.bytes(filled_hash(1).bytes);
  out.begin_list();
  out.end_list();
  out.end_list();
  const Bytes later = out.take();
  const auto header = decode_header(later);
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->hash, keccak_hash(later));
  EXPECT_EQ(header->withdrawals_root, sample_block().header.withdrawals_root);
  EXPECT_FALSE(decode_header(Bytes(70'000)));
}

}  // namespace
}  // namespace bloomery::ethlog
