// What a subcommand is: a row in main.cc's table. It attaches its options to a CLI11 subcommand,
// and a callback that does the work and leaves the exit code in the session.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/shell/cli11.h"
#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/globals.h"
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
  void (*attach)(CLI::App& subcommand, Session& session);
  bool reaches_servers = false;  // where it takes a filter file, it takes redis:// too
};

void attach_add(CLI::App& subcommand, Session& session);
void attach_bench(CLI::App& subcommand, Session& session);
void attach_build(CLI::App& subcommand, Session& session);
void attach_compare(CLI::App& subcommand, Session& session);
void attach_completion(CLI::App& subcommand, Session& session);
void attach_convert(CLI::App& subcommand, Session& session);
void attach_dedup(CLI::App& subcommand, Session& session);
void attach_eth(CLI::App& subcommand, Session& session);
void attach_fold(CLI::App& subcommand, Session& session);
void attach_inspect(CLI::App& subcommand, Session& session);
void attach_merge(CLI::App& subcommand, Session& session);
void attach_size(CLI::App& subcommand, Session& session);
void attach_track(CLI::App& subcommand, Session& session);
void attach_verify(CLI::App& subcommand, Session& session);
void attach_query(CLI::App& subcommand, Session& session);
void attach_remove(CLI::App& subcommand, Session& session);

}  // namespace bloomery::cli
