// What a filter of very many keys takes: bytes, parts, machines, hours, money. Prices and speeds
// are assumptions, named here once; docs/scale.md shows them beside what follows from them.
#pragma once
#include "bloomery/layout/block_sizing.h"

namespace bloomery::bench {

struct Assumptions {
  // Of the hardware.
  double node_bytes = 200e9;  // memory of one machine that filters may fill
  double node_bytes_per_second = 10e9 / 8;
  double copies = 2;                 // a primary and a replica
  double adds_per_second = 1e6;      // of one primary, over the wire
  double most_part_bytes = 128e6;    // parts are a power of two, the smallest that keeps this,
  std::uint64_t most_parts = 16384;  // or this many: the slots of a Redis Cluster
  double record_bytes = 60;          // of a line of input
  // Measured on one core of the machine of bench/RESULTS.md.
  double read_bytes_per_second = 1.28e9;  // lines, split and hashed: `query -c`
  double build_ns = 11;                   // hashing a short key and inserting it into a part
  // In the shuffle: short keys, such as hashes of records; or lines whole.
  double key_bytes = 16;
  // Example prices, in dollars.
  double memory_month = 3.00;  // a GB of memory, with the machine around it
  double object_month = 0.02;  // a GB in an object store
  double core_hour = 0.04;
};

struct Plan {
  Goal goal;
  BlockShape shape;
  std::uint64_t parts;
  std::uint64_t nodes;  // that hold it once

  double bytes() const { return static_cast<double>(shape.bytes()); }
  double bits_per_key() const {
    return static_cast<double>(shape.bits()) / static_cast<double>(goal.keys);
  }
  double part_bytes() const { return bytes() / static_cast<double>(parts); }

  double build_seconds(const Assumptions& assumed) const;  // of cores, from digests or short keys
  double line_seconds(const Assumptions& assumed) const;   // of cores, from lines of text
  double shuffle_seconds(double bytes_per_key, const Assumptions& assumed) const;
  double load_seconds(const Assumptions& assumed) const;
  double add_seconds(const Assumptions& assumed) const;  // instead of loading
  // Dollars per billion keys.
  double build_price(const Assumptions& assumed) const;
  double store_price(const Assumptions& assumed) const;   // a month
  double memory_price(const Assumptions& assumed) const;  // a month, one copy
};

Result<Plan> plan_for(Goal goal, const Assumptions& assumed);

}  // namespace bloomery::bench
