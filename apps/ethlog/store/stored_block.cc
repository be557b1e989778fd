#include "apps/ethlog/store/stored_block.h"

#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {

namespace {

Status add_parts(StoredParts parts, ImportedBlock& block) {
  if (parts.body) block.body_rlp = std::move(*parts.body);
  if (parts.receipts) {
    Result<std::vector<Receipt>> receipts = decode_storage(*parts.receipts);
    if (!receipts)
      return Error{receipts.error().code,
                   message("block ", block.header.number,
                           ": the stored receipts are broken: ", receipts.error().message)};
    block.receipts = std::move(*receipts);
    block.has_receipts = true;
    block.receipt_types_known = block.receipts.empty();
  }
  return ok();
}

}  // namespace

Result<ImportedBlock> block_from_parts(std::uint64_t number, const Hash& hash, StoredParts parts) {
  ImportedBlock block;
  Result<Header> header = decode_header(parts.header);
  if (!header)
    return Error{
        header.error().code,
        message("block ", number, ": the stored header is broken: ", header.error().message)};
  block.header = std::move(*header);
  if (block.header.hash != hash || block.header.number != number)
    return Error{
        ErrorCode::kMalformed,
        message("block ", number, ": under the hash ", hash.hex(), " the header of block ",
                block.header.number, " with the hash ", block.header.hash.hex(), " is stored")};
  if (Status s = add_parts(std::move(parts), block); !s) return s.error();
  return block;
}

Result<ImportedBlock> block_without_header(std::uint64_t number, const Hash& hash,
                                           StoredParts parts) {
  ImportedBlock block;
  block.header.number = number;
  block.header.hash = hash;
  if (Status s = add_parts(std::move(parts), block); !s) return s.error();
  return block;
}

Status name_transactions(ImportedBlock& block) {
  if (block.body_rlp.empty()) return ok();
  const Result<Body> body = decode_body(block.body_rlp);
  if (!body)
    return Error{body.error().code, message("block ", block.header.number,
                                            ": the body is broken: ", body.error().message)};
  if (block.has_receipts && block.receipts.size() != body->transactions.size())
    return Error{ErrorCode::kMalformed,
                 message("block ", block.header.number, ": it has ", body->transactions.size(),
                         " transactions, but ", block.receipts.size(), " receipts")};
  block.transaction_hashes = body->transaction_hashes();
  for (std::size_t i = 0; i < block.receipts.size(); ++i) {
    block.receipts[i].type = body->transactions[i].type;
    block.receipts[i].transaction_hash = block.transaction_hashes[i];
  }
  block.receipt_types_known = true;
  return ok();
}

}  // namespace bloomery::ethlog
