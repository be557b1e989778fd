#include "apps/http/compression.h"

#include <zlib.h>
#if BLOOMERY_HTTP_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <optional>

namespace bloomery::http {
namespace {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB, with gzip's head and sum
constexpr int kFast = 1;              // four times as fast as zlib's default, a fifth larger
constexpr int kZstdLevel = 1;

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_named(std::string_view found, std::string_view name) {
  return std::ranges::equal(found, name, {}, lowered);
}

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// In thousandths: "0", "0.5", "1.000". Nothing for what is none.
std::optional<unsigned> quality_of(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  unsigned value = text[0] == '1' ? 1000 : 0;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  unsigned place = 100;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value += place * static_cast<unsigned>(digit - '0');
    place /= 10;
  }
  return value <= 1000 ? std::optional{value} : std::nullopt;
}

struct Choice {
  std::string_view name;
  unsigned quality = 1000;
};

std::optional<Choice> choice_from(std::string_view item) {
  const std::size_t mark = item.find(';');
  Choice choice{without_spaces(item.substr(0, mark))};
  if (mark == std::string_view::npos) return choice;
  const std::string_view weight = without_spaces(item.substr(mark + 1));
  if (weight.size() < 2 || lowered(weight[0]) != 'q' || weight[1] != '=') return std::nullopt;
  const auto quality = quality_of(weight.substr(2));
  if (!quality) return std::nullopt;
  choice.quality = *quality;
  return choice;
}

// Into the room that `out` has, or not at all.
bool gzip(std::string_view body, std::string& out) {
  z_stream stream{};
  if (deflateInit2(&stream, kFast, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  // zlib's interface takes no const, and reads only.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool ended = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return ended;
}

bool zstd(std::string_view body, std::string& out) {
#if BLOOMERY_HTTP_ZSTD
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), body.data(), body.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return false;
  out.resize(size);
  return true;
#else
  (void)body, (void)out, (void)kZstdLevel;
  return false;
#endif
}

}  // namespace

Coding accepted_coding(std::string_view accept_encoding) {
  unsigned of_gzip = 0, of_zstd = 0;
  std::optional<unsigned> of_any;
  bool gzip_named = false, zstd_named = false;
  for (std::string_view rest = accept_encoding; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const auto choice = choice_from(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (!choice) continue;
    if (is_named(choice->name, "gzip") || is_named(choice->name, "x-gzip"))
      of_gzip = choice->quality, gzip_named = true;
    else if (is_named(choice->name, "zstd"))
      of_zstd = choice->quality, zstd_named = true;
    else if (choice->name == "*")
      of_any = choice->quality;
  }
  if (of_any && !gzip_named) of_gzip = *of_any;
#if BLOOMERY_HTTP_ZSTD
  if (zstd_named && of_zstd > 0 && of_zstd >= of_gzip) return Coding::kZstd;
#else
  (void)of_zstd, (void)zstd_named;
#endif
  return of_gzip > 0 ? Coding::kGzip : Coding::kNone;
}

bool compress(Coding coding, std::string& body) {
  constexpr std::size_t kMost = std::size_t{1} << 31;  // zlib counts what it is given in 32 bits
  if (body.size() > kMost) return false;
  std::string out(body.size() / 2, '\0');
  if (!(coding == Coding::kZstd ? zstd(body, out) : gzip(body, out))) return false;
  out.shrink_to_fit();
  body = std::move(out);
  return true;
}

void compress_reply(std::string_view accept_encoding, std::size_t from, Reply& reply) {
  if (reply.body.size() < from) return;
  for (const auto& [name, value] : reply.headers)
    if (is_named(name, "content-encoding")) return;
  reply.headers.emplace_back("Vary", "Accept-Encoding");
  const Coding coding = accepted_coding(accept_encoding);
  if (coding == Coding::kNone || !compress(coding, reply.body)) return;
  reply.headers.emplace_back("Content-Encoding", coding == Coding::kZstd ? "zstd" : "gzip");
}

}  // namespace bloomery::http
