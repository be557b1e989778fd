// The bytes of a fanotify queue, as events: which name in which folder, folders as file handles.
#pragma once
#include <cstdint>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::tracker {

// What happened to one name. Views into the bytes.
struct FanotifyEvent {
  // kOldName and kNewName are of a rename. kFile: a file that was opened by its handle, and whose
  // folder the kernel does not know; `folder` is empty then.
  enum class Role : std::uint8_t { kName, kOldName, kNewName, kFile };
  std::uint64_t mask = 0;
  Role role = Role::kName;
  std::string_view folder = {};  // its filesystem and its handle: equal for the same folder only
  std::string_view name = {};    // "." or empty: the folder itself
  std::string_view file = {};    // likewise of the file itself; empty where the kernel gives none
};

// The parts of FanotifyEvent::folder.
inline constexpr std::size_t kFilesystemIdBytes = 8;

struct FanotifySink {
  virtual void event(const FanotifyEvent& event) = 0;
  virtual void overflow() = 0;
  virtual void unreadable() = 0;  // another version, lengths that contradict each other, no handle

 protected:
  ~FanotifySink() = default;
};
void decode_fanotify_events(ByteView bytes, FanotifySink& sink);

}  // namespace bloomery::tracker
