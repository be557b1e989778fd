// Keys in host memory through a pipe, and every error that needs a device.
#include "tests/gpu/device/checks.h"

namespace bloomery::gpu::device_test {

void test_host(const Device& device, bool small) {
  const KeyHash hash{Hasher{Profile::kXxh3, 0}, true};
  const BlockShape shape{20011, 8};
  Random random{4};
  std::vector<std::uint64_t> keys(small ? 5001 : 300001);
  for (std::uint64_t& key : keys) key = random();
  Reference reference{shape, hash};
  reference.insert(keys);
  for (std::uint64_t& key : keys)
    if (random() % 2 == 0) key = random();
  const auto expected = reference.answers(keys);
  HostPipe pipe = need(HostPipe::create(device, {4096, 0, 3}), "pipe");
  DeviceBlock filter = need(DeviceBlock::create(device, shape, hash), "create");
  Reference half{shape, hash};
  half.insert(keys);
  expect_ok(filter.insert(pipe, keys), "insert from the host");
  expect(words_of(filter) == half.words(), "a filter from host keys differs");
  DeviceBlock other = need(DeviceBlock::create(device, shape, hash), "create");
  const ByteView bits{reinterpret_cast<const std::byte*>(reference.words().data()),
                      reference.words().size() * 8};
  BlockFilter on_cpu{shape, hash};
  std::memcpy(on_cpu.bytes().data(), bits.data(), bits.size());
  other = need(DeviceBlock::from(device, on_cpu), "from");
  std::vector<std::uint8_t> answers(keys.size(), 9);
  expect_ok(other.may_contain(pipe, keys, answers), "lookup from the host");
  expect(answers == expected, "answers for host keys differ");
  std::vector<std::uint8_t> words(answer_bytes(AnswerKind::kBits, keys.size()), 9);
  expect_ok(other.may_contain(pipe, keys, words, AnswerKind::kBits), "lookup from the host");
  expect(words == as_bits(expected), "bits for host keys differ");

  // Strings, in chunks that end by keys and by bytes.
  const KeyHash bytes_hash{Hasher{Profile::kXxh3, 1}, false};
  std::vector<std::uint32_t> offsets{0};
  for (std::size_t i = 0; i < keys.size(); ++i)
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(random() % 61));
  std::vector<std::uint8_t> data(offsets.back());
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
  Reference strings{shape, bytes_hash};
  for (std::size_t i = 0; i < keys.size(); ++i)
    strings.insert(bytes_hash.digest({reinterpret_cast<const std::byte*>(data.data()) + offsets[i],
                                      offsets[i + 1] - offsets[i]}));
  HostPipe text = need(HostPipe::create(device, {2048, 20, 2}), "pipe");
  DeviceBlock named = need(DeviceBlock::create(device, shape, bytes_hash), "create");
  const HostStrings column{offsets.data(), 32, data.data(), keys.size()};
  expect_ok(named.insert(text, column), "strings from the host");
  expect(words_of(named) == strings.words(), "a filter of host strings differs");
  expect_ok(named.may_contain(text, column, answers), "strings from the host");
  expect(answers == std::vector<std::uint8_t>(keys.size(), 1), "host strings are missed");
  const std::vector<std::uint32_t> too_long{0, 1 << 24};
  expect(!named.insert(text, {too_long.data(), 32, data.data(), 1}), "a string beyond the buffers");
}

void test_errors(const Device& device) {
  const KeyHash hash{Hasher{Profile::kMix, 0}, true};
  const std::vector<std::uint64_t> keys(100, 5);
  const DeviceMemory memory = uploaded(device, keys);
  const DeviceKeys there{static_cast<const std::uint64_t*>(memory.data()), keys.size()};
  DeviceBlock filter = need(DeviceBlock::create(device, {100, 8}, hash), "create");
  expect(!filter.insert(DeviceKeys{keys.data(), keys.size()}), "host keys as device keys");
  std::vector<std::uint8_t> answers(100);
  expect(!filter.may_contain(there, {answers.data(), 100, AnswerKind::kBytes}), "host answers");
  const auto huge = DeviceBlock::create(device, {(std::uint64_t{1} << 32) - 1, 8}, hash);
  expect(!huge && huge.error().message.find("not enough memory") != std::string::npos,
         "a filter of 256 GiB: ", huge ? "made" : huge.error().message);
  // The device works on after an error.
  expect_ok(filter.insert(there), "insert after errors");
  expect_ok(finish(device), "finish after errors");
  const auto none = open_device(1000);
  expect(!none && none.error().code == ErrorCode::kInvalidArgument, "GPU number 1000");
}

}  // namespace bloomery::gpu::device_test
