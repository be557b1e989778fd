#include "apps/ethlog/index/bloombits/section_range.h"

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

Status checked_section_size(std::uint64_t section_size) {
  if (section_size != 0 && section_size % 8 == 0) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message("a section has a multiple of 8 blocks, and not ", section_size)};
}

Error wrong_vector(std::uint32_t bit, std::uint64_t section, std::size_t bytes,
                   std::uint64_t section_size) {
  return {ErrorCode::kIo,
          message("the vector of bit ", bit, " in section ", section, " should have ",
                  section_size / 8, " bytes and has ", bytes, "; the index must be built again")};
}

}  // namespace bloomery::ethlog
