// The parameters of a call, taken one after the other as go-ethereum does: the first wrong one is
// reported, then missing ones, then surplus ones.
#pragma once
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/ethlog/json/criteria.h"
#include "apps/ethlog/serve/rpc_errors.h"

namespace bloomery::ethlog {

using BlockName = std::variant<BlockBound, Hash>;

class RpcArguments {
 public:
  // `params` is JSON text; empty: there are none.
  explicit RpcArguments(std::string_view params);

  // The next one. After a failure, and of what is missing, an empty value.
  LogQuery criteria();
  BlockBound block_number();
  BlockName block_name();  // a number, a tag, a hash, or an object with one of them
  Hash hash();
  std::uint64_t quantity();
  // Nothing where it is null or missing.
  std::optional<std::string> optional_text(std::string_view type);
  std::optional<std::uint64_t> optional_quantity();  // a JSON number too
  bool flag();
  std::string text(std::string_view type);  // `type` as the error names it
  // What eth_subscribe subscribes to; nothing after a failure.
  std::optional<std::string> subscription_name();

  // Once all were taken: what is wrong.
  const std::optional<RpcError>& finish();

 private:
  // Null where it is missing, or something is wrong already.
  const std::string_view* take();
  void refuse(std::string_view why);
  // The next one as `parse` reads it.
  template <class Value>
  Value read(Result<Value> (*parse)(std::string_view));

  bool array_ = false;
  std::vector<std::string_view> items_;
  std::size_t next_ = 0;
  std::optional<std::size_t> missing_;
  std::optional<RpcError> error_;
};

}  // namespace bloomery::ethlog
