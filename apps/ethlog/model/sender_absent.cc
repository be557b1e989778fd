// A build without libsecp256k1.
#include "apps/ethlog/model/sender.h"

namespace bloomery::ethlog {

bool recovers_senders() { return false; }
std::optional<Address> sender_of(const TransactionFields&) { return std::nullopt; }

}  // namespace bloomery::ethlog
