#include "apps/ethlog/import/era_layout.h"

#include "apps/ethlog/import/era_accumulator.h"
#include "bloomery/base/byte_reader.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::uint64_t kMostComponents = 5;  // header, body, receipts, total difficulty, proof

Error broken(std::string_view why) { return {ErrorCode::kMalformed, message("era file: ", why)}; }

std::uint64_t word_at(ByteView bytes, std::size_t index) {
  return load_le<std::uint64_t>(bytes.data() + index * kWord);
}

// The index as both formats have it: start, offsets, then (ere) components per block, then blocks.
struct Index {
  E2Entry entry;
  std::vector<std::byte> value;
  std::uint64_t start = 0;
  std::uint64_t count = 0;
  std::uint64_t components = 1;

  // Offsets are counted from the index entry, backwards.
  std::uint64_t position(std::uint64_t block, std::uint64_t component) const {
    return entry.position + word_at(value, 1 + block * components + component);
  }
};

// Read backwards, because the index is at the end and only its end says how long it is.
Result<Index> index_at_end(const ReadAt& file, EntryType type, std::size_t trailer_words) {
  if (file.size() < E2Entry::kHeadBytes + (1 + trailer_words) * kWord)
    return Error{ErrorCode::kTruncated, "era file: it is too short for a block index"};
  const auto trailer = file.read(file.size() - trailer_words * kWord, trailer_words * kWord);
  if (!trailer) return trailer.error();
  Index index;
  index.count = word_at(*trailer, trailer_words - 1);
  if (trailer_words == 2) index.components = word_at(*trailer, 0);
  if (index.count == 0 || index.count > kBlocksPerEra)
    return broken(
        "it is cut short or damaged: it does not end in an index of 1 to 8192 blocks; get it "
        "again");
  if (index.components < 1 || index.components > kMostComponents)
    return broken(message("its index has ", index.components, " offsets per block"));
  const std::uint64_t length = (1 + index.count * index.components + trailer_words) * kWord;
  if (length + E2Entry::kHeadBytes > file.size())
    return Error{ErrorCode::kTruncated,
                 message("era file: it has ", file.size(), " bytes, but its index says it is of ",
                         index.count, " blocks and so longer")};
  const Result<E2Entry> entry =
      read_entry(file, file.size() - length - E2Entry::kHeadBytes, type, "block index");
  if (!entry) return entry.error();
  if (entry->size != length)
    return broken("the length of its block index does not fit the number of blocks");
  index.entry = *entry;
  auto value = value_of(file, *entry);
  if (!value) return value.error();
  index.value = std::move(*value);
  index.start = word_at(index.value, 0);
  if (index.start > UINT64_MAX - index.count) return broken("its first block number is absurd");
  return index;
}

// era1: the parts of a block stand together, so the file is walked from its start and every offset
// of the index must be where the walk is.
Result<EraLayout> walk_era1(const ReadAt& file, const Index& index, std::uint64_t position) {
  EraLayout layout{index.start, {}, {}};
  layout.blocks.reserve(static_cast<std::size_t>(index.count));
  const auto next = [&](EntryType type, std::string_view what) {
    Result<E2Entry> entry = read_entry(file, position, type, what);
    if (entry) position = entry->end();
    return entry;
  };
  for (std::uint64_t i = 0; i < index.count; ++i) {
    if (index.position(i, 0) != position)
      return broken(message("its index says that block ", index.start + i, " begins at byte ",
                            index.position(i, 0), ", but it begins at ", position));
    const auto header = next(EntryType::kHeader, "header");
    if (!header) return header.error();
    const auto body = next(EntryType::kBody, "body");
    if (!body) return body.error();
    const auto receipts = next(EntryType::kReceipts, "list of receipts");
    if (!receipts) return receipts.error();
    const auto difficulty = next(EntryType::kTotalDifficulty, "total difficulty");
    if (!difficulty) return difficulty.error();
    layout.blocks.push_back({*header, *body, *receipts, *difficulty});
  }
  const auto accumulator = next(EntryType::kAccumulator, "accumulator");
  if (!accumulator) return accumulator.error();
  if (position != index.entry.position)
    return broken(message("bytes ", position, " to ", index.entry.position,
                          " lie between the accumulator and the index"));
  layout.accumulator = *accumulator;
  return layout;
}

Status place(EraBlock& block, const E2Entry& entry, std::uint64_t number) {
  switch (entry.type) {
    case EntryType::kHeader:
      block.header = entry;
      return ok();
    case EntryType::kBody:
      block.body = entry;
      return ok();
    case EntryType::kReceipts:
    case EntryType::kSlimReceipts:
      block.receipts = entry;
      return ok();
    case EntryType::kTotalDifficulty:
      block.total_difficulty = entry;
      return ok();
    case EntryType::kProof:
      return ok();
    default:
      break;
  }
  return broken(message("its index points block ", number, " to an entry of type ",
                        static_cast<unsigned>(entry.type)));
}

// ere: parts of a kind stand together, and the index has the place of each.
Result<EraLayout> follow_ere(const ReadAt& file, const Index& index) {
  EraLayout layout{index.start, {}, {}};
  layout.blocks.resize(static_cast<std::size_t>(index.count));
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < index.count; ++i) {
    EraBlock& block = layout.blocks[static_cast<std::size_t>(i)];
    for (std::uint64_t component = 0; component < index.components; ++component) {
      const Result<E2Entry> entry = read_entry(file, index.position(i, component));
      if (!entry) return entry.error();
      if (const Status s = place(block, *entry, index.start + i); !s) return s.error();
      end = std::max(end, entry->end());
    }
    if (block.header.type != EntryType::kHeader || block.body.type != EntryType::kBody)
      return broken(
          message("its index does not give block ", index.start + i, " both a header and a body"));
  }
  if (end != index.entry.position) {
    const auto accumulator = read_entry(file, end, EntryType::kAccumulator, "accumulator");
    if (!accumulator) return accumulator.error();
    if (accumulator->end() != index.entry.position)
      return broken("bytes lie between the accumulator and the index");
    layout.accumulator = *accumulator;
  }
  return layout;
}

// Era files of the consensus layer have the same container.
Status refuse_beacon_chain(const ReadAt& file, const E2Entry& version) {
  const auto first = read_entry(file, version.end());
  if (!first) return ok();
  if (first->type != EntryType::kBeaconBlock && first->type != EntryType::kBeaconState &&
      first->type != EntryType::kSlotIndex)
    return ok();
  return Error{ErrorCode::kUnsupported,
               "era file: it holds beacon blocks of the consensus layer, which have no receipts "
               "and so no logs; import era1 or ere files of the execution layer, or the blocks of "
               "a node (--from-rpc)"};
}

}  // namespace

Result<EraLayout> read_era_layout(const ReadAt& file) {
  const auto version = read_entry(file, 0, EntryType::kVersion, "version entry");
  if (!version) return version.error();
  if (version->size != 0) return broken("its version entry is not empty");
  if (const Status s = refuse_beacon_chain(file, *version); !s) return s.error();
  const Result<Index> era1 = index_at_end(file, EntryType::kBlockIndex, 1);
  if (era1) return walk_era1(file, *era1, version->end());
  const Result<Index> ere = index_at_end(file, EntryType::kDynamicBlockIndex, 2);
  if (ere) return follow_ere(file, *ere);
  return era1.error();
}

}  // namespace bloomery::ethlog
