// Why a node did not give what it was asked for, and what the caller can do about it.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "apps/ethlog/model/block_range.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

enum class NodeTrouble : std::uint8_t {
  kStopped,   // the caller does not want it any more
  kRefused,   // it would fail again
  kPassing,   // a connection, a timeout, a failure of the node: may pass
  kWrong,     // an answer that contradicts itself or the rest: another may be right
  kBusy,      // the node wants fewer requests
  kTooLarge,  // fewer calls at a time, or fewer blocks, may go
  kNoMethod,  // the node does not have the method
  kStore,     // not the node: the blocks could not be stored
};

struct NodeFailure {
  NodeTrouble trouble = NodeTrouble::kPassing;
  std::string why;  // a sentence without secrets
  ErrorCode code = ErrorCode::kIo;
  std::optional<std::chrono::milliseconds> wait = {};  // that the node asked for
  std::optional<BlockRange> hint = {};                 // a range of blocks that it would serve
};

// A T, or the failure.
template <class T>
class [[nodiscard]] NodeResult {
 public:
  NodeResult(T value) : state_{std::in_place_index<0>, std::move(value)} {}
  NodeResult(NodeFailure failure) : state_{std::in_place_index<1>, std::move(failure)} {}
  explicit operator bool() const noexcept { return state_.index() == 0; }
  // Precondition of * and ->: it is a T. Of failure(): it is none.
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const NodeFailure& failure() const { return *std::get_if<1>(&state_); }
  NodeFailure& failure() { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, NodeFailure> state_;
};
using NodeStatus = NodeResult<std::monostate>;

inline NodeFailure stopped_failure() { return {NodeTrouble::kStopped, "stopped"}; }

// An error of JSON-RPC as the node wrote it.
struct RpcFault {
  std::int64_t code = 0;
  std::string text;  // the message
  std::string data;  // JSON; empty: none
};
// Nodes and providers agree on few codes, so the words of the message decide as well.
NodeFailure failure_of(const RpcFault& fault);
// Of an HTTP status other than 200.
NodeFailure failure_of_status(unsigned status);
// "[0x1, 0x20]" in a message, or {"from": "0x1", "to": "0x20"} in its data.
std::optional<BlockRange> range_hint(std::string_view text);

}  // namespace bloomery::ethlog
