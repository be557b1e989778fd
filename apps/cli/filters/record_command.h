// Options and steps that add, query and remove share: an existing filter, and records.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/records/stream.h"

namespace bloomery::cli {

struct RecordCommand {
  std::string filter;
  std::vector<std::string> files;
  FormatOptions format;
  RecordOptions records;
};

void add_record_files(CommandLine& app, std::vector<std::string>& files);
void add_record_command(CommandLine& app, RecordCommand& command, const std::string& filter_help);

// True, with the short help on stderr and exit code 2, where stdin is a terminal and no file is
// named.
bool lacks_input(const std::vector<std::string>& files, const RecordOptions& records,
                 const CommandLine& app, Session& session);

struct OpenedCommand {
  FilterFile file;
  std::vector<InputFile> inputs;
};

// For commands that change the filter: its file is locked before it is read.
// Complains, and sets the session's exit code, where something is missing. A funnel that the
// filter's file records is taken from there unless the user named one.
std::optional<OpenedCommand> open_record_command(RecordCommand& command, const CommandLine& app,
                                                 Session& session);

// The funnel that the filter's file records, where its format does.
std::optional<FunnelName> recorded_funnel(const AnyFilter& filter);
// Takes the recorded funnel unless the user named one, which must then be the same.
Status adopt_funnel(RecordOptions& records, std::optional<FunnelName> recorded);
// --csharp-exact means something under eventhorizon only; and check_key_options.
Status check_funnel(const RecordOptions& records, std::string_view format);

}  // namespace bloomery::cli
