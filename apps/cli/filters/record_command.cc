#include "apps/cli/filters/record_command.h"

#include <iostream>

#include "apps/cli/filters/set_file.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/help.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

std::optional<FunnelName> recorded_funnel(const AnyFilter& filter) {
  return std::visit(
      [](const auto& held) -> std::optional<FunnelName> {
        if constexpr (requires { FunnelName{held.funnel}; }) {
          return held.funnel;
        } else {
          return std::nullopt;
        }
      },
      filter);
}

Status adopt_funnel(RecordOptions& records, std::optional<FunnelName> recorded) {
  if (!recorded) return ok();
  if (!records.funnel) records.funnel = recorded;
  if (records.funnel != recorded)
    return Error{ErrorCode::kInvalidArgument,
                 message("--funnel: the filter was built with the funnel ", funnel_name(*recorded),
                         ", not with ", funnel_name(*records.funnel))};
  return check_key_options(records);
}

void add_record_files(CommandLine& app, std::vector<std::string>& files) {
  app.add_list("FILE", files, "Files of records, plain or compressed (default, or -: stdin)");
}

void add_record_command(CommandLine& app, RecordCommand& command, const std::string& filter_help) {
  app.add_option("FILTER", command.filter, filter_help)->required();
  add_record_files(app, command.files);
  add_record_options(app, command.records);
  command.records.input.consumer += " FILTER";
  add_format_options(app, command.format);
}

bool lacks_input(const std::vector<std::string>& files, const RecordOptions& records,
                 const CommandLine& app, Session& session) {
  if (records.sources.names_files() || !would_read_terminal(files)) return false;
  std::cerr << short_help(app);
  session.exit_code = kExitUsage;
  return true;
}

Status check_funnel(const RecordOptions& records, std::string_view format) {
  if (auto fits = check_key_options(records); !fits) return fits;
  if (!records.csharp_exact || format.starts_with("eventhorizon")) return ok();
  return Error{
      ErrorCode::kInvalidArgument,
      message("--csharp-exact is an option of format eventhorizon; the format is ", format)};
}

std::optional<OpenedCommand> open_record_command(RecordCommand& command, const CommandLine& app,
                                                 Session& session) {
  if (lacks_input(command.files, command.records, app, session)) return std::nullopt;
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
    return std::nullopt;
  };
  auto inputs = find_inputs(command.files, command.records);
  if (!inputs) return stop(inputs.error());
  if (auto other = refuse_as_output(command.filter, *inputs); !other) return stop(other.error());
  if (refuse_to_change_set(command.filter, session)) return std::nullopt;
  if (!lock_to_update(command.filter, session)) return std::nullopt;
  auto file = open_filter(command.filter, command.format, session);
  if (!file) return std::nullopt;
  if (auto fits = check_funnel(command.records, file->format->name); !fits)
    return stop(fits.error());
  if (auto fits = adopt_funnel(command.records, recorded_funnel(file->filter)); !fits)
    return stop(fits.error());
  return OpenedCommand{std::move(*file), std::move(*inputs)};
}

}  // namespace bloomery::cli
