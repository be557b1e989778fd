// Every data block of a LevelDB table read, and every key asked from its filter: a filter that
// denies a key of its own block makes LevelDB lose that key. And the rate at which the filters
// really err, measured.
#pragma once
#include <functional>
#include <map>

#include "bloomery/formats/leveldb/manifest.h"
#include "bloomery/formats/leveldb/table.h"

namespace bloomery {

struct LevelDbAuditOptions {
  DecodeLimits limits = {};
  // True for a table of a database: its keys end in sequence and type, which filters do not see. A
  // table alone does not say; then it is found out.
  bool of_database = false;
  bool bytewise = false;                   // the order of keys is checked
  const LevelDbLiveTable* live = nullptr;  // the range of keys is checked against the manifest
  std::function<void(std::uint64_t stored_bytes)> progress = {};  // after each data block
};

struct LevelDbAudit {
  std::uint64_t data_blocks = 0;     // those that could be read
  std::uint64_t damaged_blocks = 0;  // wrong checksum, or not what it should be
  std::string first_damage;
  std::uint64_t keys = 0;  // every version of a key, and deletions, as the filters count them
  std::uint64_t deletions = 0;
  std::uint64_t unpacked_bytes = 0;  // of data blocks
  bool user_keys = false;            // the keys end in sequence and type
  std::uint64_t denied_keys = 0;     // that their own filter says are absent
  std::vector<std::byte> first_denied;
  std::uint64_t first_denied_block = 0;  // its offset
  std::uint64_t keys_out_of_order = 0;   // a search for them, or for their neighbours, goes astray
  std::uint64_t keys_outside_range = 0;  // of the manifest: no lookup reaches them
  bool filters_fail_checksum = false;    // and were asked all the same, as LevelDB (C++) does
  LevelDbWriter writer = LevelDbWriter::kUnknown;  // what the keys showed
  std::uint64_t fewest_keys = 0;                   // of one filter that has keys
  std::uint64_t most_keys = 0;
};

// The file is the one that the table was decoded from.
LevelDbAudit audit_leveldb_table(ByteView file, const LevelDbTable& table,
                                 const LevelDbAuditOptions& options);

struct LevelDbFilterSummary {
  std::uint64_t filters = 0;
  std::uint64_t with_keys = 0;
  std::uint64_t damaged = 0;  // that do not pass the check of our own policy
  std::uint64_t bits = 0;
  std::uint64_t block_bytes = 0;                  // of the whole filter block
  std::map<std::uint32_t, std::uint64_t> probes;  // and how many filters have so many
  double fill = 0;
  double estimated_keys = 0;
  double rate_of_bits = 1;   // of the one filter that an absent key is asked from
  double measured_rate = 1;  // of `samples` absent keys, each filter asked as often as it has keys
  std::uint64_t samples = 0;
  double rate = 1;  // the real one: measured where the bits are contradicted
};

LevelDbFilterSummary summarize_filters(const LevelDbTable& table, std::uint64_t samples);

}  // namespace bloomery
