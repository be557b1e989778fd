// Filters as a whole: merge, reset, health, files, copies, seeded ones; streams.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/native.h"
#include "tests/gpu/device/checks.h"

namespace bloomery::gpu::device_test {
namespace {

std::vector<std::uint64_t> some_keys(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t& key : keys) key = random();
  return keys;
}
DeviceKeys keys_in(const DeviceMemory& memory) {
  return {static_cast<const std::uint64_t*>(memory.data()), memory.size() / 8};
}
std::vector<char> file_bytes(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
}

void test_merge_and_health(const Device& device, BlockShape shape, std::size_t count) {
  const KeyHash hash{Hasher{Profile::kMix, 0}, true};
  const std::string what = message("k=", shape.probes, " blocks=", shape.blocks);
  const auto left = some_keys(count, 1), right = some_keys(count, 2);
  const DeviceMemory left_keys = uploaded(device, left), right_keys = uploaded(device, right);
  DeviceBlock a = need(DeviceBlock::create(device, shape, hash), what);
  DeviceBlock b = need(DeviceBlock::create(device, shape, hash), what);
  expect_ok(a.insert(keys_in(left_keys)), what);
  expect_ok(b.insert(keys_in(right_keys)), what);
  expect_ok(a.merge(b), what + ": merge");
  Reference both{shape, hash};
  both.insert(left);
  both.insert(right);
  expect(words_of(a) == both.words(), what, ": the merged filter differs");
  const Health health = need(a.health(), what);
  const ByteView blocks{reinterpret_cast<const std::byte*>(both.words().data()),
                        both.words().size() * 8};
  BlockTally tally{shape, shape.blocks};
  for (std::uint64_t i = 0; i < shape.blocks; ++i) {
    block::BlockMask sectors;
    std::memcpy(sectors.data(), blocks.data() + i * block::kBlockBytes, sizeof sectors);
    tally.add(sectors);
  }
  const Health expected = tally.health({});
  expect(health.fill == expected.fill && !health.sampled, what, ": the fill differs");
  expect(std::abs(health.error_rate / expected.error_rate - 1) < 1e-6, what, ": rate ",
         health.error_rate, ", not ", expected.error_rate);
  expect_ok(a.reset(), what);
  expect(a.is_known_empty(), what, ": not known to be empty");
  const Health none = need(a.health(), what);
  expect(none.fill == 0 && none.error_rate == 0, what, ": an empty filter has bits");
}

// A file from the device is that of the CPU but for keys_inserted and the checksum over it.
void test_files(const Device& device) {
  const auto folder = std::filesystem::temp_directory_path() / "bloomery_gpu_test";
  std::filesystem::create_directories(folder);
  for (const Profile profile : {Profile::kMix, Profile::kXxh3}) {
    const KeyHash hash{Hasher{profile, 7}, true};
    const BlockShape shape{12345, 8};
    const auto keys = some_keys(50000, 3);
    const DeviceMemory memory = uploaded(device, keys);
    DeviceBlock filter = need(DeviceBlock::create(device, shape, hash), "create");
    expect_ok(filter.insert(keys_in(memory)), "insert");
    BlockFilter on_cpu{shape, hash};
    on_cpu.insert_batch(std::span<const std::uint64_t>{keys});
    expect_ok(filter.save((folder / "gpu.bloom").string()), "save");
    expect_ok(save_native(on_cpu, FunnelName::kU64, (folder / "cpu.bloom").string()), "save");
    auto ours = file_bytes(folder / "gpu.bloom"), theirs = file_bytes(folder / "cpu.bloom");
    expect(ours.size() == theirs.size() && ours.size() > kNativeHeaderBytes, "sizes of files");
    NativeHeader header;
    std::memcpy(&header, ours.data(), sizeof header);
    expect(header.keys_inserted == kNativeCountUnknown, "keys_inserted of a file from a device");
    for (auto* bytes : {&ours, &theirs}) {
      std::memcpy(&header, bytes->data(), sizeof header);
      header.keys_inserted = header.header_checksum = 0;
      std::memcpy(bytes->data(), &header, sizeof header);
    }
    expect(ours == theirs, "the file from the device differs from the CPU's");
    const DeviceBlock again =
        need(DeviceBlock::load(device, (folder / "gpu.bloom").string()), "load");
    expect(words_of(again) == words_of(filter), "a loaded filter differs");
    expect_ok(again.save((folder / "again.bloom").string()), "save");
    expect(file_bytes(folder / "again.bloom") == file_bytes(folder / "gpu.bloom"),
           "file to device to file differs");
    const DeviceBlock copied = need(DeviceBlock::from(device, on_cpu), "from");
    expect(words_of(copied) == words_of(filter), "a copied filter differs");
  }
  std::filesystem::remove_all(folder);
}

// Any bits and any seeds will do: the lookup must agree with the CPU's.
void test_seeded(const Device& device) {
  const KeyHash hash{Hasher{Profile::kXxh3, 0}, true};
  for (const std::uint32_t probes : {6u, 8u}) {
    BlockFilter filter{{999, probes, true}, hash};
    Random random{probes};
    const ByteSpan bytes = filter.bytes();
    const std::size_t body = 999 * block::kBlockBytes;
    for (std::size_t i = 0; i < body; ++i) bytes[i] = static_cast<std::byte>(random() | random());
    for (std::size_t i = body; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(random() % block::kWindowSets);
    const auto keys = some_keys(30000, 5);
    std::vector<std::uint8_t> expected(keys.size());
    filter.may_contain_batch(std::span<const std::uint64_t>{keys}, expected);
    DeviceBlock there = need(DeviceBlock::from(device, filter), "a seeded filter");
    const DeviceMemory memory = uploaded(device, keys);
    expect(asked(there, keys_in(memory), keys.size(), AnswerKind::kBytes, {}) == expected,
           "answers of a seeded filter differ");
    expect(asked(there, keys_in(memory), keys.size(), AnswerKind::kBits, {}) == as_bits(expected),
           "bits of a seeded filter differ");
    expect(!there.insert(keys_in(memory)), "an insert into a seeded filter is refused");
  }
}

// Two filters on two streams, and lookups of one filter from both.
void test_streams(const Device& device) {
  const KeyHash hash{Hasher{Profile::kMix, 0}, true};
  const BlockShape shape{100003, 8};
  const OwnedStream first = need(OwnedStream::make(device), "stream");
  const OwnedStream second = need(OwnedStream::make(device), "stream");
  const auto keys = some_keys(800000, 9);
  const DeviceMemory memory = uploaded(device, keys);
  DeviceBlock a = need(DeviceBlock::create(device, shape, hash), "create");
  DeviceBlock b = need(DeviceBlock::create(device, shape, hash), "create");
  for (int round = 0; round < 20; ++round) {
    expect_ok(a.reset(first.get()), "reset");
    expect_ok(b.reset(second.get()), "reset");
    expect_ok(a.insert(keys_in(memory), {first.get(), {}, Method::kAuto, {}}), "insert");
    expect_ok(b.insert(keys_in(memory), {second.get(), {}, Method::kAuto, {}}), "insert");
    const auto answers = asked(a, keys_in(memory), keys.size(), AnswerKind::kBits,
                               {first.get(), {}, Method::kAuto, {}});
    expect(answers == as_bits(std::vector<std::uint8_t>(keys.size(), 1)), "keys are missed");
  }
  expect_ok(finish(device, second.get()), "finish");
  expect(words_of(a) == words_of(b), "two streams made two filters");
}

}  // namespace

void test_whole(const Device& device, bool small) {
  for (std::uint32_t probes = 4; probes <= 8; ++probes) {
    test_merge_and_health(device, {1, probes}, 20);
    test_merge_and_health(device, {12345, probes}, small ? 5000 : 60000);
  }
  test_files(device);
  test_seeded(device);
  if (!small) test_streams(device);
}

}  // namespace bloomery::gpu::device_test
