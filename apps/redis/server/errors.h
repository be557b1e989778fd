// Reasons to refuse a command, and RedisBloom 8's texts for them, which clients match on. Some lack
// the prefix ERR, as RedisBloom's do; kept for compatibility.
#pragma once
#include <cstdint>

namespace bloomery::redis_module {

enum class Refusal : std::uint8_t {
  kArity,  // the server words this one
  kWrongType,
  kNotFound,
  kExists,
  kReserveBadRate,
  kReserveRateRange,
  kReserveBadKeys,
  kReserveKeysRange,
  kReserveNoExpansion,
  kReserveBadExpansion,
  kReserveExpansionRange,
  kNonScalingExpands,
  kInsertBadRate,
  kInsertBadKeys,
  kInsertBadExpansion,
  kUnknownArgument,
  kUnknownField,
  kNoMemoryToCreate,
  kNotCreated,
  kFull,
  kNotInserted,
  kScanNotNumeric,
  kLoadNotNumeric,
  kBadData,
  kNoSuchOffset,
  kChunkTooLong,
  kNotDumpable,  // ours: filters of the oldest releases only
  kCuckooBadBucketSize,
  kCuckooBucketSizeRange,
  kCuckooBadIterations,
  kCuckooIterationsRange,
  kCuckooBadExpansion,
  kCuckooExpansionRange,
  kCuckooReserveKeysRange,
  kCuckooInsertKeysRange,
  kCuckooNotCreated,
  kCuckooFull,
  kCuckooNoMemory,
  kCuckooTooManyLayers,
  kCuckooNothingToRemoveFrom,
  kCuckooNothingToCompact,
  kCuckooBadPosition,
  kCuckooBadHeader,
  kCuckooNotLoaded,
  kCuckooChunkNotLoaded,
  kNativeUnknownOption,  // this and all that follow are ours
  kNativeRepeatedOption,
  kNativeBadWindow,
  kNativeBadSlices,
  kNativeBadLayout,
  kNativeBadPart,
  kNativePartAlone,
  kNativePartShape,
  kNativeCountingBlock,
  kNativeCountingWindow,
  kNativeFromPrimaryOnly,
  kNativeStillLoading,
  kNativeNotCounting,
  kNativeNoWindow,
  kNativeBadTime,
  kNativeMixedMerge,
  kCuckooStillLoading,
  kUnreadableSource,
  kRedisBloomOnly,
  kNoMemory,
};

const char* error_text(Refusal refusal);

}  // namespace bloomery::redis_module
