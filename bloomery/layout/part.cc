#include "bloomery/layout/part.h"

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery {

Result<Part> checked(Part part, std::uint64_t blocks) {
  if (part.parts == 0 || part.parts > kMaxParts)
    return invalid_argument(message("a filter has 1 to ", kMaxParts, " parts, not ", part.parts));
  if (part.index >= part.parts)
    return invalid_argument(message("there is no part ", part.index, " of ", part.parts,
                                    ": parts are counted from 0 to ", part.parts - 1));
  if (part.parts > blocks)
    return invalid_argument(message("a filter of ", blocks, " blocks cannot have ", part.parts,
                                    " parts: every part holds at least one block"));
  return part;
}

}  // namespace bloomery
