#include "apps/ethlog/import/follow_transactions.h"

#include <chrono>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kBlocksBetweenWrites = 64;  // a new block waits for so many at most
constexpr auto kSayEvery = std::chrono::seconds{10};

}  // namespace

TransactionIndexer::TransactionIndexer(LiveChain& chain,
                                       std::function<void(const std::string&)> say)
    : chain_{chain}, say_{std::move(say)} {
  if (chain_.reader().transaction_index().rest)
    thread_ = std::jthread{[this](const std::stop_token& stop) {
      try {
        run(stop);
      } catch (const std::exception& thrown) {  // memory ran out: the next start goes on
        say_(message("the transactions are not indexed further: ", thrown.what()));
      }
    }};
}

void TransactionIndexer::run(const std::stop_token& stop) {
  auto said = std::chrono::steady_clock::now();
  const auto say_rest = [&] {
    if (const auto rest = chain_.reader().transaction_index().rest)
      say_(message("indexing the transactions of blocks ", rest->first, " to ", rest->last));
  };
  say_rest();
  for (bool more = true; more && !stop.stop_requested();) {
    const Status written = chain_.write([&](ChainStore& store) -> Status {
      const auto left = store.index_transactions(kBlocksBetweenWrites);
      if (!left) return left.error();
      more = *left;
      return ok();
    });
    if (!written)
      return say_(message("the transactions cannot be indexed: ", written.error().message));
    if (more && std::chrono::steady_clock::now() - said < kSayEvery) continue;
    said = std::chrono::steady_clock::now();
    more ? say_rest() : say_("the transactions of all blocks are indexed");
  }
  if (const Status synced = chain_.sync(); !synced)
    say_(message("the index of transactions cannot be synced: ", synced.error().message));
}

}  // namespace bloomery::ethlog
