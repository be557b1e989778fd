#include "apps/cli/web/files.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

struct WebSettings {
  std::vector<std::string> headers;
  std::string authorities;
  std::string cache;
  bool no_cache = false;
  std::uint64_t cache_bytes = RemoteOptions{}.cache_bytes;
  double timeout = 30;
  std::uint32_t retries = RemoteOptions{}.retries;
};

// One command runs in a process.
WebSettings& settings() {
  static WebSettings of_this_process;
  return of_this_process;
}

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

// Empty where this user has no folder for caches.
std::filesystem::path default_cache() {
  const std::string caches = environment("XDG_CACHE_HOME");
  if (caches.starts_with('/')) return std::filesystem::path{caches} / "bloomery";
  const std::string home = environment("HOME");
  if (home.starts_with('/')) return std::filesystem::path{home} / ".cache" / "bloomery";
  return {};
}

bool names_web_address(const CommandLine& app) {
  return std::ranges::any_of(app.options(), [](const auto& option) {
    return std::ranges::any_of(option->values(), is_web_address);
  });
}

// "Name: value", or @FILE with one on each line.
Status add_headers(const std::string& text, std::vector<std::string>& headers) {
  if (!text.starts_with('@')) {
    headers.push_back(text);
    return ok();
  }
  const auto bytes = read_file(text.substr(1), {.max_bytes = std::uint64_t{1} << 20});
  if (!bytes) return Error{ErrorCode::kInvalidArgument, "--header: " + bytes.error().message};
  std::string_view rest = text_of(*bytes);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) headers.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return ok();
}

}  // namespace

void add_web_options(CommandLine& app) {
  WebSettings& web = settings();
  constexpr double kLongestTimeout = 3600;
  std::vector<const Option*> options;
  const auto add = [&](Option* option) {
    options.push_back(option->group(kWebGroup));
    return option;
  };
  add(app.add_list("--header", web.headers,
                   "Header to send, 'Name: value', or @FILE with one on each line, which other "
                   "users of this machine cannot see. Sent to the server of the address only, "
                   "never to where it redirects"))
      ->value_name("HEADER");
  add(app.add_option("--cacert", web.authorities,
                     "Certificate authorities, PEM (default: SSL_CERT_FILE, then the system's)"))
      ->value_name("FILE");
  Option* const cache = add(app.add_option(
      "--cache", web.cache,
      "Folder that keeps what was fetched (default: bloomery in XDG_CACHE_HOME or ~/.cache)"));
  cache->value_name("DIR");
  add(app.add_flag("--no-cache", web.no_cache, "Keep nothing on disk"))->excludes(cache);
  add(app.add_count("--cache-size", web.cache_bytes,
                    "Bytes in that folder; beyond them what was used least recently is dropped "
                    "(default: 1Gi)"))
      ->value_name("SIZE");
  add(app.add_option("--timeout", web.timeout,
                     "Time to wait for a connection, and for a transfer below 1 KiB/s (default: "
                     "10 for a connection, 30 for a transfer)"))
      ->between(1, kLongestTimeout)
      ->value_name("SECONDS");
  add(app.add_count("--retries", web.retries,
                    "Further attempts after a failure that may pass (default: 4)"));
  app.check([&app, options]() -> Status {
    const auto given = std::ranges::find_if(options, &Option::given);
    if (given == options.end() || names_web_address(app)) return ok();
    const bool means_csv =
        (*given)->is_called("--header") && app.find_option("--no-header") != nullptr;
    return usage_error(message((*given)->name(),
                               ": no http:// or https:// address is given; leave the option out",
                               means_csv ? "; --csv expects a header by itself" : ""));
  });
}

Result<RemoteOptions> web_options() {
  const WebSettings& web = settings();
  RemoteOptions options;
  for (const std::string& header : web.headers)
    if (auto added = add_headers(header, options.headers); !added) return added.error();
  options.ca_file = web.authorities.empty() ? environment("SSL_CERT_FILE") : web.authorities;
  options.stall_timeout = std::chrono::seconds{std::llround(std::ceil(web.timeout))};
  options.connect_timeout =
      std::min<std::chrono::milliseconds>(options.connect_timeout, options.stall_timeout);
  options.retries = web.retries;
  options.cache_bytes = web.cache_bytes;
  if (!web.no_cache)
    options.cache_folder = web.cache.empty() ? default_cache() : std::filesystem::path{web.cache};
  return options;
}

Result<RemoteFile> open_web_file(const std::string& address, DecodeLimits limits) {
  auto options = web_options();
  if (!options) return options.error();
  options->whole_limit = std::min(options->whole_limit, limits.max_bytes);
  return RemoteFile::open(address, *options);
}

Result<std::vector<std::byte>> read_web_file(const std::string& address, DecodeLimits limits) {
  const auto file = open_web_file(address, limits);
  if (!file) return file.error();
  auto bytes = file->read_all(limits);
  warn_of_cache(*file);
  return bytes;
}

Result<FilterSet> open_web_set(const std::string& address, const DecodeOptions& options) {
  auto remote = web_options();
  if (!remote) return remote.error();
  remote->memory_bytes = options.limits.max_bytes;
  remote->whole_limit = std::min(remote->whole_limit, options.limits.max_bytes);
  return open_remote_set(address, *remote, options);
}

void warn_of_cache(const RemoteFile& file) {
  if (const std::string trouble = file.cache_trouble(); !trouble.empty())
    warn("", message(trouble, "; what is fetched is not kept (--no-cache says so)"));
}

Error web_is_read_only() {
  return usage_error(
      "a web address can only be read; write a file, and upload it with the tools of the server");
}

}  // namespace bloomery::cli
