// Layers of a scalable filter in our own file: each refusal names the layer that is wrong.
#include <cstring>

#include "bloomery/base/file.h"
#include "bloomery/formats/native/body.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::Bytes;

Bytes three_layers() {
  auto bytes = read_file(BLOOMERY_GOLDEN_DIR "/native/scalable.bloom", {});
  EXPECT_TRUE(bytes) << bytes.error().message;
  return *bytes;
}
// With both checksums made right, so that the other checks are reached.
Bytes sealed(Bytes bytes) {
  const ByteView body = ByteView{bytes}.subspan(kNativeHeaderBytes);
  NativeHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.body_checksum = internal::body_checksum(std::span{&body, 1});
  std::ranges::copy(encode_native_header(header), bytes.begin());
  return bytes;
}
template <class T>
std::string refusal(std::size_t at, T value) {
  Bytes bytes = three_layers();
  store_le(bytes.data() + at, value);
  const auto decoded = decode_native(sealed(std::move(bytes)), {});
  return decoded ? "accepted" : decoded.error().message;
}

TEST(NativeLayers, ARefusalNamesTheLayer) {
  constexpr std::size_t kTable = kNativeHeaderBytes;
  EXPECT_EQ(refusal(kTable, std::uint64_t{128}),
            "layer 1 of the scalable filter: its shape is not the one in the header");
  for (const std::size_t layer : {0U, 1U, 2U})
    EXPECT_EQ(
        refusal(kTable + layer * 32 + 12, std::uint32_t{1}),
        message("layer ", layer + 1, " of the scalable filter: its reserved bytes must be zero"));
}

TEST(NativeLayers, ARefusalTellsBothNumbersThatDisagree) {
  EXPECT_EQ(refusal(72, std::uint64_t{21}), "the layers count 20 keys, and the header 21");
  Bytes longer = three_layers();
  const std::uint64_t body = longer.size() - kNativeHeaderBytes;
  longer.resize(longer.size() + 64);
  store_le(longer.data() + 80, body + 64);
  EXPECT_EQ(decode_native(sealed(std::move(longer)), {}).error().message,
            message("the layers need a body of ", body, " bytes, and the header says ", body + 64));
}

}  // namespace
}  // namespace bloomery
