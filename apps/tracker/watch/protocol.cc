#include "apps/tracker/watch/protocol.h"

#include "apps/tracker/watch/protocol_bytes.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kMagic = "BLMW";

void put_id(ByteWriter& writer, const CycleId& id) {
  writer.le(id.index);
  writer.le(id.token);
}

CycleId read_id(ByteReader& reader) {
  CycleId id;
  id.index = reader.le<std::uint64_t>();
  id.token = reader.le<std::uint64_t>();
  return id;
}

}  // namespace

std::vector<std::byte> encode_frame(WatchCall call, ByteView content) {
  ByteWriter writer;
  writer.reserve(kFrameHeadBytes + content.size());
  writer.put(bytes_of(kMagic));
  writer.le(kWatchProtocol);
  writer.le(static_cast<std::uint16_t>(call));
  writer.le(static_cast<std::uint64_t>(content.size()));
  writer.put(content);
  return writer.take();
}

Result<FrameHead> decode_frame_head(ByteView head, std::uint64_t most) {
  ByteReader reader{head};
  const std::string_view magic = text_of(reader.take(kMagic.size()));
  const auto version = reader.le<std::uint16_t>();
  const auto call = reader.le<std::uint16_t>();
  const auto bytes = reader.le<std::uint64_t>();
  if (reader.failed()) return reader.truncated("a frame's head");
  if (magic != kMagic) return Error{ErrorCode::kMalformed, "a frame begins with BLMW"};
  if (version != kWatchProtocol)
    return Error{ErrorCode::kUnsupported,
                 message("version ", version, " of the watcher's protocol is not ", kWatchProtocol,
                         ": the watcher and this command are of different versions; restart it")};
  if (bytes > most)
    return Error{ErrorCode::kTooLarge, message("a frame of ", bytes, " bytes: at most ", most)};
  return FrameHead{static_cast<WatchCall>(call), bytes};
}

std::vector<std::byte> encode(const MarkCall& call) {
  ByteWriter writer;
  writer.le(std::uint8_t{call.below});
  put_texts(writer, call.paths);
  return writer.take();
}

Result<MarkCall> decode_mark_call(ByteView bytes) {
  ByteReader reader{bytes};
  MarkCall call;
  call.below = reader.le<std::uint8_t>() != 0;
  call.paths = read_texts(reader);
  return whole(reader, std::move(call), "marks");
}

std::vector<std::byte> encode(const QueryCall& call) {
  ByteWriter writer;
  writer.le(std::uint8_t{call.since.has_value()});
  put_id(writer, call.since.value_or(CycleId{}));
  put_texts(writer, call.paths);
  return writer.take();
}

Result<QueryCall> decode_query_call(ByteView bytes) {
  ByteReader reader{bytes};
  QueryCall call;
  const bool has_since = reader.le<std::uint8_t>() != 0;
  const CycleId since = read_id(reader);
  if (has_since) call.since = since;
  call.paths = read_texts(reader);
  return whole(reader, std::move(call), "a query");
}

std::vector<std::byte> encode(const CycleRequest& request) {
  ByteWriter writer;
  writer.le(request.oldest);
  writer.le(request.current);
  put_text(writer, request.oldest_clean);
  return writer.take();
}

Result<CycleRequest> decode_cycle_request(ByteView bytes) {
  ByteReader reader{bytes};
  CycleRequest request;
  request.oldest = reader.le<std::uint64_t>();
  request.current = reader.le<std::uint64_t>();
  request.oldest_clean = read_text(reader);
  return whole(reader, std::move(request), "a request for a cycle");
}

std::vector<std::byte> encode(const CycleAnswer& answer) {
  ByteWriter writer;
  put_id(writer, answer.current);
  writer.le(answer.oldest);
  writer.le(answer.newest);
  writer.le(std::uint8_t{answer.complete});
  writer.le(answer.knows_from);
  return writer.take();
}

Result<CycleAnswer> decode_cycle_answer(ByteView bytes) {
  ByteReader reader{bytes};
  CycleAnswer answer;
  answer.current = read_id(reader);
  answer.oldest = reader.le<std::uint64_t>();
  answer.newest = reader.le<std::uint64_t>();
  answer.complete = reader.le<std::uint8_t>() != 0;
  answer.knows_from = reader.le<std::uint64_t>();
  return whole(reader, answer, "the answer about a cycle");
}

std::vector<std::byte> encode(const Error& error) {
  ByteWriter writer;
  writer.le(static_cast<std::uint8_t>(error.code));
  put_text(writer, error.message);
  return writer.take();
}

Error decode_refusal(ByteView bytes) {
  ByteReader reader{bytes};
  const auto code = reader.le<std::uint8_t>();
  Error error{ErrorCode::kIo, read_text(reader)};
  if (reader.failed() || code > static_cast<std::uint8_t>(ErrorCode::kIo))
    return {ErrorCode::kMalformed, "the watcher refused the command; its reason cannot be read"};
  error.code = static_cast<ErrorCode>(code);
  return error;
}

std::vector<std::byte> encode(const std::vector<std::string>& paths) {
  ByteWriter writer;
  put_texts(writer, paths);
  return writer.take();
}

Result<std::vector<std::string>> decode_paths(ByteView bytes) {
  ByteReader reader{bytes};
  auto paths = read_texts(reader);
  return whole(reader, std::move(paths), "a list of paths");
}

}  // namespace bloomery::tracker
