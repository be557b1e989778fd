// The file of a part of a filter: decoded as it is, and with both checksums set right.
#include <cstdlib>
#include <cstring>

#include "bloomery/formats/native/part_file.h"
#include "bloomery/hash/xxh.h"

namespace {

using namespace bloomery;

void use(ByteView file) {
  auto part = decode_native_part(file, {.limits = {1 << 20}, .sip_key = SipKey{}});
  if (!part) return;
  const auto written = encode_native_part(*part);
  if (!decode_native_part(written, {.limits = {1 << 20}, .sip_key = SipKey{}})) std::abort();
  (void)part->filter.health();
  const Hash128 digest{0x0123456789abcdef, 0xfedcba9876543210};
  part->filter.insert(digest);
  if (!part->filter.may_contain(digest)) std::abort();
}

std::vector<std::byte> with_right_checksums(ByteView file) {
  std::vector<std::byte> bytes{file.begin(), file.end()};
  if (bytes.size() < kNativeHeaderBytes) return bytes;
  const auto put = [&](std::size_t at, ByteView of) {
    const std::uint64_t sum = xxh3_64(of);
    std::memcpy(bytes.data() + at, &sum, sizeof sum);
  };
  put(offsetof(NativeHeader, body_checksum), ByteView{bytes}.subspan(kNativeHeaderBytes));
  put(offsetof(NativeHeader, header_checksum),
      ByteView{bytes}.first(offsetof(NativeHeader, header_checksum)));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  use(input);
  use(with_right_checksums(input));
  return 0;
}
