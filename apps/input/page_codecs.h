// The codecs that pages of Parquet files are compressed with, each page on its own.
#pragma once
#include "bloomery/formats/parquet/pages.h"

namespace bloomery::input {

// Fills `plain` with exactly its size. kUnsupported for LZO, and for a codec whose library was not
// there at build time.
Status decompress_page(ParquetCodec codec, ByteView stored, ByteSpan plain);

}  // namespace bloomery::input
