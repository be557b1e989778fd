// DeviceBlock without a device: its checks, its errors and the way of its keys, on a device that
// does not exist. The kernels themselves are tested by tests/gpu/device.
#include "bloomery/gpu/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "bloomery/formats/native/native.h"
#include "bloomery/gpu/host_pipe.h"
#include "tests/gpu/fake_runtime.h"

namespace bloomery::gpu {
namespace {

using testing::HasSubstr;

class DeviceBlockTest : public testing::Test {
 protected:
  DeviceBlockTest() { fake = {}; }

  static Device device(int index = 0) { return *internal::open_device_of(fake_runtime(), index); }
  static KeyHash mix() { return {Hasher{Profile::kMix, 3}, true}; }
  static KeyHash bytes() { return {Hasher{Profile::kXxh3, 3}, false}; }
  static std::vector<std::uint64_t> keys(std::size_t count, std::uint64_t seed = 1) {
    std::mt19937_64 random{seed};
    std::vector<std::uint64_t> made(count);
    for (auto& key : made) key = random();
    return made;
  }
  static DeviceMemory there(const std::vector<std::uint64_t>& values) {
    return *DeviceMemory::upload(device(), values.data(), values.size() * 8);
  }
  static DeviceKeys keys_in(const DeviceMemory& memory) {
    return {static_cast<const std::uint64_t*>(memory.data()), memory.size() / 8};
  }
  template <class T>
  static void expect_error(const Result<T>& result, ErrorCode code, const char* part) {
    ASSERT_FALSE(result) << part;
    EXPECT_EQ(result.error().code, code);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  }
};

TEST(Devices, AreNoneInABuildWithoutThem) {
  const auto opened = open_device();
  if (!devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  ASSERT_FALSE(opened);
  EXPECT_FALSE(opened.error().message.empty());
}

TEST_F(DeviceBlockTest, RefusesDevicesThatDoNotExistOrAreTooOld) {
  const auto open = [](int index) { return internal::open_device_of(fake_runtime(), index); };
  expect_error(open(2), ErrorCode::kInvalidArgument,
               "there is no GPU number 2; this machine has 2");
  expect_error(open(-1), ErrorCode::kInvalidArgument, "there is no GPU number -1");
  EXPECT_EQ(internal::devices_of(fake_runtime()).size(), 2);
  fake.compute_major = 8;
  expect_error(open(0), ErrorCode::kUnsupported, "has compute capability 8.0");
  EXPECT_TRUE(internal::devices_of(fake_runtime()).empty());
}

TEST_F(DeviceBlockTest, RefusesFiltersThatADeviceCannotHold) {
  const auto make = [](BlockShape shape, const KeyHash& hash) {
    return DeviceBlock::create(device(), shape, hash);
  };
  expect_error(make({100, 8, true}, bytes()), ErrorCode::kUnsupported, "seeded filter");
  expect_error(make({100, 16}, bytes()), ErrorCode::kUnsupported, "several blocks per key");
  expect_error(make({100, 3}, bytes()), ErrorCode::kInvalidArgument, "probes");
  expect_error(make({std::uint64_t{1} << 32, 8}, mix()), ErrorCode::kTooLarge,
               "at most 4294967295");
  for (const Profile profile : {Profile::kAes, Profile::kSiphash, Profile::kXxh3_64})
    expect_error(make({100, 8}, {Hasher{profile}, false}), ErrorCode::kUnsupported,
                 "make the filter with mix or xxh3");
  expect_error(make({std::uint64_t{1} << 26, 8}, mix()), ErrorCode::kIo, "not enough memory");
  EXPECT_TRUE(fake.memory.empty());
}

TEST_F(DeviceBlockTest, RefusesKeysOfAnotherKind) {
  auto numbers = *DeviceBlock::create(device(), {100, 8}, mix());
  auto strings = *DeviceBlock::create(device(), {100, 8}, bytes());
  EXPECT_FALSE(numbers.insert(DeviceStrings{}));
  expect_error(strings.insert(DeviceStrings{nullptr, 16, nullptr, 0, 5}),
               ErrorCode::kInvalidArgument, "offsets of 16 bits");
  const auto host = keys(10);
  expect_error(numbers.insert(DeviceKeys{host.data(), 10}), ErrorCode::kInvalidArgument,
               "the keys lie in host memory");
  const DeviceMemory memory = there(host);
  const DeviceKeys odd{
      reinterpret_cast<const std::uint64_t*>(static_cast<const char*>(memory.data()) + 4), 5};
  expect_error(numbers.insert(odd), ErrorCode::kInvalidArgument, "no multiple of 8");
  auto elsewhere = *DeviceBlock::create(device(1), {100, 8}, mix());
  expect_error(elsewhere.insert(keys_in(memory)), ErrorCode::kInvalidArgument, "another GPU");
  EXPECT_EQ(fake.inserts, 0);
}

TEST_F(DeviceBlockTest, RefusesAnswersAndWorkspacesThatDoNotFit) {
  const auto filter = *DeviceBlock::create(device(), {100, 8}, mix());
  const DeviceMemory memory = there(keys(33)), out = *DeviceMemory::allocate(device(), 64);
  const auto ask = [&](DeviceAnswers answers, const Call& call = {}) {
    return filter.may_contain(keys_in(memory), answers, call);
  };
  expect_error(ask({out.data(), 32, AnswerKind::kBytes}), ErrorCode::kInvalidArgument,
               "take 33 bytes, and 32 were given");
  expect_error(ask({out.data(), 7, AnswerKind::kBits}), ErrorCode::kInvalidArgument,
               "take 8 bytes, and 7 were given");
  expect_error(ask({static_cast<char*>(out.data()) + 1, 40, AnswerKind::kBytes}),
               ErrorCode::kInvalidArgument, "no multiple of 4");
  const DeviceAnswers fits{out.data(), 64, AnswerKind::kBytes};
  expect_error(ask(fits, {{}, {static_cast<char*>(out.data()) + 8, 8}, Method::kAuto, {}}),
               ErrorCode::kInvalidArgument, "no multiple of 256");
  expect_error(ask(fits, {{}, {}, Method::kPartitioned, {}}), ErrorCode::kInvalidArgument,
               "needs a workspace of at least");
  EXPECT_EQ(fake.lookups, 0);
  EXPECT_TRUE(ask(fits));
}

// Parts of a batch, each way and kind of answer, are one batch to the caller.
TEST_F(DeviceBlockTest, SplitsBatchesWithoutALostKey) {
  const BlockShape shape{500, 8};
  const auto in = keys(20000), ask = keys(15000, 1);
  BlockFilter expected{shape, mix()};
  expected.insert_batch(std::span<const std::uint64_t>{in});
  const DeviceMemory in_memory = there(in), ask_memory = there(ask);
  auto filter = *DeviceBlock::create(device(), shape, mix());
  Tuning tuning;
  tuning.insert_keys = tuning.lookup_keys = tuning.lookup_filter_bytes = 0;
  tuning.most_keys = 3000;
  const DeviceMemory workspace = *DeviceMemory::allocate(device(), 1 << 20);
  const DeviceMemory out = *DeviceMemory::allocate(device(), ask.size());
  const Call call{{}, workspace.bytes(), Method::kAuto, tuning};
  const std::size_t before = fake.allocations;
  ASSERT_TRUE(filter.insert(keys_in(in_memory), call));
  EXPECT_EQ(fake.inserts, 10);
  EXPECT_EQ(fake.partitioned, 10);
  for (const AnswerKind kind : {AnswerKind::kBytes, AnswerKind::kBits}) {
    ASSERT_TRUE(filter.may_contain(keys_in(ask_memory), {out.data(), ask.size(), kind}, call));
    std::vector<std::uint8_t> answers(ask.size()), got(answer_bytes(kind, ask.size()));
    expected.may_contain_batch(std::span<const std::uint64_t>{ask}, answers);
    ASSERT_TRUE(out.download(got.data(), got.size()));
    for (std::size_t i = 0; i < ask.size(); ++i)
      ASSERT_EQ(kind == AnswerKind::kBytes ? got[i] : got[i / 8] >> i % 8 & 1, answers[i]);
  }
  EXPECT_EQ(fake.allocations, before);
  const auto copy = filter.to_filter();
  ASSERT_TRUE(copy);
  EXPECT_TRUE(std::ranges::equal(copy->bytes(), expected.bytes()));
  EXPECT_EQ(copy->provenance().keys_inserted, std::nullopt);
}

TEST_F(DeviceBlockTest, SendsHostKeysInChunks) {
  const BlockShape shape{500, 6};
  const auto in = keys(1000);
  BlockFilter expected{shape, mix()};
  expected.insert_batch(std::span<const std::uint64_t>{in});
  auto pipe = *HostPipe::create(device(), {64, 0, 2});
  auto filter = *DeviceBlock::create(device(), shape, mix());
  ASSERT_TRUE(filter.insert(pipe, in));
  EXPECT_EQ(fake.inserts, 16);
  EXPECT_TRUE(std::ranges::equal(filter.to_filter()->bytes(), expected.bytes()));
  const auto ask = keys(777, 5);
  std::vector<std::uint8_t> answers(ask.size()), right(ask.size());
  expected.may_contain_batch(std::span<const std::uint64_t>{ask}, right);
  ASSERT_TRUE(filter.may_contain(pipe, ask, answers));
  EXPECT_EQ(answers, right);
  std::vector<std::uint8_t> bits(answer_bytes(AnswerKind::kBits, ask.size()));
  ASSERT_TRUE(filter.may_contain(pipe, ask, bits, AnswerKind::kBits));
  for (std::size_t i = 0; i < ask.size(); ++i) ASSERT_EQ(bits[i / 8] >> i % 8 & 1, right[i]);
  expect_error(filter.may_contain(pipe, ask, std::span{answers}.first(5)),
               ErrorCode::kInvalidArgument, "take 777 bytes, and 5 were given");
  auto elsewhere = *DeviceBlock::create(device(1), shape, mix());
  expect_error(elsewhere.insert(pipe, in), ErrorCode::kInvalidArgument, "the pipe leads to GPU 0");
  expect_error(HostPipe::create(device(), {0, 0, 1}), ErrorCode::kInvalidArgument, "one key");
}

TEST_F(DeviceBlockTest, SendsHostStringsInChunks) {
  const BlockShape shape{500, 8};
  std::vector<std::uint64_t> offsets{5};
  std::string text;
  for (std::size_t i = 0; i < 900; ++i) {
    text += std::string(i % 37, static_cast<char>('a' + i % 26));
    offsets.push_back(5 + text.size());
  }
  text = "12345" + text;
  BlockFilter expected{shape, bytes()};
  for (std::size_t i = 0; i < 900; ++i)
    expected.insert(
        bytes_of(std::string_view{text}.substr(offsets[i], offsets[i + 1] - offsets[i])));
  auto pipe = *HostPipe::create(device(), {128, 10, 1});
  auto filter = *DeviceBlock::create(device(), shape, bytes());
  const HostStrings column{offsets.data(), 64, text.data(), 900};
  ASSERT_TRUE(filter.insert(pipe, column));
  EXPECT_GT(fake.inserts, 8);  // long strings end some chunks before 128 keys
  EXPECT_TRUE(std::ranges::equal(filter.to_filter()->bytes(), expected.bytes()));
  std::vector<std::uint8_t> answers(900);
  ASSERT_TRUE(filter.may_contain(pipe, column, answers));
  EXPECT_EQ(answers, std::vector<std::uint8_t>(900, 1));
  const std::uint64_t too_long[] = {0, 1 << 20};
  expect_error(filter.insert(pipe, HostStrings{too_long, 64, text.data(), 1}), ErrorCode::kTooLarge,
               "make it for longer strings");
}

TEST_F(DeviceBlockTest, ReportsFaultsOfKernels) {
  auto filter = *DeviceBlock::create(device(), {100, 8}, mix());
  const DeviceMemory memory = there(keys(10));
  auto pipe = *HostPipe::create(device(), {64, 0, 1});
  fake.is_failing = true;
  expect_error(finish(device()), ErrorCode::kIo, "a kernel failed");
  expect_error(filter.insert(keys_in(memory)), ErrorCode::kIo, "a kernel failed");
  expect_error(filter.insert(pipe, keys(100)), ErrorCode::kIo, "a kernel failed");
  expect_error(filter.health(), ErrorCode::kIo, "a kernel failed");
  expect_error(filter.to_filter(), ErrorCode::kIo, "a kernel failed");
  EXPECT_FALSE(filter.is_known_empty());
}

TEST_F(DeviceBlockTest, KeepsFilesAsTheyAre) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / "device_block_test.bloom").string();
  const auto in = keys(3000);
  BlockFilter filter{{600, 8}, mix()};
  filter.insert_batch(std::span<const std::uint64_t>{in});
  ASSERT_TRUE(save_native(filter, FunnelName::kU64, path));
  const auto loaded = DeviceBlock::load(device(), path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->provenance().keys_inserted, filter.provenance().keys_inserted);
  EXPECT_TRUE(std::ranges::equal(loaded->to_filter()->bytes(), filter.bytes()));
  const auto health = loaded->health();
  ASSERT_TRUE(health);
  EXPECT_NEAR(health->error_rate / filter.health().error_rate, 1, 1e-9);
  expect_error(loaded->save(path, FunnelName::kBytes), ErrorCode::kInvalidArgument, "the funnel");
  expect_error(DeviceBlock::load(device(), path + ".none"), ErrorCode::kIo, "device_block_test");
  ClassicFilter<BloomeryClassic> classic{Shape{1000, 3}};
  ASSERT_TRUE(save_native(classic, FunnelName::kBytes, path));
  expect_error(DeviceBlock::load(device(), path), ErrorCode::kUnsupported, "only a block filter");
  std::filesystem::remove(path);
}

TEST_F(DeviceBlockTest, LooksUpSeededFiltersAndInsertsNothing) {
  BlockFilter seeded{{100, 8, true}, bytes()};
  auto there_ = *DeviceBlock::from(device(), seeded);
  EXPECT_EQ(there_.workspace_bytes(Operation::kInsert, 1 << 30), 0);
  const DeviceMemory memory = there(keys(10)), out = *DeviceMemory::allocate(device(), 12);
  expect_error(there_.insert(keys_in(memory)), ErrorCode::kUnsupported, "seeded");
  expect_error(there_.merge(there_), ErrorCode::kUnsupported, "seeded");
  EXPECT_TRUE(there_.may_contain(keys_in(memory), {out.data(), 12, AnswerKind::kBytes}));
  expect_error(there_.may_contain(keys_in(memory), {out.data(), 12, AnswerKind::kBytes},
                                  {{}, {}, Method::kPartitioned, {}}),
               ErrorCode::kUnsupported, "seeded");
}

TEST_F(DeviceBlockTest, MergesOnlyWhatIsAlike) {
  auto a = *DeviceBlock::create(device(), {100, 8}, mix());
  EXPECT_TRUE(a.is_known_empty());
  const DeviceMemory memory = there(keys(10));
  auto b = *DeviceBlock::create(device(), {100, 8}, mix());
  ASSERT_TRUE(b.insert(keys_in(memory)));
  ASSERT_TRUE(a.merge(b));
  EXPECT_FALSE(a.is_known_empty());
  EXPECT_TRUE(std::ranges::equal(a.to_filter()->bytes(), b.to_filter()->bytes()));
  ASSERT_TRUE(a.reset());
  EXPECT_TRUE(a.is_known_empty());
  EXPECT_EQ(a.provenance().keys_inserted, 0);
  for (const auto& [index, shape, hash] :
       {std::tuple{1, BlockShape{100, 8}, mix()}, std::tuple{0, BlockShape{101, 8}, mix()},
        std::tuple{0, BlockShape{100, 7}, mix()},
        std::tuple{0, BlockShape{100, 8}, KeyHash{Hasher{Profile::kMix, 4}, true}}})
    expect_error(a.merge(*DeviceBlock::create(device(index), shape, hash)),
                 ErrorCode::kInvalidArgument, "the same shape, hash and funnel");
}

}  // namespace
}  // namespace bloomery::gpu
