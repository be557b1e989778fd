// The table of inserts and lookups, direct and partitioned, beside the limits of the same run.
#include "bench/gpu/bench.h"

namespace bloomery::gpu::bench {
namespace {

const char* name_of(const Shape& shape) { return shape.profile == Profile::kMix ? "mix" : "xxh3"; }
DeviceMemory memory_of(const Device& device, u64 bytes) {
  return need(DeviceMemory::allocate(device, bytes));
}
KeyHash hash_of(const Shape& shape) { return {Hasher{shape.profile, 0}, true}; }
DeviceKeys keys_of(const DeviceMemory& memory) {
  return {static_cast<const u64*>(memory.data()), memory.size() / 8};
}
void poison(const DeviceMemory& memory) {
  BLOOMERY_CHECK(cudaMemset(memory.data(), 9, memory.size()));
}

// The workspace of either operation, whatever the planner would choose.
u64 workspace_of(const DeviceBlock& filter, Operation operation, u64 keys, bool strings) {
  Tuning always;
  always.insert_keys = always.lookup_keys = always.lookup_filter_bytes = 0;
  always.filter_bytes_per_key = UINT64_MAX;
  return filter.workspace_bytes(operation, keys, strings, always);
}

void row(const Device& device, const Shape& shape) {
  const u64 keys = shape.bytes * 8 / 10;
  const u64 asked = shape.bytes >= 8192 * kMiB  ? u64{1} << 31
                    : shape.bytes >= 256 * kMiB ? u64{1} << 29
                                                : u64{1} << 27;
  const DeviceMemory in = memory_of(device, keys * 8), ask = memory_of(device, asked * 8);
  const DeviceMemory first = memory_of(device, asked), second = memory_of(device, asked);
  make_keys(static_cast<u64*>(in.data()), keys, KeySet::kUnique, 0);
  make_keys(static_cast<u64*>(ask.data()), asked, KeySet::kQueries, keys);
  const BlockShape blocks{shape.bytes / 64, shape.probes};
  DeviceBlock direct = need(DeviceBlock::create(device, blocks, hash_of(shape)));
  DeviceBlock fast = need(DeviceBlock::create(device, blocks, hash_of(shape)));
  const Limits limits = measure_limits(direct.bytes().data, shape.bytes);
  const int repeats = keys > 4'000'000'000 ? 3 : 7;
  std::printf("%-4s k=%u %5llu MiB | limit read %.1f or %.1f", name_of(shape), shape.probes,
              static_cast<unsigned long long>(shape.bytes / kMiB), limits.read, limits.write);

  const Call plain{{}, {}, Method::kDirect, {}};
  const float insert_direct = median_ms([&] { need_ok(direct.insert(keys_of(in), plain)); },
                                        [&] { need_ok(direct.reset()); }, keys > 1e9 ? 1 : 7);
  const u64 insert_bytes = workspace_of(fast, Operation::kInsert, keys, false);
  float insert_fast = 0;
  {
    const DeviceMemory workspace = memory_of(device, insert_bytes);
    const Call call{{}, workspace.bytes(), Method::kPartitioned, {}};
    insert_fast = median_ms([&] { need_ok(fast.insert(keys_of(in), call)); },
                            [&] { need_ok(fast.reset()); }, repeats);
  }
  const u64 differ = words_that_differ(direct.bytes().data, fast.bytes().data, shape.bytes);
  std::printf(
      " | insert direct %.1f partitioned %.1f (%.2f B/key) differ %llu", giga(keys, insert_direct),
      giga(keys, insert_fast),
      static_cast<double>(insert_bytes) / static_cast<double>(std::min<u64>(keys, 7ull << 28)),
      static_cast<unsigned long long>(differ));
  std::fflush(stdout);

  const DeviceAnswers bytes{first.data(), asked, AnswerKind::kBytes};
  const float look_direct =
      median_ms([&] { need_ok(fast.may_contain(keys_of(ask), bytes, plain)); }, [] {}, 7);
  const DeviceAnswers bits{second.data(), asked / 8, AnswerKind::kBits};
  const float look_bits =
      median_ms([&] { need_ok(fast.may_contain(keys_of(ask), bits, plain)); }, [] {}, 7);
  std::printf(" | lookup direct %.1f bits %.1f", giga(asked, look_direct), giga(asked, look_bits));
  if (shape.bytes >= 64 * kMiB) {
    const u64 look_bytes = workspace_of(fast, Operation::kLookup, asked, false);
    const DeviceMemory workspace = memory_of(device, look_bytes);
    const Call call{{}, workspace.bytes(), Method::kPartitioned, {}};
    poison(second);
    const DeviceAnswers again{second.data(), asked, AnswerKind::kBytes};
    const float look_fast =
        median_ms([&] { need_ok(fast.may_contain(keys_of(ask), again, call)); }, [] {}, repeats);
    std::printf(
        " partitioned %.1f (%.2f B/key) differ %llu", giga(asked, look_fast),
        static_cast<double>(look_bytes) / static_cast<double>(std::min<u64>(asked, 7ull << 28)),
        static_cast<unsigned long long>(words_that_differ(first.data(), second.data(), asked)));
  }
  const auto* const answers = static_cast<const std::uint8_t*>(first.data());
  const u64 hits = sum_of_bytes(answers, asked, 2, 1), wrong = sum_of_bytes(answers, asked, 2, 0);
  const Health health = need(fast.health());
  std::printf(" | missed %llu rate %.4f%% health %.4f%%\n",
              static_cast<unsigned long long>(asked / 2 - hits),
              200.0 * static_cast<double>(wrong) / static_cast<double>(asked),
              100 * health.error_rate);
  std::fflush(stdout);
}

}  // namespace

void bench_table(const Device& device, const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) row(device, shape);
}

// 2^28 keys each: unique, 10 % of them one key, log-uniform, all equal.
void bench_skew(const Device& device, const std::vector<Shape>& shapes) {
  const u64 keys = u64{1} << 28;
  const DeviceMemory in = memory_of(device, keys * 8), answers = memory_of(device, keys);
  const char* const names[] = {"unique", "", "10% one key", "log-uniform", "all equal"};
  for (const Shape& shape : shapes)
    for (const KeySet set : {KeySet::kUnique, KeySet::kHot, KeySet::kLogUniform, KeySet::kEqual}) {
      const BlockShape blocks{shape.bytes / 64 - 37, shape.probes};
      make_keys(static_cast<u64*>(in.data()), keys, set, 0);
      DeviceBlock direct = need(DeviceBlock::create(device, blocks, hash_of(shape)));
      DeviceBlock fast = need(DeviceBlock::create(device, blocks, hash_of(shape)));
      const DeviceMemory workspace =
          memory_of(device, std::max(workspace_of(fast, Operation::kInsert, keys, false),
                                     workspace_of(fast, Operation::kLookup, keys, false)));
      const Call plain{{}, {}, Method::kDirect, {}};
      const Call call{{}, workspace.bytes(), Method::kPartitioned, {}};
      const DeviceAnswers out{answers.data(), keys, AnswerKind::kBytes};
      const float a = median_ms([&] { need_ok(direct.insert(keys_of(in), plain)); },
                                [&] { need_ok(direct.reset()); }, 1);
      const float b = median_ms([&] { need_ok(fast.insert(keys_of(in), call)); },
                                [&] { need_ok(fast.reset()); }, 5);
      const float c =
          median_ms([&] { need_ok(fast.may_contain(keys_of(in), out, plain)); }, [] {}, 3);
      poison(answers);
      const float d =
          median_ms([&] { need_ok(fast.may_contain(keys_of(in), out, call)); }, [] {}, 5);
      const u64 hits = sum_of_bytes(static_cast<const std::uint8_t*>(answers.data()), keys, 1, 0);
      std::printf(
          "skew %-4s k=%u %5llu MiB %-12s insert direct %.1f partitioned %.1f differ %llu | "
          "lookup direct %.1f partitioned %.1f missed %llu\n",
          name_of(shape), shape.probes, static_cast<unsigned long long>(shape.bytes / kMiB),
          names[static_cast<int>(set)], giga(keys, a), giga(keys, b),
          static_cast<unsigned long long>(
              words_that_differ(direct.bytes().data, fast.bytes().data, blocks.blocks * 64)),
          giga(keys, c), giga(keys, d), static_cast<unsigned long long>(keys - hits));
      std::fflush(stdout);
    }
}

// Milliseconds of both ways for growing batches: where partitioning begins to pay.
void bench_thresholds(const Device& device, const std::vector<u64>& sizes) {
  const u64 most = u64{1} << 29;
  const DeviceMemory in = memory_of(device, most * 8), answers = memory_of(device, most);
  make_keys(static_cast<u64*>(in.data()), most, KeySet::kUnique, 0);
  for (const u64 size : sizes) {
    DeviceBlock filter =
        need(DeviceBlock::create(device, {size / 64, 8}, hash_of({Profile::kMix, 8, size})));
    const DeviceMemory workspace =
        memory_of(device, std::max(workspace_of(filter, Operation::kInsert, most, false),
                                   workspace_of(filter, Operation::kLookup, most, false)));
    for (u64 keys = u64{1} << 19; keys <= most; keys *= 2) {
      const DeviceKeys some{static_cast<const u64*>(in.data()), keys};
      const DeviceAnswers out{answers.data(), keys, AnswerKind::kBytes};
      const Call plain{{}, {}, Method::kDirect, {}};
      const Call call{{}, workspace.bytes(), Method::kPartitioned, {}};
      const auto time = [&](const std::function<void()>& run) {
        return median_ms(
            run, [] {}, 5);
      };
      const float a = time([&] { need_ok(filter.insert(some, plain)); });
      const float b = time([&] { need_ok(filter.insert(some, call)); });
      const float c = time([&] { need_ok(filter.may_contain(some, out, plain)); });
      const float d = time([&] { need_ok(filter.may_contain(some, out, call)); });
      std::printf(
          "threshold %5llu MiB %9llu keys: insert ms %.3f / %.3f %s, lookup %.3f / %.3f %s\n",
          static_cast<unsigned long long>(size / kMiB), static_cast<unsigned long long>(keys), a, b,
          b < a ? "P" : "d", c, d, d < c ? "P" : "d");
      std::fflush(stdout);
    }
  }
}

}  // namespace bloomery::gpu::bench
