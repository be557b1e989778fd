// The bytes of a folder. Numbers are varints, but for a length that is known when its folder is
// done:
//   u8 flags (1 has folders, 2 due, 4 due below, 8 linked, 16 linked below);
//   has folders: u64 bytes that follow;
//   bytes of the name, name; identity; born; usage of its own;
//   no folders: scan;
//   has folders: their records; then scan, folders, usage of all; u8 bytes from scan to here.
// A usage: objects; if any: bytes, a bit for each size class that has some, how many each has but
// for the last of them; then the newest change in seconds, zigzag, 0 for none.
#include "apps/tracker/scan/usage_record.h"

#include <bit>

#include "bloomery/base/endian.h"

namespace bloomery::tracker {
namespace {

constexpr unsigned kHasFolders = 1;
constexpr unsigned kDue = 2;
constexpr unsigned kDueBelow = 4;
constexpr unsigned kLinked = 8;
constexpr unsigned kLinkedBelow = 16;
constexpr unsigned kAllFlags = kHasFolders | kDue | kDueBelow | kLinked | kLinkedBelow;
constexpr std::size_t kLengthBytes = 8;

// As ByteReader and read_varint, whose answers are too large for what is asked a million times.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : at_{bytes.data()}, end_{at_ + bytes.size()} {}

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail();
      const auto byte = std::to_integer<unsigned>(*at_++);
      if (shift == 63 && byte > 1) return fail();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }
  unsigned byte() {
    return at_ == end_ ? static_cast<unsigned>(fail()) : std::to_integer<unsigned>(*at_++);
  }
  ByteView take(std::uint64_t size) {
    if (size > left()) {
      fail();
      return {};
    }
    const ByteView taken{at_, static_cast<std::size_t>(size)};
    at_ += taken.size();
    return taken;
  }
  std::uint64_t fixed() {
    const ByteView taken = take(kLengthBytes);
    return taken.empty() ? 0 : load_le<std::uint64_t>(taken.data());
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::byte* at() const { return at_; }
  bool failed() const { return failed_; }
  std::uint64_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool failed_ = false;
};

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

void put_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

void put_usage(std::vector<std::byte>& out, const Usage& usage) {
  put_varint(out, usage.objects);
  if (usage.objects > 0) {
    put_varint(out, usage.bytes);
    std::uint64_t classes = 0;
    for (std::size_t i = 0; i < kSizeClasses; ++i)
      classes |= std::uint64_t{usage.sizes[i] > 0 ? 1U : 0U} << i;
    put_varint(out, classes);
    for (std::uint64_t left = classes; std::popcount(left) > 1; left &= left - 1)
      put_varint(out, usage.sizes[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  // One more, so that 0 is free for "none".
  put_varint(out, usage.newest_unix == kNoChange ? 0 : zigzag(usage.newest_unix) + 1);
}

void put_head(std::vector<std::byte>& out, const FolderHead& head) {
  const ByteView name = bytes_of(head.name);
  put_varint(out, name.size());
  out.insert(out.end(), name.begin(), name.end());
  put_varint(out, head.identity);
  put_varint(out, head.born);
  put_usage(out, head.own);
}

void read_usage(Cursor& cursor, Usage& usage) {
  usage.objects = cursor.varint();
  if (usage.objects > 0) {
    usage.bytes = cursor.varint();
    std::uint64_t classes = cursor.varint();
    if (classes == 0 || classes >> kSizeClasses != 0) return void(cursor.fail());
    std::uint64_t rest = usage.objects;
    for (; std::popcount(classes) > 1; classes &= classes - 1) {
      const std::uint64_t objects = cursor.varint();
      if (objects == 0 || objects >= rest) return void(cursor.fail());
      usage.sizes[static_cast<std::size_t>(std::countr_zero(classes))] = objects;
      rest -= objects;
    }
    usage.sizes[static_cast<std::size_t>(std::countr_zero(classes))] = rest;
  }
  const std::uint64_t newest = cursor.varint();
  if (newest != 0) usage.newest_unix = unzigzag(newest - 1);
}

std::string_view read_name(Cursor& cursor) { return text_of(cursor.take(cursor.varint())); }

void read_head(Cursor& cursor, FolderRecord& record) {
  record.name = read_name(cursor);
  record.identity = cursor.varint();
  const std::uint64_t born = cursor.varint();
  if (born > UINT32_MAX) cursor.fail();
  record.born = static_cast<std::uint32_t>(born);
  read_usage(cursor, record.own);
}

// Scan, folders and all below, which stand at the end.
bool read_end(Cursor inner, FolderRecord& record) {
  const ByteView rest = inner.take(inner.left());
  if (rest.empty()) return false;
  const auto size = std::to_integer<std::size_t>(rest.back());
  if (size >= rest.size()) return false;
  record.children = rest.first(rest.size() - 1 - size);
  Cursor end{rest.subspan(record.children.size(), size)};
  record.scan = end.varint();
  record.folders = end.varint();
  read_usage(end, record.total);
  return !end.failed() && end.left() == 0 && record.folders > 0;
}

}  // namespace

bool is_folder_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view{"/\0", 2}) == std::string_view::npos;
}

std::optional<FolderRecord> read_record(ByteView bytes) {
  Cursor cursor{bytes};
  const unsigned flags = cursor.byte();
  if (flags > kAllFlags) return std::nullopt;
  std::optional<FolderRecord> record{std::in_place};
  record->due = (flags & kDue) != 0;
  record->due_below = (flags & kDueBelow) != 0;
  record->linked = (flags & kLinked) != 0;
  record->linked_below = (flags & kLinkedBelow) != 0;
  if ((flags & kHasFolders) != 0) {
    const ByteView inside = cursor.take(cursor.fixed());
    Cursor inner{inside};
    read_head(inner, *record);
    if (cursor.failed() || inner.failed() || !read_end(inner, *record)) return std::nullopt;
  } else {
    read_head(cursor, *record);
    record->scan = cursor.varint();
    record->total = record->own;
    if (cursor.failed() || record->due_below || record->linked_below) return std::nullopt;
  }
  record->all = bytes.first(bytes.size() - cursor.left());
  return record;
}

bool read_children(ByteView children, std::vector<ChildRecord>& found) {
  std::string_view before;
  while (!children.empty()) {
    Cursor cursor{children};
    const unsigned flags = cursor.byte();
    ChildRecord child;
    if ((flags & kHasFolders) != 0) {
      Cursor inner{cursor.take(cursor.fixed())};
      child.name = read_name(inner);
      child.identity = inner.varint();
      if (inner.failed()) return false;
    } else {
      child.name = read_name(cursor);
      child.identity = cursor.varint();
      cursor.varint();
      Usage ignored;
      read_usage(cursor, ignored);
      cursor.varint();
    }
    if (cursor.failed() || !is_folder_name(child.name) || child.name <= before) return false;
    child.all = children.first(children.size() - cursor.left());
    children = children.subspan(child.all.size());
    before = child.name;
    found.push_back(child);
  }
  return true;
}

namespace {

struct Sum {
  FolderRecord record;
  std::vector<ChildRecord> children;
  std::size_t next = 0;
  Usage total;
  std::uint64_t folders = 1;
  bool due_below = false;
  bool linked_below = false;
};

std::optional<Sum> sum_of(ByteView bytes) {
  const auto record = read_record(bytes);
  if (!record || record->all.size() != bytes.size()) return std::nullopt;
  Sum sum{.record = *record, .children = {}, .total = record->own};
  if (!read_children(record->children, sum.children)) return std::nullopt;
  return sum;
}

bool is_right(const Sum& sum) {
  return sum.total == sum.record.total && sum.folders == sum.record.folders &&
         sum.due_below == sum.record.due_below && sum.linked_below == sum.record.linked_below;
}

}  // namespace

bool is_whole_tree(ByteView root) {
  std::vector<Sum> way;
  if (auto first = sum_of(root); first && first->record.name.empty()) {
    way.push_back(std::move(*first));
  } else {
    return false;
  }
  for (;;) {
    Sum& place = way.back();
    if (place.next < place.children.size()) {
      auto below = sum_of(place.children[place.next++].all);
      if (!below) return false;
      way.push_back(std::move(*below));
      continue;
    }
    if (!is_right(place)) return false;
    if (way.size() == 1) return true;
    Sum& above = way[way.size() - 2];
    above.total.add(place.total);
    above.folders += place.folders;
    above.due_below = above.due_below || place.record.due || place.due_below;
    above.linked_below = above.linked_below || place.record.linked || place.linked_below;
    way.pop_back();
  }
}

void FolderEnd::add(const FolderEnd& below) {
  total.add(below.total);
  folders += below.folders;
  due_below = due_below || below.due || below.due_below;
  linked_below = linked_below || below.linked || below.linked_below;
}

FolderHead head_of(const FolderRecord& folder) {
  return {folder.name, folder.identity, folder.born, folder.own, folder.linked};
}

FolderEnd end_of(const FolderRecord& folder) {
  return {folder.due,     folder.due_below, folder.scan,        folder.total,
          folder.folders, folder.linked,    folder.linked_below};
}

void put_leaf(std::vector<std::byte>& out, const FolderHead& head, std::uint64_t scan, bool due) {
  out.push_back(static_cast<std::byte>((due ? kDue : 0) | (head.linked ? kLinked : 0)));
  put_head(out, head);
  put_varint(out, scan);
}

std::size_t begin_record(std::vector<std::byte>& out, const FolderHead& head) {
  const std::size_t begun = out.size();
  out.resize(begun + 1 + kLengthBytes);
  put_head(out, head);
  return begun;
}

void end_record(std::vector<std::byte>& out, std::size_t begun, const FolderEnd& end) {
  const std::size_t at = out.size();
  put_varint(out, end.scan);
  put_varint(out, end.folders);
  put_usage(out, end.total);
  // Twenty-one numbers of ten bytes are the most it can have, so a byte holds their length.
  out.push_back(static_cast<std::byte>(out.size() - at));
  out[begun] =
      static_cast<std::byte>(kHasFolders | (end.due ? kDue : 0) | (end.due_below ? kDueBelow : 0) |
                             (end.linked ? kLinked : 0) | (end.linked_below ? kLinkedBelow : 0));
  store_le(out.data() + begun + 1,
           static_cast<std::uint64_t>(out.size() - begun - 1 - kLengthBytes));
}

}  // namespace bloomery::tracker
