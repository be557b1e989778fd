// The footer of a .parquet file: the bytes between the data and "length PAR1".
#pragma once
#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery {

inline constexpr std::string_view kParquetMagic = "PAR1";

// A view into the file. kUnsupported where the footer is encrypted.
Result<ByteView> parquet_footer(ByteView file);

}  // namespace bloomery
