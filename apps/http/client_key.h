// The client that connections are counted for: an IPv4 address, or an IPv6 network of 64 bits,
// because a client has all the addresses of its network.
#pragma once
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <string>

namespace bloomery::http {

struct ClientKey {
  std::uint64_t network = 0;
  std::uint32_t v4 = 0;  // where it has one; a mapped address is that of IPv4
  friend bool operator==(const ClientKey&, const ClientKey&) = default;
};

inline ClientKey client_key(const boost::asio::ip::address& address) {
  ClientKey key;
  if (address.is_v4()) {
    key.v4 = address.to_v4().to_uint();
    return key;
  }
  const auto bytes = address.to_v6().to_bytes();
  if (address.to_v6().is_v4_mapped()) {
    for (std::size_t i = 12; i < 16; ++i) key.v4 = key.v4 << 8 | bytes[i];
    return key;
  }
  for (std::size_t i = 0; i < 8; ++i) key.network = key.network << 8 | bytes[i];
  return key;
}

// A name for it, the same for the same client.
inline std::string text_of(const ClientKey& key) {
  return key.network == 0 ? boost::asio::ip::address_v4{key.v4}.to_string()
                          : "v6/" + std::to_string(key.network);
}

}  // namespace bloomery::http
