#include "apps/cli/eth/index_transactions.h"

#include <iostream>

#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/progress.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kBlocksAtOnce = 256;

std::uint64_t rest_of(const ethlog::ChainStore& store) {
  const auto rest = store.reader().transaction_index().rest;
  return rest ? rest->last - rest->first + 1 : 0;
}

}  // namespace

Result<std::uint64_t> index_transactions(ethlog::ChainStore& store, const Session& session) {
  const std::uint64_t all = rest_of(store);
  if (all == 0) return std::uint64_t{0};
  Progress bar{session.globals, all, "blocks"};
  for (bool more = true; more && !InterruptGuard::interrupted();) {
    const auto left = store.index_transactions(kBlocksAtOnce);
    if (!left) return left.error();
    more = *left;
    bar.update(all - rest_of(store), 0);
  }
  bar.finish();
  if (Status s = store.sync(); !s) return s.error();
  const std::uint64_t done = all - rest_of(store);
  if (!session.globals.quiet && !session.globals.json)
    std::cerr << "bloomery: the transactions of " << format_count(done) << " of "
              << format_count(all) << " blocks indexed\n";
  return done;
}

}  // namespace bloomery::cli
