#include "apps/ethlog/store/block_check.h"

#include <algorithm>
#include <tuple>

#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/trie_root.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

template <class... Parts>
Error wrong(const ImportedBlock& block, const Parts&... parts) {
  return {ErrorCode::kMalformed, message("block ", block.header.number, ": ", parts...)};
}

Error within(const ImportedBlock& block, std::string_view part, const Error& inner) {
  return {inner.code,
          message("block ", block.header.number, ": the ", part, " is broken: ", inner.message)};
}

// A sentence for two hashes (or blooms) that should be one; nothing where they are.
template <class T>
Status same(const ImportedBlock& block, std::string_view what, const T& computed, const T& said,
            std::string_view source) {
  if (computed == said) return ok();
  return wrong(block, "the ", what, " is ", computed.hex(), ", but ", source, " says ", said.hex());
}

Status check_member(const ImportedBlock& block, std::string_view what,
                    const std::optional<Hash>& in_rlp, const std::optional<Hash>& said) {
  if (!said || in_rlp == said) return ok();
  return wrong(block, "the ", what, " in the header RLP is ", in_rlp ? in_rlp->hex() : "missing",
               ", but its source says ", said->hex());
}

Status check_header(ImportedBlock& block) {
  Header& said = block.header;
  if (said.rlp.empty()) return ok();
  Result<Header> decoded = decode_header(said.rlp);
  if (!decoded) return within(block, "header RLP", decoded.error());
  if (decoded->number != said.number)
    return wrong(block, "the header RLP is that of block ", decoded->number);
  if (decoded->hash != said.hash)
    return wrong(block, "its hash should be ", said.hash.hex(), ", but the header hashes to ",
                 decoded->hash.hex(), ": a member differs, is missing, or belongs to a later fork");
  if (decoded->timestamp != said.timestamp)
    return wrong(block, "the timestamp in the header RLP is ", decoded->timestamp,
                 ", but its source says ", said.timestamp);
  if (Status s =
          same(block, "logs bloom in the header RLP", decoded->bloom, said.bloom, "its source");
      !s)
    return s;
  const std::tuple<std::string_view, std::optional<Hash>, std::optional<Hash>> members[] = {
      {"parent hash", decoded->parent_hash, said.parent_hash},
      {"uncles hash", decoded->uncles_hash, said.uncles_hash},
      {"transactions root", decoded->transactions_root, said.transactions_root},
      {"receipts root", decoded->receipts_root, said.receipts_root},
      {"withdrawals root", decoded->withdrawals_root, said.withdrawals_root}};
  for (const auto& [what, in_rlp, in_source] : members)
    if (Status s = check_member(block, what, in_rlp, in_source); !s) return s;
  said = std::move(*decoded);
  block.verified.header_hash = true;
  return ok();
}

// The hashes of the body's transactions, which must be those that the source gave, if it gave any.
Status adopt_transactions(ImportedBlock& block, const Body& body) {
  std::vector<Hash> hashes = body.transaction_hashes();
  if (!block.transaction_hashes.empty() && block.transaction_hashes != hashes)
    return wrong(block, "its transaction hashes are not those of the transactions in its body");
  block.transaction_hashes = std::move(hashes);
  if (!block.has_receipts) {
    block.has_receipts = body.transactions.empty();
    return ok();
  }
  if (block.receipts.size() != body.transactions.size())
    return wrong(block, "it has ", body.transactions.size(), " transactions, but ",
                 block.receipts.size(), " receipts");
  for (std::size_t i = 0; i < block.receipts.size(); ++i) {
    Receipt& receipt = block.receipts[i];
    const unsigned type = body.transactions[i].type;
    if (block.receipt_types_known && receipt.type != type)
      return wrong(block, "receipt ", i, " is of type ", unsigned{receipt.type},
                   ", but its transaction of type ", type);
    receipt.type = body.transactions[i].type;
  }
  block.receipt_types_known = true;
  return ok();
}

// Optimism begins every block with a deposit. From its fork Isthmus on, the withdrawals root of a
// header is the storage root of a contract, and the list of withdrawals is empty.
bool has_root_of_contract(const Body& body) {
  constexpr std::uint8_t kOptimismDeposit = 0x7e;
  return !body.transactions.empty() && body.transactions.front().type == kOptimismDeposit &&
         body.withdrawals && body.withdrawals->empty();
}

Status check_body(ImportedBlock& block) {
  if (block.body_rlp.empty()) return ok();
  const Result<Body> body = decode_body(block.body_rlp);
  if (!body) return within(block, "body", body.error());
  const Header& header = block.header;
  if (header.uncles_hash)
    if (Status s = same(block, "hash of the uncles in its body", body->uncles_hash(),
                        *header.uncles_hash, "the header");
        !s)
      return s;
  if (header.transactions_root)
    if (Status s = same(block, "root of the transactions in its body", body->transactions_root(),
                        *header.transactions_root, "the header");
        !s)
      return s;
  const std::optional<Hash> withdrawals = body->withdrawals_root();
  if (block.verified.header_hash && withdrawals.has_value() != header.withdrawals_root.has_value())
    return wrong(block, withdrawals ? "its body has withdrawals, but its header no root of them"
                                    : "its header has a withdrawals root, but its body none");
  if (withdrawals && header.withdrawals_root && !has_root_of_contract(*body))
    if (Status s = same(block, "root of the withdrawals in its body", *withdrawals,
                        *header.withdrawals_root, "the header");
        !s)
      return s;
  block.verified.body = block.verified.header_hash;
  return adopt_transactions(block, *body);
}

// Block and receipts may each know the transaction hashes: both, if both do, must say the same.
Status join_transaction_hashes(ImportedBlock& block) {
  if (block.transaction_hashes.empty()) {
    for (const Receipt& receipt : block.receipts)
      if (receipt.transaction_hash) block.transaction_hashes.push_back(*receipt.transaction_hash);
    if (block.transaction_hashes.size() != block.receipts.size()) block.transaction_hashes.clear();
    return ok();
  }
  if (block.transaction_hashes.size() != block.receipts.size())
    return wrong(block, "it has ", block.transaction_hashes.size(), " transactions, but ",
                 block.receipts.size(), " receipts");
  for (std::size_t i = 0; i < block.receipts.size(); ++i) {
    std::optional<Hash>& of_receipt = block.receipts[i].transaction_hash;
    if (of_receipt && *of_receipt != block.transaction_hashes[i])
      return wrong(block, "receipt ", i, " is for transaction ", of_receipt->hex(),
                   ", but the block has ", block.transaction_hashes[i].hex(), " there");
    of_receipt = block.transaction_hashes[i];
  }
  return ok();
}

// What nodes write that compute no blooms: all bits clear, or all set.
bool is_no_bloom(const Bloom& bloom) {
  const auto is_all = [&](std::byte value) {
    return std::ranges::all_of(bloom.bytes, [&](std::byte byte) { return byte == value; });
  };
  return is_all(std::byte{0}) || is_all(std::byte{0xff});
}

// `blooms`: those of the receipts, computed.
Status check_blooms(ImportedBlock& block, std::span<const Bloom> blooms) {
  Bloom all;
  const bool proven = block.verified.header_hash;
  for (std::size_t i = 0; i < block.receipts.size(); ++i) {
    Receipt& receipt = block.receipts[i];
    const Bloom& own = blooms[i];
    if (receipt.bloom && *receipt.bloom != own && !proven && is_no_bloom(*receipt.bloom))
      receipt.bloom.reset();
    if (receipt.bloom && *receipt.bloom != own)
      return wrong(block, "the bloom of receipt ", i, " is not the one of its logs");
    for (std::size_t byte = 0; byte < Bloom::kSize; ++byte) all.bytes[byte] |= own.bytes[byte];
  }
  // Searches go by the header's bloom, so it is the one of the logs.
  if (all != block.header.bloom && !proven && is_no_bloom(block.header.bloom)) {
    block.header.bloom = all;
    return ok();
  }
  if (all != block.header.bloom)
    return wrong(block,
                 "the logs in its receipts give another bloom than its header has: logs are "
                 "missing, foreign or altered");
  block.verified.bloom = true;
  return ok();
}

// Of the other types there may be items that the source does not tell.
bool are_all_of_ethereum(std::span<const Receipt> receipts) {
  constexpr std::uint8_t kLastType = 4;
  return std::ranges::all_of(receipts, [](const Receipt& one) { return one.type <= kLastType; });
}

// A difference is an error only where it proves something: under a header whose hash was checked,
// and with every part that the root is made of.
Status check_receipts_root(ImportedBlock& block, std::span<const Bloom> blooms) {
  if (!block.header.receipts_root) return ok();
  const Hash root = receipts_root_of(block.receipts, blooms);
  block.verified.receipts_root =
      root == *block.header.receipts_root ||
      receipts_root_of(block.receipts, blooms, FailedStatus::kZeroByte) ==
          *block.header.receipts_root;
  const bool proves = block.verified.header_hash && block.receipt_types_known &&
                      block.receipts_complete && are_all_of_ethereum(block.receipts);
  if (block.verified.receipts_root || !proves) return ok();
  return same(block, "root of its receipts", root, *block.header.receipts_root, "the header");
}

}  // namespace

Status check_block(ImportedBlock& block) {
  block.verified = {};
  if (Status s = check_header(block); !s) return s;
  if (Status s = check_body(block); !s) return s;
  if (!block.has_receipts && block.receipts.empty() &&
      block.header.receipts_root == empty_trie_root())
    block.has_receipts = true;
  if (!block.has_receipts) return ok();
  if (Status s = join_transaction_hashes(block); !s) return s;
  const std::vector<Bloom> blooms = blooms_of(block.receipts);
  if (Status s = check_blooms(block, blooms); !s) return s;
  return check_receipts_root(block, blooms);
}

Status check_parent(ImportedBlock& block, const std::optional<Hash>& parent_in_store, Gaps gaps) {
  const Header& header = block.header;
  if (header.number == 0) {
    if (header.parent_hash && !header.parent_hash->is_zero())
      return wrong(block, "the first block has the parent ", header.parent_hash->hex(),
                   ", where zeros should be");
    block.verified.parent_link = block.verified.header_hash;
    return ok();
  }
  if (!parent_in_store) {
    if (gaps != Gaps::kRefused) return ok();
    return wrong(block, "block ", header.number - 1,
                 " is not in the store; import it first, or allow gaps (--gaps)");
  }
  if (!header.parent_hash) return ok();
  if (*header.parent_hash != *parent_in_store)
    return wrong(block, "its parent is ", header.parent_hash->hex(), ", but block ",
                 header.number - 1, " in the store is ", parent_in_store->hex());
  block.verified.parent_link = block.verified.header_hash;
  return ok();
}

}  // namespace bloomery::ethlog
