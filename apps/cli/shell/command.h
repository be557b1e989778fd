// A subcommand: a row in main.cc's table. It declares its options, and an action that does the work
// and leaves the exit code in the session.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/globals.h"
#include "apps/cli/shell/options.h"
#include "bloomery/base/file_lock.h"

namespace bloomery::cli {

struct LockedFile {
  std::string path;  // empty: none
  FileLock lock;     // empty where there was no file
};

struct Session {
  Globals globals;
  LockedFile locked = {};  // the file that the command writes, where it also reads it
  int exit_code = kExitSuccess;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  void (*attach)(CommandLine& subcommand, Session& session);
  bool reaches_servers = false;  // where it takes a filter file, it takes redis:// too
  bool reads_web = false;        // and http:// and https://, to read
};

// Adds a row of a table of commands, with the options that every command has.
inline CommandLine& attach_command(CommandLine& parent, const Command& command, Session& session) {
  CommandLine& child = parent.add_command(command.name, command.summary);
  add_global_options(child, session.globals);
  command.attach(child, session);
  return child;
}

void attach_add(CommandLine& subcommand, Session& session);
void attach_bench(CommandLine& subcommand, Session& session);
void attach_build(CommandLine& subcommand, Session& session);
void attach_compare(CommandLine& subcommand, Session& session);
void attach_completion(CommandLine& subcommand, Session& session);
void attach_convert(CommandLine& subcommand, Session& session);
void attach_dedup(CommandLine& subcommand, Session& session);
void attach_eth(CommandLine& subcommand, Session& session);
void attach_fold(CommandLine& subcommand, Session& session);
void attach_formats(CommandLine& subcommand, Session& session);
void attach_help(CommandLine& subcommand, Session& session);
void attach_index(CommandLine& subcommand, Session& session);
void attach_inspect(CommandLine& subcommand, Session& session);
void attach_join(CommandLine& subcommand, Session& session);
void attach_merge(CommandLine& subcommand, Session& session);
void attach_size(CommandLine& subcommand, Session& session);
void attach_split(CommandLine& subcommand, Session& session);
void attach_track(CommandLine& subcommand, Session& session);
void attach_verify(CommandLine& subcommand, Session& session);
void attach_query(CommandLine& subcommand, Session& session);
void attach_remove(CommandLine& subcommand, Session& session);

}  // namespace bloomery::cli
