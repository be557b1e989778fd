#include "apps/ethlog/output/tail_state.h"

#include <charconv>

#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/base/new_file.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostCheckpointBytes = std::size_t{1} << 30;
constexpr std::size_t kLastLine = 2 + 2 * Hash::kSize + 1;
constexpr std::string_view kKind = "bloomery-eth-logs-1";

ByteView view_of(std::string_view text) { return std::as_bytes(std::span{text}); }

Error damaged(std::string_view what) {
  return {ErrorCode::kMalformed,
          message("this is no checkpoint of bloomery eth logs, or a damaged one: ", what,
                  "; restore a copy, or remove it and begin anew")};
}

bool to_number(std::string_view json, std::uint64_t& out) {
  const std::string_view text = json_trimmed(json);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

bool to_hash(std::string_view json, Hash& out) {
  if (json_kind(json) != JsonKind::kString) return false;
  const auto hash = Hash::from_hex(json_text(json));
  if (hash) out = *hash;
  return hash.has_value();
}

bool to_blocks(std::string_view json, std::vector<TailBlock>& out) {
  if (json_kind(json) != JsonKind::kArray) return false;
  bool good = true;
  visit_json_items(json, [&](std::string_view item) {
    TailBlock block;
    good = json_kind(item) == JsonKind::kArray;
    const auto parts = good ? json_items(item, 3) : std::vector<std::string_view>{};
    good = parts.size() == 2 && to_number(parts[0], block.number) &&
           to_hash(parts[1], block.hash) && (out.empty() || out.back().number < block.number);
    out.push_back(block);
    return good;
  });
  return good;
}

bool to_records(std::string_view json, std::vector<LogRecord>& out) {
  if (json_kind(json) != JsonKind::kArray) return false;
  bool good = true;
  visit_json_items(json, [&](std::string_view item) {
    auto record = log_record_from(item);
    good = record.has_value();
    if (good) out.push_back(std::move(*record));
    return good;
  });
  return good;
}

bool read_state_member(std::string_view name, std::string_view value, TailState& state,
                       bool& is_ours) {
  if (name == "kind") {
    is_ours = json_kind(value) == JsonKind::kString && json_text(value) == kKind;
    return is_ours;
  }
  if (name == "search") {
    if (json_kind(value) != JsonKind::kString) return false;
    state.search = json_text(value);
    return true;
  }
  if (name == "chainId") return to_number(value, state.chain_id);
  if (name == "first") return to_number(value, state.first);
  if (name == "done") return to_blocks(value, state.done);
  if (name == "whole") {
    state.whole = json_trimmed(value) == "true";
    return json_kind(value) == JsonKind::kBool;
  }
  if (name == "logs") return to_number(value, state.logs);
  if (name == "outputBytes") return to_number(value, state.output_bytes.emplace());
  if (name == "outputTail") return to_hash(value, state.output_tail);
  if (name == "recent") return to_records(value, state.recent);
  return false;
}

}  // namespace

std::string encode_tail_state(const TailState& state) {
  std::string out = "{\"kind\":\"";
  out += kKind;
  out += "\",\"search\":";
  append_json_text(out, state.search);
  out += ",\"chainId\":" + std::to_string(state.chain_id);
  out += ",\"first\":" + std::to_string(state.first) + ",\"done\":[";
  for (const TailBlock& block : state.done) {
    if (&block != state.done.data()) out += ',';
    out += '[' + std::to_string(block.number) + ",\"" + block.hash.hex() + "\"]";
  }
  out += std::string{"],\"whole\":"} + (state.whole ? "true" : "false");
  out += ",\"logs\":" + std::to_string(state.logs);
  if (state.output_bytes)
    out += ",\"outputBytes\":" + std::to_string(*state.output_bytes) + ",\"outputTail\":\"" +
           state.output_tail.hex() + '"';
  out += ",\"recent\":[";
  for (const LogRecord& record : state.recent) {
    if (&record != state.recent.data()) out += ',';
    append_log_json(out, record);
  }
  out += "]}\n";
  return out + keccak_hash(view_of(out)).hex() + '\n';
}

Result<TailState> decode_tail_state(std::string_view text) {
  if (text.size() < kLastLine + 2 || text.back() != '\n') return damaged("it ends too early");
  const std::string_view object = text.substr(0, text.size() - kLastLine);
  if (text.substr(object.size(), kLastLine - 1) != keccak_hash(view_of(object)).hex())
    return damaged("its hash is another one");
  if (!is_json(object) || json_kind(object) != JsonKind::kObject) return damaged("it is not JSON");
  TailState state;
  bool is_ours = false;
  std::string wrong;
  visit_json_members(object, [&](const std::string& name, std::string_view value) {
    if (wrong.empty() && !read_state_member(name, value, state, is_ours)) wrong = name;
  });
  if (!wrong.empty()) return damaged("the member " + wrong);
  if (!is_ours) return damaged("the member kind is missing");
  if (!state.output_bytes) state.output_tail = {};
  return state;
}

Result<std::optional<TailState>> Checkpoint::load() {
  std::error_code failed;
  if (!std::filesystem::exists(path_, failed) && !failed) return std::optional<TailState>{};
  const auto bytes = read_file(path_, DecodeLimits{kMostCheckpointBytes});
  if (!bytes) return bytes.error();
  const std::string_view text{reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  auto state = decode_tail_state(text);
  if (!state)
    return Error{state.error().code, message(path_.string(), ": ", state.error().message)};
  last_line_ = text.substr(text.size() - kLastLine);
  return std::optional{std::move(*state)};
}

Status Checkpoint::save(const TailState& state) {
  const auto lock = FileLock::acquire(path_);
  if (!lock) return lock.error();
  std::string found;
  if (lock->held()) {
    const auto file = PositionedFile::open_to_read(path_);
    if (!file) return file.error();
    const auto size = file->size();
    if (!size) return size.error();
    found.resize(std::min<std::uint64_t>(*size, kLastLine));
    if (Status s = file->read_at(*size - found.size(), std::as_writable_bytes(std::span{found}));
        !s)
      return s;
  }
  if (found != last_line_)
    return Error{ErrorCode::kIo,
                 message(path_.string(),
                         ": another process changed the checkpoint meanwhile; run one at a time")};
  const std::string text = encode_tail_state(state);
  if (Status s = save_file(path_, view_of(text), *lock); !s) return s;
  last_line_ = text.substr(text.size() - kLastLine);
  return ok();
}

}  // namespace bloomery::ethlog
