// The bloom-bit index of a chain, as geth keeps it: per section of blocks 2048 vectors, under keys
// that carry the hash of the section's last block, and a record that the section is there.
#pragma once
#include <functional>
#include <stop_token>

#include "apps/ethlog/index/bloombits/generator.h"
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

// Blocks per section of the index in a database: our own record of it; in geth's database, what the
// first section's head says; 4096 where there is no index.
Result<std::uint64_t> section_size_of(const ChainReader& reader);

// The sections that have a record, ascending, valid or not.
Result<std::vector<std::uint64_t>> bloombits_sections(const KeyValueStore& store);

// Whether the section's record is there and its head still canonical.
Result<bool> is_section_valid(const ChainReader& reader, std::uint64_t section_size,
                              std::uint64_t section);

// The vectors of one section from its header blooms. `parent` is the hash of the block before, if
// it must be that one. The errors are go-ethereum's, to the letter.
Result<Generator> generate_section(const ChainReader& reader, std::uint64_t section_size,
                                   std::uint64_t section, const std::optional<Hash>& parent);

struct IndexProgress {
  std::uint64_t section = 0;           // the one just done
  std::uint64_t sections = 0;          // that are complete and old enough
  std::uint64_t generated = 0;         // by this run
  std::uint64_t without_receipts = 0;  // left out for that
};
using OnSection = std::function<void(const IndexProgress&)>;

inline constexpr std::uint64_t kDefaultConfirms = 256;

class BloombitsIndexer {
 public:
  // A section waits until `confirms` blocks have come after it. The store must outlive the indexer.
  explicit BloombitsIndexer(ChainStore& store, std::uint64_t confirms = kDefaultConfirms)
      : store_{store}, confirms_{confirms} {}

  // Makes every section that is complete and confirmed and not there. In a store with gaps, those
  // sections are left out of which a block is missing; the searches go by header blooms there.
  // After an error or when stopped the sections that were made stay.
  Result<IndexProgress> run(const OnSection& on_section = {}, const std::stop_token& stop = {});

  // Takes back sections from the end whose head is no longer canonical; how many are left without
  // an interruption, as geth counts them.
  Result<std::uint64_t> verify_last_head();

  // Writes one section, its head last; also over one that is there.
  Status write_section(std::uint64_t section);

 private:
  Result<bool> is_complete(std::uint64_t section) const;
  Status write_count(std::uint64_t at_least);

  ChainStore& store_;
  std::uint64_t confirms_;
};

}  // namespace bloomery::ethlog
