#include "apps/tracker/fanotify_events.h"

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

bool read_name(ByteView content, bool named, FanotifyEvent& event) {
  if (content.size() < kFilesystemIdBytes + kHandleHeadBytes) return false;
  std::uint32_t handle_bytes = 0;
  std::memcpy(&handle_bytes, content.data() + kFilesystemIdBytes, sizeof handle_bytes);
  const std::size_t head = kFilesystemIdBytes + kHandleHeadBytes;
  if (handle_bytes > content.size() - head) return false;
  event.folder = text_of(content.first(head + handle_bytes));
  event.name = {};
  if (!named) return true;
  const std::string_view rest = text_of(content.subspan(head + handle_bytes));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return false;
  event.name = rest.substr(0, end);
  return true;
}

void decode_event(std::uint64_t mask, ByteView info, FanotifySink& sink) {
  if ((mask & FAN_Q_OVERFLOW) != 0) return sink.overflow();
  bool any = false;
  bool broken = false;
  for (Record record; next_record(info, record, broken);) {
    FanotifyEvent event{.mask = mask};
    if (!role_of(record.type, event.role)) continue;
    if (!read_name(record.content, record.type != FAN_EVENT_INFO_TYPE_DFID, event))
      return sink.unreadable();
    any = true;
    sink.event(event);
  }
  if (broken || !any) sink.unreadable();
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
