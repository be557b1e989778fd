// Strings of every length and alignment, the last one at the very end of its memory.
#include <algorithm>

#include "tests/gpu/device/checks.h"

namespace bloomery::gpu::device_test {
namespace {

template <class Offset>
struct Column {
  std::vector<Offset> offsets{0};
  std::vector<std::uint8_t> data;
};

template <class Offset>
Column<Offset> column_of(std::size_t count, std::uint64_t longest, std::uint64_t seed) {
  Random random{seed};
  Column<Offset> column;
  for (std::size_t i = 0; i < count; ++i)
    column.offsets.push_back(
        static_cast<Offset>(column.offsets.back() + (i <= longest ? i : random() % (longest + 1))));
  column.data.resize(column.offsets.back());
  for (std::uint8_t& byte : column.data) byte = static_cast<std::uint8_t>(random());
  return column;
}

template <class Offset>
Hash128 digest(const Column<Offset>& column, std::size_t i, const KeyHash& hash) {
  const auto* bytes = reinterpret_cast<const std::byte*>(column.data.data());
  return hash.digest({bytes + column.offsets[i],
                      static_cast<std::size_t>(column.offsets[i + 1] - column.offsets[i])});
}

template <class Offset>
void test_column(const Device& device, std::size_t count, std::uint64_t longest, BlockShape shape,
                 std::uint64_t seed) {
  const KeyHash hash{Hasher{Profile::kXxh3, seed}, false};
  const auto in = column_of<Offset>(count, longest, 1), ask = column_of<Offset>(count, longest, 2);
  Reference reference{shape, hash};
  for (std::size_t i = 0; i < count; ++i) reference.insert(digest(in, i, hash));
  std::vector<std::uint8_t> expected;
  for (std::size_t i = 0; i < count; ++i)
    expected.push_back(reference.may_contain(digest(ask, i, hash)));
  const DeviceMemory in_offsets = uploaded(device, in.offsets), in_data = uploaded(device, in.data);
  const DeviceMemory ask_offsets = uploaded(device, ask.offsets);
  const DeviceMemory ask_data = uploaded(device, ask.data);
  const DeviceStrings in_strings{in_offsets.data(), sizeof(Offset) * 8, in_data.data(),
                                 in.data.size(), count};
  const DeviceStrings ask_strings{ask_offsets.data(), sizeof(Offset) * 8, ask_data.data(),
                                  ask.data.size(), count};
  DeviceBlock filter = need(DeviceBlock::create(device, shape, hash), "create");
  for (const Way& way : ways()) {
    const std::string what = message("strings to ", longest, " k=", shape.probes, " offsets ",
                                     sizeof(Offset) * 8, " seed ", seed, " ", way.name);
    Tuning tuning = way.tuning;
    tuning.insert_keys = tuning.lookup_keys = tuning.lookup_filter_bytes = 0;
    tuning.filter_bytes_per_key = UINT64_MAX;
    const DeviceMemory workspace =
        way.method == Method::kDirect
            ? DeviceMemory{}
            : need(DeviceMemory::allocate(
                       device,
                       std::max(filter.workspace_bytes(Operation::kInsert, count, true, tuning),
                                filter.workspace_bytes(Operation::kLookup, count, true, tuning))),
                   "workspace");
    const Call call{{}, workspace.bytes(), way.method, way.tuning};
    expect_ok(filter.reset(), what);
    expect_ok(filter.insert(in_strings, call), what);
    for (const AnswerKind kind : {AnswerKind::kBytes, AnswerKind::kBits})
      expect(asked(filter, ask_strings, count, kind, call) ==
                 (kind == AnswerKind::kBytes ? expected : as_bits(expected)),
             what, ": answers differ");
    expect(words_of(filter) == reference.words(), what, ": the filter differs");
  }
}

}  // namespace

void test_strings(const Device& device, bool small) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x123456789abcdef}}) {
    for (const std::uint32_t probes : {6u, 8u}) {
      test_column<std::uint32_t>(device, small ? 700 : 40000, 300, {3001, probes}, seed);
      test_column<std::uint64_t>(device, small ? 700 : 40000, 300, {3001, probes}, seed);
    }
    test_column<std::uint32_t>(device, small ? 1300 : 3000, 1200, {200, 8}, seed);
    if (!small) test_column<std::uint64_t>(device, 6000, 5000, {500, 8}, seed);
  }
}

}  // namespace bloomery::gpu::device_test
