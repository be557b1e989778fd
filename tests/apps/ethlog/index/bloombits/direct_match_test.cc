// What is the direct matcher's own; that it finds what the pipeline finds is in matcher_test.cc.
#include "apps/ethlog/index/bloombits/direct_match.h"

#include "apps/ethlog/model/block_numbers.h"
#include "tests/apps/ethlog/model/vector_chain.h"

namespace bloomery::ethlog {
namespace {

using testing::Blocks;
using testing::Bytes;
using testing::SplitMix64;

TEST(AppendBlocks, EqualsBitByBitInEveryRange) {
  SplitMix64 random{5};
  for (const std::size_t bytes : {1U, 2U, 7U, 8U, 9U, 16U, 25U}) {
    const Bytes bits = random.bytes(bytes);
    const std::uint64_t start = 1000 * 8 * bytes;
    for (std::size_t first = 0; first < 8 * bytes; ++first)
      for (std::size_t last = first; last < 8 * bytes; last += 1 + bytes / 4) {
        Blocks expected = {7};  // what was there stays
        for (std::size_t i = first; i <= last; ++i)
          if ((bits[i / 8] & std::byte{0x80} >> (i % 8)) != std::byte{0})
            expected.push_back(start + i);
        Blocks blocks = {7};
        Bytes trimmed = bits;
        append_blocks(trimmed, start, start + first, start + last, blocks);
        ASSERT_EQ(blocks, expected) << bytes << " bytes, " << first << ".." << last;
      }
  }
}

TEST(DirectMatcher, AMissingOrShortVectorIsToldAndWhatWasFoundStays) {
  const Bytes full(8, std::byte{0xff});
  for (const std::size_t wrong : {0U, 7U, 9U}) {
    const Bytes other(wrong, std::byte{0xff});
    const auto source = [&](std::uint32_t bit, std::uint64_t section) -> ByteView {
      return bit == 11 && section == 1 ? ByteView{other} : ByteView{full};
    };
    for (const std::vector<BitClause>& clauses :
         {std::vector<BitClause>{{{1, 11, 3}}}, std::vector<BitClause>{{{1, 2, 3}, {4, 5, 11}}}}) {
      Blocks blocks;
      const auto done = DirectMatcher{64, clauses}.match(60, 200, source, blocks);
      ASSERT_FALSE(done);
      EXPECT_NE(done.error().message.find("bit 11 in section 1"), std::string::npos);
      EXPECT_EQ(blocks, (Blocks{60, 61, 62, 63}));
    }
  }
}

TEST(DirectMatcher, ADeadSectionAsksForNothingMore) {
  const Bytes none(8);
  const Bytes full(8, std::byte{0xff});
  std::set<std::uint32_t> asked;
  const auto source = [&](std::uint32_t bit, std::uint64_t /*section*/) -> ByteView {
    asked.insert(bit);
    return bit == 2 ? ByteView{none} : ByteView{full};
  };
  // The clause with one key goes first wherever it stands, and leaves nothing.
  const std::vector<BitClause> clauses = {{{20, 21, 22}, {30, 31, 32}}, {{1, 2, 3}}};
  Blocks blocks;
  ASSERT_TRUE((DirectMatcher{64, clauses}.match(0, 63, source, blocks)));
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(asked, (std::set<std::uint32_t>{1, 2, 3}));
}

TEST(DirectMatcher, StopsBetweenSections) {
  std::stop_source stop;
  const Bytes full(8, std::byte{0xff});
  const auto source = [&](std::uint32_t /*bit*/, std::uint64_t section) -> ByteView {
    if (section == 1) stop.request_stop();
    return full;
  };
  Blocks blocks;
  const DirectMatcher matcher{64, {{{1, 2, 3}}}};
  ASSERT_TRUE(matcher.match(0, 64'000'000, source, blocks, stop.get_token()));
  EXPECT_EQ(blocks.size(), 128U);
}

TEST(DirectMatcher, ASinkThatHasEnoughEndsTheSearch) {
  const Bytes full(8, std::byte{0xff});
  const Bytes none(8);
  std::size_t asked = 0;
  const auto source = [&](std::uint32_t /*bit*/, std::uint64_t section) -> ByteView {
    asked = section;
    return section % 2 == 0 ? ByteView{none} : ByteView{full};
  };
  std::vector<Blocks> parts;
  const DirectMatcher matcher{64, {{{1, 2, 3}}}};
  ASSERT_TRUE(matcher.match(70, 1'000'000, source, [&](std::span<const std::uint64_t> blocks) {
    parts.emplace_back(blocks.begin(), blocks.end());
    return parts.size() < 3;
  }));
  ASSERT_EQ(parts.size(), 3U) << "sections without candidates are not handed out";
  EXPECT_EQ(parts[0].size(), 58U);
  EXPECT_EQ(parts[0].front(), 70U);
  EXPECT_EQ(parts[2].front(), 5 * 64U);
  EXPECT_EQ(asked, 5U);
}

TEST(DirectMatcher, OneSectionIsGivenAsAVector) {
  const Bytes odd(8, std::byte{0x55});
  const Bytes high(8, std::byte{0xf0});
  const auto source = [&](std::uint32_t bit, std::uint64_t /*section*/) -> ByteView {
    return bit == 1 ? ByteView{odd} : ByteView{high};
  };
  Bytes bits(8);
  const DirectMatcher matcher{64, {{{1, 2, 2}}}};
  const auto any = matcher.match_section(0, source, bits);
  ASSERT_TRUE(any);
  EXPECT_TRUE(*any);
  EXPECT_EQ(bits, Bytes(8, std::byte{0x50}));
}

}  // namespace
}  // namespace bloomery::ethlog
