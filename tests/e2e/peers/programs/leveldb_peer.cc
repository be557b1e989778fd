// LevelDB's side of the live tests: its built-in filter policy of ten bits per key, and whole
// databases. A key is a line of hexadecimal digits on standard input.
//
//   make OUT         writes one filter of all keys
//   ask FILE...      one line for each key, one digit for each FILE: 1 maybe, 0 no
//   database DIR     writes the keys to a new database, compressed with Snappy
//   tables DIR       prints each key of each table: the file's name, a tab, hexadecimal digits
//   --bench          one line of JSON
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using leveldb::Slice;
using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

Policy ten_bits_per_key() { return Policy{leveldb::NewBloomFilterPolicy(10)}; }

[[noreturn]] void fail(const std::string& sentence) {
  std::cerr << sentence << '\n';
  std::exit(2);
}

void check(const leveldb::Status& status) {
  if (!status.ok()) fail(status.ToString());
}

std::vector<std::string> read_keys() {
  std::vector<std::string> keys;
  for (std::string line; std::getline(std::cin, line);) {
    std::string key;
    for (std::size_t i = 0; i + 1 < line.size(); i += 2)
      key.push_back(static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16)));
    keys.push_back(key);
  }
  return keys;
}

std::string filter_of(const leveldb::FilterPolicy& policy, const std::vector<Slice>& keys) {
  std::string filter;
  policy.CreateFilter(keys.data(), static_cast<int>(keys.size()), &filter);
  return filter;
}

std::string read_file(const std::string& path) {
  std::string bytes;
  check(leveldb::ReadFileToString(leveldb::Env::Default(), path, &bytes));
  return bytes;
}

void make_filter(const std::string& out) {
  const auto keys = read_keys();
  const std::string filter = filter_of(*ten_bits_per_key(), {keys.begin(), keys.end()});
  check(leveldb::WriteStringToFile(leveldb::Env::Default(), filter, out));
}

void ask_filters(const std::vector<std::string>& paths) {
  const Policy policy = ten_bits_per_key();
  std::vector<std::string> filters;
  for (const auto& path : paths) filters.push_back(read_file(path));
  for (const auto& key : read_keys()) {
    for (const auto& filter : filters) std::cout << (policy->KeyMayMatch(key, filter) ? '1' : '0');
    std::cout << '\n';
  }
}

// Small tables, so that there are several.
void write_database(const std::string& path) {
  const Policy policy = ten_bits_per_key();
  leveldb::Options options;
  options.create_if_missing = options.error_if_exists = true;
  options.filter_policy = policy.get();
  options.compression = leveldb::kSnappyCompression;
  options.write_buffer_size = 256 << 10;
  options.max_file_size = 1 << 20;  // LevelDB takes no less
  leveldb::DB* opened = nullptr;
  check(leveldb::DB::Open(options, path, &opened));
  const std::unique_ptr<leveldb::DB> database{opened};
  for (const auto& key : read_keys())
    check(database->Put({}, key, "value of " + key + std::string(80, '.')));
  database->CompactRange(nullptr, nullptr);
}

void print_table(const std::string& directory, const std::string& name) {
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string path = directory + "/" + name;
  std::uint64_t size = 0;
  check(env->GetFileSize(path, &size));
  leveldb::RandomAccessFile* file = nullptr;
  check(env->NewRandomAccessFile(path, &file));
  const std::unique_ptr<leveldb::RandomAccessFile> keeps_file{file};
  leveldb::Table* opened = nullptr;
  check(leveldb::Table::Open({}, file, size, &opened));
  const std::unique_ptr<leveldb::Table> table{opened};
  const std::unique_ptr<leveldb::Iterator> entry{table->NewIterator({})};
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    const Slice stored = entry->key();
    std::cout << name << '\t';
    for (std::size_t i = 0; i + 8 < stored.size(); ++i) {  // ends in 8 bytes of sequence and type
      const auto byte = static_cast<unsigned char>(stored[i]);
      std::cout << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
    }
    std::cout << '\n';
  }
  check(entry->status());
}

void print_tables(const std::string& directory) {
  std::vector<std::string> names;
  check(leveldb::Env::Default()->GetChildren(directory, &names));
  for (const auto& name : names)
    if (name.size() > 4 && name.substr(name.size() - 4) == ".ldb") print_table(directory, name);
}

std::vector<std::array<char, 16>> bench_keys(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random{seed};
  std::vector<std::array<char, 16>> keys(count);
  for (auto& key : keys)
    std::generate(key.begin(), key.end(), [&] { return static_cast<char>(random() >> 32); });
  return keys;
}

std::vector<Slice> slices(const std::vector<std::array<char, 16>>& keys) {
  std::vector<Slice> all;
  for (const auto& key : keys) all.emplace_back(key.data(), key.size());
  return all;
}

void bench() {
  constexpr std::size_t kKeys = 1000000;
  const auto present_bytes = bench_keys(1, kKeys), absent_bytes = bench_keys(2, kKeys);
  const auto present = slices(present_bytes), absent = slices(absent_bytes);
  const Policy policy = ten_bits_per_key();
  std::string filter;
  std::array<double, 3> add{}, hit{}, miss{};
  std::size_t hits = 0, misses = 0;
  const auto per_key = [](auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / kKeys;
  };
  const auto count_maybe = [&](const std::vector<Slice>& keys) {
    return static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), [&](const Slice& key) {
      return policy->KeyMayMatch(key, filter);
    }));
  };
  for (std::size_t i = 0; i < add.size(); ++i) {
    add[i] = per_key([&] { filter = filter_of(*policy, present); });
    hit[i] = per_key([&] { hits = count_maybe(present); });
    miss[i] = per_key([&] { misses = count_maybe(absent); });
  }
  if (hits != kKeys) fail("a key that was added is not contained");
  for (auto* times : {&add, &hit, &miss}) std::sort(times->begin(), times->end());
  std::printf(
      "{\"peer\": \"leveldb\", \"add_ns\": %.2f, \"hit_ns\": %.2f, \"miss_ns\": %.2f, "
      "\"keys\": %zu, \"fpr\": %.6f, \"bits_per_key\": %.3f}\n",
      add[1], hit[1], miss[1], kKeys, static_cast<double>(misses) / kKeys,
      8.0 * static_cast<double>(filter.size() - 1) / kKeys);
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "make" && count == 3) {
    make_filter(arguments[1]);
  } else if (command == "ask" && count > 2) {
    ask_filters({arguments.begin() + 1, arguments.end()});
  } else if (command == "database" && count == 3) {
    write_database(arguments[1]);
  } else if (command == "tables" && count == 3) {
    print_tables(arguments[1]);
  } else if (command == "--bench") {
    bench();
  } else {
    fail("unknown command: " + command);
  }
}
