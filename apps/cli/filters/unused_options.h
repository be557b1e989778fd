// Checks that refuse options which a command would ignore.
#pragma once
#include <span>

#include "apps/cli/filters/create_options.h"
#include "apps/cli/filters/filter_file.h"

namespace bloomery::cli {

// Sizing options that the format of a new filter does not use together. Before defaults are filled
// in.
Status check_sizing(const NewFilterOptions& options);
// Engine options that the layout of a new filter does not use. Once the layout is known.
Status check_layout(const NewFilterOptions& options, Layout layout);

// --keys --fpr --bits --probes of a file that has a header, or whose format does without them.
Status check_header_options(const FormatOptions& options, std::string_view format);

// The same, and --secret-file, of a filter that a server holds.
Status check_remote_options(const FormatOptions& options);

// Options for a new filter where `file` exists: each must say what the filter has already.
// `sizes_of_others`: the sizing options are (also) for other files.
Status check_existing(const NewFilterOptions& options, const FilterFile& file,
                      bool sizes_of_others);

// Options of every command that this one does not use, given before its name or after it.
Status check_globals(const CommandLine& subcommand, std::span<const char* const> not_used,
                     std::string_view why);

bool is_keyed(const AnyFilter& filter);                    // made with a secret
std::optional<Hasher> hasher_of(const AnyFilter& filter);  // none: a filter of another system

}  // namespace bloomery::cli
