// A filter in parts, named by its manifest NAME.bloomset: for commands that read filters.
#pragma once
#include <optional>
#include <string>

#include "apps/cli/filters/filter_file.h"
#include "bloomery/formats/set/filter_set.h"

namespace bloomery::cli {

// By its name, which ends in .bloomset, or by its first bytes; at a web address by its name alone.
bool is_filter_set(const std::string& path);

// Opens the manifest; parts are opened when they are asked for. Complains, and sets the session's
// exit code, where it cannot.
std::optional<FilterSet> open_set(const std::string& path, const FormatOptions& options,
                                  Session& session);

// All parts as one filter in memory, for commands that need all of its bits.
std::optional<FilterFile> load_set(const std::string& path, const FormatOptions& options,
                                   Session& session);

// True, with a complaint and the exit code, where the path is a manifest: a command that changes a
// filter cannot change its parts.
bool refuse_to_change_set(const std::string& path, Session& session);

// True where the file is a part, which is no filter by itself.
bool is_part_file(const std::string& path);

}  // namespace bloomery::cli
