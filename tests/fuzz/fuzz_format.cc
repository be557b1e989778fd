// One fuzz target per row of the table of formats: decode, and when that gives a filter, ask it,
// fill it, describe it and write it back. Compiled once for each format, whose name is
// BLOOMERY_FUZZ_FORMAT.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "bloomery/formats/format.h"
#include "bloomery/formats/redis/rdb.h"
#include "bloomery/hash/xxh.h"

extern const char* const kFuzzedFormat;
extern const bool kFuzzedFormatIsSized;  // it has no header: the input begins with its shape

namespace {

using namespace bloomery;

constexpr std::size_t kSizingBytes = 8;

// The shape of a format without a header, which the caller gives: here the first bytes of the input
// do.
DecodeOptions options_from(ByteView input) {
  DecodeOptions options;
  options.limits.max_bytes = 1 << 20;
  std::byte raw[kSizingBytes] = {};
  std::memcpy(raw, input.data(), std::min(input.size(), kSizingBytes));
  const auto bits = load_le<std::uint32_t>(raw);
  const auto probes = load_le<std::uint16_t>(raw + 4);
  const auto mode = static_cast<unsigned>(raw[6]);
  if ((mode & 1) != 0) {
    options.sizing.bits = (mode & 2) != 0 ? (input.size() - kSizingBytes) * 8 - mode % 9 : bits;
    options.sizing.probes = probes % 40;
  } else {
    options.sizing.keys = bits;
    options.sizing.rate = probes / 65536.0;
  }
  return options;
}

// Our own file has checksums, which no mutation meets by chance: they are set right, so that what
// lies behind them is reached too. Inputs with a wrong one come from the files that are too short
// to repair.
std::vector<std::byte> with_right_checksums(ByteView input) {
  std::vector<std::byte> file{input.begin(), input.end()};
  if (file.size() < sizeof(NativeHeader)) return file;
  const ByteView body = ByteView{file}.subspan(sizeof(NativeHeader));
  store_le(file.data() + offsetof(NativeHeader, body_checksum), xxh3_64(body));
  constexpr std::size_t kChecked = offsetof(NativeHeader, header_checksum);
  store_le(file.data() + kChecked, xxh3_64(ByteView{file}.first(kChecked)));
  return file;
}

// Likewise a payload of DUMP, whose last eight bytes are the sum of all others.
std::vector<std::byte> with_right_sum(ByteView payload) {
  std::vector<std::byte> file{payload.begin(), payload.end()};
  const std::size_t summed = file.size() - 8;
  store_le(file.data() + summed, crc64_jones(ByteView{file}.first(summed)));
  return file;
}

void use(AnyFilter filter, const Format& format) {
  const std::string long_key(300, '\xe9');
  const ByteView keys[] = {bytes_of(""), bytes_of("a key"), bytes_of(long_key),
                           bytes_of("another")};
  std::uint8_t answers[std::size(keys)];
  (void)may_contain_batch(filter, keys, answers);
  (void)describe(filter);
  const auto before = format.encode(filter);
  if (before) {
    // What was decoded and written must be readable, and give the same bytes again.
    DecodeOptions options;
    options.limits.max_bytes = 1 << 21;
    if (const auto description = describe(filter); description.bits && description.probes) {
      options.sizing.bits = description.bits;
      options.sizing.probes = description.probes;
    }
    const auto again = format.decode(*before, options);
    if (!again) std::abort();
    const auto after = format.encode(*again);
    if (!after || *after != *before) std::abort();
  }
  if (insert_batch(filter, keys, answers)) {
    if (!may_contain_batch(filter, keys, answers)) std::abort();
    for (const std::uint8_t answer : answers)
      if (answer != 1) std::abort();  // a key that went in is missing
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Format* const format = find_format(kFuzzedFormat);
  if (format == nullptr) std::abort();
  ByteView input = std::as_bytes(std::span{data, size});
  DecodeOptions options;
  options.limits.max_bytes = 1 << 20;
  if (kFuzzedFormatIsSized) {
    if (input.size() < kSizingBytes) return 0;
    options = options_from(input);
    input = input.subspan(kSizingBytes);
  }
  if (auto filter = format->decode(input, options)) use(std::move(*filter), *format);
  if (format->looks_like == looks_like_native)
    if (auto filter = format->decode(with_right_checksums(input), options))
      use(std::move(*filter), *format);
  if (looks_like_redisbloom_payload(input) || looks_like_rediscuckoo_payload(input))
    if (auto filter = format->decode(with_right_sum(input), options))
      use(std::move(*filter), *format);
  return 0;
}
