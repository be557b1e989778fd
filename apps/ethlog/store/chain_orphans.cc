#include "apps/ethlog/store/chain_orphans.h"

#include "apps/ethlog/store/chain_reader.h"
#include "apps/ethlog/store/schema.h"

namespace bloomery::ethlog {

Status drop_orphans(const KeyValueStore& store, const std::map<std::uint64_t, Hash>& kept,
                    WriteBatch& batch) {
  const auto is_kept = [&](std::uint64_t number, const Hash& hash) {
    const auto found = kept.find(number);
    return found != kept.end() && found->second == hash;
  };
  const auto visit = [&](std::string_view key, std::string_view) {
    const SchemaKey parsed = parse_key(key);
    const bool of_block = parsed.kind == KeyKind::kHeader || parsed.kind == KeyKind::kBody ||
                          parsed.kind == KeyKind::kReceipts ||
                          parsed.kind == KeyKind::kTotalDifficulty;
    if (!of_block || is_kept(parsed.number, parsed.hash)) return true;
    batch.remove(std::string{key});
    batch.remove(note_key(parsed.number, parsed.hash));
    batch.remove(block_number_key(parsed.hash));
    return true;
  };
  for (const std::string_view prefix : {"b", "h", "r"}) {
    const std::string past(1, static_cast<char>(prefix.front() + 1));
    if (Status s = store.scan(prefix, past, visit); !s) return s;
  }
  // A note may be all that is left of a block.
  std::string past{kNotePrefix};
  ++past.back();
  return store.scan(kNotePrefix, past, [&](std::string_view key, std::string_view) {
    constexpr std::size_t kNumberBytes = 8;
    const std::string_view block = key.substr(kNotePrefix.size());
    if (block.size() != kNumberBytes + Hash::kSize) return true;
    const auto number = decode_number(block.substr(0, kNumberBytes));
    const auto hash = decode_hash(block.substr(kNumberBytes));
    if (!is_kept(*number, *hash)) batch.remove(std::string{key});
    return true;
  });
}

}  // namespace bloomery::ethlog
