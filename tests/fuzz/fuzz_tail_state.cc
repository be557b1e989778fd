// A checkpoint of eth logs: what is read is written again and means the same. The hash that guards
// it is made here, so that inputs get past it.
#include "apps/ethlog/output/tail_state.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  using namespace bloomery::ethlog;
  using fuzz::require;
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto raw = decode_tail_state(text);
  if (!raw) require(!raw.error().message.empty());
  const std::string line = text + '\n';
  const auto state =
      decode_tail_state(line + keccak_hash(std::as_bytes(std::span{line})).hex() + '\n');
  if (!state) return 0;
  const auto again = decode_tail_state(encode_tail_state(*state));
  require(again && *again == *state);
  return 0;
}
