#include "apps/redis_client/topology.h"

#include <gtest/gtest.h>

namespace bloomery::redis_client {
namespace {

const Endpoint kAsked{"127.0.0.1", 7000};

// As Redis 7 writes it: itself, another primary, replicas, one that failed, one it is meeting.
constexpr std::string_view kNodes =
    "aa 127.0.0.1:7000@17000 myself,master - 0 1 1 connected 0-8191 [93->-bb]\n"
    "bb 10.0.0.2:7001@17001,node-b master - 0 2 2 connected 8192-16000 16002-16383\n"
    "cc 10.0.0.3:7002@17002 slave aa 0 3 1 connected\n"
    "dd 10.0.0.4:7003@17003 slave,fail aa 0 3 1 disconnected\n"
    "ee 10.0.0.5:7004@17004 master,fail - 0 3 3 disconnected 16001\n"
    "ff :0@0 master,noaddr - 0 3 3 disconnected\n"
    "gg 10.0.0.7:7006@17006 handshake - 0 3 3 connected\n";

Topology topology_of(std::string_view nodes, bool by_name = false) {
  auto topology = Topology::parse(nodes, kAsked, by_name);
  EXPECT_TRUE(topology) << (topology ? "" : topology.error().message);
  return topology ? *topology : Topology{};
}

TEST(Topology, KnowsTheOwnerOfEachSlot) {
  const Topology topology = topology_of(kNodes);
  EXPECT_EQ(topology.primaries(), 2U);
  ASSERT_NE(topology.owner(0), nullptr);
  EXPECT_EQ(topology.owner(0)->at, (Endpoint{"127.0.0.1", 7000}));
  EXPECT_EQ(topology.owner(8191)->at.port, 7000);
  EXPECT_EQ(topology.owner(8192)->at, (Endpoint{"10.0.0.2", 7001}));
  EXPECT_EQ(topology.owner(16383)->at.port, 7001);
  EXPECT_EQ(topology.owner(16001), nullptr);  // its primary failed
}

TEST(Topology, ListsReplicasThatCanBeReached) {
  const Topology topology = topology_of(kNodes);
  ASSERT_EQ(topology.owner(0)->replicas.size(), 1U);
  EXPECT_EQ(topology.owner(0)->replicas[0], (Endpoint{"10.0.0.3", 7002}));
  EXPECT_TRUE(topology.owner(8192)->replicas.empty());
  EXPECT_EQ(topology.nodes().size(), 3U);
}

TEST(Topology, FindsANodeByHostAndByName) {
  const Topology topology = topology_of(kNodes);
  EXPECT_EQ(topology.find({"10.0.0.2", 7001}), (Endpoint{"10.0.0.2", 7001}));
  EXPECT_EQ(topology.find({"node-b", 7001}), (Endpoint{"10.0.0.2", 7001}));
  EXPECT_EQ(topology.find({"10.0.0.9", 7001}), std::nullopt);
  EXPECT_EQ(topology.find({"10.0.0.2", 7002}), std::nullopt);
  EXPECT_EQ(topology_of(kNodes, true).owner(8192)->at, (Endpoint{"node-b", 7001}));
}

TEST(Topology, ANodeThatDoesNotKnowItsHostIsTheOneAsked) {
  const Topology topology = topology_of("aa :7000@17000 myself,master - 0 0 1 connected 0-16383\n");
  EXPECT_EQ(topology.owner(5)->at, kAsked);
}

TEST(Topology, AServerAloneServesAll) {
  const Topology topology{kAsked};
  EXPECT_EQ(topology.primaries(), 1U);
  EXPECT_EQ(topology.owner(16383)->at, kAsked);
}

TEST(Topology, RefusesWhatIsNoList) {
  for (const std::string_view text :
       {"x", "aa 127.0.0.1 master - 0 0 1 connected", "aa 127.0.0.1:x@1 master - 0 0 1 connected",
        "aa 127.0.0.1:99999@1 master - 0 0 1 connected"})
    EXPECT_FALSE(Topology::parse(text, kAsked, false)) << text;
  // Slots that do not exist are passed over.
  EXPECT_EQ(topology_of("aa h:1@2 master - 0 0 1 connected 16384 7-3 x-9 99999999999\n").owner(7),
            nullptr);
}

}  // namespace
}  // namespace bloomery::redis_client
