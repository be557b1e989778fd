// --like FILE: an empty filter that can be merged with the one in a file.
#pragma once
#include <optional>
#include <string>

#include "apps/cli/filters/create_options.h"
#include "apps/cli/filters/filter_file.h"

namespace bloomery::cli {

// Cannot be combined with the options that it decides. After those of the new filter were added.
void add_like_option(CommandLine& app, std::string& path);

// The filter of the file without its keys: same layout, shape, hash, seed and funnel. Complains,
// and sets the session's exit code, where the file is not ours, is scalable (its layers follow from
// its keys), or is keyed and its secret is missing.
std::optional<FilterFile> empty_filter_like(const std::string& path,
                                            const NewFilterOptions& options, Session& session);

}  // namespace bloomery::cli
