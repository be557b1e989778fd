// The funnel json: a JSON value as bytes that depend on the value and its types, not on how it is
// written.
#pragma once
#include "bloomery/funnel/byte_sink.h"
#include "bloomery/funnel/json_reader.h"

namespace bloomery {

// Puts the key of the JSON text. Equal values have equal keys and different values different ones:
//   null, false, true     n, f, t
//   a number              d, its exact decimal value, ';': 0, or digits e exponent, where the
//                         digits neither begin nor end in 0 (1, 1.0 and 1e0 are d1e0;)
//   a string              s, the number of its UTF-8 bytes, ':', these bytes
//   an array              [, its elements, ]
//   an object             {, its members by the bytes of their names, each a string and a value, }
// No key is the beginning of another one, so keys may follow one another.
// kInvalidArgument with the byte for what is no JSON, for a name that occurs twice in an object,
// and for an exponent beyond kLargestExponent; the sink may then hold part of a key.
// `offset` is where the text begins in the record whose bytes are counted.
inline constexpr std::int64_t kLargestExponent = 999'999'999;
Status put_json_key(std::string_view text, ByteSink& sink, std::size_t offset = 0);
// In place of a value that is not there: it differs from null and from every other value.
void put_absent_json_key(ByteSink& sink);

}  // namespace bloomery
