#include "apps/http/access.h"

#include <algorithm>

#include "apps/http/address.h"
#include "bloomery/base/message.h"

namespace bloomery::http {
namespace {

constexpr std::string_view kAny = "*";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& n) { return same(n, name); });
}

// Without port, brackets, and the dot that makes a name absolute.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? host : host.substr(1, end - 1);
  }
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

// "http://name:port" without its scheme.
std::string_view authority_of(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view{} : origin.substr(scheme + 3);
}

}  // namespace

Access::Access(std::vector<std::string> hosts, std::vector<std::string> origins)
    : hosts_{std::move(hosts)}, origins_{std::move(origins)} {}

std::string Access::host_refusal(std::string_view host) const {
  const std::string_view name = name_of(host);
  if (lists(hosts_, kAny) || same(name, "localhost") || is_ip_literal(name) || lists(hosts_, name))
    return {};
  return message("the server does not answer for the host '", name,
                 "'; use its IP address, or start it with that name among its hosts");
}

std::string Access::origin_refusal(std::string_view origin, std::string_view host) const {
  if (lists(origins_, kAny) || lists(origins_, origin)) return {};
  if (!host.empty() && same(authority_of(origin), host)) return {};
  return message("the server does not answer pages of '", origin,
                 "'; start it with that origin among its origins");
}

std::string_view Access::allowed_origin(std::string_view origin) const {
  return lists(origins_, kAny) ? kAny : origin;
}

}  // namespace bloomery::http
