// How a node is reached, and how much is asked of it.
#pragma once
#include <chrono>
#include <filesystem>
#include <vector>

#include "apps/ethlog/node/node_address.h"
#include "bloomery/base/bytes.h"

namespace bloomery::ethlog {

struct NodeHeader {
  std::string name;
  std::string value;
};

struct NodeOptions {
  NodeAddress address;
  std::vector<NodeHeader> headers = {};
  std::vector<std::byte> jwt_secret = {};  // empty: no token is sent
  std::filesystem::path ca_file = {};      // empty: the authorities of the system
  std::size_t jobs = 8;                    // most requests at a time
  std::size_t calls = 100;                 // most calls in a request
  std::size_t attempts = 10;               // of a request that makes no progress
  std::size_t answer_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds connect_time{10'000};
  std::chrono::milliseconds answer_time{60'000};
  std::chrono::milliseconds first_wait{250};  // after a failure; doubled after each further one
  std::chrono::milliseconds longest_wait{30'000};
  std::chrono::milliseconds poll{1'000};  // between two questions for the head
};

// "Name: value". kInvalidArgument where it is none, or is one that every request has already.
Result<NodeHeader> parse_node_header(std::string_view text);
// The file of a secret as execution clients share it with consensus clients: 64 hexadecimal digits.
Result<std::vector<std::byte>> read_jwt_secret(const std::filesystem::path& path);
// A token of HS256 that says when it was made, in seconds since 1970.
std::string jwt_token(ByteView secret, std::uint64_t now);
std::string base64(ByteView bytes);

// What a message must not repeat: keys in the address, values of headers.
class NodeSecrets {
 public:
  explicit NodeSecrets(const NodeOptions& options);
  std::string clean(std::string text) const;

 private:
  std::vector<std::string> secrets_;  // the longest first
};

}  // namespace bloomery::ethlog
