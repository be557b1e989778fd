// Many filters of one shape: asked one after the other, and by an index of them. For
// index_bench.py.
//   index_bench generate FOLDER FILTERS BYTES        files of random bits, half of them set
//   index_bench ask FOLDER INDEX FILTERS KEYS        nanoseconds per key, and whether all answers
//                                                    are equal
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/formats/index/index.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/formats/native/native.h"

namespace {

using namespace bloomery;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& sentence) {
  std::cerr << sentence << '\n';
  std::exit(1);
}

std::string path_of(const std::string& folder, std::size_t i) {
  const std::string digits = std::to_string(i);
  return folder + "/" + std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits +
         ".bloom";
}

void generate(const std::string& folder, std::size_t filters, std::uint64_t bytes) {
  CreateOptions options;
  options.layout = Layout::kBlock;
  options.sizing.bits = bytes * 8;
  options.sizing.probes = 8;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < filters; ++i) {
    auto made = create_native(options);
    if (!made) fail(made.error().message);
    auto& block = std::get<NativeBlock>(*made).filter;
    const ByteSpan body = block.bytes();
    for (std::size_t at = 0; at + 8 <= body.size(); at += 8) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      store_le(body.data() + at, state);
    }
    for (int key = 0; key < 3; ++key) block.insert(bytes_of(message("key ", i * 3 + key)));
    const auto encoded = encode_native(*made);
    std::ofstream out{path_of(folder, i), std::ios::binary};
    out.write(reinterpret_cast<const char*>(encoded.data()),
              static_cast<std::streamsize>(encoded.size()));
    if (!out) fail("cannot write " + path_of(folder, i));
  }
}

void forget(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  if (fd < 0) return;
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

template <class Work>
double nanoseconds_per(std::size_t count, Work work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
         static_cast<double>(count);
}

struct Keys {
  explicit Keys(std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) texts.push_back(message("key ", first + i * 7));
    for (const std::string& text : texts) views.push_back(bytes_of(text));
  }
  std::vector<std::string> texts;
  std::vector<ByteView> views;
};

void ask(const std::string& folder, const std::string& path, std::size_t filters,
         std::size_t count) {
  std::vector<MappedNative> mapped;
  const double open_each = nanoseconds_per(filters, [&] {
    for (std::size_t i = 0; i < filters; ++i) {
      auto filter = MappedNative::open(path_of(folder, i), {});
      if (!filter) fail(filter.error().message);
      mapped.push_back(std::move(*filter));
    }
  });
  std::vector<FilterIndex> index;
  const double open_index = nanoseconds_per(1, [&] {
    auto opened = FilterIndex::open(path, {});
    if (!opened) fail(opened.error().message);
    index.push_back(std::move(*opened));
  });
  const IndexView& view = index[0].view();
  const Keys keys{0, count};
  std::vector<std::vector<std::uint64_t>> expected(count);
  const auto loop = [&] {
    for (std::size_t key = 0; key < count; ++key) {
      expected[key].clear();
      for (std::size_t i = 0; i < filters; ++i)
        if (mapped[i].may_contain(keys.views[key])) expected[key].push_back(i);
    }
  };
  std::vector<std::vector<std::uint8_t>> answers(filters, std::vector<std::uint8_t>(count));
  const auto batches = [&] {
    for (std::size_t i = 0; i < filters; ++i) mapped[i].may_contain_batch(keys.views, answers[i]);
  };
  IndexAnswers found;
  bool equal = true;
  const auto one_by_one = [&] {
    for (std::size_t key = 0; key < count; ++key) {
      view.find(std::span{keys.views}.subspan(key, 1), found);
      equal &= std::ranges::equal(found[0], expected[key]);
    }
  };
  // As many other keys as leave a processor's caches, so that rows come from memory.
  const std::size_t many = 4096;
  const Keys others{1'000'000, many};
  const auto index_others = [&] {
    IndexAnswers one;
    for (std::size_t key = 0; key < many; ++key)
      view.find(std::span{others.views}.subspan(key, 1), one);
  };
  const auto index_batch = [&] { view.find(others.views, found); };
  loop();  // what follows is in memory
  one_by_one();
  index_others();
  std::vector<double> looped, batched, single, indexed;
  for (int round = 0; round < 5; ++round) {
    looped.push_back(nanoseconds_per(count, loop));
    batched.push_back(nanoseconds_per(count, batches));
    single.push_back(nanoseconds_per(many, index_others));
    indexed.push_back(nanoseconds_per(many, index_batch));
  }
  const auto median = [](std::vector<double>& values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  };
  std::uint64_t hits = 0;
  for (const auto& names : expected) hits += names.size();
  // From the disk: the files' pages are dropped, and each key reads its own again.
  index.clear();
  mapped.clear();
  for (std::size_t i = 0; i < filters; ++i) forget(path_of(folder, i));
  forget(path);
  auto again = FilterIndex::open(path, {});
  const std::size_t cold_keys = 64;
  const Keys cold{5'000'000, cold_keys};
  const double cold_index = nanoseconds_per(cold_keys, [&] {
    IndexAnswers one;
    for (const ByteView& key : cold.views) again->view().find(std::span{&key, 1}, one);
  });
  const double cold_loop = nanoseconds_per(1, [&] {
    for (std::size_t i = 0; i < filters; ++i) {
      const auto filter = MappedNative::open(path_of(folder, i), {});
      if (filter) (void)filter->may_contain(cold.views[0]);
    }
  });
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::cout << "{\"equal\":" << (equal ? "true" : "false") << ",\"keys\":" << count
            << ",\"hits\":" << hits << ",\"open_each_ns\":" << open_each
            << ",\"open_index_ns\":" << open_index << ",\"loop_ns\":" << median(looped)
            << ",\"loop_batch_ns\":" << median(batched) << ",\"index_ns\":" << median(single)
            << ",\"index_batch_ns\":" << median(indexed) << ",\"cold_loop_ns\":" << cold_loop
            << ",\"cold_index_ns\":" << cold_index << "}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (argc == 5 && words[1] == "generate")
    generate(words[2], std::stoul(words[3]), std::stoull(words[4]));
  else if (argc == 6 && words[1] == "ask")
    ask(words[2], words[3], std::stoul(words[4]), std::stoul(words[5]));
  else
    fail("usage: index_bench generate FOLDER FILTERS BYTES | ask FOLDER INDEX FILTERS KEYS");
}
