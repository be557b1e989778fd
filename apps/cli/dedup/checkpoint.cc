#include "apps/cli/dedup/checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/partial_file.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/base/file.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kCheckpointMagic = "BLOOMCKP";
constexpr std::uint32_t kCheckpointVersion = 1;
constexpr std::size_t kIdentifyingBytes = std::size_t{64} << 10;

Error damaged_checkpoint(std::string_view why) {
  return {ErrorCode::kMalformed, message("the checkpoint is damaged: ", why)};
}

void put_text(ByteWriter& writer, std::string_view text) {
  writer.le(static_cast<std::uint64_t>(text.size()));
  writer.put(bytes_of(text));
}
std::string take_text(ByteReader& reader) {
  const auto size = reader.le<std::uint64_t>();
  return std::string{text_of(reader.take(size))};
}

void put_identity(ByteWriter& writer, const InputIdentity& input) {
  put_text(writer, input.path);
  writer.le(input.bytes);
  writer.le(static_cast<std::uint64_t>(input.modified));
  writer.le(input.start);
  writer.le(input.end);
}
InputIdentity take_identity(ByteReader& reader) {
  InputIdentity input;
  input.path = take_text(reader);
  input.bytes = reader.le<std::uint64_t>();
  input.modified = static_cast<std::int64_t>(reader.le<std::uint64_t>());
  input.start = reader.le<std::uint64_t>();
  input.end = reader.le<std::uint64_t>();
  return input;
}

Result<InputIdentity> identity_of(const InputFile& input) {
  struct stat info {};
  if (input.path == "-" || ::stat(input.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return Error{ErrorCode::kInvalidArgument,
                 message(input.path == "-" ? "standard input" : input.path,
                         ": --checkpoint needs regular files, because a pipe cannot be read again; "
                         "write it to a file first")};
  InputIdentity identity{input.path, static_cast<std::uint64_t>(info.st_size),
                         std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
  const auto mapped = MappedFile::open(input.path);
  if (!mapped) return mapped.error();
  const ByteView bytes = mapped->bytes();
  const std::size_t compared = std::min(bytes.size(), kIdentifyingBytes);
  identity.start = xxh3_64(bytes.first(compared));
  identity.end = xxh3_64(bytes.last(compared));
  return identity;
}

std::string start_over(const std::string& path) {
  return message("; to start over, remove ", path);
}

}  // namespace

Result<CheckpointInterval> parse_interval(const std::string& text) {
  const bool is_bytes = text.ends_with('B');
  std::string number = text;
  // Elsewhere a lower-case m would be taken for milli; here it cannot be.
  if (!is_bytes && number.ends_with('m')) number.back() = 'M';
  const auto count = parse_count(number);
  if (!count) return count.error();
  if (*count == 0)
    return Error{ErrorCode::kInvalidArgument, "the interval must be at least 1 record or 1B"};
  return is_bytes ? CheckpointInterval{0, *count} : CheckpointInterval{*count, 0};
}

Result<std::vector<InputIdentity>> identify(const std::vector<InputFile>& inputs) {
  std::vector<InputIdentity> identities;
  for (const InputFile& input : inputs) {
    auto identity = identity_of(input);
    if (!identity) return identity.error();
    identities.push_back(std::move(*identity));
  }
  return identities;
}

std::vector<std::byte> encode_checkpoint(const CheckpointState& state) {
  ByteWriter writer;
  writer.reserve(state.filter.size() + 4096);
  writer.put(bytes_of(kCheckpointMagic));
  writer.le(kCheckpointVersion);
  put_text(writer, state.options);
  writer.le(static_cast<std::uint64_t>(state.inputs.size()));
  for (const InputIdentity& input : state.inputs) put_identity(writer, input);
  for (const std::uint64_t number :
       {state.position.file, state.position.bytes, state.position.records, state.records,
        state.kept, state.skipped, std::bit_cast<std::uint64_t>(state.expected_wrong),
        std::bit_cast<std::uint64_t>(state.seconds), state.output_bytes, state.dupes_bytes,
        std::uint64_t{state.had_saved}, state.saved_hash, std::uint64_t{state.finished}})
    writer.le(number);
  put_text(writer, state.format);
  put_text(writer, text_of(state.filter));
  std::vector<std::byte> bytes = writer.take();
  ByteWriter sum;
  sum.le(xxh3_64(bytes));
  const auto tail = sum.take();
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

Result<CheckpointState> decode_checkpoint(ByteView bytes) {
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  if (bytes.size() < kCheckpointMagic.size() + kSum ||
      text_of(bytes.first(kCheckpointMagic.size())) != kCheckpointMagic)
    return damaged_checkpoint("it is not a file of bloomery dedup --checkpoint");
  const ByteView body = bytes.first(bytes.size() - kSum);
  if (load_le<std::uint64_t>(bytes.data() + body.size()) != xxh3_64(body))
    return damaged_checkpoint("its checksum does not fit");
  ByteReader reader{body.subspan(kCheckpointMagic.size())};
  if (const auto version = reader.le<std::uint32_t>(); version != kCheckpointVersion)
    return Error{ErrorCode::kUnsupported, message("the checkpoint has version ", version,
                                                  "; this program knows ", kCheckpointVersion)};
  CheckpointState state;
  state.options = take_text(reader);
  const auto inputs = reader.le<std::uint64_t>();
  for (std::uint64_t i = 0; i < inputs && !reader.failed(); ++i)
    state.inputs.push_back(take_identity(reader));
  const auto next = [&reader] { return reader.le<std::uint64_t>(); };
  state.position.file = next();
  state.position.bytes = next();
  state.position.records = next();
  state.records = next();
  state.kept = next();
  state.skipped = next();
  state.expected_wrong = std::bit_cast<double>(next());
  state.seconds = std::bit_cast<double>(next());
  state.output_bytes = next();
  state.dupes_bytes = next();
  state.had_saved = next() != 0;
  state.saved_hash = next();
  state.finished = next() != 0;
  state.format = take_text(reader);
  const ByteView filter = reader.take(reader.le<std::uint64_t>());
  if (reader.failed() || reader.remaining() != 0 || state.position.file > state.inputs.size() ||
      (state.position.file == state.inputs.size() &&
       (state.position.bytes > 0 || state.position.records > 0)) ||
      state.kept > state.records || state.skipped > state.kept)
    return damaged_checkpoint("its numbers do not fit together");
  state.filter.assign(filter.begin(), filter.end());
  return state;
}

std::string checkpoint_of(const std::string& output) {
  constexpr std::string_view kPartial = ".partial";
  std::string name = partial_of(output);
  name.resize(name.size() - kPartial.size());
  return name + ".checkpoint";
}

Result<std::optional<CheckpointState>> load_checkpoint(const std::string& path,
                                                       std::uint64_t max_bytes) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<CheckpointState>{};
  const auto bytes = read_file(path, {.max_bytes = max_bytes});
  if (!bytes) return bytes.error();
  auto state = decode_checkpoint(*bytes);
  if (!state)
    return Error{state.error().code, message(path, ": ", state.error().message, start_over(path))};
  return std::optional{std::move(*state)};
}

Status save_checkpoint(const std::string& path, const CheckpointState& state) {
  return save_file(path, encode_checkpoint(state));
}

Status remove_checkpoint(const std::string& path) {
  if (::unlink(path.c_str()) != 0)
    return Error{ErrorCode::kIo, message(path, ": cannot remove it: ", std::strerror(errno),
                                         "; the run is complete")};
  try {
    sync_folder_of(path);
  } catch (const std::bad_alloc&) {  // one that comes back after a power loss says "finished"
  }
  return ok();
}

Status check_no_checkpoint(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message(path, ": an earlier run is not finished; go on with ",
                       "--checkpoint and its other options, or remove the file")};
}

Status check_same_run(const std::string& path, const CheckpointState& state,
                      const std::string& options, const std::vector<InputIdentity>& inputs) {
  const auto refuse = [&](std::string why) {
    return Error{ErrorCode::kInvalidArgument, message(path, ": ", why, start_over(path))};
  };
  if (state.options != options)
    return refuse(
        message("the unfinished run had other options:", state.options, "; now:", options));
  if (state.inputs.size() != inputs.size())
    return refuse(message("the unfinished run read ", state.inputs.size(), " files, and now ",
                          inputs.size(), " are given"));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (state.inputs[i].path != inputs[i].path)
      return refuse(message("the unfinished run read ", state.inputs[i].path, ", and now ",
                            inputs[i].path, " is given in its place"));
    if (state.inputs[i] != inputs[i])
      return refuse(message(inputs[i].path, " changed since the unfinished run read it"));
  }
  return ok();
}

Result<BegunRun> begin_or_resume(const std::string& path, const std::string& options,
                                 const std::vector<InputFile>& inputs, std::uint64_t max_bytes) {
  auto identities = identify(inputs);
  if (!identities) return identities.error();
  auto state = load_checkpoint(path, max_bytes);
  if (!state) return state.error();
  if (*state) {
    if (auto same = check_same_run(path, **state, options, *identities); !same) return same.error();
    return BegunRun{std::move(**state), true};
  }
  BegunRun begun;
  begun.state.options = options;
  begun.state.inputs = std::move(*identities);
  return begun;
}

Result<SavedHash> hash_of_saved(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return SavedHash{};
  const auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  return SavedHash{true, xxh3_64(mapped->bytes())};
}

Status check_saved(const std::string& checkpoint, const CheckpointState& state,
                   const std::string& path, SavedHash now) {
  if (now.exists == state.had_saved && (!now.exists || now.hash == state.saved_hash)) return ok();
  if (state.finished && now.exists && now.hash == xxh3_64(state.filter)) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message(checkpoint, ": ", path, " changed since the unfinished run began",
                       start_over(checkpoint))};
}

}  // namespace bloomery::cli
