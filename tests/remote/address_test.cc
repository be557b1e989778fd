#include "bloomery/remote/address.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(WebAddress, IsRecognisedByItsScheme) {
  EXPECT_TRUE(is_web_address("http://a"));
  EXPECT_TRUE(is_web_address("HTTPS://a"));
  for (const char* other : {"", "http:/a", "httpsx://a", "ftp://a", "./http://a", "redis://a"})
    EXPECT_FALSE(is_web_address(other)) << other;
}

TEST(WebAddress, HasAnOrigin) {
  const struct {
    const char* address;
    WebOrigin origin;
  } kCases[] = {
      {"http://Host/p", {false, "host", 80}},
      {"https://host?q", {true, "host", 443}},
      {"https://user:pw@host:8443/a@b", {true, "host", 8443}},
      {"http://[::1]/x", {false, "[::1]", 80}},
      {"http://u@[FE80::1]:81#f", {false, "[fe80::1]", 81}},
  };
  for (const auto& [address, origin] : kCases) {
    const auto parsed = parse_web_origin(address);
    ASSERT_TRUE(parsed) << address;
    EXPECT_EQ(*parsed, origin) << address;
  }
}

TEST(WebAddress, IsRefusedWhereTwoReadersCouldSeeTwoHosts) {
  for (const char* bad : {"", "host", "http://", "http:///p", "http://a@b@c/", "http://a\\@b/",
                          "http://a b/", "http://a/\r\nHost: b", "http://[::1/", "http://a:/",
                          "http://a:0/", "http://a:65536/", "http://a:8x/", "http://a:80:80/",
                          "http://:80/", "http://u@/", "http://a\t/", "http://\x7f/"}) {
    const auto parsed = parse_web_origin(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(WebAddress, NoErrorRepeatsIt) {
  for (const char* bad : {"http://secret@secret@c/", "http://secret secret/", "http://a:secret/"})
    EXPECT_EQ(parse_web_origin(bad).error().message.find("secret"), std::string::npos) << bad;
}

TEST(WebAddress, IsShownWithoutItsSecrets) {
  EXPECT_EQ(shown_web_address("https://u:p@host:1/a/b?sig=x&y#f"), "https://host:1/a/b");
  EXPECT_EQ(shown_web_address("https://host#f?x"), "https://host");
  EXPECT_EQ(shown_web_address("https://host?a=b@c"), "https://host");
  EXPECT_EQ(shown_web_address("https://host/p@q"), "https://host/p@q");
}

TEST(WebAddress, IsNotShownWhereItsPartsCannotBeToldApart) {
  for (const char* bad : {"https://user:pa/ss@host/p", "https://user:pa?ss@host/p",
                          "https://user:pa#ss@host/p", "https://a@b@host/p q?r s"}) {
    EXPECT_EQ(shown_web_address(bad), "https://...") << bad;
    std::string overwritten = bad;
    overwrite_web_secrets(overwritten);
    EXPECT_EQ(overwritten, "https://" + std::string(overwritten.size() - 8, '*')) << bad;
  }
  EXPECT_EQ(without_web_secrets("https://user:pa/ss@host/p: no such file"),
            "https://...: no such file");
  EXPECT_EQ(without_web_secrets("begins with http:// or https://"),
            "begins with http:// or https://");
}

TEST(WebAddress, IsShownSoInsideOfText) {
  EXPECT_EQ(without_web_secrets("cannot read https://u:p@h/p?sig=1: no such file"),
            "cannot read https://h/p: no such file");
  EXPECT_EQ(without_web_secrets("(HTTP://h/p?x), 'https://h?y' and http://a#z"),
            "(HTTP://h/p), 'https://h' and http://a");
  EXPECT_EQ(without_web_secrets("no address?at all"), "no address?at all");
  EXPECT_EQ(without_web_secrets(""), "");
}

TEST(WebAddress, IsOverwrittenInPlace) {
  const auto overwritten = [](std::string text) {
    overwrite_web_secrets(text);
    return text;
  };
  EXPECT_EQ(overwritten("https://u:p@h/p?sig"), "https://****h/p****");
  EXPECT_EQ(overwritten("--against=http://h/p#f"), "--against=http://h/p**");
  EXPECT_EQ(overwritten("http://h/p"), "http://h/p");
  EXPECT_EQ(overwritten("file?x"), "file?x");
}

}  // namespace
}  // namespace bloomery
