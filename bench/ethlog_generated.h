// Blocks as dense as today's mainnet, made from a seed: for the benchmarks of the log search.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/ethlog/model/chain.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/split_mix.h"

namespace bloomery::ethlog::generated {

inline constexpr std::uint64_t kRareEvery = 77'777;  // blocks

struct Random : internal::SplitMix64 {
  // Below `end`, and the smaller the likelier: a few are in every block, most in hardly any.
  std::uint64_t skewed(std::uint64_t end, unsigned power) {
    const double one = static_cast<double>((*this)() >> 11) * 0x1p-53;
    double value = 1;
    for (unsigned i = 0; i < power; ++i) value *= one;
    return static_cast<std::uint64_t>(value * static_cast<double>(end));
  }
};

template <class T>
T value_of(std::uint64_t kind, std::uint64_t number) {
  T value;
  Random random{kind << 56 ^ number * 0xd1342543de82ef95};
  for (std::size_t at = 0; at + 4 <= T::kSize; at += 4)
    store_le(value.bytes.data() + at, static_cast<std::uint32_t>(random()));
  return value;
}
inline const Topic kRareEvent = value_of<Topic>(7, 1);
inline const Address kRareAddress = value_of<Address>(7, 2);

// Some 150 transactions of one to five logs: contracts and events that are known everywhere, and
// users, old ones and new, that stand in more than one log of their transaction.
inline std::vector<Receipt> receipts_of(std::uint64_t block) {
  Random random{block * 0x2545f4914f6cdd1d + 20261116};
  std::vector<Receipt> receipts(110 + random() % 81);
  for (Receipt& receipt : receipts) {
    std::uint64_t users[3];
    for (std::uint64_t& user : users)
      user = random() % 5 == 0 ? random() : random.skewed(4'000'000, 12);
    receipt.succeeded = true;
    receipt.logs.resize(1 + random() % 5);
    for (Log& log : receipt.logs) {
      const std::uint64_t contract = random.skewed(600'000, 30);
      log.address = value_of<Address>(1, contract);
      log.topics.push_back(value_of<Topic>(2, (contract * 7 + random.skewed(3, 3)) % 4000));
      for (std::uint64_t i = random() % 4; i > 0; --i)
        log.topics.push_back(value_of<Topic>(3, users[random() % 3]));
    }
  }
  if (block % kRareEvery == 5) {
    Log& log = receipts[0].logs[0];
    log = {};
    log.address = kRareAddress;
    log.topics.push_back(kRareEvent);
  }
  return receipts;
}

}  // namespace bloomery::ethlog::generated
