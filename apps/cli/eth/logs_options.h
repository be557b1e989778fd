// The options of eth logs, and what they ask for.
#pragma once
#include <memory>

#include "apps/cli/eth/node_options.h"
#include "apps/cli/shell/command.h"
#include "apps/ethlog/abi/event_set.h"
#include "apps/ethlog/output/log_printer.h"

namespace bloomery::cli {

inline constexpr std::uint64_t kDefaultWindow = 128;

struct LogsOptions {
  std::string folder;
  std::string node;  // address of a server
  NodeArguments node_arguments;
  std::string from = "earliest";
  std::string to = "latest";
  std::string block_hash;
  std::vector<std::string> addresses;
  std::vector<std::string> topics;
  std::vector<std::string> events;
  std::vector<std::string> abi_files;
  std::vector<std::string> arguments;   // name=value
  std::optional<std::string> on_error;  // keep
  std::optional<std::string> format;
  std::string output;  // empty: stdout
  std::string checkpoint;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> window;  // kDefaultWindow
  double poll_seconds = 1;
  bool follow = false;
  bool force = false;
  bool newest_first = false;
  bool skip_missing = false;
  bool no_index = false;
  bool explain = false;

  std::string_view output_format() const;  // by the name of the output where none is given
  bool goes_on() const { return follow || !checkpoint.empty(); }  // with the chain, by steps
};

void add_logs_options(CommandLine& app, const std::shared_ptr<LogsOptions>& options);

struct LogsRequest {
  ethlog::LogQuery query;  // narrowed to the events
  std::optional<ethlog::EventSet> events;
  ethlog::LogFormat format = ethlog::LogFormat::kJsonLines;
  ethlog::OnUndecoded on_undecoded = ethlog::OnUndecoded::kKeep;
  std::string search;  // all that decides which logs are written and how, for the checkpoint

  const ethlog::EventSet* event_set() const { return events ? &*events : nullptr; }
};
Result<LogsRequest> request_from(const LogsOptions& options);

// How each run that decodes ends: says how many logs could not be decoded, where there are any.
void warn_of_undecoded(const LogsOptions& options, const ethlog::PrintCounts& counts);

}  // namespace bloomery::cli
