// The lock on the filter file that a command writes: another writer waits, so that neither
// overwrites the work of the other.
#pragma once
#include <string>

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/options.h"
#include "bloomery/base/bytes.h"

namespace bloomery::cli {

void add_lock_option(CommandLine& app, Globals& globals);  // --lock-timeout

// Locks the file before it is read, until the command ends; says on stderr that it waits. Where
// there is no file, one that appears before the end is not replaced. Complains, and sets the
// session's exit code, where another process does not let go in time. Does nothing for a server's
// key.
bool lock_to_update(const std::string& path, Session& session);
// The same for a file that a command may replace (`force`) or only create.
bool lock_to_write(const std::string& path, bool force, Session& session);

// Saves under the lock that the command took. Where it took none, because it did not read the file,
// under one of its own, and without `force` only where there is no file yet. Warns where the file
// had other names: they keep the old content.
Status save_locked(const std::string& path, ByteView bytes, bool force, const Session& session);

// True, with a complaint and the exit code, where --lock-timeout was given and nothing is locked.
bool refuse_lock_timeout(std::string_view why, Session& session);

}  // namespace bloomery::cli
