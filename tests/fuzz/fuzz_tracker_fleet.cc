// What the servers of a fleet read of each other: answers, shares, memories, and the fleet's hash
// as a reply's words (here between zero bytes). With their checksums put right, too.
#include <cstdlib>

#include "apps/tracker/fleet/codec.h"
#include "apps/tracker/fleet/merge.h"
#include "apps/tracker/fleet/redis.h"
#include "tests/fuzz/tracker_sums.h"

namespace {

using namespace bloomery;
using namespace bloomery::tracker;

constexpr DecodeLimits kLimits{.max_bytes = 1 << 20};

void try_bytes(ByteView bytes) {
  if (const auto answer = decode_answer(bytes, kLimits)) {
    const auto again = decode_answer(encode_answer(*answer), {.max_bytes = 1 << 22});
    if (!again || again->since != answer->since) std::abort();
  }
  if (const auto memory = decode_memory(bytes))
    if (*decode_memory(encode_memory(*memory)) != *memory) std::abort();
}

void try_view(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t end = 0; end != std::string_view::npos && words.size() < 4096;) {
    end = text.find('\0');
    words.emplace_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  const auto view = parse_fleet(words, 1'000'000);
  if (!view || view->current.index == 0) return;
  const auto nothing = [](const Member&) -> Result<std::vector<std::byte>> {
    return std::vector<std::byte>{};
  };
  const auto gathered = gather(*view, nothing, {}, kLimits);
  for (const Member& member : view->members)
    for (const std::string& root : member.share)
      if (!gathered.filter.may_have_changed(root)) std::abort();
  const auto history = fleet_history(
      *view,
      [](CycleId) -> Result<std::optional<std::vector<std::byte>>> {
        return std::optional<std::vector<std::byte>>{};
      },
      {}, kLimits);
  if (!history) std::abort();
  for (const CycleId& id : view->chain)
    if (id != view->current && !history->may_have_changed("a", id)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  try_bytes(input);
  try_bytes(fuzz::with_right_sum(input));
  if (const auto share = decode_share(text_of(input)))
    if (encode_share(*share) != text_of(input)) std::abort();
  try_view(text_of(input));
  return 0;
}
