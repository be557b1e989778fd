// geth's freezer: the old, immutable blocks of a node, read-only. Blocks 0 to end() - 1 by number;
// of pruned history only headers and hashes are left.
#pragma once
#include "apps/ethlog/model/chain.h"
#include "apps/ethlog/store/freezer_table.h"
#include "apps/ethlog/store/stored_block.h"

namespace bloomery::ethlog {

class Freezer {
 public:
  // The folder with the tables, or a chaindata folder above it (ancient/chain, before v1.10.22
  // ancient). Nothing where there is none. The limit is that of one value.
  static Result<std::optional<Freezer>> open(const std::filesystem::path& folder,
                                             DecodeLimits limits = {64 << 20});

  std::uint64_t end() const;  // of the shortest table
  std::uint64_t first_with_receipts() const;

  // Nothing from end() on; bodies and receipts also where they were pruned.
  Result<std::optional<Hash>> hash(std::uint64_t number) const;
  Result<std::optional<std::vector<std::byte>>> header(std::uint64_t number) const;
  Result<std::optional<std::vector<std::byte>>> body(std::uint64_t number) const;
  Result<std::optional<std::vector<std::byte>>> receipts(std::uint64_t number) const;

  // All of one block; not yet checked. Nothing from end() on.
  Result<std::optional<ImportedBlock>> block(std::uint64_t number) const;

 private:
  Freezer(FreezerTable hashes, FreezerTable headers, FreezerTable bodies, FreezerTable receipts)
      : hashes_{std::move(hashes)},
        headers_{std::move(headers)},
        bodies_{std::move(bodies)},
        receipts_{std::move(receipts)} {}
  Result<std::optional<std::vector<std::byte>>> value(const FreezerTable& table,
                                                      std::uint64_t number) const;

  FreezerTable hashes_;
  FreezerTable headers_;
  FreezerTable bodies_;
  FreezerTable receipts_;
};

}  // namespace bloomery::ethlog
