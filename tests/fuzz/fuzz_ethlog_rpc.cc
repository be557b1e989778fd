// A request of an unknown client: the answer is JSON or nothing, whatever was asked.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/kv/kv_memory.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/serve/rpc.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;

void demand(bool holds) {
  if (!holds) std::abort();
}

ImportedBlock block_of(std::uint64_t number) {
  ImportedBlock block;
  block.header.number = number;
  block.header.hash.bytes.fill(static_cast<std::byte>(number + 1));
  block.has_receipts = true;
  Receipt& receipt = block.receipts.emplace_back();
  receipt.logs.emplace_back().topics.push_back(block.header.hash);
  receipt.extra_json = R"({"from":"0x00"})";
  block.header.bloom = bloom_of(block.receipts);
  return block;
}

struct Served {
  Served() {
    for (std::uint64_t number = 0; number < 4; ++number)
      demand(live.add(block_of(number), Gaps::kAllowed).has_value());
  }
  ChainStore store = std::move(*ChainStore::over(std::make_unique<MemoryStore>()));
  LiveChain live{store, 1};
  RpcService service{live, {}, "fuzz"};
};

class SilentPeer final : public http::Peer {
 public:
  bool send(std::string) override { return true; }
  void close() override {}
};

// The library knows no numbers beyond a double's, and takes a zero byte for the end; everything
// else is JSON for both or for neither.
void compare(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return;
  const bool ours = is_json(text, 1'000'000);
  const bool theirs = nlohmann::json::accept(text);
  if (theirs) demand(ours);
  if (ours && !theirs)
    demand(text.find_first_of("eE") != std::string_view::npos || text.size() > 300);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Served served;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (size < 10'000) compare(text);
  const RpcPeer peer = std::make_shared<SilentPeer>();
  for (const RpcPeer& asking : {RpcPeer{}, peer}) {
    const std::string answer = Rpc{served.service}.answer(text, {.peer = asking});
    demand(answer.empty() || is_json(answer));
  }
  served.service.subscriptions.forget(peer);
  return 0;
}
