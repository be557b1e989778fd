#include "bloomery/formats/leveldb/table.h"

#include <algorithm>

#include "bloomery/formats/leveldb/policy.h"

namespace bloomery {
namespace {

constexpr std::size_t kTableFooterBytes = 48;
constexpr std::uint64_t kMagic = 0xdb4775248b80fb57;
constexpr std::string_view kFilterKey = "filter.";
constexpr std::string_view kOlderName = "leveldb.BuiltinBloomFilter";
constexpr std::string_view kNewerName = "leveldb.BuiltinBloomFilter2";

LevelDbChecksum verdict_of(const LevelDbStoredBlock& block) {
  return block.checksum_ok ? LevelDbChecksum::kOk : LevelDbChecksum::kMismatch;
}

// Calls visit(key, value) for every entry of a block; visit returns a Status.
template <class Visit>
Status for_each_entry(LevelDbStoredBlock stored, DecodeLimits limits, Visit visit) {
  const auto block = unpacked(std::move(stored), limits);
  if (!block) return block.error();
  auto entries = LevelDbEntries::open(*block);
  if (!entries) return entries.error();
  for (;;) {
    const auto more = entries->next();
    if (!more) return more.error();
    if (!*more) return ok();
    if (auto visited = visit(entries->key(), entries->value()); !visited) return visited;
  }
}

// Shared prefixes let few bytes stand for many keys, so what is kept of them is counted.
class TableBudget {
 public:
  explicit TableBudget(DecodeLimits limits) : limits_{limits}, left_{limits.max_bytes} {}
  Status spend(std::size_t bytes) {
    if (bytes > left_)
      return Error{ErrorCode::kTooLarge,
                   message("the keys of the table take more than the limit of ", limits_.max_bytes,
                           " bytes")};
    left_ -= bytes;
    return ok();
  }

 private:
  DecodeLimits limits_;
  std::uint64_t left_;
};

bool ends_like_internal_key(const LevelDbDataBlock& block) {
  const ByteView key = block.separator;  // the type is the lowest byte of a little-endian number
  return key.size() >= kSequenceAndType &&
         static_cast<unsigned>(key[key.size() - kSequenceAndType]) <= 1;
}

bool text_before(ByteView a, ByteView b) { return text_of(a) < text_of(b); }

void judge_order(LevelDbTable& table) {
  const auto& blocks = table.data_blocks;
  table.ordered_by_stored_keys = true;
  table.ordered_by_user_keys = std::ranges::all_of(blocks, ends_like_internal_key);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const ByteView before = blocks[i - 1].separator;
    const ByteView here = blocks[i].separator;
    if (!text_before(before, here)) table.ordered_by_stored_keys = false;
    // One user key may fill several blocks.
    if (text_before(leveldb_user_key(here), leveldb_user_key(before)))
      table.ordered_by_user_keys = false;
  }
}

Status read_index(ByteView file, LevelDbHandle handle, DecodeLimits limits, LevelDbTable& table) {
  auto stored = find_block(file, handle, limits);
  if (!stored) return stored.error();
  table.index_checksum = verdict_of(*stored);
  if (!stored->checksum_ok) return ok();
  TableBudget budget{limits};
  auto read =
      for_each_entry(std::move(*stored), limits, [&](ByteView key, ByteView value) -> Status {
        if (auto spent = budget.spend(key.size() + sizeof(LevelDbDataBlock)); !spent) return spent;
        ByteReader reader{value};
        const auto data_block = read_handle(reader);
        if (!data_block) return data_block.error();
        table.data_blocks.push_back({{key.begin(), key.end()}, *data_block});
        return ok();
      });
  if (read) judge_order(table);
  return read;
}

// The handle of the filter block and the policy's name, from the entries of the metaindex.
Result<std::optional<LevelDbHandle>> read_metaindex(ByteView file, LevelDbHandle handle,
                                                    DecodeLimits limits, LevelDbTable& table) {
  auto stored = find_block(file, handle, limits);
  if (!stored) return stored.error();
  table.metaindex_checksum = verdict_of(*stored);
  std::optional<LevelDbHandle> found;
  if (!stored->checksum_ok) return found;
  TableBudget budget{limits};
  auto read =
      for_each_entry(std::move(*stored), limits, [&](ByteView key, ByteView value) -> Status {
        const std::string_view name = text_of(key);
        if (!name.starts_with(kFilterKey)) return ok();
        if (found) {
          if (auto spent = budget.spend(name.size()); !spent) return spent;
          table.other_policies.emplace_back(name.substr(kFilterKey.size()));
          return ok();
        }
        ByteReader reader{value};
        const auto filter = read_handle(reader);
        if (!filter) return filter.error();
        table.policy_name = name.substr(kFilterKey.size());
        found = *filter;
        return ok();
      });
  if (!read) return read.error();
  return found;
}

// Nothing here is an error: a table without a usable filter is still a table, and "maybe" is true.
void read_filters(ByteView file, LevelDbHandle handle, const DecodeOptions& options,
                  LevelDbTable& table) {
  const auto stored = find_block(file, handle, options.limits);
  if (!stored) {
    table.why_no_filters = stored.error().message;
    return;
  }
  table.filter_checksum = verdict_of(*stored);
  if (!stored->checksum_ok) {
    table.why_no_filters = "the checksum of the filter block is wrong";
  } else if (!known_leveldb_policy(table.policy_name)) {
    table.why_no_filters = message("the filters are made by a policy named \"", table.policy_name,
                                   "\", which is neither LevelDB's own nor ours");
  } else if (stored->type != 0) {
    table.why_no_filters = "the filter block is compressed, which LevelDB never does";
  } else if (auto filters = decode_leveldb_block_of(*known_leveldb_policy(table.policy_name),
                                                    stored->stored, options);
             !filters) {
    table.why_no_filters = filters.error().message;
  } else {
    table.filters = std::move(*filters);
  }
}

bool has_high_byte_in_tail(ByteView key) {
  return std::ranges::any_of(key.last(key.size() % 4),
                             [](std::byte b) { return b >= std::byte{0x80}; });
}

// Answers from the filter of the first data block whose separator is not before the key; behind the
// last block there is no key.
template <class KeyOf>
bool ask_by_index(const LevelDbTable& table, ByteView key, const LevelDb::Digest& digest,
                  KeyOf key_of) {
  const auto block = std::ranges::partition_point(
      table.data_blocks,
      [&](const LevelDbDataBlock& one) { return text_before(key_of(one.separator), key); });
  return block != table.data_blocks.end() &&
         table.filters->may_contain(block->handle.offset, key, digest);
}

bool ask_filters(const LevelDbTable& table, ByteView key, const LevelDb::Digest& digest) {
  if (!table.ordered_by_stored_keys && !table.ordered_by_user_keys)
    return table.filters->may_contain(key, digest);
  const auto as_stored = [](const std::vector<std::byte>& separator) {
    return ByteView{separator};
  };
  const auto as_user_key = [](const std::vector<std::byte>& separator) {
    return leveldb_user_key(separator);
  };
  return (table.ordered_by_stored_keys && ask_by_index(table, key, digest, as_stored)) ||
         (table.ordered_by_user_keys && ask_by_index(table, key, digest, as_user_key));
}

}  // namespace

bool is_older_leveldb_policy(std::string_view policy_name) { return policy_name == kOlderName; }
std::optional<LevelDbPolicy> known_leveldb_policy(std::string_view policy_name) {
  if (policy_name == kOlderName || policy_name == kNewerName) return LevelDbPolicy::kBuiltIn;
  if (policy_name == kLevelDbPolicyName) return LevelDbPolicy::kBloomery;
  return std::nullopt;
}

bool LevelDbTable::may_contain(ByteView key) const {
  if (!filters) return true;
  const bool older = is_older_leveldb_policy(policy_name);
  const LevelDb dialect{.signed_tail = older && writer == LevelDbWriter::kSignedTail};
  if (ask_filters(*this, key, dialect.digest(key))) return true;
  return older && writer == LevelDbWriter::kUnknown && has_high_byte_in_tail(key);
}

bool LevelDbTable::may_contain_in_block(std::uint64_t data_block_offset, ByteView key) const {
  if (!filters) return true;
  const bool older = is_older_leveldb_policy(policy_name);
  const LevelDb dialect{.signed_tail = older && writer == LevelDbWriter::kSignedTail};
  if (filters->may_contain(data_block_offset, key, dialect.digest(key))) return true;
  return older && writer == LevelDbWriter::kUnknown && has_high_byte_in_tail(key);
}

void LevelDbTable::may_contain_batch(std::span<const ByteView> keys,
                                     std::span<std::uint8_t> answers) const {
  assert(answers.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i]) ? 1 : 0;
}

bool LevelDbTable::checksums_ok() const {
  return metaindex_checksum == LevelDbChecksum::kOk && index_checksum == LevelDbChecksum::kOk &&
         filter_checksum != LevelDbChecksum::kMismatch;
}

Health LevelDbTable::health() const {
  if (!filters) return {0, 0, 1, Verdict::kSaturated};
  const bool indexed = ordered_by_stored_keys || ordered_by_user_keys;
  return indexed ? filters->health_of_one() : filters->health();
}

bool looks_like_leveldb_table(ByteView bytes) {
  return bytes.size() >= kTableFooterBytes &&
         load_le<std::uint64_t>(bytes.data() + bytes.size() - 8) == kMagic;
}

Result<LevelDbTable> decode_leveldb_table(ByteView file, const DecodeOptions& options) {
  if (file.size() < kTableFooterBytes)
    return Error{
        ErrorCode::kTruncated,
        message("a LevelDB table ends in a footer of 48 bytes, and the file has ", file.size())};
  if (!looks_like_leveldb_table(file))
    return Error{ErrorCode::kMalformed,
                 "the file does not end in the eight bytes that end a LevelDB table"};
  ByteReader footer{file.last(kTableFooterBytes).first(kTableFooterBytes - 8)};
  const auto metaindex = read_handle(footer);
  if (!metaindex) return metaindex.error();
  const auto index = read_handle(footer);
  if (!index) return index.error();
  LevelDbTable table;
  table.file_bytes = file.size();
  table.metaindex_handle = *metaindex;
  table.index_handle = *index;
  const auto filter = read_metaindex(file, *metaindex, options.limits, table);
  if (!filter) return filter.error();
  table.filter_handle = *filter;
  if (table.metaindex_checksum == LevelDbChecksum::kMismatch) {
    table.why_no_filters = "the checksum of the metaindex block is wrong";
  } else if (!*filter) {
    table.why_no_filters = "the table was written without filters";
  } else {
    read_filters(file, **filter, options, table);
  }
  if (auto read = read_index(file, *index, options.limits, table); !read) return read.error();
  return table;
}

Description describe(const LevelDbTable& table) {
  Description description;
  if (table.filters) {
    description = describe(*table.filters);
    description.notes.clear();
  }
  description.format = "leveldb";
  description.layout = "container";
  if (!table.filters) description.dialect = LevelDb::kName;
  description.health = table.health();
  description.has_checksum = table.checksums_ok();
  auto& notes = description.notes;
  notes.push_back(message("a table of ", table.file_bytes, " bytes and ", table.data_blocks.size(),
                          " data blocks",
                          table.policy_name.empty() ? "" : ", filters by " + table.policy_name));
  if (!table.filters)
    notes.push_back(message("every key is answered \"maybe\": ", table.why_no_filters));
  if (table.index_checksum == LevelDbChecksum::kMismatch)
    notes.emplace_back("the checksum of the index block is wrong: every filter is asked");
  if (table.filters && table.policy_name == kOlderName && table.writer == LevelDbWriter::kUnknown)
    notes.emplace_back(
        "this policy name is goleveldb's and that of LevelDB before 1.18, which hash keys with "
        "high "
        "bytes at their end differently: such a key is never answered \"no\"");
  return description;
}

Result<std::vector<std::vector<std::byte>>> leveldb_keys_of(ByteView file, LevelDbHandle data_block,
                                                            DecodeLimits limits) {
  auto stored = find_block(file, data_block, limits);
  if (!stored) return stored.error();
  if (!stored->checksum_ok)
    return Error{ErrorCode::kMalformed, message("the checksum of the data block at byte ",
                                                data_block.offset, " is wrong")};
  std::vector<std::vector<std::byte>> keys;
  TableBudget budget{limits};
  auto read = for_each_entry(std::move(*stored), limits, [&](ByteView key, ByteView) -> Status {
    if (auto spent = budget.spend(key.size() + sizeof keys[0]); !spent) return spent;
    keys.emplace_back(key.begin(), key.end());
    return ok();
  });
  if (!read) return read.error();
  return keys;
}

ByteView leveldb_user_key(ByteView stored_key) {
  if (stored_key.size() < kSequenceAndType) return {};
  return stored_key.first(stored_key.size() - kSequenceAndType);
}

}  // namespace bloomery
