// Who signed a transaction: an address that is not stored, but follows from the signature.
#pragma once
#include "apps/ethlog/model/transaction.h"

namespace bloomery::ethlog {

// Whether the program was built with libsecp256k1. Without it no sender is known.
bool recovers_senders();

// Nothing where the signature is none, or recovers_senders() is false.
std::optional<Address> sender_of(const TransactionFields& fields);

}  // namespace bloomery::ethlog
