#include "apps/http/compression.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include "tests/apps/http/client.h"

namespace bloomery::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string unzipped(std::string_view packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

bool has_zstd() { return accepted_coding("zstd") == Coding::kZstd; }

TEST(HttpCompression, TakesTheCodingThatTheClientLikesBest) {
  for (const auto& [header, expected] :
       std::initializer_list<std::pair<const char*, Coding>>{{"", Coding::kNone},
                                                             {"gzip", Coding::kGzip},
                                                             {"GZIP", Coding::kGzip},
                                                             {"deflate, br", Coding::kNone},
                                                             {"gzip;q=0", Coding::kNone},
                                                             {"gzip;q=0.000", Coding::kNone},
                                                             {"gzip ; q=0.5 ", Coding::kGzip},
                                                             {"*", Coding::kGzip},
                                                             {"*;q=0", Coding::kNone},
                                                             {"gzip;q=0, *", Coding::kNone},
                                                             {"identity", Coding::kNone},
                                                             {"gzip;q=2", Coding::kNone},
                                                             {"gzip;q=0.1234", Coding::kNone},
                                                             {"gzip;level=9", Coding::kNone},
                                                             {",,,;;;,gzip", Coding::kGzip}})
    EXPECT_EQ(accepted_coding(header), expected) << header;
  if (!has_zstd()) GTEST_SKIP() << "built without zstd";
  EXPECT_EQ(accepted_coding("gzip, zstd"), Coding::kZstd);
  EXPECT_EQ(accepted_coding("gzip;q=1, zstd;q=0.9"), Coding::kGzip);
  EXPECT_EQ(accepted_coding("zstd;q=0, gzip;q=0.1"), Coding::kGzip);
}

TEST(HttpCompression, LeavesBytesThatDoNotShrinkAsTheyAre) {
  std::string noise;
  for (std::uint32_t i = 0, state = 7; i < 4'000; ++i)
    noise += static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24);
  for (std::string body : {noise, std::string{}, std::string{"x"}}) {
    const std::string before = body;
    EXPECT_FALSE(compress(Coding::kGzip, body));
    EXPECT_EQ(body, before);
  }
}

class ConcurrencyHttpCompression : public ::testing::Test {
 protected:
  ConcurrencyHttpCompression() {
    ServerOptions options;
    options.compressed_from = 1'000;
    options.handle = [](const Request& request) -> Reply {
      if (request.path == "/encoded")
        return {.body = std::string(5'000, 'x'), .headers = {{"Content-Encoding", "br"}}};
      return {.content_type = "application/json",
              .body = std::string(request.path == "/tiny" ? 999 : 50'000, 'x')};
    };
    auto started = Server::start(options);
    EXPECT_TRUE(started.has_value());
    server_.emplace(std::move(*started));
  }
  Received ask(const std::string& request) {
    Client client{server_->address()};
    return client.ask(request);
  }
  std::optional<Server> server_;
};

TEST_F(ConcurrencyHttpCompression, PacksLongRepliesForThoseWhoAccept) {
  const Received packed = ask(get("/", "Accept-Encoding: gzip\r\n"));
  EXPECT_THAT(packed.head, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(packed.head, HasSubstr("Vary: Accept-Encoding\r\n"));
  EXPECT_LT(packed.body.size(), 1'000U);
  EXPECT_EQ(unzipped(packed.body), std::string(50'000, 'x'));
  const Received plain = ask(get("/"));
  EXPECT_THAT(plain.head, Not(HasSubstr("Content-Encoding")));
  EXPECT_THAT(plain.head, HasSubstr("Vary: Accept-Encoding\r\n"));
  EXPECT_EQ(plain.body.size(), 50'000U);
  if (!has_zstd()) return;
  const Received zstd = ask(get("/", "Accept-Encoding: gzip, zstd\r\n"));
  EXPECT_THAT(zstd.head, HasSubstr("Content-Encoding: zstd\r\n"));
  EXPECT_LT(zstd.body.size(), 200U);
}

TEST_F(ConcurrencyHttpCompression, LeavesShortAndEncodedRepliesAlone) {
  const Received tiny = ask(get("/tiny", "Accept-Encoding: gzip\r\n"));
  EXPECT_THAT(tiny.head, Not(HasSubstr("Content-Encoding")));
  EXPECT_EQ(tiny.body.size(), 999U);
  EXPECT_THAT(ask(get("/encoded", "Accept-Encoding: gzip\r\n")).head,
              HasSubstr("Content-Encoding: br\r\n"));
}

// A small request that would unfold to a large one is not read at all.
TEST_F(ConcurrencyHttpCompression, TakesNoCompressedRequest) {
  for (const char* coding : {"gzip", "zstd", "deflate", "br", "identity, gzip"}) {
    const Received refused =
        ask("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Encoding: " +
            std::string{coding} + "\r\n\r\n\x1f\x8b\x08zz");
    EXPECT_EQ(refused.status, 415U) << coding;
  }
}

TEST_F(ConcurrencyHttpCompression, ReadsAnyHeader) {
  for (const std::string& header :
       {std::string(8'000, ','), std::string(8'000, ';'), std::string{"gzip;q="},
        std::string{"gzip;q=1."}, std::string{"gzip;"}, std::string{"\t,\t;q"},
        "gzip" + std::string(4'000, ' ') + ";q=1"})
    EXPECT_EQ(ask(get("/tiny", "Accept-Encoding: " + header + "\r\n")).status, 200U) << header;
}

}  // namespace
}  // namespace bloomery::http
