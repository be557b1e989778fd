// The decoders of the log search, one fuzz target each, chosen by name as the formats are. What can
// be written again must give the bytes that were read; the rest must end in an error or a value.
#include <snappy.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "apps/ethlog/import/read_era1.h"
#include "apps/ethlog/import/read_jsonl.h"
#include "apps/ethlog/index/adaptive/columns_check.h"
#include "apps/ethlog/index/adaptive/postings.h"
#include "apps/ethlog/index/adaptive/section.h"
#include "apps/ethlog/json/block_json.h"
#include "apps/ethlog/json/criteria.h"
#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/sender.h"
#include "apps/ethlog/serve/rpc_page_cursor.h"
#include "apps/ethlog/store/block_check.h"
#include "apps/ethlog/store/block_note.h"
#include "apps/ethlog/store/freezer_table.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/snappy_frames.h"
#include "bloomery/base/endian.h"
#include "bloomery/hash/crc32c.h"
#include "tests/base/scratch_folder.h"

extern const char* const kFuzzedFormat;

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;

constexpr DecodeLimits kLimits{1 << 20};

void demand(bool holds) {
  if (!holds) std::abort();
}

// Everything below the cursor, read and written again. Deep nesting is cut: the reader itself never
// recurses, only this walk does.
void copy(RlpReader items, RlpWriter& out, unsigned depth) {
  while (!items.done()) {
    if (items.next_is_list() && depth < 100) {
      out.begin_list();
      copy(items.list("List"), out, depth + 1);
      out.end_list();
    } else if (items.next_is_list()) {
      out.item(items.item("Deep list"));
    } else {
      out.bytes(items.bytes("String"));
    }
  }
}

void fuzz_rlp(ByteView input) {
  RlpFailure failure;
  RlpWriter out;
  copy(RlpReader{input, failure}, out, 0);
  if (!failure) demand(std::ranges::equal(out.take(), input));
  if (const auto header = decode_header(input)) demand(header->hash == keccak_hash(input));
  if (const auto body = decode_body(input)) {
    (void)body->transactions_root();
    (void)body->withdrawals_root();
  }
  if (const auto receipts = decode_consensus_list(input)) {
    demand(std::ranges::equal(encode_consensus_list(*receipts), input));
    (void)receipts_root_of(*receipts);
  }
  if (const auto receipt = decode_consensus(input))
    demand(std::ranges::equal(encode_consensus(*receipt), input));
  if (const auto receipts = decode_slim(input))
    demand(std::ranges::equal(encode_slim(*receipts), input));
  if (const auto receipts = decode_storage(input)) {
    const auto again = decode_storage(encode_storage(*receipts));
    demand(again && again->size() == receipts->size());
    for (std::size_t i = 0; i < receipts->size(); ++i)
      demand((*again)[i].logs == (*receipts)[i].logs);
  }
  (void)parse_key(text_of(input));
}

// What a block is said to be verified by can be computed again, and its note gives back the rest.
void check_what_was_read(const ImportedBlock& block) {
  if (block.verified.header_hash) demand(block.header.hash == keccak_hash(block.header.rlp));
  if (block.verified.body) {
    const auto body = decode_body(block.body_rlp);
    demand(body && body->transactions_root() == block.header.transactions_root);
  }
  if (block.verified.receipts_root)
    demand(receipts_root_of(block.receipts) == block.header.receipts_root ||
           receipts_root_of(block.receipts, blooms_of(block.receipts), FailedStatus::kZeroByte) ==
               block.header.receipts_root);
  ImportedBlock again;
  again.receipts.resize(block.has_receipts ? block.receipts.size() : 0);
  demand(apply_note(encode_note(block), again).has_value());
  demand(again.header_json == block.header_json);
  demand(again.transaction_json == block.transaction_json);
  for (std::size_t i = 0; i < again.receipts.size(); ++i)
    demand(again.receipts[i].further_items == block.receipts[i].further_items);
}

void fuzz_jsonl(ByteView input) {
  JsonlReader reader{lines_of([rest = input](ByteSpan out) mutable {
    const std::size_t size = std::min(out.size(), rest.size());
    std::ranges::copy(rest.first(size), out.begin());
    rest = rest.subspan(size);
    return Result<std::size_t>{size};
  })};
  for (;;) {
    auto block = reader.next();
    if (!block) demand(!block.error().message.empty());
    if (!block || !*block) return;
    if (check_block(**block)) check_what_was_read(**block);
  }
}

// No mutation meets a checksum by chance: those of the chunks are set right, so that what lies
// behind them is reached.
void repair_checksums(ByteSpan stream) {
  for (std::size_t at = 0; at + 8 <= stream.size();) {
    const auto head = load_le<std::uint32_t>(stream.data() + at);
    const std::size_t size = head >> 8;
    if (size > stream.size() - at - 4) return;
    const std::string_view data = text_of(stream.subspan(at + 4, size));
    if (size >= 4 && (head & 0xff) <= 1) {
      std::string plain{data.substr(4)};
      std::size_t length = 0;
      if ((head & 0xff) == 0 &&
          snappy::GetUncompressedLength(data.data() + 4, data.size() - 4, &length) &&
          length <= 65536)
        snappy::Uncompress(data.data() + 4, data.size() - 4, &plain);
      const std::uint32_t sum = crc32c(bytes_of(plain));
      store_le(stream.data() + at + 4,
               static_cast<std::uint32_t>(((sum >> 15) | (sum << 17)) + 0xa282ead8U));
    }
    at += 4 + size;
  }
}

void fuzz_snappy(ByteView input) {
  (void)decode_snappy_block(input, kLimits);
  std::vector<std::byte> stream{input.begin(), input.end()};
  repair_checksums(stream);
  for (const ByteView bytes : {input, ByteView{stream}})
    if (const auto out = decode_snappy_frames(bytes, kLimits))
      demand(out->size() <= kLimits.max_bytes);
}

void read_era(ByteView file) {
  auto reader = EraReader::open(file, kLimits);
  if (!reader) return;
  for (;;) {
    auto block = reader->next();
    if (!block || !*block) return;
    (void)check_block(**block);
  }
}

void fuzz_era1(ByteView input) {
  read_era(input);
  std::vector<std::byte> file{input.begin(), input.end()};
  const auto layout = read_era_layout(ReadAt{file});
  if (!layout) return;
  const auto repair = [&](const E2Entry& entry) {
    repair_checksums(ByteSpan{file}.subspan(entry.position + E2Entry::kHeadBytes, entry.size));
  };
  for (const EraBlock& block : layout->blocks) {
    repair(block.header);
    repair(block.body);
    if (block.receipts) repair(*block.receipts);
  }
  read_era(file);
}

// The input's first two bytes are the length of the index and the kind of table; index, then meta
// of eight bytes, then one data file.
void fuzz_freezer(ByteView input) {
  if (input.size() < 10) return;
  static const ScratchFolder folder;
  const auto size = std::min(std::to_integer<std::size_t>(input[0]), input.size() - 10);
  const bool compressed = (std::to_integer<unsigned>(input[1]) & 1) != 0;
  const bool has_meta = (std::to_integer<unsigned>(input[1]) & 2) != 0;
  const auto save = [](const std::filesystem::path& path, ByteView bytes) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << text_of(bytes);
  };
  for (const auto& old : std::filesystem::directory_iterator{folder.path()})
    std::filesystem::remove(old);
  save(folder / (compressed ? "bodies.cidx" : "bodies.ridx"), input.subspan(2, size));
  if (has_meta) save(folder / "bodies.meta", input.subspan(2 + size, 8));
  save(folder / (compressed ? "bodies.0000.cdat" : "bodies.0000.rdat"), input.subspan(10 + size));
  const auto table = FreezerTable::open(folder.path(), "bodies", kLimits);
  if (!table) return;
  demand(table->first() <= table->end());
  for (std::uint64_t i = table->first(); i < table->end(); ++i) {
    const auto value = table->value(i);
    demand(!value || *value);
  }
  demand(!*table->value(table->end()));
}

void fuzz_criteria(ByteView input) {
  const std::string_view text{reinterpret_cast<const char*>(input.data()), input.size()};
  const auto query = parse_criteria(text);
  if (!query) {
    demand(!query.error().message.empty());
    return;
  }
  demand(query->topics.size() <= 4);
  demand(!query->block_hash || (!query->from && !query->to));
}

// The first byte says how many receipts are stored beside the note.
void fuzz_note(ByteView input) {
  if (input.empty()) return;
  ImportedBlock block;
  block.receipts.resize(std::to_integer<std::size_t>(input[0]) % 8);
  block.has_receipts = true;
  if (!apply_note(input.subspan(1), block)) return;
  const auto note = encode_note(block);
  ImportedBlock again;
  again.receipts.resize(block.receipts.size());
  demand(apply_note(note, again).has_value());
  demand(again.header == block.header && again.receipts == block.receipts);
  demand(again.header_json == block.header_json);
  demand(again.transaction_json == block.transaction_json);
}

// The records of the adaptive index, whose checksums no mutation would meet: the input is what they
// sum.
void fuzz_adaptive(ByteView input) {
  std::vector<std::byte> facts_record{input.begin(), input.end()};
  facts_record.resize(input.size() + 8);
  store_le(facts_record.data() + input.size(), xxh3_64(input));
  if (const auto meta = decode_metadata(facts_record)) {
    demand(encode_metadata(*meta) == text_of(facts_record));
    demand(meta->chunks() > 0 && meta->all_rows() > meta->rows);
    demand(!decode_chunk(*meta, input, meta->chunks()));
    std::vector<std::byte> blocks((meta->section_size + 7) / 8);
    if (meta->posting_buckets > 0) (void)find_postings(*meta, input, {.low = 0, .high = 1}, blocks);
  }
  std::vector<std::byte> column(8);
  store_le(column.data(), xxh3_64(input, 7));
  column.insert(column.end(), input.begin(), input.end());
  const auto keys = KeyColumn::decode(column, 7);
  const auto logs = LogColumn::decode(column, 7);
  LogQuery query;
  query.topics.resize(input.size() % 5);
  if (input.size() >= 60) query.addresses.push_back(Address::from_bytes(input.subspan(8, 20)));
  if (input.size() >= 60 && !query.topics.empty())
    query.topics[0].push_back(Topic::from_bytes(input.subspan(16, 32)));
  const ColumnsCheck check{query};
  const auto none = encode_key_column({}, 7);
  const auto no_keys = KeyColumn::decode(bytes_of(none), 7);
  if (keys) (void)check.may_match(*keys);
  if (logs) (void)check.matches(keys ? *keys : *no_keys, *logs);
  // Every part is the input, under the checksum of its own number.
  const auto parts = PartedColumns::open(7, [&](std::uint32_t part) -> Result<std::string> {
    std::string record(8, '\0');
    const std::uint64_t seed = 7 ^ std::uint64_t{part} << 40 ^ std::uint64_t{1} << 63;
    store_le(reinterpret_cast<std::byte*>(record.data()), xxh3_64(input, seed));
    return record + std::string{text_of(input)};
  });
  if (parts) (void)check.matches(*parts);
  if (logs) (void)ColumnsCheck{LogQuery{}}.matches(*no_keys, *logs);
}

// As a client gets it. What can be decoded has a sender or none, and is JSON either way.
void fuzz_transaction(ByteView input) {
  if (input.empty()) return;
  const auto first = std::to_integer<unsigned>(input[0]);
  const Transaction transaction{static_cast<std::uint8_t>(first < 0x80 ? first : 0), input};
  if (const auto fields = decode_transaction(transaction)) {
    demand(fields->type <= 4 && fields->y_parity.value_or(0) <= 1);
    (void)sender_of(*fields);
    (void)price_paid(*fields, Hash{});
  }
  RlpWriter body;
  body.begin_list();
  body.begin_list();
  first < 0x80 ? body.bytes(input) : body.item(input);
  body.end_list();
  body.begin_list();
  body.end_list();
  body.end_list();
  ImportedBlock block;
  block.body_rlp = body.take();
  Receipt& receipt = block.receipts.emplace_back();
  receipt.extra_json = std::string{text_of(input)};
  block.has_receipts = true;
  std::string whole;
  append_block_json(whole, block, TransactionList::kWhole);
  demand(is_json(whole));
  std::string receipts;
  append_receipt_json(receipts, block, 0);
  demand(is_json(receipts));
}

// A text that is read is one that was written; and what is written is read again.
void fuzz_cursor(ByteView input) {
  if (const auto cursor = decode_cursor(text_of(input)))
    demand(*decode_cursor(encode_cursor(*cursor)) == *cursor);
  PageCursor made;
  for (std::uint64_t* number : {&made.block, &made.log, &made.last, &made.query}) {
    if (input.size() < sizeof *number) break;
    *number = load_be<std::uint64_t>(input.data());
    input = input.subspan(sizeof *number);
  }
  if (input.size() >= Hash::kSize) made.anchor = BlockId{made.last, Hash::from_bytes(input)};
  std::string text = encode_cursor(made);
  const auto read = decode_cursor(text);
  demand(read.has_value() == (made.block <= made.last));
  if (read) demand(*read == made);
  text[2 + input.size() % (text.size() - 2)] ^= 1;
  demand(!decode_cursor(text));
}

struct Target {
  std::string_view name;
  void (*run)(ByteView);
};
constexpr Target kTargets[] = {{"ethlog-rlp", fuzz_rlp},
                               {"ethlog-criteria", fuzz_criteria},
                               {"ethlog-note", fuzz_note},
                               {"ethlog-jsonl", fuzz_jsonl},
                               {"ethlog-snappy", fuzz_snappy},
                               {"ethlog-era1", fuzz_era1},
                               {"ethlog-freezer", fuzz_freezer},
                               {"ethlog-adaptive", fuzz_adaptive},
                               {"ethlog-transaction", fuzz_transaction},
                               {"ethlog-cursor", fuzz_cursor}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const Target& target : kTargets)
    if (target.name == kFuzzedFormat) {
      target.run(std::as_bytes(std::span{data, size}));
      return 0;
    }
  std::abort();
}
