// An event of a contract, and the two ways to read one: as Solidity declares it, and as compilers
// write it into JSON.
#pragma once
#include "apps/ethlog/abi/abi_type.h"
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

struct AbiEvent {
  std::string name;
  std::vector<AbiParameter> parameters;
  bool anonymous = false;
  std::string signature;    // canonical: Transfer(address,address,uint256)
  Hash topic = {};          // its Keccak hash: topic 0 of a log of an event that is not anonymous
  std::size_t indexed = 0;  // arguments that are topics
  std::size_t topics() const { return indexed + (anonymous ? 0 : 1); }
};

// Checks the number of arguments, and fills the signature and the topic.
Result<AbiEvent> make_event(std::string name, std::vector<AbiParameter> parameters, bool anonymous);

// "Transfer(address indexed from, address indexed to, uint256 value)", with or without the word
// event before it, names of arguments, "anonymous" and a semicolon behind it.
Result<AbiEvent> parse_event(std::string_view text);

// The events of an ABI in JSON: a list of entries, an object whose member "abi" is one, as the
// artifacts of compilers are, or one entry. Entries of other kinds are passed over.
Result<std::vector<AbiEvent>> parse_abi_json(std::string_view text);

// "Transfer(address indexed from, address indexed to, uint256 value)": what parse_event takes.
std::string declaration_of(const AbiEvent& event);

}  // namespace bloomery::ethlog
