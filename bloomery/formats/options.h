// What a format needs beside the bytes: a bare bit array has no header, and a new filter has
// choices. Each format reads the members it knows.
#pragma once
#include <optional>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/limits.h"
#include "bloomery/filter/growth.h"
#include "bloomery/funnel/text_key.h"
#include "bloomery/hash/profile.h"
#include "bloomery/layout/sizing_request.h"

namespace bloomery {

struct DecodeOptions {
  DecodeLimits limits = {};
  SizingRequest sizing = {};           // for formats without a header
  std::optional<SipKey> sip_key = {};  // for a keyed filter
};

// kAuto is kBlock, kLines where one cache line per key would cost too much memory, or kClassic
// (layout_for in native.h).
enum class Layout : std::uint8_t { kAuto, kClassic, kBlock, kCounting, kScalable, kLines };
enum class GuavaRelease : std::uint8_t { k31, k33_4 };  // two generations of its rule for probes

struct CreateOptions {
  SizingRequest sizing = {};
  DecodeLimits limits = {};  // a plan beyond it is refused before anything is allocated
  Layout layout = Layout::kAuto;
  bool seeded = false;  // block only: each block may have its own windows
  // Empty: xxh3-64, or xxh3 where its 64 bits would be too short for the keys and the rate.
  std::optional<Profile> profile = {};
  std::uint64_t seed = 0;
  std::optional<SipKey> sip_key = {};
  FunnelName funnel = FunnelName::kBytes;
  std::uint32_t counter_bits = 4;
  Growth growth = {};
  GuavaRelease guava_release = GuavaRelease::k33_4;
  std::uint32_t expansion = 2;            // redisbloom, rediscuckoo; 0 does not grow
  std::uint32_t base_lg = 11;             // leveldb:block
  std::vector<std::byte> user_data = {};  // dcso
};

}  // namespace bloomery
