#include "apps/ethlog/node/rpc_answers.h"

#include <charconv>

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostFaultBytes = 500;

Error bad_answer(std::string_view why) {
  return {ErrorCode::kMalformed, message("the node's answer is not one of JSON-RPC: ", why)};
}

std::optional<std::uint64_t> id_of(std::string_view text) {
  std::string quoted;
  if (json_kind(text) == JsonKind::kString) {
    quoted = json_text(text);
    text = quoted;
  }
  std::uint64_t id = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return id;
}

// Control characters would reach a terminal or a log.
std::string printable(std::string text) {
  if (text.size() > kMostFaultBytes) text = text.substr(0, kMostFaultBytes) + "...";
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text;
}

RpcFault fault_from(std::string_view json) {
  RpcFault fault;
  if (json_kind(json) != JsonKind::kObject) {
    fault.text = printable(std::string{json.substr(0, kMostFaultBytes)});
    return fault;
  }
  visit_json_members(json, [&](const std::string& name, std::string_view value) {
    if (name == "code" && json_kind(value) == JsonKind::kNumber)
      std::from_chars(value.data(), value.data() + value.size(), fault.code);
    if (name == "message")
      fault.text =
          printable(json_kind(value) == JsonKind::kString ? json_text(value) : std::string{value});
    if (name == "data") fault.data = printable(std::string{value.substr(0, kMostFaultBytes)});
  });
  return fault;
}

class Decoder {
 public:
  Decoder(std::uint64_t first_id, std::size_t count) : first_id_{first_id} {
    answers_.of_calls.resize(count);
  }
  Status add(std::string_view object) {
    if (json_kind(object) != JsonKind::kObject) return bad_answer("an object was expected");
    std::string_view id;
    std::optional<std::string_view> result;
    std::optional<std::string_view> error;
    visit_json_members(object, [&](const std::string& name, std::string_view value) {
      if (name == "id") id = value;
      if (name == "result") result = value;
      if (name == "error" && json_kind(value) != JsonKind::kNull) error = value;
    });
    const bool no_id = id.empty() || json_kind(id) == JsonKind::kNull;
    if (no_id && error) {
      answers_.of_all = fault_from(*error);
      return ok();
    }
    const auto number = no_id ? std::nullopt : id_of(id);
    if (!number || *number < first_id_ || *number - first_id_ >= answers_.of_calls.size())
      return bad_answer(no_id ? "it has no id" : "it has the id of no call");
    auto& answer = answers_.of_calls[*number - first_id_];
    if (answer) return bad_answer("two answers have one id");
    if (!result && !error) return bad_answer("it has neither a result nor an error");
    answer.emplace();
    if (error)
      answer->fault = fault_from(*error);
    else
      answer->result = *result;
    return ok();
  }
  RpcAnswers take() { return std::move(answers_); }

 private:
  std::uint64_t first_id_;
  RpcAnswers answers_;
};

}  // namespace

std::string encode_calls(std::span<const RpcCall> calls, std::uint64_t first_id) {
  std::string out;
  for (const RpcCall& call : calls) {
    out += out.empty() ? "" : ",";
    out += R"({"jsonrpc":"2.0","id":)" + std::to_string(first_id++) + R"(,"method":)";
    append_json_text(out, call.method);
    out += R"(,"params":)" + call.params + "}";
  }
  return calls.size() == 1 ? out : "[" + out + "]";
}

Result<RpcAnswers> decode_answers(std::string_view text, std::uint64_t first_id,
                                  std::size_t count) {
  if (!is_json(text)) return bad_answer("it is not JSON, was cut, or is nested too deep");
  text = json_trimmed(text);
  Decoder decoder{first_id, count};
  Status status = ok();
  if (json_kind(text) != JsonKind::kArray)
    status = decoder.add(text);
  else
    visit_json_items(text, [&](std::string_view item) {
      status = decoder.add(item);
      return status.has_value();
    });
  if (!status) return status.error();
  return decoder.take();
}

}  // namespace bloomery::ethlog
