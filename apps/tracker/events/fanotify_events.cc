#include "apps/tracker/events/fanotify_events.h"

#include <sys/fanotify.h>

#include <cstring>

namespace bloomery::tracker {
namespace {

constexpr std::size_t kInfoHeadBytes = sizeof(fanotify_event_info_header);
constexpr std::size_t kHandleHeadBytes = 8;  // u32 bytes, i32 type

struct Record {
  std::uint8_t type = 0;
  ByteView content;
};

// The next record of an event; false at its end, and with `broken` when lengths contradict.
bool next_record(ByteView& rest, Record& record, bool& broken) {
  if (rest.empty()) return false;
  fanotify_event_info_header head;
  broken = true;
  if (rest.size() < sizeof head) return false;
  std::memcpy(&head, rest.data(), sizeof head);
  if (head.len < sizeof head || head.len > rest.size()) return false;
  broken = false;
  record = {head.info_type, rest.first(head.len).subspan(kInfoHeadBytes)};
  rest = rest.subspan(head.len);
  return true;
}

bool role_of(std::uint8_t type, FanotifyEvent::Role& role) {
  switch (type) {
    case FAN_EVENT_INFO_TYPE_DFID:
    case FAN_EVENT_INFO_TYPE_DFID_NAME:
      role = FanotifyEvent::Role::kName;
      return true;
    case FAN_EVENT_INFO_TYPE_OLD_DFID_NAME:
      role = FanotifyEvent::Role::kOldName;
      return true;
    case FAN_EVENT_INFO_TYPE_NEW_DFID_NAME:
      role = FanotifyEvent::Role::kNewName;
      return true;
    default:
      return false;
  }
}

// The filesystem and the handle at the front of a record; what follows stays in `content`.
bool read_handle(ByteView& content, std::string_view& handle) {
  constexpr std::size_t kHead = kFilesystemIdBytes + kHandleHeadBytes;
  if (content.size() < kHead) return false;
  std::uint32_t handle_bytes = 0;
  std::memcpy(&handle_bytes, content.data() + kFilesystemIdBytes, sizeof handle_bytes);
  if (handle_bytes > content.size() - kHead) return false;
  handle = text_of(content.first(kHead + handle_bytes));
  content = content.subspan(kHead + handle_bytes);
  return true;
}

bool read_name(ByteView content, bool named, FanotifyEvent& event) {
  if (!read_handle(content, event.folder)) return false;
  event.name = {};
  if (!named) return true;
  const std::string_view rest = text_of(content);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return false;
  event.name = rest.substr(0, end);
  return true;
}

// The handle of the file itself, which comes after the one of its folder. False if it is broken.
bool find_file(ByteView info, std::string_view& file) {
  bool broken = false;
  for (Record record; next_record(info, record, broken);)
    if (record.type == FAN_EVENT_INFO_TYPE_FID && !read_handle(record.content, file)) return false;
  return !broken;
}

void decode_event(std::uint64_t mask, ByteView info, FanotifySink& sink) {
  if ((mask & FAN_Q_OVERFLOW) != 0) return sink.overflow();
  std::string_view file;
  if (!find_file(info, file)) return sink.unreadable();
  bool any = false;
  bool broken = false;
  for (Record record; next_record(info, record, broken);) {
    FanotifyEvent event{.mask = mask, .file = file};
    if (!role_of(record.type, event.role)) continue;
    if (!read_name(record.content, record.type != FAN_EVENT_INFO_TYPE_DFID, event))
      return sink.unreadable();
    any = true;
    sink.event(event);
  }
  if (!any && !file.empty())
    return sink.event({.mask = mask, .role = FanotifyEvent::Role::kFile, .file = file});
  if (!any) sink.unreadable();
}

}  // namespace

void decode_fanotify_events(ByteView bytes, FanotifySink& sink) {
  while (!bytes.empty()) {
    fanotify_event_metadata head;
    if (bytes.size() < sizeof head) return sink.unreadable();
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.vers != FANOTIFY_METADATA_VERSION || head.metadata_len < sizeof head ||
        head.event_len < head.metadata_len || head.event_len > bytes.size())
      return sink.unreadable();
    decode_event(head.mask, bytes.first(head.event_len).subspan(head.metadata_len), sink);
    bytes = bytes.subspan(head.event_len);
  }
}

}  // namespace bloomery::tracker
