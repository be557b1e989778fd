// What the benchmarks on a GPU share: keys, limits of the machine, times. Compiled by nvcc.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "bloomery/gpu/block.h"
#include "bloomery/gpu/host_pipe.h"

namespace bloomery::gpu::bench {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
inline constexpr u64 kMiB = u64{1} << 20;

#define BLOOMERY_CHECK(call)                                                                \
  do {                                                                                      \
    if (const cudaError_t error = (call); error != cudaSuccess) {                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  std::printf("error: %s\n", result.error().message.c_str());
  std::exit(1);
}
inline void need_ok(const Status& status) {
  if (status) return;
  std::printf("error: %s\n", status.error().message.c_str());
  std::exit(1);
}

// The keys of a run, made on the device.
enum class KeySet : int { kUnique, kQueries, kHot, kLogUniform, kEqual };
// kQueries: the odd ones are keys below `inserted`, the even ones absent.
void make_keys(u64* out, u64 keys, KeySet set, u64 inserted);
u64 sum_of_bytes(const std::uint8_t* bytes, u64 count, u64 step, u64 first);
u64 words_that_differ(const void* a, const void* b, u64 bytes);

// The median time of a run in milliseconds, by events, after one run that is not counted.
float median_ms(const std::function<void()>& run, const std::function<void()>& before, int repeats);
inline double giga(u64 keys, float ms) { return static_cast<double>(keys) / ms / 1e6; }

// 1e9 random accesses to 64 bytes each second.
struct Limits {
  double read, write;
};
Limits measure_limits(void* memory, u64 bytes);
// Bytes read and written each second by a copy on the device, in 1e9.
double copy_rate(void* to, const void* from, u64 bytes);

struct Shape {
  Profile profile;
  u32 probes;
  u64 bytes;
};
void bench_table(const Device& device, const std::vector<Shape>& shapes);
void bench_skew(const Device& device, const std::vector<Shape>& shapes);
void bench_thresholds(const Device& device, const std::vector<u64>& sizes);
void bench_strings(const Device& device, const std::vector<u64>& sizes);
void bench_whole(const Device& device, const std::vector<u64>& sizes);
void bench_streams(const Device& device);
void bench_energy(const Device& device);
void bench_host(const Device& device);

}  // namespace bloomery::gpu::bench
