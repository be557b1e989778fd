// The bytes of a fanotify queue, as events: which name in which folder, folders as file handles.
#pragma once
#include <cstdint>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::tracker {

// What happened to one name. Views into the bytes.
struct FanotifyEvent {
  enum class Role : std::uint8_t { kName, kOldName, kNewName };  // the others: of a rename
  std::uint64_t mask = 0;
  Role role = Role::kName;
  std::string_view folder = {};  // its filesystem and its handle: equal for the same folder only
  std::string_view name = {};    // "." or empty: the folder itself
};

// The parts of FanotifyEvent::folder.
inline constexpr std::size_t kFilesystemIdBytes = 8;

struct FanotifySink {
  virtual void event(const FanotifyEvent& event) = 0;
  virtual void overflow() = 0;
  virtual void unreadable() = 0;  // another version, lengths that contradict each other, no folder

 protected:
  ~FanotifySink() = default;
};
void decode_fanotify_events(ByteView bytes, FanotifySink& sink);

}  // namespace bloomery::tracker
