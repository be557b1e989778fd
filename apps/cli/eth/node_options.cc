#include "apps/cli/eth/node_options.h"

#include <algorithm>

#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kNodeGroup = "Options of nodes";
constexpr std::uint64_t kMostJobs = 64;
constexpr std::uint64_t kMostHeaderFile = std::uint64_t{1} << 20;

Status add_header_line(std::string_view line, std::vector<ethlog::NodeHeader>& headers) {
  auto header = ethlog::parse_node_header(line);
  if (!header) return Error{ErrorCode::kInvalidArgument, "--header: " + header.error().message};
  headers.push_back(std::move(*header));
  return ok();
}

// "Name: value", or @FILE with one on each line.
Status add_node_headers(const std::string& text, std::vector<ethlog::NodeHeader>& headers) {
  if (!text.starts_with('@')) return add_header_line(text, headers);
  const auto bytes = read_file(text.substr(1), {.max_bytes = kMostHeaderFile});
  if (!bytes) return Error{ErrorCode::kInvalidArgument, "--header: " + bytes.error().message};
  std::string_view rest = text_of(*bytes);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty())
      if (const Status added = add_header_line(line, headers); !added) return added;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return ok();
}

}  // namespace

std::string shown_source(std::string_view text) {
  constexpr std::string_view kMark = "://";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return std::string{text};
  const std::size_t host = mark + kMark.size();
  const std::size_t end = std::min(text.find_first_of("/?#", host), text.size());
  const std::string_view authority = text.substr(host, end - host);
  const std::size_t at = authority.rfind('@');
  return message(text.substr(0, host),
                 at == std::string_view::npos ? authority : authority.substr(at + 1),
                 end < text.size() ? "/..." : "");
}

void add_node_options(CommandLine& app, NodeArguments& arguments, Callback<bool()> has_node,
                      std::string_view node_option) {
  std::vector<const Option*> options;
  const auto add = [&](Option* option) {
    options.push_back(option->group(kNodeGroup));
    return option;
  };
  add(app.add_list(
          "--header", arguments.headers,
          "Header to send to the node, 'Name: value', or @FILE with one on each line, which "
          "other users of this machine cannot see; may be repeated"))
      ->value_name("HEADER");
  add(app.add_option("--jwt-secret", arguments.jwt_secret,
                     "File of the secret that the node shares with its consensus client: 64 "
                     "hexadecimal digits. Each connection gets a token of its own"))
      ->value_name("FILE");
  add(app.add_option("--ca-file", arguments.ca_file,
                     "Certificate authorities of the node, PEM (default: those of the system)"))
      ->value_name("FILE");
  add(app.add_count("--jobs", arguments.jobs, "Most requests to the node at a time"))
      ->between(1, kMostJobs)
      ->shows_default(format_count(arguments.jobs));
  app.check([options, has_node = std::move(has_node), node_option]() -> Status {
    const auto given = std::ranges::find_if(options, &Option::given);
    if (given == options.end() || has_node()) return ok();
    return usage_error(message((*given)->name(), ": no address of a node is given with ",
                               node_option, "; leave the option out"));
  });
}

Result<ethlog::NodeOptions> node_options(const NodeArguments& arguments,
                                         const std::string& address) {
  ethlog::NodeOptions options;
  auto parsed = ethlog::parse_node_address(address);
  if (!parsed) return parsed.error();
  options.address = std::move(*parsed);
  for (const std::string& header : arguments.headers)
    if (const Status added = add_node_headers(header, options.headers); !added)
      return added.error();
  if (!arguments.jwt_secret.empty()) {
    auto secret = ethlog::read_jwt_secret(arguments.jwt_secret);
    if (!secret) return secret.error();
    options.jwt_secret = std::move(*secret);
  }
  options.ca_file = arguments.ca_file;
  options.jobs = static_cast<std::size_t>(arguments.jobs);
  return options;
}

}  // namespace bloomery::cli
