#include "apps/ethlog/model/sender.h"

#include <secp256k1_recovery.h>

#include <algorithm>
#include <memory>

namespace bloomery::ethlog {
namespace {

struct DestroyContext {
  void operator()(secp256k1_context* context) const { secp256k1_context_destroy(context); }
};
using Curve = std::unique_ptr<secp256k1_context, DestroyContext>;

// Verifying changes nothing in it, so all threads share one.
const secp256k1_context* curve() {
  static const Curve context{secp256k1_context_create(SECP256K1_CONTEXT_VERIFY)};
  return context.get();
}

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

bool recovers_senders() { return true; }

std::optional<Address> sender_of(const TransactionFields& fields) {
  if (!fields.y_parity) return std::nullopt;
  std::array<std::byte, 64> compact{};
  std::ranges::copy(wide_integer(fields.r).bytes, compact.begin());
  std::ranges::copy(wide_integer(fields.s).bytes, compact.begin() + 32);
  secp256k1_ecdsa_recoverable_signature signature;
  if (secp256k1_ecdsa_recoverable_signature_parse_compact(curve(), &signature, raw(compact.data()),
                                                          static_cast<int>(*fields.y_parity)) == 0)
    return std::nullopt;
  secp256k1_pubkey key;
  const Hash signed_hash = signing_hash(fields);
  if (secp256k1_ecdsa_recover(curve(), &key, &signature, raw(signed_hash.bytes.data())) == 0)
    return std::nullopt;
  std::array<std::byte, 65> point{};  // a byte that says how it is written, then x and y
  std::size_t size = point.size();
  secp256k1_ec_pubkey_serialize(curve(), reinterpret_cast<unsigned char*>(point.data()), &size,
                                &key, SECP256K1_EC_UNCOMPRESSED);
  return Address::from_bytes(keccak_hash(ByteView{point}.subspan(1)).view().subspan(12));
}

}  // namespace bloomery::ethlog
