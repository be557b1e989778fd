// Calls of an open database that cannot end in an exception.
#pragma once

namespace bloomery::ethlog {

// LevelDB is built without exceptions: one that passes through it leaves its mutex locked, and all
// later calls of the process would wait for ever. So the process ends (std::terminate); what was
// written before is safe.
template <class Call>
auto leveldb_call(const Call& call) noexcept -> decltype(call()) {
  return call();
}

}  // namespace bloomery::ethlog
