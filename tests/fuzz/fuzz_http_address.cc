// Where a server is to listen, and which Host and Origin it hears.
#include <cstdlib>

#include "apps/http/access.h"
#include "apps/http/address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery::http;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto address = parse_address(text)) {
    const auto again = parse_address(text_of(*address));
    if (!again || *again != *address || !is_ip_literal(address->host)) std::abort();
    (void)is_loopback(*address);
    if (!Access{{}, {}}.host_refusal(text).empty()) std::abort();
  }
  const Access access{{std::string{text}}, {std::string{text}}};
  (void)access.host_refusal(text);
  if (!access.origin_refusal(text, {}).empty()) std::abort();
  (void)Access{{}, {}}.origin_refusal(text, text.substr(size / 2));
  return 0;
}
