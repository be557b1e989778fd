// The group `index`: a row for each of its commands.
#include "apps/cli/index/command.h"

namespace bloomery::cli {
namespace {

constexpr Command kIndexCommands[] = {
    {"build", "Build an index of many filters of one shape", attach_index_build},
    {"query", "Print which filters may hold each key", attach_index_query},
    {"append", "Add filters to an index", attach_index_append},
    {"delete", "Delete filters from an index", attach_index_delete},
    {"compact", "Remove what deleted and replaced filters left in an index", attach_index_compact},
    {"list", "List the filters of an index", attach_index_list},
    {"inspect", "Show the shape, size and false-positive rate of an index", attach_index_inspect},
    {"verify", "Check every checksum of an index", attach_index_verify},
};

}  // namespace

void attach_index(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery index build -o days.bloomindex logs/*.bloom\n"
      "  bloomery index query days.bloomindex alice@example.org   which days may have it\n"
      "  bloomery index append days.bloomindex logs/today.bloom\n");
  for (const Command& command : kIndexCommands) attach_command(subcommand, command, session);
}

}  // namespace bloomery::cli
