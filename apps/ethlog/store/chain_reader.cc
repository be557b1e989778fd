#include "apps/ethlog/store/chain_reader.h"

#include <list>
#include <mutex>

#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/store/block_check.h"
#include "apps/ethlog/store/block_note.h"
#include "apps/ethlog/store/schema.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

ByteView bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

std::vector<std::byte> copy_of(std::string_view text) {
  const ByteView view = bytes_of(text);
  return {view.begin(), view.end()};
}

std::optional<std::vector<std::byte>> copy_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return copy_of(std::string_view{*text});
}

// A pointer to a block, such as LastBlock: the number of the block it names.
Result<std::optional<std::uint64_t>> pointed_at(const ChainReader& chain, std::string_view key) {
  const auto value = chain.store().get(key);
  if (!value) return value.error();
  if (!*value) return std::optional<std::uint64_t>{};
  const std::optional<Hash> hash = decode_hash(**value);
  if (!hash)
    return Error{ErrorCode::kMalformed,
                 message("the record ", key, " should be a hash of 32 bytes, but has ",
                         (**value).size(), " bytes")};
  return chain.number_of(*hash);
}

}  // namespace

std::string note_key(std::uint64_t number, const Hash& hash) {
  return std::string{kNotePrefix} + encode_number(number) +
         std::string{reinterpret_cast<const char*>(hash.bytes.data()), Hash::kSize};
}

// The last blocks, most recent first. Few enough to be searched one by one.
class ChainReader::Cache {
 public:
  Block find(const Hash& hash) {
    const std::lock_guard lock{mutex_};
    for (auto at = blocks_.begin(); at != blocks_.end(); ++at) {
      if ((*at)->header.hash != hash) continue;
      blocks_.splice(blocks_.begin(), blocks_, at);
      return blocks_.front();
    }
    return nullptr;
  }
  std::uint64_t forgotten() const {
    const std::lock_guard lock{mutex_};
    return forgotten_;
  }
  // Of a block that was read when so many were forgotten. Another one since may have been this.
  void add(Block block, std::uint64_t forgotten) {
    const std::lock_guard lock{mutex_};
    if (forgotten != forgotten_) return;
    blocks_.push_front(std::move(block));
    if (blocks_.size() > kMost) blocks_.pop_back();
  }
  void remove(const Hash& hash) {
    const std::lock_guard lock{mutex_};
    forgotten_ += 1;
    blocks_.remove_if([&](const Block& block) { return block->header.hash == hash; });
  }
  std::vector<BlockRange> lost() const {
    const std::lock_guard lock{mutex_};
    return lost_;
  }
  void set_lost(std::vector<BlockRange> lost) {
    const std::lock_guard lock{mutex_};
    lost_ = std::move(lost);
  }
  TransactionIndex transactions() const {
    const std::lock_guard lock{mutex_};
    return transactions_;
  }
  void set_transactions(const TransactionIndex& index) {
    const std::lock_guard lock{mutex_};
    transactions_ = index;
  }

 private:
  static constexpr std::size_t kMost = 32;
  mutable std::mutex mutex_;
  std::list<Block> blocks_;
  std::uint64_t forgotten_ = 0;
  std::vector<BlockRange> lost_;
  TransactionIndex transactions_;
};

ChainReader::ChainReader(const KeyValueStore& store, const Freezer* freezer)
    : store_{&store}, freezer_{freezer}, cache_{std::make_unique<Cache>()} {}
ChainReader::ChainReader(ChainReader&&) noexcept = default;
ChainReader::~ChainReader() = default;

Result<std::optional<std::uint64_t>> ChainReader::head() const {
  // A node that is still syncing has headers ahead of its blocks; a store of headers has no blocks.
  for (const std::string_view key : {kHeadBlockKey, kHeadFastBlockKey, kHeadHeaderKey}) {
    auto number = pointed_at(*this, key);
    if (!number) return number;
    // 0 is also what a node says of which only the old blocks are left, in the freezer.
    if (*number && (**number > 0 || freezer_ == nullptr || freezer_->end() <= 1)) return number;
  }
  if (freezer_ == nullptr || freezer_->end() == 0) return std::optional<std::uint64_t>{};
  return std::optional{freezer_->end() - 1};
}

Result<std::optional<std::uint64_t>> ChainReader::lowest() const {
  return next_block(freezer_ == nullptr ? 0 : freezer_->first_with_receipts());
}

Result<std::optional<std::uint64_t>> ChainReader::next_block(std::uint64_t from) const {
  if (freezer_ != nullptr && from < freezer_->end()) return std::optional{from};
  // Keys of one number lie together: headers of side branches, and the canonical hash.
  std::optional<std::uint64_t> found;
  const std::string first = "h" + encode_number(from);
  const Status scanned = store_->scan(first, "i", [&](std::string_view key, std::string_view) {
    const SchemaKey parsed = parse_key(key);
    if (parsed.kind == KeyKind::kCanonicalHash) found = parsed.number;
    return !found;
  });
  if (!scanned) return scanned.error();
  return found;
}

Result<std::optional<std::uint64_t>> ChainReader::finalized() const {
  return pointed_at(*this, kFinalizedBlockKey);
}

Result<Finality> ChainReader::finality() const {
  Finality finality;
  for (const auto& [key, out] : {std::pair{kSafeBlockKey, &finality.safe},
                                 std::pair{kFinalizedBlockKey, &finality.finalized}}) {
    const auto number = pointed_at(*this, key);
    if (!number) return number.error();
    if (!*number) continue;
    const auto named = store_->get(key);
    if (!named) return named.error();
    const auto hash = canonical_hash(**number);
    if (!hash) return hash.error();
    if (*hash && *named && decode_hash(**named) == *hash) *out = BlockId{**number, **hash};
  }
  if (finality.safe && finality.finalized && finality.safe->number < finality.finalized->number)
    finality.safe = finality.finalized;
  return finality;
}

Result<std::optional<Hash>> ChainReader::canonical_hash(std::uint64_t number) const {
  if (freezer_ != nullptr && number < freezer_->end()) return freezer_->hash(number);
  const auto value = store_->get(canonical_hash_key(number));
  if (!value) return value.error();
  if (!*value) return std::optional<Hash>{};
  const std::optional<Hash> hash = decode_hash(**value);
  if (!hash)
    return Error{ErrorCode::kMalformed, message("the canonical hash of block ", number, " has ",
                                                (**value).size(), " bytes, but a hash has 32")};
  if (hash->is_zero()) return std::optional<Hash>{};
  return hash;
}

Result<std::optional<std::uint64_t>> ChainReader::number_of(const Hash& hash) const {
  const auto value = store_->get(block_number_key(hash));
  if (!value) return value.error();
  if (!*value) return std::optional<std::uint64_t>{};
  const std::optional<std::uint64_t> number = decode_number(**value);
  if (!number)
    return Error{ErrorCode::kMalformed, message("the number of block ", hash.hex(), " has ",
                                                (**value).size(), " bytes, but should have 8")};
  return number;
}

Result<bool> ChainReader::is_frozen(std::uint64_t number, const Hash& hash) const {
  if (freezer_ == nullptr || number >= freezer_->end()) return false;
  const auto frozen = freezer_->hash(number);
  if (!frozen) return frozen.error();
  return *frozen == hash;
}

Result<std::optional<StoredParts>> ChainReader::parts(std::uint64_t number,
                                                      const Hash& hash) const {
  const auto frozen = is_frozen(number, hash);
  if (!frozen) return frozen.error();
  StoredParts out;
  if (*frozen) {
    auto header = freezer_->header(number);
    auto body = freezer_->body(number);
    auto receipts = freezer_->receipts(number);
    for (const auto* part : {&header, &body, &receipts})
      if (!*part) return part->error();
    if (!*header) return std::optional<StoredParts>{};
    return std::optional{StoredParts{std::move(**header), std::move(*body), std::move(*receipts)}};
  }
  auto header = store_->get(header_key(number, hash));
  auto body = store_->get(body_key(number, hash));
  auto receipts = store_->get(receipts_key(number, hash));
  for (const auto* part : {&header, &body, &receipts})
    if (!*part) return part->error();
  if (*header) out.header = copy_of(std::string_view{**header});
  out.body = copy_of(*body);
  out.receipts = copy_of(*receipts);
  if (out.header.empty() && !out.body && !out.receipts) return std::optional<StoredParts>{};
  return std::optional{std::move(out)};
}

Result<std::optional<Header>> ChainReader::header(std::uint64_t number, const Hash& hash) const {
  const auto frozen = is_frozen(number, hash);
  if (!frozen) return frozen.error();
  std::vector<std::byte> rlp;
  if (*frozen) {
    auto stored = freezer_->header(number);
    if (!stored) return stored.error();
    if (*stored) rlp = std::move(**stored);
  } else {
    auto stored = store_->get(header_key(number, hash));
    if (!stored) return stored.error();
    if (*stored) rlp = copy_of(std::string_view{**stored});
  }
  if (!rlp.empty()) {
    auto block =
        block_from_parts(number, hash, {.header = std::move(rlp), .body = {}, .receipts = {}});
    if (!block) return block.error();
    return std::optional{std::move(block->header)};
  }
  // A block whose source gave no header: what is known of it is in its note.
  const auto whole = block(number, hash);
  if (!whole) return whole.error();
  if (*whole == nullptr) return std::optional<Header>{};
  return std::optional{(*whole)->header};
}

Result<std::optional<Header>> ChainReader::header(std::uint64_t number) const {
  const auto hash = canonical_hash(number);
  if (!hash) return hash.error();
  if (!*hash) return std::optional<Header>{};
  return header(number, **hash);
}

Result<ChainReader::Block> ChainReader::block(std::uint64_t number, const Hash& hash) const {
  if (Block remembered = cache_->find(hash)) return remembered;
  const std::uint64_t forgotten = cache_->forgotten();
  auto read = read_block(number, hash);
  // Between two of its records the writer may have completed it: then they contradict each other.
  if (!read) read = read_block(number, hash);
  if (read && *read != nullptr) cache_->add(*read, forgotten);
  return read;
}

std::vector<BlockRange> ChainReader::lost() const { return cache_->lost(); }
void ChainReader::set_lost(std::vector<BlockRange> lost) const {
  cache_->set_lost(std::move(lost));
}
TransactionIndex ChainReader::transaction_index() const { return cache_->transactions(); }
void ChainReader::set_transaction_index(const TransactionIndex& index) const {
  cache_->set_transactions(index);
}
void ChainReader::forget(const Hash& hash) const { cache_->remove(hash); }

Result<ChainReader::Block> ChainReader::read_block(std::uint64_t number, const Hash& hash) const {
  auto stored = parts(number, hash);
  if (!stored) return stored.error();
  const auto note = store_->get(note_key(number, hash));
  if (!note) return note.error();
  const bool has_header = *stored && !(*stored)->header.empty();
  if (!has_header && !*note) return Block{};
  ImportedBlock block;
  if (*stored) {
    auto decoded = has_header ? block_from_parts(number, hash, std::move(**stored))
                              : block_without_header(number, hash, std::move(**stored));
    if (!decoded) return decoded.error();
    block = std::move(*decoded);
  }
  if (*note)
    if (const Status applied = apply_note(bytes_of(**note), block); !applied)
      return Error{applied.error().code, message("block ", number, ": ", applied.error().message)};
  if (block.header.hash != hash || block.header.number != number)
    return Error{ErrorCode::kMalformed,
                 message("block ", number, ": its records are those of block ", block.header.number,
                         " with the hash ", block.header.hash.hex())};
  if (const Status named = name_transactions(block); !named) return named.error();
  // The freezer has no checksums: only the roots of the header show whether the rest is damaged.
  const auto frozen = is_frozen(number, hash);
  if (!frozen) return frozen.error();
  if (*frozen)
    if (const Status checked = check_block(block); !checked) return checked.error();
  return std::make_shared<const ImportedBlock>(std::move(block));
}

Result<std::uint64_t> ChainReader::section_count() const {
  const auto value = store_->get(kSectionCountKey);
  if (!value) return value.error();
  return *value ? decode_number(**value).value_or(0) : 0;
}

Result<std::optional<Hash>> ChainReader::section_head(std::uint64_t section) const {
  const auto value = store_->get(section_head_key(section));
  if (!value) return value.error();
  return *value ? decode_hash(**value) : std::optional<Hash>{};
}

Result<std::optional<std::string>> ChainReader::bloom_vector(std::uint16_t bit,
                                                             std::uint64_t section,
                                                             const Hash& head) const {
  return store_->get(bloom_bits_key(bit, section, head));
}

}  // namespace bloomery::ethlog
