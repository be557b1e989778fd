#include "apps/ethlog/json/log_json.h"

namespace bloomery::ethlog {
namespace {

void append_data(std::string& out, std::string_view before, ByteView bytes) {
  out += before;
  append_hex(out, bytes);
  out += '"';
}

void append_quantity(std::string& out, std::string_view before, std::uint64_t value) {
  out += before;
  out += to_quantity(value);
  out += '"';
}

}  // namespace

void append_log_json(std::string& out, const FoundLog& found, LogFate fate) {
  const Header& header = found.block.header;
  append_data(out, "{\"address\":\"", found.log.address.view());
  out += ",\"topics\":[";
  for (const Topic& topic : found.log.topics)
    append_data(out, &topic == found.log.topics.begin() ? "\"" : ",\"", topic.view());
  append_data(out, "],\"data\":\"", found.log.data);
  append_quantity(out, ",\"blockNumber\":\"", header.number);
  if (const auto& transaction = found.block.receipts[found.transaction].transaction_hash)
    append_data(out, ",\"transactionHash\":\"", transaction->view());
  else  // its block came without, and none is made up
    out += ",\"transactionHash\":null";
  append_quantity(out, ",\"transactionIndex\":\"", found.transaction);
  append_data(out, ",\"blockHash\":\"", header.hash.view());
  append_quantity(out, ",\"blockTimestamp\":\"", header.timestamp);
  append_quantity(out, ",\"logIndex\":\"", found.log_index);
  out += fate == LogFate::kRemoved ? ",\"removed\":true}" : ",\"removed\":false}";
}

}  // namespace bloomery::ethlog
