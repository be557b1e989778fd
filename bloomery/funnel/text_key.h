// A line of text as a typed key: what `--funnel NAME` does to a record.
#pragma once
#include "bloomery/base/result.h"
#include "bloomery/funnel/funnel_name.h"

namespace bloomery {

// Puts the key that `record` spells, in the byte order of the sink. The whole record must be the
// key: bytes as they are; utf16 from valid UTF-8; bool true, false, 1 or 0; a number in decimal,
// finite, in range, without spaces or a plus sign; json one JSON value. kInvalidArgument otherwise;
// the sink may then hold part of a key.
Status put_text_key(FunnelName funnel, std::string_view record, ByteSink& sink);

}  // namespace bloomery
