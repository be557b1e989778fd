#include "apps/input/kinds.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/input/records.h"
#include "apps/input/spool.h"
#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/byte_pipe.h"
#include "tests/apps/input/compress.h"

namespace bloomery::input {
namespace {

using ::bloomery::testing::BytePipe;
using ::bloomery::testing::TemporaryFile;
using namespace std::string_literals;

std::string refused(const std::string& first, std::string_view name = "in") {
  return refusal_of(bytes_of(first), {name, "bloomery dedup", "-Z none"}).value_or("");
}

TEST(Refusal, NamesTheCommandToUse) {
  EXPECT_EQ(refused("SQLite format 3\0"s + std::string(84, '\0'), "a.db"),
            "it is an SQLite database, not records; write a column of it as lines first (sqlite3 "
            "a.db 'SELECT column FROM table' | bloomery dedup); -Z none");
  EXPECT_EQ(refused("LZIP\x01\x0c"s, "a.lz"),
            "lzip-compressed input is not supported; decompress it first (lzip -dc a.lz | bloomery "
            "dedup); -Z none");
  EXPECT_NE(refused("PK\x03\x04"s, "standard input").find("unzip -p FILE |"), std::string::npos);
}

TEST(Refusal, KnowsContainersByTheirFirstBytes) {
  std::string tar(512, 'x');
  tar.replace(257, 6, "ustar\0"s);
  for (const std::string& first : {"PAR1\x15\x04\x15"s,
                                   "ARROW1\0\0"s,
                                   "FEA1\0\0\0\0"s,
                                   "\xff\xff\xff\xff\x10\x01\0\0"s,
                                   "ORC\n\x0b\n\x03"s,
                                   "Obj\x01\x04"s,
                                   "PK\x03\x04"s,
                                   "PK\x05\x06"s,
                                   "7z\xbc\xaf\x27\x1c"s,
                                   "Rar!\x1a\x07\x01"s,
                                   "%PDF-1.7\n"s,
                                   "\x7f"
                                   "ELF\x02\x01"s,
                                   "\xff\xfe"
                                   "a\0"s,
                                   "\xfe\xff\0a"s,
                                   "\xff\xfe\0\0a\0\0\0"s,
                                   "\x1f\x9d\x90"s,
                                   "\xff\x06\0\0sNaPpY"s,
                                   "\x02\x21\x4c\x18"s,
                                   tar,
                                   "REDIS0011\xfa\x09redis-ver\x05"s,
                                   "BLOOMERY\x01\0\x02\0"s,
                                   "\x89HDF\r\n\x1a\n"s,
                                   "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s,
                                   "\x89PNG\r\n\x1a\n"s,
                                   "\xff\xd8\xff\xe0"s})
    EXPECT_NE(refused(first), "") << first;
}

// A header as tar of 1979 wrote it: no word at byte 257, only its checksum.
std::string old_tar() {
  std::string header(512, '\0');
  header.replace(0, 5, "a.txt");
  header.replace(100, 8, "0000644\0"s);
  header.replace(108, 8, "0001750\0"s);
  header.replace(116, 8, "0001750\0"s);
  header.replace(124, 12, "00000000012\0"s);
  header.replace(136, 12, "14700000000\0"s);
  header.replace(148, 8, std::string(8, ' '));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::string digits;
  for (int shift = 15; shift >= 0; shift -= 3)
    digits += static_cast<char>('0' + ((sum >> static_cast<unsigned>(shift)) & 7U));
  return header.replace(148, 8, digits + "\0 "s);
}

std::string wide(std::string_view text, bool little) {
  std::string all;
  for (const char c : text) all += little ? std::string{c, '\0'} : std::string{'\0', c};
  return all;
}

TEST(Refusal, KnowsAnOldTarByTheChecksumOfItsHeader) {
  EXPECT_NE(refused(old_tar() + "0123456789").find("a tar archive"), std::string::npos);
  std::string other = old_tar();
  other[3] = 'y';
  EXPECT_EQ(refused(other), "") << "the checksum is that of other bytes";
  EXPECT_EQ(refused(old_tar().substr(0, 511)), "");
  // Text whose digits agree with its sum by chance: it has no NUL.
  std::string text(512, '!');
  text.replace(148, 8, " 041100 ");
  EXPECT_EQ(refused(text), "");
}

TEST(Refusal, KnowsLzmaByItsHeader) {
  const std::string unknown_size(8, '\xff');
  for (const std::string& header :
       {"\x5d\0\0\x80\0"s + unknown_size, "\x5d\0\0\x80\0"s + unknown_size + "\0\x30"s,
        "\x5d\0\0\0\x04\x1b\0\0\0\0\0\0\0\0"s, "\x5d\0\0\x80\0"s, "\x5d\0\0\xc0\0\x01"s})
    EXPECT_NE(refused(header, "a.lzma")
                  .find("lzma-compressed input is not supported; decompress "
                        "it first (xz -dc a.lzma | bloomery dedup)"),
              std::string::npos);
  for (const std::string& other :
       {"]\n"s, "]\0\0"s, "]\0\0\0\0"s, "]\0\0\x81\0"s, "]\0\0\x80\0"s + "not a size.",
        "\x5d\0\0\x80\0"s + unknown_size + "x"})
    EXPECT_EQ(refused(other), "") << other;
}

TEST(Refusal, KnowsUtf16WithoutAMark) {
  const std::string text = "one line\nanother\n";
  EXPECT_NE(refused(wide(text, true))
                .find("it is UTF-16 text; convert it to UTF-8 first (iconv "
                      "-f UTF-16LE -t UTF-8 in | bloomery dedup)"),
            std::string::npos);
  EXPECT_NE(refused(wide(text, false)).find("iconv -f UTF-16BE"), std::string::npos);
  EXPECT_NE(refused(wide(std::string(5000, 'a'), true) + "tail"), "") << "only the start counts";
  EXPECT_EQ(refusal_of(bytes_of(wide("123456789", true)), {"in", "bloomery dedup", "", true}),
            std::nullopt)
      << "records of one character that end in NUL";
  EXPECT_EQ(refused("a\0b\0c\0"s), "") << "too little to tell";
  EXPECT_EQ(refused(std::string(100, '\0')), "");
}

TEST(Refusal, KnowsATableByItsEndWhereItBeginsLikeText) {
  const auto refused_by_end = [](const std::string& first, const std::string& last) {
    return refusal_of(bytes_of(first), {"in", "bloomery dedup", ""}, bytes_of(last)).value_or("");
  };
  EXPECT_NE(refused_by_end("ORCapplepearplum", "ORC\x17"s), "");
  EXPECT_NE(refused_by_end("PAR1apple", "PAR1"), "");
  EXPECT_EQ(refused_by_end("ORCA\nORCHARD\n", "RD\n"), "");
  EXPECT_EQ(refused_by_end("ORCA\nORC\n", "ORC\n"), "");
  EXPECT_EQ(refused_by_end("apple\n", "ORC\x17"s), "");
  const TemporaryFile file{"ORC" + std::string(9000, 'a') + "ORC\x17"};
  const auto opened = Input::open(file.path());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("it is an ORC file"), std::string::npos);
  EXPECT_TRUE(Input::open(file.path(), {.decompress = Compression::kNone}));
}

TEST(Refusal, LeavesTextAlone) {
  for (const std::string& first :
       {""s, "a"s, "PAR1S is a line\n"s, "ORCHARD\nORC\n"s, "BLOOMERY\nis a word\n"s, "Object\n"s,
        "PK is text\n"s, "7zip\n"s, "REDIS0 is a line\n"s, "%PD\n"s, "BZh is text\n"s, "Rar!\n"s,
        "\xef\xbb\xbf"
        "a\n"s,
        "e2\0\0\0\0\0\0"s, "ORCA\0whale\0"s})
    EXPECT_EQ(refused(first), "") << first;
}

TEST(Recognise, WaitsOnlyForWhatCouldBeKnown) {
  for (const std::string& first : {""s, "\x1f"s, "\x1f\x8b"s, "BZh9"s, "BZh91AY"s, "P"s,
                                   "\x28\xb5"s, "\x5a\x2a"s, "SQLite for"s, "\xff"s})
    EXPECT_TRUE(could_be_known(bytes_of(first))) << first;
  for (const std::string& first :
       {"7\n"s, "a"s, "BZh9x"s, "P\n"s, "\x28("s, "SQL\n"s, "{"s, "1\n"s, "BZhx"s, "]\n"s})
    EXPECT_FALSE(could_be_known(bytes_of(first))) << first;
}

TEST(Recognise, FindsCompressionsByName) {
  for (const char* name : {"none", "gzip", "zstd", "xz", "bzip2", "lz4"})
    EXPECT_EQ(compression_name(*find_compression(name)), name);
  EXPECT_FALSE(find_compression("auto"));
}

TEST(Recognise, NoticesAnInputThatEndsInsideAMagic) {
  struct Case {
    std::string whole_input;
    std::optional<Compression> cut;
  };
  for (const auto& [whole_input, cut] : std::vector<Case>{{"\x1f"s, Compression::kGzip},
                                                          {"\x1f\x8b"s, Compression::kGzip},
                                                          {"("s, std::nullopt},
                                                          {"\x28\xb5"s, Compression::kZstd},
                                                          {"\x28\xb5\x2f"s, Compression::kZstd},
                                                          {"\xfd"s, Compression::kXz},
                                                          {"\xfd\x37zXZ"s, Compression::kXz},
                                                          {"\x04"s, Compression::kLz4},
                                                          {"\x04\x22\x4d"s, Compression::kLz4},
                                                          {"BZh"s, std::nullopt},
                                                          {"BZh9"s, Compression::kBzip2},
                                                          {"BZh91AY&S"s, Compression::kBzip2},
                                                          {"BZh9\n"s, std::nullopt},
                                                          {"BZhx"s, std::nullopt},
                                                          {""s, std::nullopt},
                                                          {"P*M"s, std::nullopt},
                                                          {"text"s, std::nullopt}})
    EXPECT_EQ(cut_compression(bytes_of(whole_input)), cut) << whole_input;
}

constexpr std::size_t kSmallPiece = 3;  // bytes that a pipe brings at once

std::string all_of(Input& input) {
  std::string all;
  std::vector<std::byte> buffer(50);
  for (;;) {
    const auto got = input.read(buffer);
    if (!got) return "error: " + got.error().message;
    if (*got == 0) return all;
    all += text_of(ByteView{buffer}.first(*got));
  }
}

TEST(Peek, LosesNothingOfAPipe) {
  const std::string text = "e2 first\nsecond\n";
  for (const std::string& bytes : {text, testing::gzip(text), testing::zstd(text)}) {
    const BytePipe pipe{bytes, kSmallPiece};
    auto input = Input::open(pipe.path());
    ASSERT_TRUE(input) << input.error().message;
    const auto one = input->peek(1);
    ASSERT_TRUE(one);
    EXPECT_EQ(text_of(*one).substr(0, 1), "e");
    const auto some = input->peek(12);
    ASSERT_TRUE(some);
    EXPECT_EQ(text_of(*some).substr(0, 12), text.substr(0, 12));
    EXPECT_EQ(all_of(*input), text);
  }
}

TEST(Peek, SaysWhatThereIsOfAShortInput) {
  const TemporaryFile file{"abc"};
  auto input = Input::open(file.path());
  EXPECT_EQ(text_of(*input->peek(100)), "abc");
  EXPECT_EQ(all_of(*input), "abc");
}

TEST(Peek, LooksInsideWhateverPiecesAPipeBrings) {
  const BytePipe pipe{testing::gzip(testing::gzip("text\n")), kSmallPiece};
  auto input = Input::open(pipe.path(), {.consumer = "bloomery dedup"});
  ASSERT_TRUE(input);
  EXPECT_NE(all_of(*input).find("it is compressed twice, gzip inside gzip; decompress it once "
                                "first (gzip -dc"),
            std::string::npos);
}

TEST(Spool, MapsWhatAPipeBrings) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + "\n";
  const BytePipe pipe{testing::gzip(text), kSmallPiece};
  auto input = Input::open(pipe.path());
  ASSERT_TRUE(input);
  ASSERT_TRUE(input->peek(5));
  const auto mapped = spool(*input);
  ASSERT_TRUE(mapped) << mapped.error().message;
  EXPECT_EQ(text_of(mapped->bytes()), text);
}

TEST(RecordReader, NamesTheRecordThatWasCut) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "record " + std::to_string(i * 7919) + "\n";
  const std::string packed = testing::gzip(text);
  const TemporaryFile file{packed.substr(0, packed.size() / 2)};
  auto input = Input::open(file.path());
  RecordReader reader{*input, std::byte{'\n'}};
  std::uint64_t records = 0;
  for (;;) {
    const auto batch = reader.next();
    if (batch) {
      ASSERT_FALSE(batch->empty());
      records += batch->size();
      continue;
    }
    EXPECT_EQ(batch.error().message,
              file.path() + ": record " + std::to_string(records + 1) +
                  ": the gzip data end early; the file is incomplete (after byte " +
                  std::to_string(packed.size() / 2) + " of the compressed data)");
    break;
  }
  EXPECT_GT(records, 1000U);
}

TEST(Input, NoticesAFileThatBecameShorter) {
  const TemporaryFile file{std::string(100'000, 'a') + std::string(400'000, 'b')};
  auto input = Input::open(file.path());
  ASSERT_TRUE(input);
  ASSERT_EQ(::truncate(file.path().c_str(), 300'000), 0);
  EXPECT_EQ(all_of(*input),
            "error: " + file.path() + ": the file became shorter while it was read");
}

}  // namespace
}  // namespace bloomery::input
