// Puts the blocks of a served chain that were stored before there was an index of transactions into
// it, while clients are answered.
#pragma once
#include <thread>

#include "apps/ethlog/store/chain_events.h"

namespace bloomery::ethlog {

class TransactionIndexer {
 public:
  // `say` is called from its thread: at the beginning, from time to time, and at the end; not where
  // nothing is to be done. The chain must grow, and outlive it.
  TransactionIndexer(LiveChain& chain, std::function<void(const std::string&)> say);
  TransactionIndexer(const TransactionIndexer&) = delete;
  TransactionIndexer& operator=(const TransactionIndexer&) = delete;
  ~TransactionIndexer() = default;  // ends after some blocks; the next one goes on there

 private:
  void run(const std::stop_token& stop);

  LiveChain& chain_;
  std::function<void(const std::string&)> say_;
  std::jthread thread_;
};

}  // namespace bloomery::ethlog
