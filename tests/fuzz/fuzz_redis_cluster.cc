// What a cluster says of itself: CLUSTER NODES, and the fields of a sharded filter's metadata, one
// "name value" a line.
#include <algorithm>
#include <string>

#include "apps/redis_client/shard_plan.h"
#include "apps/redis_client/topology.h"
#include "tests/fuzz/require.h"

using namespace bloomery;
using namespace bloomery::redis_client;

namespace {

using fuzz::require;

ShardFields fields_in(std::string_view text) {
  ShardFields fields;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos)
      fields[std::string{line.substr(0, space)}] = line.substr(space + 1);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return fields;
}

void use(const ShardPlan& plan) {
  const auto again = ShardPlan::parse(plan.fields());
  require(again.has_value() && again->same_filter(plan) && again->state == plan.state);
  const std::uint32_t shard = plan.shard_of(bytes_of("key"));
  require(shard < plan.shards);
  const std::uint64_t block = block::block_of(plan.hasher(bytes_of("key")).low, plan.shape.blocks);
  require(blocks_of(plan.part(shard), plan.shape.blocks).holds(block));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const Endpoint asked{"host", 1};
  for (const bool by_name : {false, true})
    if (const auto topology = Topology::parse(text, asked, by_name)) {
      for (std::uint32_t slot = 0; slot < kSlots; slot += 1000)
        if (const auto* owner = topology->owner(static_cast<std::uint16_t>(slot)))
          require(topology->find(owner->at).has_value());
      require(topology->primaries() <= topology->nodes().size());
    }
  if (const auto plan = ShardPlan::parse(fields_in(text))) use(*plan);
  return 0;
}
