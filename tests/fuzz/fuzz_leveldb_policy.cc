// Filters as a table hands them to a policy: any bytes at all. Both kinds are asked; then the input
// is taken for keys, and a filter of these must hold them all.
#include <cstdlib>

#include "bloomery/formats/leveldb/filter.h"
#include "bloomery/formats/leveldb/policy.h"

namespace {

using namespace bloomery;

void ask(ByteView filter, ByteView key) {
  const bool may = leveldb_may_contain(filter, key);
  if (filter.size() < 2 && may) std::abort();
  if (filter.size() >= 2 && static_cast<unsigned>(filter.back()) > 30 && !may) std::abort();
  if (leveldb_may_contain_cold(filter, key) != may) std::abort();
  const bool ours = leveldb_policy_may_contain(filter, key);
  if (!leveldb_policy_shape_of(filter) && !ours) std::abort();
  if (leveldb_policy_holds(filter)) (void)leveldb_policy_health(filter);
}

// No input meets a check by chance: it is set right, so that what lies behind it is reached too.
void ask_checked(std::vector<std::byte> filter, ByteView key) {
  const auto shape = leveldb_policy_shape_of(filter);
  if (!shape) return;
  for (std::size_t i = 0; i < internal::leveldb_policy_pages(*shape); ++i) {
    const auto page = internal::leveldb_policy_page(*shape, i);
    store_le(filter.data() + page.offset + page.data_bytes + page.seeds,
             internal::leveldb_policy_check(filter, page, i));
  }
  if (!leveldb_policy_holds(filter)) std::abort();
  ask(filter, key);
}

// One byte of length before each key.
void build(ByteView input) {
  static const LevelDbPolicySizing kSizing{10};
  std::vector<ByteView> keys;
  while (!input.empty()) {
    const std::size_t size =
        std::min<std::size_t>(static_cast<std::size_t>(input[0]) % 32, input.size() - 1);
    keys.push_back(input.subspan(1, size));
    input = input.subspan(1 + size);
  }
  LevelDbPolicyBuilder builder{kSizing, keys.size()};
  builder.add(keys);
  std::vector<std::byte> filter(builder.filter_bytes());
  builder.finish(filter);
  if (!leveldb_policy_holds(filter)) std::abort();
  for (const ByteView key : keys)
    if (!leveldb_policy_may_contain(filter, key)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  const std::size_t key_bytes = std::min<std::size_t>(size, size == 0 ? 0 : data[0] % 24);
  const ByteView key = input.first(key_bytes);
  const ByteView filter = input.subspan(key_bytes);
  ask(filter, key);
  ask_checked({filter.begin(), filter.end()}, key);
  build(input);
  return 0;
}
