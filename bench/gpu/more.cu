// Strings, filters as a whole, several streams, and keys in host memory.
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/gpu/bench.h"
#include "bloomery/gpu/cuda/direct.cuh"

namespace bloomery::gpu::bench {
namespace {

DeviceMemory allocated(const Device& device, u64 bytes) {
  return need(DeviceMemory::allocate(device, bytes));
}
u64 mixed(u64 x) {
  x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 29;
}
double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// 8 to 64 bytes, mean 36, eight probes; up to 2^26 strings.
void bench_strings(const Device& device, const std::vector<u64>& sizes) {
  const KeyHash hash{Hasher{Profile::kXxh3, 0}, false};
  for (const u64 size : sizes) {
    const u64 keys = std::min(size * 8 / 10, u64{1} << 26);
    std::vector<u32> lengths(keys + 1);
    for (u64 i = 0; i < keys; ++i)
      lengths[i + 1] = lengths[i] + 8 + static_cast<u32>(mixed(i * 0x9e3779b97f4a7c15) % 57);
    const DeviceMemory offsets =
        need(DeviceMemory::upload(device, lengths.data(), lengths.size() * 4));
    const u64 bytes = (u64{lengths[keys]} + 7) / 8 * 8;
    const DeviceMemory data = allocated(device, bytes), answers = allocated(device, keys);
    make_keys(static_cast<u64*>(data.data()), bytes / 8, KeySet::kUnique, 0);
    const DeviceStrings strings{offsets.data(), 32, data.data(), bytes, keys};
    const cuda::Strings<u32> source{static_cast<const u32*>(offsets.data()),
                                    static_cast<const std::uint8_t*>(data.data()),
                                    static_cast<const std::uint8_t*>(data.data()) + bytes, 0};
    auto* const sink = static_cast<u64*>(answers.data());
    const float hashing = median_ms(
        [&] { cuda::hash_only<<<static_cast<u32>((keys + 255) / 256), 256>>>(source, keys, sink); },
        [] {}, 7);
    DeviceBlock direct = need(DeviceBlock::create(device, {size / 64, 8}, hash));
    DeviceBlock fast = need(DeviceBlock::create(device, {size / 64, 8}, hash));
    Tuning always;
    always.insert_keys = always.lookup_keys = always.lookup_filter_bytes = 0;
    always.filter_bytes_per_key = UINT64_MAX;
    const DeviceMemory workspace =
        allocated(device, std::max(fast.workspace_bytes(Operation::kInsert, keys, true, always),
                                   fast.workspace_bytes(Operation::kLookup, keys, true, always)));
    const Call plain{{}, {}, Method::kDirect, {}};
    const Call call{{}, workspace.bytes(), Method::kPartitioned, {}};
    const DeviceAnswers out{answers.data(), keys, AnswerKind::kBytes};
    const float a = median_ms([&] { need_ok(direct.insert(strings, plain)); },
                              [&] { need_ok(direct.reset()); }, 7);
    const float b =
        median_ms([&] { need_ok(fast.insert(strings, call)); }, [&] { need_ok(fast.reset()); }, 7);
    const float c = median_ms([&] { need_ok(fast.may_contain(strings, out, plain)); }, [] {}, 7);
    const float d = median_ms([&] { need_ok(fast.may_contain(strings, out, call)); }, [] {}, 7);
    const u64 hits = sum_of_bytes(static_cast<const std::uint8_t*>(answers.data()), keys, 1, 0);
    const auto each = [&](float ms) { return ms * 1e6 / static_cast<double>(keys); };
    std::printf(
        "strings %5llu MiB %llu keys, ns/key: hash %.4f insert direct %.4f partitioned %.4f "
        "lookup direct %.4f partitioned %.4f differ %llu missed %llu\n",
        static_cast<unsigned long long>(size / kMiB), static_cast<unsigned long long>(keys),
        each(hashing), each(a), each(b), each(c), each(d),
        static_cast<unsigned long long>(
            words_that_differ(direct.bytes().data, fast.bytes().data, size)),
        static_cast<unsigned long long>(keys - hits));
    std::fflush(stdout);
  }
}

// Merge moves three times the filter, health once; beside a copy on the device.
void bench_whole(const Device& device, const std::vector<u64>& sizes) {
  for (const u64 size : sizes)
    for (const u32 probes : {8u, 6u}) {
      const KeyHash hash{Hasher{Profile::kMix, 0}, true};
      const u64 keys = size * 8 / 10;
      const DeviceMemory in = allocated(device, keys * 8);
      make_keys(static_cast<u64*>(in.data()), keys, KeySet::kUnique, 0);
      DeviceBlock a = need(DeviceBlock::create(device, {size / 64, probes}, hash));
      DeviceBlock b = need(DeviceBlock::create(device, {size / 64, probes}, hash));
      need_ok(a.insert(DeviceKeys{static_cast<const u64*>(in.data()), keys}));
      const double copy = copy_rate(b.bytes().data, a.bytes().data, size);
      const float merge = median_ms([&] { need_ok(b.merge(a)); }, [] {}, 7);
      // Health waits for its sums: the time of a call, a few microseconds more than its kernel.
      const float health = median_ms([&] { static_cast<void>(need(a.health())); }, [] {}, 7);
      std::printf("whole %5llu MiB k=%u: copy %.0f GB/s merge %.0f GB/s health %.0f GB/s\n",
                  static_cast<unsigned long long>(size / kMiB), probes, copy,
                  3 * static_cast<double>(size) / merge / 1e6,
                  static_cast<double>(size) / health / 1e6);
      std::fflush(stdout);
    }
}

// Direct lookups and inserts of 2^28 keys, divided among streams; a filter of 256 MiB.
void bench_streams(const Device& device) {
  const KeyHash hash{Hasher{Profile::kMix, 0}, true};
  const u64 keys = u64{1} << 28;
  const DeviceMemory in = allocated(device, keys * 8), answers = allocated(device, keys);
  make_keys(static_cast<u64*>(in.data()), keys, KeySet::kUnique, 0);
  DeviceBlock filter = need(DeviceBlock::create(device, {256 * kMiB / 64, 8}, hash));
  for (const u64 count : {1, 2, 4}) {
    std::vector<OwnedStream> streams;
    for (u64 i = 0; i < count; ++i) streams.push_back(need(OwnedStream::make(device)));
    const u64 each = keys / count;
    const auto time = [&](const std::function<void(u64, Stream)>& run) {
      std::vector<double> times;
      for (int i = 0; i < 6; ++i) {
        need_ok(finish(device));
        const double start = seconds();
        for (u64 s = 0; s < count; ++s) run(s * each, streams[s].get());
        for (const OwnedStream& stream : streams) need_ok(finish(device, stream.get()));
        if (i != 0) times.push_back(seconds() - start);
      }
      std::sort(times.begin(), times.end());
      return static_cast<double>(keys) / times[2] / 1e9;
    };
    const auto* const all = static_cast<const u64*>(in.data());
    const double insert = time([&](u64 first, Stream stream) {
      need_ok(filter.insert(DeviceKeys{all + first, each}, {stream, {}, Method::kDirect, {}}));
    });
    const double lookup = time([&](u64 first, Stream stream) {
      need_ok(filter.may_contain(
          DeviceKeys{all + first, each},
          {static_cast<std::uint8_t*>(answers.data()) + first, each, AnswerKind::kBytes},
          {stream, {}, Method::kDirect, {}}));
    });
    std::printf("streams %llu: 256 MiB, insert direct %.1f lookup direct %.1f\n",
                static_cast<unsigned long long>(count), insert, lookup);
    std::fflush(stdout);
  }
}

// Watts that nvidia-smi shows while a batch is repeated for some seconds, and what a key takes of
// it.
void bench_energy(const Device& device) {
  const u64 keys = u64{1} << 29;
  const KeyHash hash{Hasher{Profile::kMix, 0}, true};
  const DeviceMemory in = allocated(device, keys * 8), answers = allocated(device, keys);
  make_keys(static_cast<u64*>(in.data()), keys, KeySet::kUnique, 0);
  DeviceBlock filter = need(DeviceBlock::create(device, {1024 * kMiB / 64, 8}, hash));
  const DeviceMemory workspace =
      allocated(device, std::max(filter.workspace_bytes(Operation::kInsert, keys),
                                 filter.workspace_bytes(Operation::kLookup, keys)));
  const DeviceKeys all{static_cast<const u64*>(in.data()), keys};
  const DeviceAnswers out{answers.data(), keys, AnswerKind::kBytes};
  for (const Method method : {Method::kPartitioned, Method::kDirect})
    for (const Operation operation : {Operation::kInsert, Operation::kLookup}) {
      const Call call{{}, workspace.bytes(), method, {}};
      std::atomic<bool> stop{false};
      std::vector<double> watts;
      std::thread watch{[&] {
        while (!stop) {
          std::FILE* const shown =
              popen("nvidia-smi --query-gpu=power.draw --format=csv,noheader,nounits", "r");
          double now = 0;
          if (shown != nullptr && std::fscanf(shown, "%lf", &now) == 1) watts.push_back(now);
          if (shown != nullptr) pclose(shown);
          std::this_thread::sleep_for(std::chrono::milliseconds{200});
        }
      }};
      const double start = seconds();
      u64 done = 0;
      while (seconds() - start < 4) {
        for (int i = 0; i < 8; ++i)
          need_ok(operation == Operation::kInsert ? filter.insert(all, call)
                                                  : filter.may_contain(all, out, call));
        need_ok(finish(device));
        done += 8 * keys;
      }
      const double took = seconds() - start;
      stop = true;
      watch.join();
      // The first second's samples are of a card that warms up.
      const std::size_t skip = watts.size() / 3;
      double sum = 0;
      for (std::size_t i = skip; i < watts.size(); ++i) sum += watts[i];
      const double mean = watts.size() > skip ? sum / static_cast<double>(watts.size() - skip) : 0;
      std::printf("energy 1024 MiB %s %s: %.1f e9 keys/s, %.0f W of %zu samples, %.2f nJ/key\n",
                  method == Method::kDirect ? "direct" : "partitioned",
                  operation == Operation::kInsert ? "insert" : "lookup",
                  static_cast<double>(done) / took / 1e9, mean, watts.size() - skip,
                  mean * took / static_cast<double>(done) * 1e9);
      std::fflush(stdout);
    }
}

// 2^28 keys through the link: from pinned memory, and from pageable memory with copying threads.
void bench_host(const Device& device) {
  const KeyHash hash{Hasher{Profile::kMix, 0}, true};
  const u64 keys = u64{1} << 28;
  u64* pinned = nullptr;
  std::uint8_t* pinned_answers = nullptr;
  BLOOMERY_CHECK(cudaMallocHost(&pinned, keys * 8));
  BLOOMERY_CHECK(cudaMallocHost(&pinned_answers, keys));
  std::vector<u64> pageable(keys);
  for (u64 i = 0; i < keys; ++i) pinned[i] = pageable[i] = i * 0x9e3779b97f4a7c15;
  std::vector<std::uint8_t> answers(keys);
  const DeviceMemory whole = allocated(device, keys * 8);
  const float copy = median_ms(
      [&] {
        BLOOMERY_CHECK(cudaMemcpyAsync(whole.data(), pinned, keys * 8, cudaMemcpyHostToDevice));
      },
      [] {}, 5);
  std::printf("host: link %.1f GB/s = %.2f e9 keys/s\n", static_cast<double>(keys) * 8 / copy / 1e6,
              giga(keys, copy));
  DeviceBlock filter = need(DeviceBlock::create(device, {1024 * kMiB / 64, 8}, hash));
  const auto report = [&](const char* what, unsigned threads, u64 chunk,
                          const std::function<void()>& run) {
    std::vector<double> times;
    for (int i = 0; i < 6; ++i) {
      const double start = seconds();
      run();
      if (i != 0) times.push_back(seconds() - start);
    }
    std::sort(times.begin(), times.end());
    std::printf("host: %-24s %2u threads, chunks of %8llu keys: %.2f e9 keys/s\n", what, threads,
                static_cast<unsigned long long>(chunk), static_cast<double>(keys) / times[2] / 1e9);
    std::fflush(stdout);
  };
  for (const u64 chunk : {u64{1} << 22, u64{1} << 24}) {
    HostPipe pipe = need(HostPipe::create(device, {chunk, 0, 1}));
    report("pinned insert", 0, chunk, [&] {
      need_ok(filter.insert(pipe, std::span<const u64>{pinned, keys}));
    });
    report("pinned lookup, bytes", 0, chunk, [&] {
      need_ok(filter.may_contain(pipe, std::span<const u64>{pinned, keys},
                                 std::span<std::uint8_t>{pinned_answers, keys}));
    });
    report("pinned lookup, bits", 0, chunk, [&] {
      need_ok(filter.may_contain(pipe, std::span<const u64>{pinned, keys},
                                 std::span<std::uint8_t>{pinned_answers, keys}, AnswerKind::kBits));
    });
  }
  for (const unsigned threads : {4u, 8u, 16u}) {
    const u64 chunk = u64{1} << 22;
    HostPipe pipe = need(HostPipe::create(device, {chunk, 0, threads}));
    report("pageable insert", threads, chunk, [&] { need_ok(filter.insert(pipe, pageable)); });
    report("pageable lookup, bytes", threads, chunk,
           [&] { need_ok(filter.may_contain(pipe, pageable, answers)); });
  }
  u64 missed = 0;
  for (const std::uint8_t answer : answers) missed += answer != 1;
  std::printf("host: missed %llu\n", static_cast<unsigned long long>(missed));
  cudaFreeHost(pinned);
  cudaFreeHost(pinned_answers);
}

}  // namespace bloomery::gpu::bench
