#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "apps/ethlog/node/node_options.h"

namespace bloomery::ethlog {
namespace {

ByteView bytes_in(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

// base64 in the alphabet of URLs and without padding (RFC 7515).
std::string url_base64(ByteView bytes) {
  std::string text = base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return text;
}

}  // namespace

std::string base64(ByteView bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int written = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                      reinterpret_cast<const unsigned char*>(bytes.data()),
                                      static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(written));
  return text;
}

std::string jwt_token(ByteView secret, std::uint64_t now) {
  std::string token = url_base64(bytes_in(R"({"alg":"HS256","typ":"JWT"})"));
  token += "." + url_base64(bytes_in("{\"iat\":" + std::to_string(now) + "}"));
  std::byte mac[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(token.data()), token.size(),
       reinterpret_cast<unsigned char*>(mac), &size);
  return token + "." + url_base64(ByteView{mac, size});
}

}  // namespace bloomery::ethlog
