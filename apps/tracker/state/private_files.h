// Files and folders that only their owner can read: a tracker's files hold names inside private
// folders, and another user who could open its lock could hold it.
#pragma once
#include <filesystem>
#include <span>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::tracker {

// As create_directories; folders that it makes have mode 0700, those that are there stay as they
// are.
Status make_private_folder(const std::filesystem::path& folder);

// Opens a file to read and write it, made with mode 0600 where it is missing. A file of this user
// that others can open loses those permissions. The descriptor, or -1 with errno.
int open_private(const std::filesystem::path& path);

// save_file(), with the same modes.
Status save_private(const std::filesystem::path& path, std::span<const ByteView> parts);
Status save_private(const std::filesystem::path& path, ByteView bytes);

// Why other users could change the files in a folder: empty where they cannot.
std::string trouble_with_folder(const std::filesystem::path& folder);

}  // namespace bloomery::tracker
