#include "bloomery/formats/index/change.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "bloomery/base/error.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/index/segment_writer.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

using internal::FilterReader;
using internal::SegmentPlan;

Result<std::vector<FilterReader>> open_filters(std::span<const FilterToIndex> filters) {
  std::vector<FilterReader> readers;
  readers.reserve(filters.size());
  std::unordered_set<std::string_view> names;
  for (const FilterToIndex& filter : filters) {
    if (auto fits = check_filter_name(filter.name); !fits)
      return invalid_argument(message(filter.path, ": ", fits.error().message));
    if (!names.insert(filter.name).second)
      return invalid_argument(message(filter.path, ": two filters are called ", filter.name,
                                      "; give each a name of its own (--name)"));
    auto reader = FilterReader::open(filter);
    if (!reader) return reader.error();
    if (!readers.empty())
      if (auto same = same_indexed_shape(readers.front().shape(), reader->shape()); !same)
        return Error{same.error().code, message(filter.path, ": ", same.error().message)};
    readers.push_back(std::move(*reader));
  }
  return readers;
}

// An index as it is, under the lock of its file.
struct OldIndex {
  MappedFile file;
  IndexDirectory directory;

  static Result<OldIndex> open(FileName path, const FileLock& lock, DecodeLimits limits) {
    if (lock.compare(path.view()) != FileLock::Names::kLockedFile)
      return Error{ErrorCode::kIo, message(path.view(),
                                           ": there is no such index, or another "
                                           "process replaced it meanwhile")};
    auto file = MappedFile::open(path.view());
    if (!file) return file.error();
    auto directory = decode_index_directory(file->bytes(), limits);
    if (!directory)
      return Error{directory.error().code, message(path.view(), ": ", directory.error().message)};
    return OldIndex{std::move(*file), std::move(*directory)};
  }
};

class Change {
 public:
  Change(FileName path, const FileLock& lock, const IndexChangeOptions& options)
      : path_{path.string()}, lock_{lock}, options_{options} {}

  // What becomes of the index: the segments that stay as they are, and a new one.
  std::vector<IndexSegment> kept;
  SegmentPlan plan = {};
  IndexChange result = {};

  // All of it in a new file.
  Result<IndexChange> save_as_new(std::uint64_t changes) {
    auto made = NewFile::create(path_);
    if (!made) return made.error();
    for (const IndexSegment& segment : kept) plan.old.push_back({&segment, old_bytes});
    std::vector<IndexSegment> segments;
    if (auto added = write_new_segment(made->file(), kIndexHeaderBytes, segments); !added)
      return added.error();
    IndexHeader header;
    header.changes = changes;
    const std::uint64_t end = segments.empty() ? kIndexHeaderBytes : segments[0].end(rows());
    if (auto ended = write_end(made->file(), end, segments, header); !ended) return ended.error();
    if (auto named = made->commit(lock_); !named) return named.error();
    result.rewritten = true;
    return result;
  }

  // Behind what the file holds, which stays as it is for those who have it mapped. The header, in
  // one sector, makes it count.
  Result<IndexChange> save_in_place(const IndexHeader& old) {
    auto file = PositionedFile::open_to_change(path_);
    if (!file) return file.error();
    if (lock_.compare(path_) != FileLock::Names::kLockedFile)
      return Error{ErrorCode::kIo, message(path_, ": another process replaced the file meanwhile")};
    if (auto cut = file->set_size(old.file_bytes); !cut) return cut.error();
    try {
      auto written = write_behind(*file, old);
      if (!written) undo(*file, old);
      return written;
    } catch (...) {  // memory
      undo(*file, old);
      throw;
    }
  }

  // Once the new header was written, wholly or in part, it may count: then the old one is put back
  // first, and where even that fails every byte stays.
  void undo(PositionedFile& file, const IndexHeader& old) const {
    if (is_header_written_ && !file.write_at(0, encode_index_header(old))) return;
    (void)file.set_size(old.file_bytes);
  }

  ByteView old_bytes = {};

 private:
  std::uint64_t rows() const { return plan.shape.bits; }

  Status write_new_segment(PositionedFile& file, std::uint64_t from,
                           std::vector<IndexSegment>& segments) {
    plan.memory = options_.memory;
    plan.stop = options_.stop;
    if (options_.progress.report != nullptr)
      plan.progress = [progress = options_.progress](std::uint64_t done, std::uint64_t all) {
        progress.report(progress.receiver, done, all);
      };
    if (plan.columns() == 0) return ok();
    auto segment = internal::write_segment(plan, file, from);
    if (!segment) return segment.error();
    segments.push_back(std::move(*segment));
    return ok();
  }

  // The directory, a sync, and the header.
  Status write_end(PositionedFile& file, std::uint64_t end,
                   const std::vector<IndexSegment>& segments, IndexHeader header) {
    const auto bytes = encode_index_directory(segments);
    header.shape = plan.shape;
    header.directory_offset = end;
    header.directory_bytes = bytes.size();
    header.directory_checksum = xxh3_64(bytes);
    header.file_bytes = end + bytes.size();
    header.filters = 0;
    for (const IndexSegment& segment : segments) header.filters += segment.live_columns();
    if (auto written = file.write_at(end, bytes); !written) return written;
    if (auto synced = file.sync(); !synced) return synced;
    if (options_.stop != nullptr && options_.stop())
      return Error{ErrorCode::kIo, message(path_, ": interrupted; the index is as it was")};
    is_header_written_ = true;
    if (auto written = file.write_at(0, encode_index_header(header)); !written) return written;
    if (auto synced = file.sync(); !synced) return synced;
    const IndexDirectory now{header, segments};
    result.filters = header.filters;
    result.file_bytes = header.file_bytes;
    result.dead_bytes = now.dead_bytes();
    return ok();
  }

  Result<IndexChange> write_behind(PositionedFile& file, const IndexHeader& old) {
    std::vector<IndexSegment> segments = kept;
    if (auto added = write_new_segment(file, old.file_bytes, segments); !added)
      return added.error();
    // The directory lies behind every segment, and behind the old directory.
    std::uint64_t end = old.file_bytes;
    if (!segments.empty()) end = std::max(end, segments.back().end(rows()));
    IndexHeader header = old;
    ++header.changes;
    if (auto ended = write_end(file, end, segments, header); !ended) return ended.error();
    return result;
  }

  std::string path_;
  const FileLock& lock_;
  const IndexChangeOptions& options_;
  bool is_header_written_ = false;
};

// Each live filter's segment and column, by its name.
struct Place {
  std::size_t segment;
  std::uint64_t column;
};
std::unordered_map<std::string_view, Place> places_of(const std::vector<IndexSegment>& segments) {
  std::unordered_map<std::string_view, Place> places;
  for (std::size_t at = 0; at < segments.size(); ++at)
    for (std::uint64_t i = 0; i < segments[at].columns; ++i)
      if (!segments[at].is_deleted(i))
        places.emplace(segments[at].filters[static_cast<std::size_t>(i)].name, Place{at, i});
  return places;
}

// The new segment takes in those at the end that are smaller than it, and any that does not fill a
// byte of its rows: so segments grow like the digits of a number, and there are few.
std::uint64_t count_to_take_in(const std::vector<IndexSegment>& segments, std::uint64_t columns) {
  std::uint64_t taken = 0;
  for (std::size_t i = segments.size(); i-- > 0; ++taken) {
    const std::uint64_t live = segments[i].live_columns();
    if (live >= 8 && live > columns) break;
    columns += live;
  }
  return taken;
}

}  // namespace

Result<IndexChange> build_index(std::span<const FilterToIndex> filters, FileName path,
                                const FileLock& lock, const IndexChangeOptions& options) {
  if (filters.empty()) return invalid_argument("an index needs at least one filter, for its shape");
  auto readers = open_filters(filters);
  if (!readers) return readers.error();
  Change change{path, lock, options};
  change.plan.shape = readers->front().shape();
  change.plan.filters = *readers;
  change.result.added = filters.size();
  return change.save_as_new(0);
}

Result<IndexChange> append_to_index(FileName path, std::span<const FilterToIndex> filters,
                                    const FileLock& lock, const IndexChangeOptions& options) {
  const auto old = OldIndex::open(path, lock, options.limits);
  if (!old) return old.error();
  auto readers = open_filters(filters);
  if (!readers) return readers.error();
  const IndexHeader& header = old->directory.header;
  Change change{path, lock, options};
  change.old_bytes = old->file.bytes();
  change.kept = old->directory.segments;
  change.plan.shape = header.shape;
  change.plan.filters = *readers;
  change.result.added = filters.size();
  const auto places = places_of(change.kept);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (auto same = same_indexed_shape(header.shape, (*readers)[i].shape()); !same)
      return Error{same.error().code, message(filters[i].path, ": ", same.error().message)};
    const auto found = places.find(filters[i].name);
    if (found == places.end()) continue;
    if (!options.replaces)
      return invalid_argument(message(filters[i].path, ": the index has a filter called ",
                                      filters[i].name,
                                      "; give this one another name (--name), or replace that "
                                      "(--replace)"));
    change.kept[found->second.segment].mark_deleted(found->second.column);
    ++change.result.deleted;
  }
  std::erase_if(change.kept, [](const IndexSegment& one) { return one.live_columns() == 0; });
  const std::uint64_t taken = count_to_take_in(change.kept, filters.size());
  const auto first_taken = change.kept.end() - static_cast<std::ptrdiff_t>(taken);
  const std::vector<IndexSegment> merged{first_taken, change.kept.end()};
  // What the file would hold, against what of it would be in use.
  const auto size_of = [&](std::uint64_t columns) { return header.rows() * ((columns + 7) / 8); };
  std::uint64_t columns = filters.size();
  for (const IndexSegment& segment : merged) columns += segment.live_columns();
  std::uint64_t live = size_of(columns);
  for (auto segment = change.kept.begin(); segment != first_taken; ++segment)
    live += segment->end(header.rows()) - segment->offset;
  if (header.file_bytes + size_of(columns) > 2 * live) {
    auto saved = change.save_as_new(header.changes + 1);
    return saved;
  }
  change.kept.erase(first_taken, change.kept.end());
  for (const IndexSegment& segment : merged)
    change.plan.old.push_back({&segment, old->file.bytes()});
  return change.save_in_place(header);
}

Result<IndexChange> delete_from_index(FileName path, std::span<const std::string> names,
                                      const FileLock& lock, const IndexChangeOptions& options) {
  const auto old = OldIndex::open(path, lock, options.limits);
  if (!old) return old.error();
  Change change{path, lock, options};
  change.kept = old->directory.segments;
  change.plan.shape = old->directory.header.shape;
  const auto places = places_of(change.kept);
  for (const std::string& name : names) {
    const auto found = places.find(name);
    if (found == places.end())
      return invalid_argument(
          message(path.view(), ": it has no filter called ", name, "; nothing was deleted"));
    IndexSegment& segment = change.kept[found->second.segment];
    if (segment.is_deleted(found->second.column)) continue;  // named twice
    segment.mark_deleted(found->second.column);
    ++change.result.deleted;
  }
  std::erase_if(change.kept, [](const IndexSegment& one) { return one.live_columns() == 0; });
  return change.save_in_place(old->directory.header);
}

Result<IndexChange> compact_index(FileName path, const FileLock& lock,
                                  const IndexChangeOptions& options) {
  const auto old = OldIndex::open(path, lock, options.limits);
  if (!old) return old.error();
  Change change{path, lock, options};
  change.old_bytes = old->file.bytes();
  change.kept = old->directory.segments;
  change.plan.shape = old->directory.header.shape;
  return change.save_as_new(old->directory.header.changes + 1);
}

}  // namespace bloomery
