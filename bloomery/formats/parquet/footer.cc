#include "bloomery/formats/parquet/footer.h"

#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"

namespace bloomery {
namespace {

constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::size_t kTailBytes = 8;  // length of the footer, then the magic

}  // namespace

Result<ByteView> parquet_footer(ByteView file) {
  if (file.size() < kParquetMagic.size() + kTailBytes)
    return Error{ErrorCode::kTruncated,
                 message("a Parquet file has at least 12 bytes, and there are ", file.size())};
  const ByteView tail = file.last(kTailBytes);
  const std::string_view magic = text_of(tail.last(kParquetMagic.size()));
  if (magic == kEncryptedMagic)
    return Error{ErrorCode::kUnsupported, "the footer of the Parquet file is encrypted"};
  if (magic != kParquetMagic || text_of(file.first(kParquetMagic.size())) != kParquetMagic)
    return Error{ErrorCode::kMalformed, "a Parquet file begins and ends with PAR1"};
  const auto size = load_le<std::uint32_t>(tail.data());
  if (size > file.size() - kParquetMagic.size() - kTailBytes)
    return Error{ErrorCode::kMalformed, message("the footer of the Parquet file says ", size,
                                                " bytes, and the file has ", file.size())};
  return file.last(kTailBytes + size).first(size);
}

}  // namespace bloomery
