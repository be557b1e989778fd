#include "apps/ethlog/store/snappy_frames.h"

#include <snappy.h>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/crc32c.h"

namespace bloomery::ethlog {
namespace {

constexpr std::string_view kStreamIdentifier = "sNaPpY";
constexpr std::size_t kMostChunk = 65536;  // uncompressed
constexpr std::size_t kChecksumBytes = 4;

enum ChunkType : std::uint8_t {
  kCompressed = 0x00,
  kRaw = 0x01,
  kFirstSkippable = 0x80,
  kIdentifier = 0xff,
};

Error broken(std::string_view why) {
  return {ErrorCode::kMalformed, message("Snappy stream: ", why)};
}

// The framing stores checksums rotated and shifted by a constant, so that the checksum of data that
// itself holds checksums stays useful.
std::uint32_t masked(std::uint32_t checksum) {
  return ((checksum >> 15) | (checksum << 17)) + 0xa282ead8U;
}

// Appends what the block holds, at most `most` bytes of it.
Status append_block(std::vector<std::byte>& out, ByteView compressed, std::uint64_t most) {
  // A copy: the length is read here and once more by the decoder, which believes it, and the bytes
  // may be those of a file that another process writes to.
  const std::string text{text_of(compressed)};
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(text.data(), text.size(), &size))
    return broken("a block does not begin with its length");
  if (size > most)
    return Error{ErrorCode::kTooLarge, message("Snappy stream: a block says it holds ", size,
                                               " bytes, where at most ", most, " are accepted")};
  // No element of the format makes more than 64 bytes out of two.
  if (size / 32 > compressed.size())
    return broken(message("a block of ", compressed.size(), " bytes says it holds ", size));
  const std::size_t before = out.size();
  out.resize(before + size);
  if (!snappy::RawUncompress(text.data(), text.size(),
                             reinterpret_cast<char*>(out.data() + before)))
    return broken("a compressed block is broken");
  return ok();
}

Status append_chunk(std::vector<std::byte>& out, std::uint8_t type, ByteView chunk,
                    DecodeLimits limits) {
  if (chunk.size() < kChecksumBytes) return broken("a chunk is too short for its checksum");
  const auto checksum = load_le<std::uint32_t>(chunk.data());
  const ByteView data = chunk.subspan(kChecksumBytes);
  const std::size_t before = out.size();
  const std::uint64_t room = limits.max_bytes - std::min<std::uint64_t>(before, limits.max_bytes);
  if (type == kCompressed) {
    if (const Status s = append_block(out, data, std::min<std::uint64_t>(kMostChunk, room)); !s)
      return s;
  } else {
    if (data.size() > kMostChunk) return broken("a raw chunk is longer than 65536 bytes");
    if (data.size() > room)
      return Error{ErrorCode::kTooLarge,
                   message("Snappy stream: it holds more than ", limits.max_bytes, " bytes")};
    out.insert(out.end(), data.begin(), data.end());
  }
  if (masked(crc32c(ByteView{out}.subspan(before))) != checksum)
    return broken("the checksum of a chunk does not fit its data");
  return ok();
}

}  // namespace

Result<std::vector<std::byte>> decode_snappy_block(ByteView compressed, DecodeLimits limits) {
  std::vector<std::byte> out;
  if (const Status s = append_block(out, compressed, limits.max_bytes); !s) return s.error();
  return out;
}

Result<std::vector<std::byte>> decode_snappy_frames(ByteView stream, DecodeLimits limits) {
  ByteReader reader{stream};
  std::vector<std::byte> out;
  bool identified = false;
  while (reader.remaining() > 0) {
    const auto head = reader.le<std::uint32_t>();
    const auto type = static_cast<std::uint8_t>(head & 0xff);
    const ByteView chunk = reader.take(head >> 8);
    if (reader.failed()) return reader.truncated("Snappy stream");
    if (type == kIdentifier) {
      if (text_of(chunk) != kStreamIdentifier) return broken("the stream identifier is wrong");
      identified = true;
    } else if (!identified) {
      return broken("it does not begin with the stream identifier");
    } else if (type == kCompressed || type == kRaw) {
      if (const Status s = append_chunk(out, type, chunk, limits); !s) return s.error();
    } else if (type < kFirstSkippable) {
      return broken(message("a chunk of the unknown type ", unsigned{type}, " may not be skipped"));
    }
  }
  if (!identified) return broken("it is empty");
  return out;
}

}  // namespace bloomery::ethlog
