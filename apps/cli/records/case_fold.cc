#include "apps/cli/records/case_fold.h"

#include <utf8proc.h>

#include "apps/cli/records/case_fold_ascii.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

Status fold_case(std::string& text) {
  if (!fold_ascii(text)) return ok();
  constexpr int kMostCodePoints = 4;  // of the folding of one; CaseFolding.txt has at most 3
  std::string folded;
  folded.reserve(text.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const auto left = static_cast<utf8proc_ssize_t>(text.size() - at);
    const utf8proc_ssize_t read = bytes[at] < 0x80 ? 0 : utf8proc_iterate(bytes + at, left, &code);
    if (read <= 0) {
      folded += text[at++];
      continue;
    }
    utf8proc_int32_t points[kMostCodePoints];
    int boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(code, points, kMostCodePoints, UTF8PROC_CASEFOLD, &boundary);
    if (count <= 0 || count > kMostCodePoints) {
      folded.append(text, at, static_cast<std::size_t>(read));
    } else {
      for (utf8proc_ssize_t i = 0; i < count; ++i) {
        utf8proc_uint8_t encoded[4];
        const utf8proc_ssize_t size = utf8proc_encode_char(points[i], encoded);
        folded.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
      }
    }
    at += static_cast<std::size_t>(read);
  }
  text = std::move(folded);
  return ok();
}

std::string case_folding_version() { return message("Unicode ", utf8proc_unicode_version()); }

}  // namespace bloomery::cli
