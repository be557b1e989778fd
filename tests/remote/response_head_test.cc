#include "bloomery/remote/response_head.h"

#include <gtest/gtest.h>

namespace bloomery::internal {
namespace {

TEST(ContentRange, OfAPart) {
  const auto range = parse_content_range("bytes 5-9/10");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 5u);
  EXPECT_EQ(range->last, 9u);
  EXPECT_EQ(range->total, 10u);
  EXPECT_TRUE(parse_content_range("Bytes 0-0/1"));
  EXPECT_TRUE(parse_content_range("bytes 0-18446744073709551614/18446744073709551615"));
}

TEST(ContentRange, OfUnknownSizeAndOfNoPart) {
  EXPECT_FALSE(parse_content_range("bytes 0-9/*")->total);
  const auto none = parse_content_range("bytes */10");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->first);
  EXPECT_EQ(none->total, 10u);
}

TEST(ContentRange, ThatContradictsItself) {
  for (const char* bad :
       {"", "bytes", "bytes ", "bytes 0-9", "bytes 0-9/", "bytes 9-0/10", "bytes 0-10/10",
        "bytes -1-9/10", "bytes 0--9/10", "bytes +0-9/10", "bytes 0-9/10x", "bytes */*",
        "bytes /10", "items 0-9/10", "bytes=0-9/10",
        "bytes 0-18446744073709551616/18446744073709551617", "bytes 0 -9/10", "bytes 0-9/0"})
    EXPECT_FALSE(parse_content_range(bad)) << bad;
}

ResponseHead head_of(std::initializer_list<const char*> lines) {
  ResponseHead head;
  for (const char* line : lines) head.add_line(line);
  return head;
}

TEST(ResponseHead, KeepsWhatItNeeds) {
  const auto head =
      head_of({"HTTP/1.1 206 Partial Content\r\n", "ETag: \"a\"\r\n", "last-modified:  then \r\n",
               "CONTENT-LENGTH: 5\r\n", "Content-Range: bytes 5-9/10\r\n",
               "Content-Encoding: GZIP\r\n", "\r\n"});
  EXPECT_EQ(head.status, 206u);
  EXPECT_EQ(head.etag, "\"a\"");
  EXPECT_EQ(head.last_modified, "then");
  EXPECT_EQ(head.content_length, 5u);
  EXPECT_EQ(head.content_range->last, 9u);
  EXPECT_TRUE(head.is_encoded());
  EXPECT_FALSE(head.is_broken);
  EXPECT_FALSE(head_of({"HTTP/2 200", "Content-Encoding: identity"}).is_encoded());
}

TEST(ResponseHead, BeginsAnewWithEachStatusLine) {
  const auto head = head_of({"HTTP/1.1 100 Continue", "ETag: \"a\"", "HTTP/2 200 "});
  EXPECT_EQ(head.status, 200u);
  EXPECT_EQ(head.etag, "");
}

TEST(ResponseHead, IsBrokenByWhatCannotBeRead) {
  EXPECT_TRUE(head_of({"HTTP/1.1"}).is_broken);
  EXPECT_TRUE(head_of({"HTTP/1.1 2x0"}).is_broken);
  EXPECT_TRUE(head_of({"Content-Length: -1"}).is_broken);
  EXPECT_TRUE(head_of({"Content-Length: 1", "Content-Length: 2"}).is_broken);
  EXPECT_TRUE(head_of({"Content-Range: x"}).is_broken);
  EXPECT_TRUE(head_of({"Content-Range: bytes 0-1/2", "Content-Range: bytes 0-1/2"}).is_broken);
  EXPECT_TRUE(head_of({"ETag: \"a\"", "ETag: \"b\""}).is_broken);
  EXPECT_TRUE(head_of({("ETag: " + std::string(2000, 'x')).c_str()}).is_broken);
  EXPECT_FALSE(head_of({"ETag: \"a\"", "ETag: \"a\"", "X: y", "no colon", ""}).is_broken);
}

}  // namespace
}  // namespace bloomery::internal
