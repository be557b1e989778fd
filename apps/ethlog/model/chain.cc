#include "apps/ethlog/model/chain.h"

#include "bloomery/hash/keccak.h"

namespace bloomery::ethlog {

Hash keccak_hash(ByteView bytes) { return {keccak256(bytes)}; }

}  // namespace bloomery::ethlog
