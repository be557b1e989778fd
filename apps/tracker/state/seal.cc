// The bytes of tracker.seal. All numbers little-endian:
//   "BLMTSEAL", u32 version, u32 flags (1 marks only), u64 content, u64 epoch, u32 drives, u32
//   copies; each drive: u32 bytes, path; each copy: u32 bytes, folder, u64 inode, i64 seconds, i64
//   nanoseconds; u64 XXH3-64 of all before it.
#include "apps/tracker/state/seal.h"

#include <sys/stat.h>

#include <algorithm>

#include "apps/tracker/state/private_files.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kSealMagic = "BLMTSEAL";
constexpr std::uint32_t kSealVersion = 1;
constexpr std::uint32_t kSealMarksOnly = 1;
constexpr std::size_t kSealSumBytes = 8;
constexpr std::uint64_t kMostSealBytes = std::uint64_t{16} << 20;

Error bad_seal(std::string_view what) {
  return {ErrorCode::kMalformed, message("a tracker's seal: ", what)};
}

void put_path(ByteWriter& writer, const std::string& path) {
  writer.le(static_cast<std::uint32_t>(path.size()));
  writer.put(bytes_of(path));
}

std::string read_path(ByteReader& reader) {
  return std::string{text_of(reader.take(reader.le<std::uint32_t>()))};
}

// "a" and "./a" are one folder.
std::string named(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto whole = std::filesystem::weakly_canonical(folder, ignored);
  return (ignored ? folder : whole).string();
}

}  // namespace

std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_ino, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

std::vector<std::byte> encode_seal(const Seal& seal) {
  ByteWriter writer;
  writer.put(bytes_of(kSealMagic));
  writer.le(kSealVersion);
  writer.le(seal.marks_only ? kSealMarksOnly : 0U);
  writer.le(seal.content);
  writer.le(seal.epoch);
  writer.le(static_cast<std::uint32_t>(seal.drives.size()));
  writer.le(static_cast<std::uint32_t>(seal.copies.size()));
  for (const std::string& drive : seal.drives) put_path(writer, drive);
  for (const SealedCopy& copy : seal.copies) {
    put_path(writer, copy.folder);
    writer.le(copy.file.inode);
    writer.le(copy.file.changed_seconds);
    writer.le(copy.file.changed_nanoseconds);
  }
  auto bytes = writer.take();
  const std::uint64_t sum = xxh3_64(bytes);
  bytes.resize(bytes.size() + kSealSumBytes);
  store_le(bytes.data() + bytes.size() - kSealSumBytes, sum);
  return bytes;
}

Result<Seal> decode_seal(ByteView bytes) {
  if (bytes.size() < kSealMagic.size() + sizeof kSealVersion + kSealSumBytes)
    return bad_seal("it is cut off");
  const ByteView summed = bytes.first(bytes.size() - kSealSumBytes);
  if (xxh3_64(summed) != load_le<std::uint64_t>(summed.data() + summed.size()))
    return bad_seal("the checksum is wrong: it is damaged or cut off");
  ByteReader reader{summed};
  if (text_of(reader.take(kSealMagic.size())) != kSealMagic)
    return bad_seal("it begins with BLMTSEAL, and this does not");
  if (const auto version = reader.le<std::uint32_t>(); version != kSealVersion)
    return Error{ErrorCode::kUnsupported,
                 message("a tracker's seal: unsupported version ", version, "; upgrade bloomery")};
  Seal seal;
  const auto flags = reader.le<std::uint32_t>();
  if (flags > kSealMarksOnly) return bad_seal("an unknown flag is set");
  seal.marks_only = (flags & kSealMarksOnly) != 0;
  seal.content = reader.le<std::uint64_t>();
  seal.epoch = reader.le<std::uint64_t>();
  const auto drives = reader.le<std::uint32_t>();
  const auto copies = reader.le<std::uint32_t>();
  for (std::uint32_t i = 0; i < drives && !reader.failed(); ++i)
    seal.drives.push_back(read_path(reader));
  for (std::uint32_t i = 0; i < copies && !reader.failed(); ++i) {
    SealedCopy copy;
    copy.folder = read_path(reader);
    copy.file.inode = reader.le<std::uint64_t>();
    copy.file.changed_seconds = reader.le<std::int64_t>();
    copy.file.changed_nanoseconds = reader.le<std::int64_t>();
    seal.copies.push_back(std::move(copy));
  }
  if (reader.failed()) return reader.truncated("a tracker's seal");
  if (reader.remaining() > 0) return bad_seal("something follows the last copy");
  return seal;
}

Result<Seal> read_seal(const std::filesystem::path& folder) {
  const auto bytes = read_file(folder / kSealFile, {.max_bytes = kMostSealBytes});
  if (!bytes) return bytes.error();
  return decode_seal(*bytes);
}

void remove_seal(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / kSealFile, ignored);
}

Status write_seal(const std::filesystem::path& folder, const Seal& seal) {
  Seal named_copies = seal;
  for (SealedCopy& copy : named_copies.copies) copy.folder = named(copy.folder);
  return save_private(folder / kSealFile, encode_seal(named_copies));
}

std::string broken_seal(const Result<Seal>& seal, const std::filesystem::path& folder,
                        std::string_view name, std::uint64_t content) {
  if (!seal) return "tracker.seal, which says what was saved last, is missing or cannot be read";
  if (seal->content != content)
    return "the state is not the one that was saved last: an older copy of it was put back, or a "
           "newer one was lost";
  const auto copy = std::ranges::find(seal->copies, named(folder), &SealedCopy::folder);
  if (copy == seal->copies.end() || copy->file != identity_of(folder / name))
    return "the state's file was copied, restored or changed since it was saved: changes that were "
           "marked meanwhile may be missing";
  return {};
}

}  // namespace bloomery::tracker
