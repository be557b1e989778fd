// A source of memory that is zero already.
#pragma once
#include <memory_resource>

namespace bloomery {

// A resource whose memory is zero when it is handed out. A Buffer does not zero it again, so a host
// that has untouched pages need not touch them.
class ZeroedMemory : public std::pmr::memory_resource {};

}  // namespace bloomery
