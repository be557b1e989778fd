// Lines of a text, one at a time and none longer than a limit.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>

#include "apps/input/input.h"

namespace bloomery::ethlog {

// One line without its end; nothing after the last. The view is good until the next call.
using LineSource = std::function<Result<std::optional<std::string_view>>()>;

// Bytes into the span, zero of them at the end of the input.
using ByteSource = std::function<Result<std::size_t>(ByteSpan)>;

constexpr std::size_t kMostLineBytes = std::size_t{32} << 20;  // the longest real block: 3.6 MB

LineSource lines_of(ByteSource bytes, std::size_t most_bytes = kMostLineBytes);
// The bytes of an input; errors do not name it, so that the number of the line comes behind the
// name.
ByteSource bytes_of_input(input::Input input);
// Those of a file, a pipe or stdin ("-"), decompressed.
Result<ByteSource> bytes_of_file(const std::filesystem::path& path);

}  // namespace bloomery::ethlog
