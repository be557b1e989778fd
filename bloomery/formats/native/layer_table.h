// The table of layers at the start of a scalable filter's body, checked. Not for users.
#pragma once
#include <vector>

#include "bloomery/formats/native/header.h"

namespace bloomery::internal {

struct LayerRow {
  Shape shape;
  std::uint64_t keys_inserted;
  Goal goal;
};

// How many bytes of the body the table takes, padding included. kTruncated where the body is
// shorter.
Result<std::size_t> layer_table_bytes(const NativeHeader& header);
// The rows, once they agree with the header and with the length of the body.
Result<std::vector<LayerRow>> read_layer_table(ByteView table_bytes, const NativeHeader& header);

}  // namespace bloomery::internal
