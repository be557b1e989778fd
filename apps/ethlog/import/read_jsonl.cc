#include "apps/ethlog/import/read_jsonl.h"

#include <nlohmann/json.hpp>

#include "apps/ethlog/json/json_block.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Json = nlohmann::json;

// The parts of one line: blocks, and lists of receipts that belong to the block before.
struct Parts {
  std::optional<ImportedBlock>& pending;
  std::deque<ImportedBlock>& ready;

  void flush() {
    if (pending) ready.push_back(std::move(*pending));
    pending.reset();
  }
  Status add(const Json& value);
  Status add_response(const Json& response);
  Status add_list(const Json& list);
  Status add_block(const Json& json, const Json* receipts);
};

Status Parts::add(const Json& value) {
  if (value.is_array()) return add_list(value);
  if (!value.is_object())
    return Error{ErrorCode::kMalformed,
                 "a block (an object) or its receipts (a list) were expected, not a bare value"};
  if (value.contains("jsonrpc")) return add_response(value);
  const auto block = value.find("block");
  if (block == value.end() || !block->is_object()) return add_block(value, nullptr);
  const auto receipts = value.find("receipts");
  return add_block(*block, receipts == value.end() ? nullptr : &*receipts);
}

Status Parts::add_response(const Json& response) {
  const auto result = response.find("result");
  if (result != response.end() && !result->is_null()) return add(*result);
  const auto error = response.find("error");
  return Error{
      ErrorCode::kMalformed,
      error == response.end()
          ? std::string{"the node answered without a result: it does not have the block"}
          : message("the node answered with an error: ",
                    error->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200))};
}

Status Parts::add_list(const Json& list) {
  // Receipts have logs; responses and blocks do not.
  const bool batch = !list.empty() && list[0].is_object() && !list[0].contains("logs") &&
                     (list[0].contains("jsonrpc") || list[0].contains("block") ||
                      list[0].contains("logsBloom") || list[0].contains("headerRlp"));
  if (batch) {
    for (const Json& one : list)
      if (const Status s = add(one); !s) return s;
    return ok();
  }
  if (!pending)
    return Error{ErrorCode::kMalformed,
                 "a list of receipts stands without its block, which should be on the line before"};
  if (const Status s = add_receipts(*pending, list); !s) return s;
  flush();
  return ok();
}

Status Parts::add_block(const Json& json, const Json* receipts) {
  flush();
  Result<ImportedBlock> block = block_from_json(json);
  if (!block) return block.error();
  if (receipts != nullptr && !receipts->is_null())
    if (const Status s = add_receipts(*block, *receipts); !s) return s;
  pending = std::move(*block);
  if (pending->has_receipts) flush();
  return ok();
}

}  // namespace

void JsonlReader::flush() { Parts{pending_, ready_}.flush(); }

Status JsonlReader::read_line(std::string_view line) {
  const Result<Json> value = parse_json(line);
  if (!value) return value.error();
  return Parts{pending_, ready_}.add(*value);
}

Result<std::optional<ImportedBlock>> JsonlReader::next() {
  while (ready_.empty()) {
    const auto line = lines_();
    ++line_;
    if (!line) return Error{line.error().code, message("line ", line_, ": ", line.error().message)};
    if (!*line) {
      flush();
      if (ready_.empty()) return std::optional<ImportedBlock>{};
      break;
    }
    if ((*line)->find_first_not_of(" \t") == std::string_view::npos) continue;
    if (const Status s = read_line(**line); !s)
      return Error{s.error().code, message("line ", line_, ": ", s.error().message)};
  }
  std::optional<ImportedBlock> block{std::move(ready_.front())};
  ready_.pop_front();
  return block;
}

}  // namespace bloomery::ethlog
