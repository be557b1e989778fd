// The `bloomery` command: a table of subcommands, and the handling of errors.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/cli/remote/redis_options.h"
#include "apps/cli/shell/bus_error.h"
#include "apps/cli/shell/color.h"
#include "apps/cli/shell/command.h"
#include "apps/cli/shell/help.h"
#include "apps/cli/shell/parse.h"
#include "apps/cli/shell/secrets.h"
#include "apps/cli/shell/standard_output.h"
#include "apps/cli/web/files.h"

namespace bloomery::cli {
namespace {

constexpr Command kCommands[] = {
    {"build", "Build a filter from records", attach_build, true},
    {"add", "Add records to a filter", attach_add, true},
    {"query", "Print the records that may be in a filter", attach_query, true, true},
    {"dedup", "Print each record once, at its first occurrence", attach_dedup, true, true},
    {"remove", "Remove records from a counting filter", attach_remove},
    {"inspect", "Show a filter's format, size, fill and false-positive rate", attach_inspect, true,
     true},
    {"verify", "Check the checksums and the structure of filter files", attach_verify, true, true},
    {"compare", "Compare two filters: equality, subsets and overlap", attach_compare, true, true},
    {"merge", "Merge or intersect filters", attach_merge, true},
    {"split", "Cut a filter into parts, or route records to the parts of one", attach_split},
    {"join", "Make one file, or a manifest, of the parts of a filter", attach_join},
    {"fold", "Shrink a filter to the smallest one that keeps a false-positive rate", attach_fold,
     true},
    {"convert", "Write a filter in another format that hashes keys the same way", attach_convert,
     true},
    {"index", "Look keys up in many filters at once", attach_index},
    {"eth", "Search the logs of an Ethereum chain", attach_eth},
    {"track", "Track which folders of a tree may have changed", attach_track},
    {"size", "Compute the size of a filter from keys, rate, bits or probes", attach_size},
    {"bench", "Measure speed and false-positive rate on this machine", attach_bench},
    {"formats", "List the filter formats", attach_formats},
    {"completion", "Write a completion script for a shell", attach_completion},
    {"help", "Show the help of a command, or a page on a topic", attach_help},
};

void attach_all(CommandLine& program, Session& session) {
  add_global_options(program, session.globals);
  program.examples(
      "Examples:\n"
      "  bloomery build -o seen.bloom urls.txt        a filter of the lines of a file\n"
      "  bloomery query seen.bloom new.txt            the lines that may be in it\n"
      "  zcat log.gz | bloomery query -v seen.bloom   the lines that are certainly not\n");
  for (const Command& command : kCommands) {
    CommandLine& subcommand = attach_command(program, command, session);
    if (command.reaches_servers) add_redis_options(subcommand);
    if (command.reads_web) add_web_options(subcommand);
  }
}

int usage_error(const ParsedLine& parsed) {
  complain(parsed.error, kExitUsage);
  std::cerr << "Try '" << parsed.command->full_name() << " --help'.\n";
  return kExitUsage;
}

int run(int argument_count, char** arguments) {
  // The parser keeps copies; what the process list shows is the original.
  const std::vector<std::string> words(arguments + std::min(argument_count, 1),
                                       arguments + argument_count);
  hide_secrets(argument_count, arguments);
  CommandLine program{
      "bloomery", "Build, query and inspect Bloom filters, byte-compatible with other systems."};
  Session session;
  choose_color(When::kAuto);
  attach_all(program, session);
  const ParsedLine parsed = parse(program, words);
  if (!parsed.error.empty()) return usage_error(parsed);
  if (session.globals.quiet) silence_warnings();
  switch (parsed.request) {
    case ParsedLine::Request::kHelp:
      std::cout << help_text(*parsed.command);
      break;
    case ParsedLine::Request::kVersion:
      std::cout << "bloomery " BLOOMERY_VERSION "\n";
      break;
    case ParsedLine::Request::kRun:
      parsed.command->run();
      break;
  }
  if (!std::cout.flush() && session.exit_code != kExitUsage)
    return complain(output_failure(), kExitUsage);
  return session.exit_code;
}

std::terminate_handler default_terminate = nullptr;

// Allocates nothing, because there is no memory.
int out_of_memory() noexcept {
  constexpr std::string_view kSentence = "bloomery: there is not enough memory\n";
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
  return kExitRefused;
}

constexpr std::string_view kNoThread =
    "bloomery: cannot start a thread: the system has no more for this process; raise the limit of "
    "processes (ulimit -u) or of memory (ulimit -v)\n";

bool is_no_thread(const std::system_error& error) noexcept {
  return error.code() == std::errc::resource_unavailable_try_again;
}

int out_of_threads() noexcept {
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, kNoThread.data(), kNoThread.size());
  return kExitRefused;
}

// Exceptions that no handler on their way can take: of a thread, of LevelDB's code, of a function
// that promises not to throw. Where memory or threads ran out that is an end with a sentence, like
// any other.
[[noreturn]] void terminate_with_message() noexcept {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    std::_Exit(out_of_memory());
  } catch (const std::system_error& error) {
    if (is_no_thread(error)) std::_Exit(out_of_threads());
  } catch (...) {
    // Anything else is a defect: the default handler names it.
  }
  default_terminate();
  std::abort();
}

int unexpected(const std::exception& error) noexcept {
  try {
    return complain(error.what(), kExitUsage);
  } catch (const std::exception&) {
    return out_of_memory();
  }
}

}  // namespace
}  // namespace bloomery::cli

int main(int argument_count, char** arguments) {
  // A parent may have switched it off; then a broken pipe would be an error, and it is none.
  std::signal(SIGPIPE, SIG_DFL);
  // A file beyond the limit of the process (ulimit -f) is then a write that fails: it is reported,
  // and the temporary file of a save goes.
  std::signal(SIGXFSZ, SIG_IGN);
  bloomery::cli::default_terminate = std::set_terminate(bloomery::cli::terminate_with_message);
  bloomery::cli::end_cleanly_on_bus_errors();
  try {
    std::ios::sync_with_stdio(false);
    bloomery::cli::remember_output_failure();
    return bloomery::cli::run(argument_count, arguments);
  } catch (const std::bad_alloc&) {
    return bloomery::cli::out_of_memory();
  } catch (const std::system_error& error) {
    return bloomery::cli::is_no_thread(error) ? bloomery::cli::out_of_threads()
                                              : bloomery::cli::unexpected(error);
  } catch (const std::exception& error) {
    return bloomery::cli::unexpected(error);
  }
}
