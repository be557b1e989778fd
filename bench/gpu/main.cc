// Measures filters on a GPU. Rates in 1e9 keys/s, medians after a warm-up; 10 bits per key.
//   gpu_bench [table8|table6|large|skew|threshold|strings|whole|streams|host|energy]...    all
//   without
#include <cstring>

#include "bench/gpu/bench.h"

namespace {

using namespace bloomery::gpu;
using namespace bloomery::gpu::bench;

std::vector<Shape> shapes(std::uint32_t probes, const std::vector<u64>& mib) {
  std::vector<Shape> all;
  for (const auto profile : {bloomery::Profile::kMix, bloomery::Profile::kXxh3})
    for (const u64 size : mib) all.push_back({profile, probes, size * kMiB});
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = need(open_device());
  const DeviceInfo& info = device.info();
  std::printf("%s, %u multiprocessors, %llu MiB of L2\n", info.name.c_str(), info.multiprocessors,
              static_cast<unsigned long long>(info.cache_bytes / kMiB));
  const auto wanted = [&](const char* mode) {
    for (int i = 1; i < argc; ++i)
      if (std::strcmp(argv[i], mode) == 0) return true;
    return argc == 1;
  };
  if (wanted("table8")) bench_table(device, shapes(8, {16, 256, 1024}));
  if (wanted("table6")) bench_table(device, shapes(6, {16, 256, 1024}));
  if (wanted("strings")) bench_strings(device, {16 * kMiB, 256 * kMiB, 1024 * kMiB});
  if (wanted("whole")) bench_whole(device, {256 * kMiB, 1024 * kMiB, 8192 * kMiB});
  if (wanted("streams")) bench_streams(device);
  if (wanted("skew"))
    bench_skew(device, {{bloomery::Profile::kMix, 8, 1024 * kMiB},
                        {bloomery::Profile::kXxh3, 6, 256 * kMiB}});
  if (wanted("host")) bench_host(device);
  if (wanted("energy")) bench_energy(device);
  if (wanted("threshold"))
    bench_thresholds(device, {16 * kMiB, 64 * kMiB, 128 * kMiB, 256 * kMiB, 1024 * kMiB});
  if (wanted("large")) {
    bench_table(device, shapes(8, {8192}));
    bench_table(device, shapes(6, {8192}));
  }
  return 0;
}
