// Numbers: every way in and out of filters of many shapes, compared bit by bit with the definition.
#include "tests/gpu/device/checks.h"

namespace bloomery::gpu::device_test {
namespace {

std::string described(BlockShape shape, const KeyHash& hash, std::size_t keys, const Way& way) {
  return message("k=", shape.probes, " blocks=", shape.blocks, " ",
                 profile_name(hash.hasher.profile()), " seed=", hash.hasher.seed(), " n=", keys,
                 " ", way.name);
}

// The workspace of each way, large enough for the forced ones.
DeviceMemory workspace_for(const Device& device, const DeviceBlock& filter, std::size_t keys,
                           const Way& way) {
  if (way.method == Method::kDirect) return {};
  Tuning tuning = way.tuning;
  tuning.insert_keys = tuning.lookup_keys = tuning.lookup_filter_bytes = 0;
  tuning.filter_bytes_per_key = UINT64_MAX;
  const std::uint64_t bytes =
      std::max(filter.workspace_bytes(Operation::kInsert, keys, false, tuning),
               filter.workspace_bytes(Operation::kLookup, keys, false, tuning));
  return need(DeviceMemory::allocate(device, bytes), "workspace");
}

// An insert, then a lookup on the same stream without waiting in between.
void test_batch(const Device& device, BlockShape shape, const KeyHash& hash,
                const std::vector<std::uint64_t>& keys, const std::vector<std::uint64_t>& queries) {
  const DeviceMemory in = uploaded(device, keys), questions = uploaded(device, queries);
  const DeviceKeys in_keys{static_cast<const std::uint64_t*>(in.data()), keys.size()};
  const DeviceKeys ask{static_cast<const std::uint64_t*>(questions.data()), queries.size()};
  Reference reference{shape, hash};
  reference.insert(keys);
  const auto expected = reference.answers(queries);
  DeviceBlock filter = need(DeviceBlock::create(device, shape, hash), "create");
  for (const Way& way : ways()) {
    const DeviceMemory memory =
        workspace_for(device, filter, std::max(keys.size(), queries.size()), way);
    const Call call{{}, memory.bytes(), way.method, way.tuning};
    const std::string what = described(shape, hash, keys.size(), way);
    for (const bool empty : {true, false}) {
      expect_ok(filter.reset(), what);
      if (!empty) expect_ok(filter.insert(DeviceKeys{in_keys.data, keys.size() / 2}), what);
      expect_ok(filter.insert(in_keys, call), what + ": insert");
      for (const AnswerKind kind : {AnswerKind::kBytes, AnswerKind::kBits}) {
        const auto answers = asked(filter, ask, queries.size(), kind, call);
        expect(answers == (kind == AnswerKind::kBytes ? expected : as_bits(expected)), what,
               kind == AnswerKind::kBytes ? ": bytes differ" : ": bits differ");
      }
      expect(words_of(filter) == reference.words(), what, ": the filter differs");
    }
  }
}

std::vector<std::uint64_t> random_keys(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t& key : keys) key = random();
  return keys;
}
// Half of them keys of the filter.
std::vector<std::uint64_t> queries_for(const std::vector<std::uint64_t>& keys, std::size_t count) {
  Random random{count + 1};
  std::vector<std::uint64_t> queries(count);
  for (std::uint64_t& query : queries)
    query = !keys.empty() && random() % 2 == 0 ? keys[random() % keys.size()] : random();
  return queries;
}

KeyHash mix(std::uint64_t seed) { return {Hasher{Profile::kMix, seed}, true}; }
KeyHash xxh3(std::uint64_t seed) { return {Hasher{Profile::kXxh3, seed}, true}; }

}  // namespace

void test_numbers(const Device& device, bool small) {
  struct Size {
    std::uint64_t blocks;
    std::size_t keys;
  };
  const std::vector<Size> sizes =
      small ? std::vector<Size>{{1, 30}, {3, 1000}, {777, 9000}}
            : std::vector<Size>{{1, 30},        {2, 100},        {3, 1000},      {777, 40000},
                                {4096, 200000}, {12345, 500001}, {16448, 700000}};
  for (const Size& size : sizes)
    for (std::uint32_t probes = 4; probes <= 8; ++probes) {
      if (probes != 6 && probes != 8 && (small || size.blocks > 777)) continue;
      const auto keys = random_keys(size.keys, size.blocks);
      const auto queries = queries_for(keys, size.keys + 5);
      std::vector<KeyHash> hashes{mix(0), xxh3(0x9876543210)};
      if (!small) hashes.insert(hashes.end(), {mix(0x9876543210), xxh3(0)});
      for (const KeyHash& hash : hashes)
        test_batch(device, {size.blocks, probes}, hash, keys, queries);
    }
  // Batches about the sizes of a warp, a CTA and a tile.
  const std::vector<std::size_t> counts =
      small ? std::vector<std::size_t>{0, 1, 33, 4609, 6145}
            : std::vector<std::size_t>{0, 1, 31, 32, 33, 1023, 1025, 4608, 4609, 6144, 6145, 16385};
  for (const std::size_t count : counts) {
    const auto keys = random_keys(count, count + 7);
    test_batch(device, {1000, 8}, mix(3), keys, queries_for(keys, count));
    test_batch(device, {1000, 6}, xxh3(3), keys, queries_for(keys, count));
  }
}

// Keys that overflow buckets: repeats, and distinct ones that all fall in one chunk or group.
void test_skew(const Device& device, bool small) {
  const std::size_t count = small ? 5000 : 300001;
  const std::uint64_t blocks = 5003;
  std::vector<std::vector<std::uint64_t>> batches(4, std::vector<std::uint64_t>(count));
  Random random{1};
  for (std::size_t i = 0; i < count; ++i) {
    batches[0][i] = random() % 10 == 0 ? 42 : random();
    batches[1][i] = 42;
    batches[2][i] = std::uint64_t{i} << 40;
    const int bits = static_cast<int>(random() % 64);
    batches[3][i] = scrambled(random() >> bits);
  }
  for (const KeyHash& hash : {mix(0), xxh3(5)}) {
    for (const auto& keys : batches)
      for (const std::uint32_t probes : {6u, 8u}) {
        if (small && (probes == 8) == (hash == mix(0))) continue;
        test_batch(device, {blocks, probes}, hash, keys, queries_for(keys, count));
      }
    // The first 64 blocks are one chunk of 4 KiB, the first 512 one group of eight.
    for (const std::uint64_t limit : {64u, 512u}) {
      std::vector<std::uint64_t> keys;
      while (keys.size() < count / (small ? 5 : 10))
        if (const std::uint64_t key = random();
            block::block_of(hash.hasher(key).low, blocks) < limit)
          keys.push_back(key);
      test_batch(device, {blocks, 8}, hash, keys, queries_for(keys, keys.size()));
    }
  }
}

// A filter beyond 2^26 blocks, by the planner's own choice, with too little workspace, and in two
// levels; its bits are compared on the device's copy in host memory.
void test_large(const Device& device) {
  const BlockShape shape{(std::uint64_t{1} << 26) + 77, 8};
  const auto keys = random_keys(std::size_t{1} << 26, 99);
  const DeviceMemory in = uploaded(device, keys);
  const DeviceKeys all{static_cast<const std::uint64_t*>(in.data()), keys.size()};
  DeviceBlock direct = need(DeviceBlock::create(device, shape, mix(1)), "create");
  expect_ok(direct.insert(all, {{}, {}, Method::kDirect, {}}), "direct insert");
  const auto bits = words_of(direct);
  Reference reference{shape, mix(1)};
  reference.insert(keys);
  expect(bits == reference.words(), "more than 2^26 blocks: the direct filter differs");
  const std::uint64_t wanted = direct.workspace_bytes(Operation::kInsert, keys.size());
  const std::uint64_t asks = direct.workspace_bytes(Operation::kLookup, keys.size());
  // 2^26 keys are more than one for every 80 bytes of 4 GiB.
  expect(wanted != 0 && asks != 0, "workspace of a large filter: ", wanted, " ", asks);
  Tuning tuning;
  tuning.insert_keys = tuning.lookup_keys = 1 << 20;
  tuning.filter_bytes_per_key = 1 << 20;
  const std::uint64_t most =
      std::max(wanted, direct.workspace_bytes(Operation::kLookup, keys.size(), false, tuning));
  const DeviceMemory workspace = need(DeviceMemory::allocate(device, most), "workspace");
  for (const std::uint64_t share : {1, 3}) {
    DeviceBlock filter = need(DeviceBlock::create(device, shape, mix(1)), "create");
    const Call call{{}, {workspace.data(), most / share}, Method::kPartitioned, tuning};
    expect_ok(filter.insert(all, call), "partitioned insert");
    expect(words_of(filter) == bits, "a large filter differs with workspace / ", share);
    for (const AnswerKind kind : {AnswerKind::kBytes, AnswerKind::kBits}) {
      const auto answers = asked(filter, all, keys.size(), kind, call);
      const std::uint8_t yes = kind == AnswerKind::kBytes ? 1 : 0xff;
      expect(std::all_of(answers.begin(), answers.end(), [=](auto a) { return a == yes; }),
             "a large filter misses keys");
    }
  }
}

}  // namespace bloomery::gpu::device_test
