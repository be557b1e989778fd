// Usage of a folder: how many regular files, how many bytes, of which sizes, and the last change.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace bloomery::tracker {

// Class 0 is for empty files, class i for sizes from 16^(i-1) up to and without 16^i.
inline constexpr std::size_t kSizeClasses = 17;
constexpr std::size_t size_class(std::uint64_t bytes) {
  return (static_cast<std::size_t>(std::bit_width(bytes)) + 3) / 4;
}
// The smallest size of a class.
constexpr std::uint64_t size_class_begin(std::size_t size_class) {
  return size_class == 0 ? 0 : std::uint64_t{1} << (4 * (size_class - 1));
}

inline constexpr std::int64_t kNoChange = std::numeric_limits<std::int64_t>::min();

struct Usage {
  std::uint64_t objects = 0;  // regular files; each link of a file counts
  std::uint64_t bytes = 0;    // their lengths, not what they occupy on the disk
  std::array<std::uint64_t, kSizeClasses> sizes = {};  // objects of each size class
  std::int64_t newest_unix = kNoChange;                // the last change of a file or of a folder

  void add_object(std::uint64_t size, std::int64_t changed_unix) {
    ++objects;
    bytes += size;
    ++sizes[size_class(size)];
    changed(changed_unix);
  }
  void changed(std::int64_t unix_seconds) {
    if (unix_seconds > newest_unix) newest_unix = unix_seconds;
  }
  void add(const Usage& other) {
    objects += other.objects;
    bytes += other.bytes;
    for (std::size_t i = 0; i < kSizeClasses; ++i) sizes[i] += other.sizes[i];
    changed(other.newest_unix);
  }
  friend bool operator==(const Usage&, const Usage&) = default;
};

}  // namespace bloomery::tracker
