// The seal of a tracker: a small second file beside the state that records which save was the last
// and which files it wrote. A copy of the state that was restored, from a backup or by hand, does
// not match it. Where the state is damaged, the seal still names the other copies.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::tracker {

inline constexpr std::string_view kSealFile = "tracker.seal";

// A file as the kernel knows it: writing, linking, copying and replacing it change this.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::int64_t changed_seconds = 0;  // its ctime, which no program can set
  std::int64_t changed_nanoseconds = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
std::optional<FileIdentity> identity_of(const std::filesystem::path& file);

struct SealedCopy {
  std::string folder;
  FileIdentity file;
  friend bool operator==(const SealedCopy&, const SealedCopy&) = default;
};

struct Seal {
  std::uint64_t content = 0;  // XXH3-64 of the state's bytes
  std::uint64_t epoch = 0;    // random: another one once something may have been lost
  bool marks_only = false;    // for MinIO's file, which has no place for it
  std::vector<std::string> drives = {};
  std::vector<SealedCopy> copies = {};
  friend bool operator==(const Seal&, const Seal&) = default;
};

std::vector<std::byte> encode_seal(const Seal& seal);
// Takes all the bytes. Checks every length against them before it allocates.
Result<Seal> decode_seal(ByteView bytes);

// Of a state folder; an error where it is missing or damaged.
Result<Seal> read_seal(const std::filesystem::path& folder);
// Before anything is written: what happens until the next seal leaves a state without one.
void remove_seal(const std::filesystem::path& folder);
Status write_seal(const std::filesystem::path& folder, const Seal& seal);

// Why the file with that content, in one of the folders, is not known to be what was saved last;
// empty: it is.
std::string broken_seal(const Result<Seal>& seal, const std::filesystem::path& folder,
                        std::string_view name, std::uint64_t content);

}  // namespace bloomery::tracker
