#include "bloomery/funnel/byte_sink.h"

namespace bloomery {

void ByteSink::append_large(const std::byte* from, std::size_t size) {
  if (large_.empty()) large_.assign(small_, small_ + small_size_);
  large_.insert(large_.end(), from, from + size);
}

}  // namespace bloomery
