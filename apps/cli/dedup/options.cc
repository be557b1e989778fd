#include "apps/cli/dedup/options.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>

#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/secrets.h"
#include "apps/cli/web/files.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && std::filesystem::exists(path, ignored);
}

Error unusable(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

Status check_reading(const DedupOptions& options) {
  if (options.keep_last && options.count_each)
    return unusable("--count-each prints the first of equal records; leave --keep last out");
  if (options.exact && (options.keep_last || options.count_each))
    return unusable(message(
        "--exact cannot be combined with ", options.keep_last ? "--keep last" : "--count-each",
        ", which compares fingerprints of 64 bits; the summary says how many wrong records "
        "to expect"));
  if (!options.checkpoint) return ok();
  if (options.reads_again())
    return unusable(message("--checkpoint cannot be combined with ", reading_option(options),
                            ", which reads the input more than once"));
  if (options.records.csv || !options.records.input.column.empty())
    return unusable(message("--checkpoint cannot be combined with ",
                            options.records.csv ? "--csv or --tsv" : "--column",
                            ": a run goes on between two lines of a file"));
  if (options.seen.save.empty() || options.output.path.empty())
    return unusable(
        "--checkpoint needs --save FILTER and -o FILE: a run goes on from the files that an "
        "earlier one left");
  return ok();
}

Status check_mark_name(const DedupOptions& options) {
  const auto& csv = options.records.csv;
  if (options.mark_name.empty()) return ok();
  if (!csv && !options.records.json_key)
    return unusable(
        "--mark-name names a member of JSON records or a column, and neither --json-key, --csv nor "
        "--tsv is given; --mark marks records of any kind");
  if (!csv) return ok();
  if (!csv->has_header)
    return unusable(
        "--mark-name names a column, and with --no-header columns have no names; use "
        "--mark");
  if (!csv->dialect.quotes && options.mark_name.find_first_of("\t\r\n") != std::string::npos)
    return unusable("--mark-name: a tab or a newline cannot be in the name of a column of TSV");
  return ok();
}

Status check_records(const DedupOptions& options, const Globals& globals) {
  const bool prints = !options.count && !globals.json;
  const char* const silent = globals.json ? "--json" : "--count";
  if (options.count_each && !prints && !options.explain)
    return unusable(message("--count-each prints records, but ", silent,
                            " prints none; leave one of them out"));
  if (options.count_each && (options.mark || !options.dupes.empty()))
    return unusable(message("--count-each prints each record once, but ",
                            options.mark ? "--mark" : "--dupes",
                            " takes its repeats; leave one of them out"));
  if (!options.output.path.empty() && !prints && !options.explain)
    return unusable(
        message("--output takes the records, but ", silent, " prints none; leave one of them out"));
  if (options.output.compression && !prints && options.dupes.empty())
    return unusable(message("--compress takes the records, but ", silent,
                            " prints none; leave one of them out"));
  return check_mark_name(options);
}

}  // namespace

std::string_view reading_option(const DedupOptions& options) {
  if (options.exact) return "--exact";
  return options.keep_last ? "--keep last" : "--count-each";
}

Error cannot_confirm(const DedupOptions& options) {
  return {ErrorCode::kInvalidArgument,
          message(reading_option(options), " cannot confirm what ", options.seen.save,
                  " drops, because a filter does not store its keys; give --save a new file")};
}

Status check_combinations(const DedupOptions& options) {
  const auto usage = [](std::string sentence) {
    return Error{ErrorCode::kInvalidArgument, std::move(sentence)};
  };
  const SeenKeysOptions& seen = options.seen;
  if (seen.against.empty() && seen.against_format != "auto")
    return usage("--against-format describes the filters of --against, but none is given");
  // With --against it gives the byte order of numbers.
  if (seen.save.empty() && seen.against.empty() && !options.records.csharp_exact &&
      format_is_given(seen.filter))
    return usage("--format describes the filter of --save, but none is given");
  if (options.reads_again() && !seen.against.empty())
    return usage(message(reading_option(options), " cannot be combined with --against, because a ",
                         "filter does not store its keys"));
  if (options.reads_again() && exists(seen.save)) return cannot_confirm(options);
  if (auto fits = check_reading(options); !fits) return fits;
  for (const std::string& path : seen.against) {
    std::error_code ignored;
    if (!seen.save.empty() && std::filesystem::equivalent(path, seen.save, ignored))
      return usage(message(path,
                           ": it is given both to --against, which only reads, and to --save; use "
                           "another file for one of them"));
  }
  return ok();
}

Status check_output_options(const DedupOptions& options, const Globals& globals) {
  const auto usage = [](std::string sentence) {
    return Error{ErrorCode::kInvalidArgument, std::move(sentence)};
  };
  if (options.mark && (options.count || globals.json))
    return usage(message("--mark prints every record, but ", globals.json ? "--json" : "--count",
                         " prints none; leave one of them out"));
  if (options.mark && options.repeats)
    return usage("--mark prints every record, but --repeated prints only repeats; leave one out");
  if (!options.dupes.empty() && (options.mark || options.repeats))
    return usage(message("--dupes takes the repeats out of the output, but ",
                         options.mark ? "--mark" : "--repeated",
                         " prints them; leave one of them out"));
  if (auto fits = check_records(options, globals); !fits) return fits;
  return check_stats_fd(options.stats_fd);
}

Status check_stats_fd(std::optional<std::uint64_t> descriptor) {
  if (!descriptor) return ok();
  if (*descriptor < 2)
    return unusable("--stats-fd: descriptors 0 and 1 are the input and the records; use 2 or more");
  if (*descriptor > INT_MAX || ::fcntl(static_cast<int>(*descriptor), F_GETFD) < 0)
    return unusable(message("--stats-fd: descriptor ", *descriptor,
                            " is not open; open it in the shell: ", *descriptor, ">FILE"));
  return ok();
}

// Filters, secrets and lists besides the records.
std::vector<InputFile> files_read(const SeenKeysOptions& seen, const RecordOptions& records,
                                  const std::vector<InputFile>& inputs) {
  auto files = inputs;
  const auto add = [&files](const std::string& path) {
    if (!path.empty() && path != "-") files.push_back({path, std::nullopt});
  };
  for (const std::string& path : seen.against) add(path);
  for (const std::string& path : records.sources.lists) add(path);
  add(seen.filter.secret_file);
  return files;
}

Status check_files(const DedupOptions& options, const std::vector<InputFile>& inputs) {
  auto not_to_write = files_read(options.seen, options.records, inputs);
  const std::string& output = options.output.path;
  const std::string& save = options.seen.save;
  if (auto other = refuse_as_output(save, inputs); !other) return other;
  if (!save.empty()) not_to_write.push_back({save, std::nullopt});
  if (auto other = refuse_own_output(STDOUT_FILENO, not_to_write); !other) return other;
  if (options.dupes == "-")
    return unusable("--dupes takes the name of a file; -d prints the repeats");
  if (!options.dupes.empty() && options.dupes == save)
    return unusable(message(save, ": it is given to --dupes and to --save; use another file for ",
                            "one of them"));
  if (!output.empty()) {
    if (auto other = refuse_destination(output, not_to_write); !other) return other;
    if (options.checkpoint) {
      const std::string state = checkpoint_of(output);
      if (state == save || state == options.dupes)
        return unusable(message(state, ": the state of --checkpoint has this name; use another"));
      if (auto other = refuse_as_output(state, not_to_write); !other) return other;
    }
    if (output == save || output == options.dupes)
      return unusable(message(output, ": it is given to --output and to ",
                              output == options.dupes ? "--dupes" : "--save",
                              "; use another file for one of them"));
    not_to_write.push_back({output, std::nullopt});
  }
  if (options.dupes.empty()) return ok();
  if (auto other = refuse_destination(options.dupes, not_to_write); !other) return other;
  return refuse_own_output(STDOUT_FILENO, {{options.dupes, std::nullopt}});
}

Error with_separator_hint(const Error& error, const DedupOptions& options) {
  const bool meant = options.repeats && std::ranges::any_of(options.files, [](const auto& file) {
                       return file.size() == 1 && file != "-";
                     });
  if (!meant) return error;
  return {error.code,
          message(error.message, "; did you mean -t? -d prints repeats, -t sets the separator")};
}

std::string given_options(const CommandLine& app) {
  constexpr std::array<std::string_view, 4> kWithoutEffect{"--checkpoint", "--lock-timeout",
                                                           "--output", "--stats-fd"};
  std::string text;
  for (const auto& option : app.options()) {
    if (!option->given() || option->is_argument() || option->group() == kGlobalGroup) continue;
    if (option->group() == kWebGroup) continue;
    if (std::ranges::find(kWithoutEffect, option->name()) != kWithoutEffect.end()) continue;
    text += message(" ", option->name());
    // The text goes into a file.
    for (const std::string& value : option->values())
      text += message(" ", name_without_secrets(value));
  }
  return text;
}

}  // namespace bloomery::cli
