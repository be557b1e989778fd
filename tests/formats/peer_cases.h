// Rows of golden data that bits-and-blooms and DCSO share: the shape that the peer computes for a
// goal, and how its reader ends on a file.
#pragma once
#include <cstdio>

#include "bloomery/layout/shape.h"
#include "tests/formats/golden.h"

namespace bloomery::testing {

inline void expect_peers_shape(const Shape& shape, const nlohmann::json& peer_reports) {
  EXPECT_EQ(shape.bits, peer_reports.at("m").get<std::uint64_t>());
  EXPECT_EQ(shape.probes, peer_reports.at("k").get<std::uint32_t>());
}

// A row ["n=… p=…", "m=… k=…"]. Where the peer has no shape, the second text is another.
struct PeerSizing {
  double keys = 0;
  double rate = 0;
  bool has_shape = false;
  unsigned long bits = 0;
  unsigned long probes = 0;
};
inline PeerSizing peer_sizing(const nlohmann::json& row) {
  const std::string goal = row.at(0);
  const std::string shape = row.at(1);
  PeerSizing sizing;
  EXPECT_EQ(std::sscanf(goal.c_str(), "n=%lf p=%lf", &sizing.keys, &sizing.rate), 2) << goal;
  sizing.has_shape = std::sscanf(shape.c_str(), "m=%lu k=%lu", &sizing.bits, &sizing.probes) == 2;
  return sizing;
}
// True where our shape equals the peer's. With `refused`, ours must be refused.
template <class D>
bool expect_peers_sizing(const PeerSizing& sizing, bool refused) {
  const auto shape = D::shape_for({static_cast<std::uint64_t>(sizing.keys), sizing.rate});
  EXPECT_EQ(!shape, refused);
  if (!shape) return false;
  EXPECT_EQ(shape->bits, sizing.bits);
  EXPECT_EQ(shape->probes, sizing.probes);
  return shape->bits == sizing.bits && shape->probes == sizing.probes;
}

// `outcome` has "a=true" and "zz=true" where the peer's filter may contain these keys.
template <class F>
void expect_peers_answers(const F& filter, const std::string& outcome) {
  for (const std::string key : {"a", "zz"})
    EXPECT_EQ(filter.may_contain(bytes_of(key)), outcome.find(key + "=true") != std::string::npos);
}

inline Bytes cut(Bytes bytes, std::size_t size) {
  bytes.resize(size);
  return bytes;
}

}  // namespace bloomery::testing
