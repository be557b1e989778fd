// The state of a change tracker, its seal and the bytes of one cycle, as they are and with their
// checksums put right, so that what lies behind them is reached.
#include <cstdlib>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/state.h"
#include "tests/fuzz/tracker_sums.h"

namespace {

using namespace bloomery;
using namespace bloomery::tracker;

constexpr DecodeLimits kLimits{.max_bytes = 1 << 20};

void use(Cycle cycle) {
  const auto bytes = encode_cycle(cycle);
  const auto again = decode_cycle(bytes, {.max_bytes = 1 << 22});
  if (!again || encode_cycle(*again) != bytes) std::abort();
  cycle.filter.insert(path_digest("a path"));
  if (!cycle.filter.may_have_changed("a path")) std::abort();
  (void)cycle.filter.health();
}

void try_both(ByteView bytes) {
  if (auto cycle = decode_cycle(bytes, kLimits)) use(std::move(*cycle));
  if (const auto seal = decode_seal(bytes); seal && *decode_seal(encode_seal(*seal)) != *seal)
    std::abort();
  const auto state = decode_state(bytes, kLimits);
  if (!state) return;
  const auto encoded = encode_state(*state);
  const auto again = decode_state(encoded, {.max_bytes = 1 << 22});
  if (!again || encode_state(*again) != encoded) std::abort();
  (void)state->history.may_have_changed("a", {1});
  (void)state->history.knows_from();
  (void)state->history.answer_from(0);
  use(state->history.merged_from(0).empty() ? state->history.current().clone()
                                            : Cycle{{1}, 0, state->history.merged_from(0)});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  try_both(input);
  try_both(fuzz::with_right_sum(input));
  return 0;
}
