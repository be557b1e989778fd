// What the tests on a device share: counted checks, and the answers of the definition in layout/.
// A program of its own, without a library of tests, because a machine with a GPU may have none.
#pragma once
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/gpu/block.h"
#include "bloomery/gpu/host_pipe.h"
#include "bloomery/layout/block.h"

namespace bloomery::gpu::device_test {

struct Totals {
  std::size_t checks = 0;
  std::size_t failures = 0;
};
inline Totals totals;

template <class... Parts>
bool expect(bool holds, const Parts&... what) {
  ++totals.checks;
  if (holds) return true;
  if (++totals.failures <= 50) std::printf("FAILED: %s\n", message(what...).c_str());
  std::fflush(stdout);
  return false;
}
inline bool expect_ok(const Status& status, const std::string& what) {
  return expect(status.has_value(), what, ": ", status ? "" : status.error().message);
}
// Ends the program where there is no use in going on.
template <class T>
T need(Result<T> result, const std::string& what) {
  if (result) return std::move(*result);
  std::printf("FAILED: %s: %s\n", what.c_str(), result.error().message.c_str());
  std::exit(1);
}

inline std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}
  std::uint64_t operator()() { return scrambled(state_ += 0x9e3779b97f4a7c15); }

 private:
  std::uint64_t state_;
};

// The bits and answers that the definition gives, word by word on the CPU.
class Reference {
 public:
  Reference(BlockShape shape, const KeyHash& hash)
      : shape_{shape}, hash_{hash}, words_(shape.blocks * block::kSectors) {}

  void insert(Hash128 digest) {
    const auto mask = block::mask_of(digest.low, digest.high, shape_.probes);
    auto* at = words_.data() + block::block_of(digest.low, shape_.blocks) * block::kSectors;
    for (std::uint32_t i = 0; i < block::kSectors; ++i) at[i] |= mask[i];
  }
  bool may_contain(Hash128 digest) const {
    const auto mask = block::mask_of(digest.low, digest.high, shape_.probes);
    const auto* at = words_.data() + block::block_of(digest.low, shape_.blocks) * block::kSectors;
    for (std::uint32_t i = 0; i < block::kSectors; ++i)
      if ((at[i] & mask[i]) != mask[i]) return false;
    return true;
  }
  void insert(std::span<const std::uint64_t> keys) {
    for (const std::uint64_t key : keys) insert(hash_.hasher(key));
  }
  std::vector<std::uint8_t> answers(std::span<const std::uint64_t> keys) const {
    std::vector<std::uint8_t> found;
    for (const std::uint64_t key : keys) found.push_back(may_contain(hash_.hasher(key)));
    return found;
  }
  void clear() { words_.assign(words_.size(), 0); }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  BlockShape shape_;
  KeyHash hash_;
  std::vector<std::uint64_t> words_;
};

inline std::vector<std::uint8_t> as_bits(const std::vector<std::uint8_t>& answers) {
  std::vector<std::uint8_t> bits(answer_bytes(AnswerKind::kBits, answers.size()));
  for (std::size_t i = 0; i < answers.size(); ++i)
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | answers[i] << i % 8);
  return bits;
}

template <class T>
DeviceMemory uploaded(const Device& device, const std::vector<T>& values) {
  return need(DeviceMemory::upload(device, values.data(), values.size() * sizeof(T)), "upload");
}
template <class T>
std::vector<T> downloaded(const DeviceMemory& memory, std::size_t count) {
  std::vector<T> values(count);
  expect_ok(memory.download(values.data(), count * sizeof(T)), "download");
  return values;
}
inline std::vector<std::uint64_t> words_of(const DeviceBlock& filter) {
  const auto copy = need(filter.to_filter(), "copying a filter back");
  std::vector<std::uint64_t> words(filter.block_shape().blocks * block::kSectors);
  std::memcpy(words.data(), copy.bytes().data(), words.size() * sizeof words[0]);
  return words;
}

// Answers of a lookup into memory that held something else, the bytes after them untouched.
template <class Keys>
std::vector<std::uint8_t> asked(const DeviceBlock& filter, const Keys& keys, std::uint64_t count,
                                AnswerKind kind, const Call& call) {
  constexpr std::size_t kAfter = 64;
  const std::uint64_t size = answer_bytes(kind, count);
  const DeviceMemory memory =
      uploaded(filter.device(), std::vector<std::uint8_t>(size + kAfter, 0xa5));
  expect_ok(filter.may_contain(keys, {memory.data(), size, kind}, call), "lookup");
  expect_ok(finish(filter.device(), call.stream), "finishing a lookup");
  auto answers = downloaded<std::uint8_t>(memory, size + kAfter);
  for (std::size_t i = size; i < answers.size(); ++i)
    if (answers[i] != 0xa5) {
      expect(false, "a lookup of ", count, " keys wrote past its answers");
      break;
    }
  answers.resize(size);
  return answers;
}

// Every way in and out that the planner can choose, and those that it would not at this size.
struct Way {
  const char* name;
  Method method;
  Tuning tuning;
};
inline std::vector<Way> ways() {
  const auto cut = [](std::uint32_t kib, std::uint32_t group, std::uint32_t room) {
    Tuning tuning;
    tuning.chunk_kib = kib;
    tuning.chunks_of_group = group;
    tuning.lookup_chunk_kib = kib;
    tuning.room_percent = room;
    return tuning;
  };
  return {{"direct", Method::kDirect, {}},
          {"one level", Method::kPartitioned, cut(64, 1, 100)},
          {"one level, small chunks", Method::kPartitioned, cut(4, 1, 100)},
          {"one level, large chunks", Method::kPartitioned, cut(128, 1, 100)},
          {"two levels", Method::kPartitioned, cut(64, 8, 100)},
          {"two levels, small chunks", Method::kPartitioned, cut(4, 8, 100)},
          {"one level, half the room", Method::kPartitioned, cut(4, 1, 50)},
          {"two levels, half the room", Method::kPartitioned, cut(4, 8, 50)},
          {"two levels, little room", Method::kPartitioned, cut(64, 2, 1)}};
}

// Each group of tests; `small`: sizes for a checker that slows everything down a hundredfold.
void test_numbers(const Device& device, bool small);
void test_skew(const Device& device, bool small);
void test_strings(const Device& device, bool small);
void test_whole(const Device& device, bool small);
void test_host(const Device& device, bool small);
void test_errors(const Device& device);
void test_large(const Device& device);

}  // namespace bloomery::gpu::device_test
