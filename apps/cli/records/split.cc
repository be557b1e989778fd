#include "apps/cli/records/split.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bloomery::cli {
namespace {

#if defined(__SSE2__)

constexpr std::size_t kStep = 64;

// Bit i is set where bytes[i] is the delimiter.
std::uint64_t delimiters_in(const std::byte* bytes, __m128i delimiter) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kStep / sizeof(__m128i); ++i) {
    const __m128i part =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i * sizeof(__m128i)));
    const auto found =
        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, delimiter)));
    mask |= std::uint64_t{found} << (i * sizeof(__m128i));
  }
  return mask;
}

// A call of memchr for each short record costs more than the bytes it looks at, so whole steps are
// searched at once. Returns where the search stopped.
std::size_t split_steps(ByteView bytes, std::size_t& begin, std::size_t searched,
                        std::byte delimiter, std::vector<ByteView>& records) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(delimiter));
  std::size_t count = records.size();
  for (; searched + kStep <= bytes.size(); searched += kStep) {
    if (count + kStep > records.size()) records.resize(count * 2 + kStep);
    for (std::uint64_t mask = delimiters_in(bytes.data() + searched, wanted); mask != 0;
         mask &= mask - 1) {
      const std::size_t end = searched + static_cast<std::size_t>(std::countr_zero(mask));
      records[count++] = ByteView{bytes.data() + begin, end - begin};
      begin = end + 1;
    }
  }
  records.resize(count);
  return searched;
}

#else

std::size_t split_steps(ByteView, std::size_t&, std::size_t searched, std::byte,
                        std::vector<ByteView>&) {
  return searched;
}

#endif

}  // namespace

std::size_t split_records(ByteView bytes, std::size_t begin, std::size_t searched,
                          std::byte delimiter, std::vector<ByteView>& records) {
  searched = split_steps(bytes, begin, searched, delimiter, records);
  while (searched < bytes.size()) {
    const void* found = std::memchr(bytes.data() + searched, std::to_integer<int>(delimiter),
                                    bytes.size() - searched);
    if (found == nullptr) break;
    const auto end = static_cast<std::size_t>(static_cast<const std::byte*>(found) - bytes.data());
    records.push_back(bytes.subspan(begin, end - begin));
    begin = searched = end + 1;
  }
  return begin;
}

}  // namespace bloomery::cli
