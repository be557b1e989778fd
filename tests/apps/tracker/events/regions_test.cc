#include "apps/tracker/events/regions.h"

#include <gtest/gtest.h>

namespace bloomery::tracker {
namespace {

constexpr std::string_view kMountinfo =
    "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "28 27 0:25 / /data/with\\040blank rw - tmpfs tmpfs rw\n"
    "29 27 254:0 /srv /data/bound rw - ext4 /dev/vda rw\n"
    "30 27 0:40 / /data/remote rw - nfs4 host:/export rw\n"
    "31 27 0:41 / /elsewhere rw - tmpfs tmpfs rw\n"
    "32 27 0:42 / /elsewhere rw - xfs /dev/vdb rw\n"
    "33 27 0:43 / /proc rw - proc proc rw\n"
    "nonsense\n34 27 0:1\n";

std::vector<Region> of(const std::vector<std::string>& roots) {
  return regions_of(roots, parse_mounts(kMountinfo));
}

TEST(Regions, MountsAreReadWithTheirOddNames) {
  const auto mounts = parse_mounts(kMountinfo);
  ASSERT_EQ(mounts.size(), 7U);
  EXPECT_EQ(mounts[1], (Mount{"0:25", "/", "/data/with blank", "tmpfs"}));
  EXPECT_EQ(mounts[2].root, "/srv");
  ASSERT_TRUE(read_mounts());
  EXPECT_FALSE(read_mounts()->empty());
}

TEST(Regions, WhatAnotherMountCoversIsNotThere) {
  const auto mounts = parse_mounts(
      "1 0 8:1 / / rw - ext4 /dev/vda rw\n"
      "2 40 0:2 / /a rw - xfs /dev/vdb rw\n"  // moved over 40, though it is listed first
      "3 40 0:3 / /a/hidden rw - tmpfs t rw\n"
      "40 1 0:1 / /a rw - nfs4 host:/x rw\n"
      "4 1 0:4 / /b/deep rw - tmpfs t rw\n"  // then /b was mounted over
      "5 4 0:5 / /b/deep/er rw - tmpfs t rw\n"
      "6 1 0:6 / /b rw - tmpfs t rw\n"
      "7 6 0:7 / /b/deep rw - tmpfs t rw\n");
  std::vector<std::string> devices;
  for (const Mount& mount : mounts) devices.push_back(mount.device);
  EXPECT_EQ(devices, (std::vector<std::string>{"8:1", "0:2", "0:6", "0:7"}));
}

TEST(Regions, AFolderInAChangedRootLiesOnWhatTheRootLiesOn) {
  const auto mounts = with_root(parse_mounts("1 0 0:5 / /proc rw - proc proc rw\n"), "8:1");
  const std::string root[] = {"/data"};
  const auto regions = regions_of(root, mounts);
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].device, "8:1");
  EXPECT_EQ(regions[0].unseen, "");
  EXPECT_EQ(with_root(mounts, "9:9"), mounts);
}

TEST(Regions, EveryMountBelowARootIsOne) {
  const auto regions = of({"/data"});
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[0].path, "/data");
  EXPECT_EQ(regions[0].filesystem, "ext4");
  EXPECT_EQ(regions[1].path, "/data/bound");
  EXPECT_EQ(regions[1].twin, "") << "/srv is not watched under another name";
  EXPECT_NE(regions[2].unseen.find("other machines"), std::string::npos);
  EXPECT_EQ(regions[3].path, "/data/with blank");
}

TEST(Regions, TheSameFoldersUnderAnotherNameAreSaidSo) {
  const auto regions = of({"/srv/deep", "/data"});
  ASSERT_EQ(regions.size(), 5U);
  EXPECT_EQ(regions[1].path, "/data/bound");
  EXPECT_EQ(regions[1].twin, "");
  EXPECT_EQ(regions[4].path, "/srv/deep");
  EXPECT_EQ(regions[4].twin, "/data/bound");
}

TEST(Regions, ARootWithinAnotherIsPartOfItAndTheLastMountCovers) {
  EXPECT_EQ(of({"/elsewhere/a", "/elsewhere", "/elsewhere/a"}).size(), 1U);
  EXPECT_EQ(of({"/elsewhere"})[0].filesystem, "xfs");
  EXPECT_EQ(of({"/"}).size(), 6U);
  EXPECT_FALSE(of({"/proc/1"})[0].unseen.empty());
}

}  // namespace
}  // namespace bloomery::tracker
