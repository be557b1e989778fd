#include "apps/ethlog/store/freezer_table.h"

#include <charconv>

#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/store/snappy_frames.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/file.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPlaceBytes = 6;  // file number u16, end offset u32, both big-endian
constexpr std::size_t kNumberDigits = 4;

// The number in NAME.NNNN.cdat, or nothing for a file that is not this table's.
std::optional<std::uint16_t> data_file_number(std::string_view file, std::string_view name,
                                              std::string_view extension) {
  if (file.size() < name.size() + 1 + kNumberDigits + extension.size()) return std::nullopt;
  if (!file.starts_with(name) || file[name.size()] != '.' || !file.ends_with(extension))
    return std::nullopt;
  file.remove_prefix(name.size() + 1);
  file.remove_suffix(extension.size());
  std::uint16_t number = 0;
  const auto read = std::from_chars(file.data(), file.data() + file.size(), number);
  if (read.ec != std::errc{} || read.ptr != file.data() + file.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<FreezerTable> FreezerTable::open(const std::filesystem::path& folder,
                                        const std::string& name, DecodeLimits limits) {
  std::error_code ignored;
  const auto compressed = folder / (name + ".cidx");
  const bool is_compressed = std::filesystem::exists(compressed, ignored);
  Result<ReadAt> index = ReadAt::open(is_compressed ? compressed : folder / (name + ".ridx"));
  if (!index) return index.error();
  FreezerTable table{name, std::move(*index), limits};
  table.compressed_ = is_compressed;
  if (const Status s = table.open_data(folder); !s) return s.error();
  if (const Status s = table.count_values(); !s) return s.error();
  if (const Status s = table.read_meta(folder); !s) return s.error();
  return table;
}

Result<std::pair<FreezerTable::Place, FreezerTable::Place>> FreezerTable::places(
    std::uint64_t entry) const {
  const auto bytes = index_.read(entry * kPlaceBytes, 2 * kPlaceBytes);
  if (!bytes) return bytes.error();
  const auto place = [&](std::size_t at) {
    return Place{load_be<std::uint16_t>(bytes->data() + at),
                 load_be<std::uint32_t>(bytes->data() + at + 2)};
  };
  return std::pair{place(0), place(kPlaceBytes)};
}

Status FreezerTable::open_data(const std::filesystem::path& folder) {
  const std::string_view extension = compressed_ ? ".cdat" : ".rdat";
  const auto names = list_folder(folder.string());
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const auto number = data_file_number(name, name_, extension);
    if (!number) continue;
    Result<ReadAt> file = ReadAt::open(folder / name);
    if (!file) return file.error();
    data_.emplace(*number, std::move(*file));
  }
  return ok();
}

Status FreezerTable::count_values() {
  const std::uint64_t entries = index_.size() / kPlaceBytes;
  if (entries == 0) return ok();
  const auto first = index_.read(0, kPlaceBytes);
  if (!first) return first.error();
  // The first entry's offset is a count, not a place.
  deleted_ = first_ = load_be<std::uint32_t>(first->data() + 2);
  for (values_ = entries - 1; values_ > 0; --values_) {
    const auto last = places(values_ - 1);
    if (!last) return last.error();
    const auto file = data_.find(last->second.file);
    if (file != data_.end() && file->second.size() >= last->second.offset) break;
  }
  return ok();
}

// RLP [version, tail] or [2, tail, flushed bytes of the index]; absent in databases before 2022.
Status FreezerTable::read_meta(const std::filesystem::path& folder) {
  const auto path = folder / (name_ + ".meta");
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return ok();
  const auto bytes = read_file(path, {4096});
  if (!bytes) return bytes.error();
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(*bytes, failure, path.string());
  const std::uint64_t version = items.number("version of " + path.string());
  const std::uint64_t tail = items.number("tail of " + path.string());
  if (failure) return failure.error();
  if (version != 1 && version != 2)
    return Error{ErrorCode::kUnsupported,
                 message(path.string(), ": version 1 or 2 was expected, not ", version)};
  first_ = std::max(first_, std::min(tail, end()));
  return ok();
}

Result<std::vector<std::byte>> FreezerTable::stored(std::uint64_t number) const {
  const std::uint64_t entry = number - deleted_;
  const auto ends = places(entry);
  if (!ends) return ends.error();
  const auto& [before, after] = *ends;
  const bool starts_file = entry == 0 || before.file != after.file;
  const std::uint32_t from = starts_file ? 0 : before.offset;
  const auto file = data_.find(after.file);
  if (file == data_.end())
    return Error{ErrorCode::kMalformed,
                 message("freezer table ", name_, ": value ", number, " should be in data file ",
                         after.file, ", which is not there")};
  if (from > after.offset || after.offset > file->second.size())
    return Error{
        ErrorCode::kMalformed,
        message("freezer table ", name_, ": value ", number, " should be bytes ", from, " to ",
                after.offset, " of data file ", after.file, ", which has ", file->second.size())};
  // What cannot be compressed grows by a sixth at most.
  const std::uint64_t most = limits_.max_bytes + (compressed_ ? limits_.max_bytes / 6 + 32 : 0);
  if (after.offset - from > most)
    return Error{ErrorCode::kTooLarge,
                 message("freezer table ", name_, ": value ", number, " has ", after.offset - from,
                         " bytes; at most ", limits_.max_bytes, " are read")};
  return file->second.read(from, after.offset - from);
}

Result<std::optional<std::vector<std::byte>>> FreezerTable::value(std::uint64_t number) const {
  if (number < first_ || number >= end()) return std::optional<std::vector<std::byte>>{};
  Result<std::vector<std::byte>> bytes = stored(number);
  if (!bytes) return bytes.error();
  if (compressed_) {
    auto plain = decode_snappy_block(*bytes, limits_);
    if (!plain)
      return Error{plain.error().code, message("freezer table ", name_, ", value ", number, ": ",
                                               plain.error().message)};
    return std::optional{std::move(*plain)};
  }
  return std::optional{std::move(*bytes)};
}

}  // namespace bloomery::ethlog
