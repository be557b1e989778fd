#include "apps/ethlog/store/chain_store.h"
#include "apps/ethlog/store/schema.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {

Status ChainStore::set_finality(const Finality& finality) {
  const auto noted = reader_->finality();
  if (!noted) return noted.error();
  WriteBatch batch;
  const auto note = [&](std::string_view name, std::string_view key,
                        const std::optional<BlockId>& wanted,
                        const std::optional<BlockId>& old) -> Status {
    if (!wanted || wanted == old || (old && wanted->number < old->number)) return ok();
    const auto hash = reader_->canonical_hash(wanted->number);
    if (!hash) return hash.error();
    if (*hash != wanted->hash)
      return Error{ErrorCode::kInvalidArgument,
                   message("block ", wanted->number, " cannot be noted as ", name, ": its hash is ",
                           wanted->hash.hex(), ", but the store has ",
                           *hash ? (*hash)->hex() : std::string{"no such block"})};
    batch.put(key, text_of(wanted->hash.view()));
    return ok();
  };
  if (Status s = note("finalized", kFinalizedBlockKey, finality.finalized, noted->finalized); !s)
    return s;
  if (Status s = note("safe", kSafeBlockKey, finality.safe, noted->safe); !s) return s;
  return batch.empty() ? ok() : store_->write(batch, Durability::kBuffered);
}

// `removed`: the highest first.
Status ChainStore::check_finality(const ImportedBlock& block,
                                  const std::vector<BlockId>& removed) const {
  if (removed.empty()) return ok();
  const auto finality = reader_->finality();
  if (!finality) return finality.error();
  const auto& finalized = finality->finalized;
  if (!finalized || removed.back().number > finalized->number) return ok();
  return Error{ErrorCode::kMalformed,
               message("block ", block.header.number, " (", block.header.hash.hex(),
                       ") would displace block ", removed.back().number,
                       ", but the chain is final up to block ", finalized->number, " (",
                       finalized->hash.hex(),
                       "); if the chain was really made anew, import it into another folder")};
}

}  // namespace bloomery::ethlog
