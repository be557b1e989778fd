// Import of blocks as dense as today's, from an ere file: how long reading, checking and storing
// take, alone and together, with and without the index. Usage: ethlog_import FOLDER [BLOCKS]; the
// folder is made, and keeps the file for the next run. Databases are removed after their run.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/import/e2store.h"
#include "apps/ethlog/import/import.h"
#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/rlp.h"
#include "bench/ethlog_generated.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/hash/crc32c.h"
#include "snappy.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;
using namespace bloomery::ethlog::generated;
using Bytes = std::vector<std::byte>;

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

Bytes random_bytes(Random& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Logs with a word or two of data, and transactions of some 200 bytes.
ImportedBlock block_of(std::uint64_t number, const Hash& parent) {
  Random random{number + 7};
  ImportedBlock block;
  block.receipts = receipts_of(number);
  block.has_receipts = true;
  std::uint64_t gas = 0;
  RlpWriter body;
  body.begin_list();
  body.begin_list();
  for (Receipt& receipt : block.receipts) {
    receipt.cumulative_gas_used = gas += 80'000 + random() % 50'000;
    receipt.type = 2;
    for (Log& log : receipt.logs) {
      log.data.assign(32 * (random() % 3), std::byte{0});
      for (std::size_t at = 24; at + 8 <= log.data.size(); at += 32)
        store_le(log.data.data() + at, std::uint64_t{random() >> 8});
    }
    RlpWriter transaction;
    const std::byte type[] = {std::byte{2}};
    transaction.item(type);
    transaction.begin_list();
    transaction.bytes(random_bytes(random, 120 + random() % 160));
    transaction.end_list();
    body.bytes(transaction.take());
  }
  body.end_list();
  body.begin_list();
  body.end_list();
  body.end_list();
  block.body_rlp = body.take();
  const Body parts = must(decode_body(block.body_rlp));
  RlpWriter header;
  header.begin_list();
  header.bytes(parent.bytes);
  header.bytes(parts.uncles_hash().bytes);
  header.bytes(Address{}.bytes);
  header.bytes(Hash{}.bytes);
  header.bytes(parts.transactions_root().bytes);
  header.bytes(receipts_root_of(block.receipts).bytes);
  header.bytes(bloom_of(block.receipts).bytes);
  for (const std::uint64_t value : {std::uint64_t{0}, number, std::uint64_t{30'000'000}, gas,
                                    std::uint64_t{1'000 + 12 * number}})
    header.number(value);
  header.bytes({});
  header.bytes(Hash{}.bytes);
  header.bytes(FixedBytes<8>{}.bytes);
  header.end_list();
  block.header = must(decode_header(header.take()));
  return block;
}

Bytes snappy_stream(ByteView plain) {
  ByteWriter out;
  const auto chunk = [&](unsigned type, ByteView data) {
    out.le(static_cast<std::uint32_t>(data.size() << 8 | type));
    out.put(data);
  };
  chunk(0xff, bytes_of("sNaPpY"));
  for (std::size_t at = 0; at < plain.size(); at += 65536) {
    const ByteView piece = plain.subspan(at, std::min<std::size_t>(65536, plain.size() - at));
    std::string packed;
    snappy::Compress(text_of(piece).data(), piece.size(), &packed);
    const std::uint32_t sum = crc32c(piece);
    ByteWriter data;
    data.le(static_cast<std::uint32_t>(((sum >> 15) | (sum << 17)) + 0xa282ead8U));
    data.put(bytes_of(packed));
    chunk(0, data.take());
  }
  return out.take();
}

class EraFile {
 public:
  explicit EraFile(const std::filesystem::path& path) : out_{path, std::ios::binary} {
    entry(EntryType::kVersion, {});
  }
  std::uint64_t entry(EntryType type, ByteView value) {
    const std::uint64_t position = size_;
    ByteWriter head;
    head.le(static_cast<std::uint16_t>(type));
    head.le(static_cast<std::uint32_t>(value.size()));
    head.le(std::uint16_t{0});
    const Bytes bytes = head.take();
    out_.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    out_.write(reinterpret_cast<const char*>(value.data()), std::ssize(value));
    size_ += bytes.size() + value.size();
    return position;
  }
  std::uint64_t size() const { return size_; }

 private:
  std::ofstream out_;
  std::uint64_t size_ = 0;
};

void write_file(const std::filesystem::path& path, std::uint64_t blocks) {
  EraFile file{path};
  std::vector<std::array<Bytes, 3>> parts;
  Hash parent;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const ImportedBlock block = block_of(i, parent);
    parent = block.header.hash;
    parts.push_back({snappy_stream(block.header.rlp), snappy_stream(block.body_rlp),
                     snappy_stream(encode_slim(block.receipts))});
  }
  std::vector<std::array<std::uint64_t, 3>> positions(blocks);
  constexpr EntryType kTypes[] = {EntryType::kHeader, EntryType::kBody, EntryType::kSlimReceipts};
  for (std::size_t part = 0; part < 3; ++part)
    for (std::size_t i = 0; i < parts.size(); ++i)
      positions[i][part] = file.entry(kTypes[part], parts[i][part]);
  ByteWriter index;
  index.le(std::uint64_t{0});
  for (const auto& of_block : positions)
    for (const std::uint64_t position : of_block) index.le(position - file.size());
  index.le(std::uint64_t{3});
  index.le(blocks);
  file.entry(EntryType::kDynamicBlockIndex, index.take());
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Runs the work, and prints its speed: what it did not use of a processor, it waited.
template <class Work>
void timed(const char* name, std::uint64_t blocks, Work work) {
  const auto start = std::chrono::steady_clock::now();
  const double processor = processor_seconds();
  work();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const double used = processor_seconds() - processor;
  std::printf("  %-38s %6.0f blocks/s, %5.0f us wall, %5.0f us processor a block\n", name,
              static_cast<double>(blocks) / wall.count(),
              1e6 * wall.count() / static_cast<double>(blocks),
              1e6 * used / static_cast<double>(blocks));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: ethlog_import FOLDER [BLOCKS]\n"), 2;
  const std::filesystem::path folder = arguments[1];
  const std::uint64_t blocks = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 5000;
  std::filesystem::create_directories(folder);
  const auto path = folder / (std::to_string(blocks) + ".ere");
  if (!std::filesystem::exists(path)) write_file(path, blocks);

  std::vector<ImportedBlock> read;
  std::uint64_t logs = 0;
  timed("read", blocks, [&] {
    const BlockSource source = must(blocks_in_file(path));
    for (auto block = must(source()); block; block = must(source()))
      if (read.size() < 500) read.push_back(std::move(*block));
  });
  for (const ImportedBlock& block : read)
    for (const Receipt& receipt : block.receipts) logs += receipt.logs.size();
  std::printf(
      "  a block has %.0f logs, and %.0f kB in the file\n",
      static_cast<double>(logs) / static_cast<double>(read.size()),
      static_cast<double>(std::filesystem::file_size(path)) / 1e3 / static_cast<double>(blocks));
  timed("check", read.size(), [&] {
    for (ImportedBlock& block : read) must(check_block(block));
  });
  timed("  of it blooms", read.size(), [&] {
    for (const ImportedBlock& block : read) (void)blooms_of(block.receipts);
  });
  timed("  of it receipts root, blooms included", read.size(), [&] {
    for (const ImportedBlock& block : read) (void)receipts_root_of(block.receipts);
  });
  timed("encode receipts as they are stored", read.size(), [&] {
    for (const ImportedBlock& block : read) (void)encode_storage(block.receipts);
  });

  const auto imported = [&](const char* name, const ImportOptions& options) {
    const auto database = folder / "db";
    std::filesystem::remove_all(database);
    timed(name, blocks, [&] {
      auto store = must(ChainStore::open(database, Creation::kAllowed));
      ImportProgress progress;
      must(import_blocks(store, must(blocks_in_file(path)), options, progress));
    });
    std::filesystem::remove_all(database);
  };
  imported("import, one thread", {});
  imported("import, checks in a second thread", {.check_threads = 1});
  imported("import, checks in two more threads", {.check_threads = 2});
  imported("import with the adaptive index", {.check_threads = 1, .index_confirms = 256});
  return 0;
}
