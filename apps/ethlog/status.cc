#include "apps/ethlog/status.h"

#include "apps/ethlog/bloombits_index.h"
#include "apps/ethlog/bloombits_search.h"

namespace bloomery::ethlog {
namespace {

Status add_index(const ChainReader& reader, ChainStatus& status) {
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  status.section_size = *size;
  if (!status.head) return ok();
  const auto source = bloombits_source(reader);
  if (!source) return source.error();
  BlockRange rest{0, *status.head};
  for (;;) {
    const auto covered = source->covered(rest);
    if (!covered) return covered.error();
    if (!*covered) return ok();
    const std::uint64_t blocks = (*covered)->last - (*covered)->first + 1;
    status.indexed_blocks += blocks;
    if ((*covered)->first == 0) status.sections = blocks / *size;
    if ((*covered)->last >= rest.last) return ok();
    rest.first = (*covered)->last + 1;
  }
}

}  // namespace

Result<ChainStatus> status_of(const ChainFolder& chain) {
  const ChainReader& reader = chain.reader();
  ChainStatus status;
  status.geth = chain.is_geth();
  const auto head = reader.head();
  if (!head) return head.error();
  status.head = *head;
  if (*head) {
    const auto hash = reader.canonical_hash(**head);
    if (!hash) return hash.error();
    status.head_hash = *hash;
  }
  const auto lowest = reader.lowest();
  if (!lowest) return lowest.error();
  status.lowest = *lowest;
  if (const ChainStore* own = chain.own()) {
    status.counts = own->counts();
    const auto id = own->chain_id();
    if (!id) return id.error();
    status.chain_id = *id;
  }
  if (reader.freezer() != nullptr) status.frozen_blocks = reader.freezer()->end();
  if (Status s = add_index(reader, status); !s) return s.error();
  return status;
}

}  // namespace bloomery::ethlog
