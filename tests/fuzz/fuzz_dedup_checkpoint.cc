// The state that dedup --checkpoint leaves, as it is and with its checksum put right.
#include <cstdlib>

#include "apps/cli/dedup/checkpoint.h"
#include "tests/fuzz/tracker_sums.h"

namespace {

void try_state(bloomery::ByteView bytes) {
  const auto state = bloomery::cli::decode_checkpoint(bytes);
  if (!state) return;
  const auto encoded = bloomery::cli::encode_checkpoint(*state);
  const auto again = bloomery::cli::decode_checkpoint(encoded);
  if (!again || bloomery::cli::encode_checkpoint(*again) != encoded) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bloomery::ByteView input = std::as_bytes(std::span{data, size});
  try_state(input);
  try_state(bloomery::fuzz::with_right_sum(input));
  return 0;
}
