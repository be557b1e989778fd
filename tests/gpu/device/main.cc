// Tests of filters on a GPU. Ends with 0 after all checks, with 1 after a failed one, and with 77
// where this machine has no usable GPU. `small`: the half that a checker of memory can run.
#include <cstring>

#include "tests/gpu/device/checks.h"

int main(int argc, char** argv) {
  using namespace bloomery::gpu;
  const bool small = argc > 1 && std::strcmp(argv[1], "small") == 0;
  const auto device = open_device();
  if (!device) {
    std::printf("skipped: %s\n", device.error().message.c_str());
    return 77;
  }
  std::printf("%s, compute capability %u.%u\n", device->info().name.c_str(),
              device->info().compute_major, device->info().compute_minor);
  const auto run = [&](const char* name, auto test) {
    const device_test::Totals before = device_test::totals;
    test();
    std::printf("%-10s %zu checks, %zu failures\n", name,
                device_test::totals.checks - before.checks,
                device_test::totals.failures - before.failures);
    std::fflush(stdout);
  };
  run("numbers", [&] { device_test::test_numbers(*device, small); });
  run("skew", [&] { device_test::test_skew(*device, small); });
  run("strings", [&] { device_test::test_strings(*device, small); });
  run("whole", [&] { device_test::test_whole(*device, small); });
  run("host", [&] { device_test::test_host(*device, small); });
  if (!small) run("errors", [&] { device_test::test_errors(*device); });
  if (!small) run("large", [&] { device_test::test_large(*device); });
  std::printf("%zu checks, %zu failures\n", device_test::totals.checks,
              device_test::totals.failures);
  return device_test::totals.failures == 0 ? 0 : 1;
}
