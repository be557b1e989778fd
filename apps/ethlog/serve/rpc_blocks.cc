#include "apps/ethlog/serve/rpc_blocks.h"

#include "apps/ethlog/json/transaction_json.h"
#include "apps/ethlog/model/sender.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// The number that a tag stands for; nothing where there is no such block.
Result<std::optional<std::uint64_t>> resolve(const ChainReader& reader, const BlockBound& bound) {
  switch (bound.tag) {
    case BlockTag::kNumber:
      return std::optional{bound.number};
    case BlockTag::kLatest:
      return reader.head();
    case BlockTag::kEarliest:
      return reader.lowest();
    case BlockTag::kPending:
      return std::optional<std::uint64_t>{};
    case BlockTag::kSafe:
    case BlockTag::kFinalized:
      break;
  }
  const auto finality = reader.finality();
  if (!finality) return finality.error();
  const bool safe = bound.tag == BlockTag::kSafe;
  const auto& id = safe ? finality->safe : finality->finalized;
  if (!id)
    return Error{ErrorCode::kIo, safe ? "safe block not found" : "finalized block not found"};
  return std::optional{id->number};
}

}  // namespace

Result<std::optional<BlockId>> find_block(const ChainReader& reader, const BlockName& name) {
  if (const Hash* hash = std::get_if<Hash>(&name)) {
    const auto number = reader.number_of(*hash);
    if (!number) return number.error();
    return *number ? std::optional{BlockId{**number, *hash}} : std::nullopt;
  }
  const auto number = resolve(reader, std::get<BlockBound>(name));
  if (!number) return number.error();
  if (!*number) return std::optional<BlockId>{};
  const auto hash = reader.canonical_hash(**number);
  if (!hash) return hash.error();
  return *hash ? std::optional{BlockId{**number, **hash}} : std::nullopt;
}

std::optional<RpcError> read_block(const ChainReader& reader, const BlockName& name,
                                   ChainReader::Block& block) {
  const auto id = find_block(reader, name);
  if (!id) return failed(id.error().message);
  if (!*id) return std::nullopt;
  auto read = reader.block((*id)->number, (*id)->hash);
  if (!read) return failed(read.error().message);
  block = std::move(*read);
  return std::nullopt;
}

std::optional<RpcError> check_transactions(const ImportedBlock& block) {
  if (block.has_receipts && block.receipts.empty()) return std::nullopt;
  if (has_stored_transactions(block)) return std::nullopt;
  if (block.body_rlp.empty())
    return failed(message("the transactions of block ", to_quantity(block.header.number),
                          " are not stored, only their hashes: import the block with its body"));
  if (!recovers_senders())
    return failed(
        "the senders of transactions are not known: this program was built without libsecp256k1; "
        "build it with libsecp256k1-dev installed");
  return std::nullopt;
}

}  // namespace bloomery::ethlog
