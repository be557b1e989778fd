#include "apps/redis/server/errors.h"

namespace bloomery::redis_module {

const char* error_text(Refusal refusal) {
  switch (refusal) {
    case Refusal::kArity:
      return "ERR wrong number of arguments";
    case Refusal::kWrongType:
      return "WRONGTYPE Operation against a key holding the wrong kind of value";
    case Refusal::kNotFound:
      return "ERR not found";
    case Refusal::kExists:
      return "ERR item exists";
    case Refusal::kReserveBadRate:
      return "ERR bad error rate";
    case Refusal::kReserveRateRange:
      return "ERR error rate must be in the range (0.000000, 1.000000)";
    case Refusal::kReserveBadKeys:
      return "ERR bad capacity";
    case Refusal::kReserveKeysRange:
      return "ERR capacity must be in the range [1, 1073741824]";
    case Refusal::kReserveNoExpansion:
      return "ERR no expansion";
    case Refusal::kReserveBadExpansion:
      return "ERR bad expansion";
    case Refusal::kReserveExpansionRange:
      return "ERR expansion must be in the range [0, 32768]";
    case Refusal::kNonScalingExpands:
      return "Nonscaling filters cannot expand";
    case Refusal::kInsertBadRate:
      return "Bad error rate";
    case Refusal::kInsertBadKeys:
      return "Bad capacity";
    case Refusal::kInsertBadExpansion:
      return "Bad expansion";
    case Refusal::kUnknownArgument:
      return "Unknown argument received";
    case Refusal::kUnknownField:
      return "Invalid information value";
    case Refusal::kNoMemoryToCreate:
      return "ERR Insufficient memory to create filter";
    case Refusal::kNotCreated:
      return "ERR could not create filter";
    case Refusal::kFull:
      return "ERR non scaling filter is full";
    case Refusal::kNotInserted:
      return "ERR problem inserting into filter";
    case Refusal::kScanNotNumeric:
      return "Second argument must be numeric";
    case Refusal::kLoadNotNumeric:
      return "ERR Second argument must be numeric";
    case Refusal::kBadData:
      return "ERR received bad data";
    case Refusal::kNoSuchOffset:
      return "ERR invalid offset - no link found";
    case Refusal::kChunkTooLong:
      return "ERR invalid chunk - Too big for current filter";
    case Refusal::kNotDumpable:
      return "ERR the filter of an old release has no whole bytes to dump; use DUMP and RESTORE";
    case Refusal::kCuckooBadBucketSize:
      return "Couldn't parse BUCKETSIZE";
    case Refusal::kCuckooBucketSizeRange:
      return "BUCKETSIZE: value must be in the range [1, 255]";
    case Refusal::kCuckooBadIterations:
      return "Couldn't parse MAXITERATIONS";
    case Refusal::kCuckooIterationsRange:
      return "MAXITERATIONS: value must be in the range [1, 65535]";
    case Refusal::kCuckooBadExpansion:
      return "Couldn't parse EXPANSION";
    case Refusal::kCuckooExpansionRange:
      return "EXPANSION: value must be in the range [0, 32768]";
    case Refusal::kCuckooReserveKeysRange:
      return "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]";
    case Refusal::kCuckooInsertKeysRange:
      return "Capacity must be in the range [cf-bucket-size * 2, 1073741824]";
    case Refusal::kCuckooNotCreated:
      return "ERR Could not create filter";
    case Refusal::kCuckooFull:
      return "Filter is full";
    case Refusal::kCuckooNoMemory:
      return "ERR Insufficient memory";
    case Refusal::kCuckooTooManyLayers:
      return "Maximum expansions reached";
    case Refusal::kCuckooNothingToRemoveFrom:
      return "Not found";
    case Refusal::kCuckooNothingToCompact:
      return "Cuckoo filter was not found";
    case Refusal::kCuckooBadPosition:
      return "Invalid position";
    case Refusal::kCuckooBadHeader:
      return "Invalid header";
    case Refusal::kCuckooNotLoaded:
      return "Couldn't create filter!";
    case Refusal::kCuckooChunkNotLoaded:
      return "Couldn't load chunk!";
    case Refusal::kNativeUnknownOption:
      return "ERR unknown option; COUNTING, WINDOW, SLICES, LAYOUT, PART, SECRET, EXPANSION and "
             "NONSCALING go together";
    case Refusal::kNativeRepeatedOption:
      return "ERR an option is given twice";
    case Refusal::kNativeBadWindow:
      return "ERR WINDOW takes whole seconds from 1 to 2147483647";
    case Refusal::kNativeBadSlices:
      return "ERR SLICES takes a number from 2 to 64, and goes with WINDOW";
    case Refusal::kNativeBadLayout:
      return "ERR LAYOUT takes BLOCK";
    case Refusal::kNativeBadPart:
      return "ERR PART takes a number from 0 and the number of all parts, at most 1048576";
    case Refusal::kNativePartAlone:
      return "ERR PART goes with LAYOUT BLOCK, and with no option but EXPANSION 0 and NONSCALING: "
             "a part does not grow";
    case Refusal::kNativePartShape:
      return "ERR no block filter has this error rate and capacity in so many parts";
    case Refusal::kNativeCountingBlock:
      return "ERR COUNTING and LAYOUT BLOCK exclude each other: a block has no counters";
    case Refusal::kNativeCountingWindow:
      return "ERR COUNTING and WINDOW exclude each other: a filter forgets on demand or by time";
    case Refusal::kNativeFromPrimaryOnly:
      return "ERR START and SECRETBYTES are what a primary tells its replicas";
    case Refusal::kNativeStillLoading:
      return "ERR the filter is being loaded: BF.LOADCHUNK has not brought its last chunk";
    case Refusal::kNativeNotCounting:
      return "ERR only a filter made with BF.RESERVE ... COUNTING can delete items";
    case Refusal::kNativeNoWindow:
      return "ERR only a filter made with BF.RESERVE ... WINDOW rotates";
    case Refusal::kNativeBadTime:
      return "ERR the time is in milliseconds since 1970";
    case Refusal::kNativeMixedMerge:
      return "ERR filters made with and without COUNTING, WINDOW, LAYOUT or SECRET cannot be "
             "merged";
    case Refusal::kCuckooStillLoading:
      return "ERR the filter is being loaded: CF.LOADCHUNK has not brought its last chunk";
    case Refusal::kUnreadableSource:
      return "ERR a source is kept from a file that could not be read; any command on it says why";
    case Refusal::kRedisBloomOnly:
      return "ERR RedisBloom does not have this command or option, and bf-redisbloom-only is set";
    case Refusal::kNoMemory:
      return "ERR not enough memory for the command";
  }
  return "ERR unknown error";
}

}  // namespace bloomery::redis_module
