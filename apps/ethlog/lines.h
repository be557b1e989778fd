// Lines of a text file, plain or compressed with xz, one at a time and none longer than a limit.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// One line without its end; nothing after the last. The view is good until the next call.
using LineSource = std::function<Result<std::optional<std::string_view>>()>;

// Bytes into the span, zero of them at the end of the input.
using ByteSource = std::function<Result<std::size_t>(ByteSpan)>;

constexpr std::size_t kMostLineBytes = std::size_t{32} << 20;  // the longest real block: 3.6 MB

LineSource lines_of(ByteSource bytes, std::size_t most_bytes = kMostLineBytes);
// What a source of xz streams, one after the other, holds.
ByteSource unpack_xz(ByteSource packed);
// The bytes of a file, unpacked if it begins as xz does.
Result<ByteSource> bytes_of_file(const std::filesystem::path& path);

}  // namespace bloomery::ethlog
