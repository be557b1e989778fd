// What a node may send, and the addresses and headers that a user may give: the first byte says
// what the rest is.
#include <algorithm>
#include <string>
#include <string_view>

#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/node/node_blocks.h"
#include "apps/ethlog/node/node_options.h"
#include "apps/ethlog/node/rpc_answers.h"
#include "apps/ethlog/store/block_check.h"
#include "tests/fuzz/require.h"

namespace {

using namespace bloomery::ethlog;
using bloomery::fuzz::require;

void check_address(std::string_view text) {
  const auto address = parse_node_address(text);
  if (!address) return;
  require(is_node_address(text) && !address->host.empty() && address->port != 0);
  require(address->host.find_first_of("@/?# \r\n") == std::string::npos);
  require(address->target.starts_with('/'));
  require(address->target.find_first_of(" \r\n#") == std::string::npos);
  const auto shown = parse_node_address(address->shown());
  require(shown && shown->host == address->host && shown->port == address->port);
  require(shown->target == "/" || shown->target == "/...");
  require(shown->credentials.empty());
}

void check_header(std::string_view text) {
  const auto header = parse_node_header(text);
  if (!header) return;
  require(!header->name.empty() && header->name.find_first_of(": \r\n") == std::string::npos);
  require(header->value.find_first_of("\r\n") == std::string::npos);
}

void check_answers(std::string_view text) {
  const auto answers = decode_answers(text, 1, 3);
  if (!answers) return;
  require(answers->of_calls.size() == 3);
  for (const auto& answer : answers->of_calls) {
    if (!answer) continue;
    if (answer->fault)
      (void)failure_of(*answer->fault);
    else
      require(is_json(answer->result));
  }
}

// A block that is taken is one that the store would take: check_block says so without a fault.
void check_blocks(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view rest = text.substr(std::min(end + 1, text.size()));
  const auto block = node_block_in(text.substr(0, end), 5);
  (void)block_id_in(text.substr(0, end));
  (void)quantity_in(text.substr(0, end));
  if (!block || !*block) return;
  require((**block).header.number == 5);
  auto by_receipts = **block;
  if (add_block_receipts(by_receipts, rest)) {
    require(by_receipts.receipts.size() == by_receipts.transaction_hashes.size());
    (void)check_block(by_receipts);
  }
  std::vector<ImportedBlock> by_logs{**block};
  if (add_logs(by_logs, {std::string{rest}})) {
    require(by_logs[0].receipts.size() == by_logs[0].transaction_hashes.size());
    (void)check_block(by_logs[0]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  switch (data[0]) {
    case '0':
      check_address(text);
      break;
    case '1':
      check_header(text);
      break;
    case '2':
      check_answers(text);
      break;
    case '3':
      check_blocks(text);
      break;
    default:
      (void)range_hint(text);
  }
  return 0;
}
