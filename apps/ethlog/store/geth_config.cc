#include "apps/ethlog/store/geth_config.h"

#include <charconv>

#include "apps/ethlog/json/rpc_json.h"

namespace bloomery::ethlog {

Result<std::uint64_t> geth_chain_id(const ChainReader& reader) {
  constexpr std::uint64_t kMainNetwork = 1;
  const auto genesis = reader.canonical_hash(0);
  if (!genesis) return genesis.error();
  if (!*genesis) return kMainNetwork;
  const auto config =
      reader.store().get("ethereum-config-" + std::string{text_of((*genesis)->view())});
  if (!config) return config.error();
  if (!*config || !is_json(**config) || json_kind(**config) != JsonKind::kObject)
    return kMainNetwork;
  std::uint64_t id = kMainNetwork;
  for (const auto& [name, value] : json_members(**config))
    if (name == "chainId") std::from_chars(value.data(), value.data() + value.size(), id);
  return id;
}

}  // namespace bloomery::ethlog
