// Filters at http:// and https:// addresses: the options of commands that read them, and opening
// them.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/shell/options.h"
#include "bloomery/base/limits.h"
#include "bloomery/remote/file.h"
#include "bloomery/remote/set.h"

namespace bloomery::cli {

inline constexpr std::string_view kWebGroup = "Web addresses";

void add_web_options(CommandLine& app);
// What those options say, with the defaults of this user.
Result<RemoteOptions> web_options();

// A server without ranges sends all of it: at most so much is taken.
Result<RemoteFile> open_web_file(const std::string& address, DecodeLimits limits = {});
// All of it. Messages begin with the address, without its secrets.
Result<std::vector<std::byte>> read_web_file(const std::string& address, DecodeLimits limits);
// A manifest, whose parts lie beside it. Pages of them take the memory that a filter may.
Result<FilterSet> open_web_set(const std::string& address, const DecodeOptions& options);
// Says on stderr why there is no cache, where one was wanted.
void warn_of_cache(const RemoteFile& file);
// For a command that would write to it.
Error web_is_read_only();

}  // namespace bloomery::cli
