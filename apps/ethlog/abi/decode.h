// From the topics and the data of a log to the values of an event's arguments.
#pragma once
#include "apps/ethlog/abi/abi_value.h"

namespace bloomery::ethlog {

// One value for each argument, in their order. What Solidity's own decoder refuses is an error that
// names the argument: data that end early, offsets and lengths beyond them, numbers that do not fit
// their type, padding that is not zero; and text that is not UTF-8, and data whose parts are used
// again and again, so that a small log would become a large value. As in ethers, offsets may point
// anywhere in the data, bytes behind the last value are ignored, and the last value may lack its
// padding. Event and log must outlive the values.
Result<std::vector<AbiValue>> decode_log(const AbiEvent& event, const Log& log);

}  // namespace bloomery::ethlog
