// Blocks for the tests: geth's sample chain, a small block with every kind of receipt, and writers
// of the archives that the readers read.
#pragma once
#include <gtest/gtest.h>
#include <snappy.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "apps/ethlog/import/e2store.h"
#include "apps/ethlog/import/era_accumulator.h"
#include "apps/ethlog/import/read_jsonl.h"
#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/trie_root.h"
#include "apps/ethlog/store/block_check.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/hash/crc32c.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::ethlog {

using Bytes = std::vector<std::byte>;

inline std::string golden_path(const std::string& name) {
  return BLOOMERY_GOLDEN_DIR "/ethereum/" + name;
}
inline std::string real_path(const std::string& name) { return BLOOMERY_REAL_DIR "/" + name; }

inline LineSource lines_in(std::string text) {
  return lines_of([text = std::move(text), at = std::size_t{0}](ByteSpan out) mutable {
    const std::size_t size = std::min(out.size(), text.size() - at);
    std::memcpy(out.data(), text.data() + at, size);
    at += size;
    return Result<std::size_t>{size};
  });
}

// What a reader of blocks has before its end, or before its error, which is then a failure.
template <class Reader>
std::vector<ImportedBlock> all_blocks(Reader& reader) {
  std::vector<ImportedBlock> blocks;
  for (;;) {
    auto block = reader.next();
    EXPECT_TRUE(block) << block.error().message;
    if (!block || !*block) return blocks;
    blocks.push_back(std::move(**block));
  }
}

inline Hash filled_hash(unsigned value) {
  Hash hash;
  hash.bytes.fill(static_cast<std::byte>(value));
  return hash;
}

// RLP of a header around the roots of a block, of the Cancun fork when it has withdrawals.
inline Bytes header_rlp(std::uint64_t number, const Hash& parent, const Body& body,
                        std::span<const Receipt> receipts) {
  RlpWriter out;
  out.begin_list();
  out.bytes(parent.bytes);
  out.bytes(body.uncles_hash().bytes);
  out.bytes(Address{}.bytes);
  out.bytes(filled_hash(7).bytes);
  out.bytes(body.transactions_root().bytes);
  out.bytes(receipts_root_of(receipts).bytes);
  out.bytes(bloom_of(receipts).bytes);
  out.number(131072);
  out.number(number);
  out.number(30'000'000);
  out.number(21'000);
  out.number(1'000 + number);
  out.bytes(bytes_of("sample"));
  out.bytes(Hash{}.bytes);
  out.bytes(FixedBytes<8>{}.bytes);
  if (const auto withdrawals = body.withdrawals_root()) {
    out.number(7);
    out.bytes(withdrawals->bytes);
    out.number(0);
    out.number(0);
    out.bytes(filled_hash(9).bytes);
  }
  out.end_list();
  return out.take();
}

inline std::vector<Receipt> sample_receipts() {
  std::vector<Receipt> receipts(4);
  for (unsigned i = 0; i < receipts.size(); ++i) {
    receipts[i].type = static_cast<std::uint8_t>(i);
    receipts[i].succeeded = i != 2;
    receipts[i].cumulative_gas_used = 21'000 * (i + 1);
    for (unsigned j = 0; j < i; ++j) {
      Log log;
      log.address.bytes.fill(static_cast<std::byte>(0x10 + i));
      for (unsigned k = 0; k < i + j && k < 4; ++k) log.topics.push_back(filled_hash(k + 1));
      log.data.assign(j * 40, static_cast<std::byte>(j));
      receipts[i].logs.push_back(log);
    }
    receipts[i].bloom = bloom_of(receipts[i]);
  }
  return receipts;
}

// Four transactions of types 0 to 3, one withdrawal.
inline Bytes sample_body() {
  RlpWriter out;
  out.begin_list();
  out.begin_list();
  for (unsigned type = 0; type < 4; ++type) {
    RlpWriter transaction;
    const std::byte prefix[] = {static_cast<std::byte>(type)};
    if (type != 0) transaction.item(prefix);
    transaction.begin_list();
    transaction.number(type + 1000);
    transaction.end_list();
    if (type == 0)
      out.item(transaction.take());
    else
      out.bytes(transaction.take());
  }
  out.end_list();
  out.begin_list();
  out.end_list();
  out.begin_list();
  out.begin_list();
  out.number(12);
  out.end_list();
  out.end_list();
  out.end_list();
  return out.take();
}

inline ImportedBlock sample_block(std::uint64_t number = 5, const Hash& parent = filled_hash(3)) {
  ImportedBlock block;
  block.body_rlp = sample_body();
  block.receipts = sample_receipts();
  block.has_receipts = true;
  block.header =
      *decode_header(header_rlp(number, parent, *decode_body(block.body_rlp), block.receipts));
  return block;
}

inline std::vector<ImportedBlock> sample_chain(std::uint64_t first, std::size_t count) {
  std::vector<ImportedBlock> blocks;
  Hash parent = filled_hash(3);
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(sample_block(first + i, parent));
    parent = blocks.back().header.hash;
  }
  return blocks;
}

inline Bytes snappy_block(ByteView plain) {
  std::string out;
  snappy::Compress(text_of(plain).data(), plain.size(), &out);
  return {bytes_of(out).begin(), bytes_of(out).end()};
}

// Every third chunk raw, a skippable chunk between: all that the format allows.
inline Bytes snappy_stream(ByteView plain, std::size_t chunk_bytes = 65536) {
  ByteWriter out;
  const auto chunk = [&](unsigned type, ByteView data) {
    out.le(static_cast<std::uint32_t>(data.size() << 8 | type));
    out.put(data);
  };
  chunk(0xff, bytes_of("sNaPpY"));
  for (std::size_t at = 0, i = 0; at < plain.size(); at += chunk_bytes, ++i) {
    const ByteView piece = plain.subspan(at, std::min(chunk_bytes, plain.size() - at));
    const std::uint32_t sum = crc32c(piece);
    ByteWriter data;
    data.le(static_cast<std::uint32_t>(((sum >> 15) | (sum << 17)) + 0xa282ead8U));
    data.put(i % 3 == 2 ? Bytes{piece.begin(), piece.end()} : snappy_block(piece));
    chunk(i % 3 == 2 ? 1 : 0, data.take());
    if (i % 4 == 1) chunk(0xfe, bytes_of("padding"));
  }
  return out.take();
}

class EraWriter {
 public:
  EraWriter() { entry(EntryType::kVersion, {}); }
  std::size_t entry(EntryType type, ByteView value) {
    const std::size_t position = out_.size();
    out_.le(static_cast<std::uint16_t>(type));
    out_.le(static_cast<std::uint32_t>(value.size()));
    out_.le(std::uint16_t{0});
    out_.put(value);
    return position;
  }
  std::size_t position() const { return out_.size(); }
  Bytes take() { return out_.take(); }

 private:
  ByteWriter out_;
};

inline Hash sample_difficulty(std::size_t i) {
  Hash difficulty;
  store_le(difficulty.bytes.data(), std::uint64_t{17'000'000'000 + i});
  return difficulty;
}

inline Hash accumulator_of(std::span<const ImportedBlock> blocks) {
  std::vector<HeaderRecord> records;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    records.push_back({blocks[i].header.hash, sample_difficulty(i)});
  return era_accumulator(records);
}

inline Bytes era1_of(std::span<const ImportedBlock> blocks) {
  EraWriter out;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    positions.push_back(out.entry(EntryType::kHeader, snappy_stream(blocks[i].header.rlp)));
    out.entry(EntryType::kBody, snappy_stream(blocks[i].body_rlp, 100));
    out.entry(EntryType::kReceipts, snappy_stream(encode_consensus_list(blocks[i].receipts), 700));
    out.entry(EntryType::kTotalDifficulty, sample_difficulty(i).bytes);
  }
  out.entry(EntryType::kAccumulator, accumulator_of(blocks).bytes);
  ByteWriter index;
  index.le(blocks[0].header.number);
  for (const std::size_t position : positions) index.le(std::uint64_t{position - out.position()});
  index.le(std::uint64_t{blocks.size()});
  out.entry(EntryType::kBlockIndex, index.take());
  return out.take();
}

inline Bytes ere_of(std::span<const ImportedBlock> blocks, bool before_merge) {
  EraWriter out;
  std::vector<std::vector<std::size_t>> positions(blocks.size());
  const auto all = [&](EntryType type, auto value_of) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      positions[i].push_back(out.entry(type, value_of(i)));
  };
  all(EntryType::kHeader, [&](std::size_t i) { return snappy_stream(blocks[i].header.rlp); });
  all(EntryType::kBody, [&](std::size_t i) { return snappy_stream(blocks[i].body_rlp); });
  all(EntryType::kSlimReceipts,
      [&](std::size_t i) { return snappy_stream(encode_slim(blocks[i].receipts)); });
  all(EntryType::kProof, [&](std::size_t) { return snappy_stream(bytes_of("proof")); });
  if (before_merge) {
    all(EntryType::kTotalDifficulty, [&](std::size_t i) {
      const Hash difficulty = sample_difficulty(i);
      return Bytes{difficulty.bytes.begin(), difficulty.bytes.end()};
    });
    out.entry(EntryType::kAccumulator, accumulator_of(blocks).bytes);
  }
  ByteWriter index;
  index.le(blocks[0].header.number);
  for (const auto& of_block : positions)
    for (const std::size_t position : of_block) index.le(std::uint64_t{position - out.position()});
  index.le(std::uint64_t{positions[0].size()});
  index.le(std::uint64_t{blocks.size()});
  out.entry(EntryType::kDynamicBlockIndex, index.take());
  return out.take();
}

// geth's own database folder with its freezer, unpacked; gone with the object.
class SampleChaindata {
 public:
  SampleChaindata() {
    const std::string command = "tar -xzf '" + golden_path("chaindata_compacted.tar.gz") +
                                "' -C '" + folder_.path().string() + "'";
    unpacked_ = std::system(command.c_str()) == 0;
  }
  bool unpacked() const { return unpacked_; }
  std::filesystem::path path() const { return folder_ / "chaindata"; }

 private:
  ScratchFolder folder_;
  bool unpacked_ = false;
};

inline std::vector<std::string> golden_lines(const std::string& name) {
  std::ifstream file{golden_path(name)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace bloomery::ethlog
