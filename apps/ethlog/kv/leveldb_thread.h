// The thread that LevelDB compacts in. LevelDB starts it in the middle of a write, with its locks
// held and without a way to fail: where the system gives no thread then, the process hangs or ends.
#pragma once
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// Starts the thread, once for the process. kTooLarge: the system gives none; call it again when it
// may. To be called before a database is opened that is written to.
Status start_leveldb_thread();

}  // namespace bloomery::ethlog
