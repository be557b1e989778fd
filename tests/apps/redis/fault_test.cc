// Every command with every allocation failing in turn: it answers an error, changes nothing that it
// does not tell its replicas, and leaks nothing.
#include <gtest/gtest.h>

#include <iostream>
#include <span>

#include "bloomery/formats/redis/redisbloom_dump.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"
#include "tests/apps/redis/fake_server.h"

namespace bloomery::testing {
namespace {

using Words = FakeServer::Words;
using State = std::map<std::string, FakeServer::Fields>;

Words with_items(Words words, int from, int to) {
  for (int i = from; i < to; ++i)
    words.push_back("a key of more than sixteen bytes " + std::to_string(i));
  return words;
}

// Filters of every kind; some have grown, some are full, two are being loaded.
std::vector<Words> preparation() {
  std::vector<Words> all{{"BF.RESERVE", "plain", "0.01", "20"},
                         {"BF.RESERVE", "fixed", "0.01", "20", "NONSCALING"},
                         {"BF.RESERVE", "block", "0.01", "20", "LAYOUT", "BLOCK"},
                         {"BF.RESERVE", "counting", "0.01", "20", "COUNTING", "SECRET"},
                         {"BF.RESERVE", "window", "0.01", "200", "WINDOW", "3600"},
                         {"BF.RESERVE", "part", "0.01", "40", "LAYOUT", "BLOCK", "PART", "0", "1"},
                         {"BF.RESERVE", "other", "0.01", "20"},
                         {"CF.RESERVE", "cuckoo", "16"}};
  for (const char* key : {"plain", "fixed", "block", "counting", "window", "part"})
    all.push_back(with_items({"BF.MADD", key}, 0, 70));
  all.push_back(with_items({"BF.MADD", "other"}, 40, 110));
  all.push_back(with_items({"CF.INSERT", "cuckoo", "ITEMS"}, 0, 300));
  return all;
}

// The chunks of a filter that LOADCHUNK takes, as words after the key.
template <class Filter>
std::vector<Words> chunks_of(const std::string& command, const Filter& filter, ByteView header) {
  std::vector<Words> all{{command, "half " + command, "1", std::string{text_of(header)}}};
  for (RedisChunk chunk = chunk_at(filter, 1); chunk.next != 0;
       chunk = chunk_at(filter, chunk.next))
    all.push_back({command, "half " + command, std::to_string(chunk.next),
                   std::string{text_of(chunk.bytes)}});
  return all;
}
std::vector<std::vector<Words>> loads() {
  auto bloom = RedisBloomFilter::for_goal({20, 0.01}, 2);
  auto cuckoo = RedisCuckooFilter::for_options({.keys = 16});
  for (int i = 0; i < 200; ++i) {
    (void)bloom->insert(bytes_of(std::to_string(i)));
    (void)cuckoo->insert(bytes_of(std::to_string(i)));
  }
  return {chunks_of("BF.LOADCHUNK", *bloom, *encode_redisbloom_header(*bloom)),
          chunks_of("CF.LOADCHUNK", *cuckoo, encode_rediscuckoo_header(*cuckoo))};
}

struct Swept {
  std::size_t faults = 0;
  std::size_t partly = 0;
};

class RedisFaults : public ::testing::Test {
 protected:
  // What is made once and kept is no leak.
  static void SetUpTestSuite() {
    FakeServer server;
    prepare(server);
  }
  static void prepare(FakeServer& server) {
    for (const Words& words : preparation()) ASSERT_TRUE(server.run(words).complete);
  }

  // With fault n: false where the command did not allocate that often.
  static bool try_with(const Words& command, std::size_t n, Swept& swept,
                       std::span<const Words> before_it) {
    FakeServer server;
    prepare(server);
    for (const Words& words : before_it) EXPECT_EQ(server.run(words).errors, 0U) << words[0];
    const State before = server.state();
    FakeServer::Reply reply;
    {
      const FailNth fault{n};
      reply = server.run(command);
    }
    const std::vector<Words> sent = server.sent;
    EXPECT_TRUE(reply.complete) << command[0] << ", fault " << n << ": " << reply.text;
    if (!FailNth::happened()) return false;
    ++swept.faults;
    const State after = server.state();
    if (reply.is_error) {
      EXPECT_TRUE(after == before)
          << command[0] << " answers an error and changes something, fault " << n;
      EXPECT_TRUE(sent.empty()) << command[0] << ", fault " << n;
      return true;
    }
    // Growth that fails is an answer in its place: the rest is done, and replicas hold the same.
    ++swept.partly;
    constexpr int kReplica = redis_module::kFlagReplica | redis_module::kFlagReplicated;
    FakeServer replica{kReplica};
    for (auto [key, fields] : before) {
      const std::string type = std::get<std::string>(fields.back());
      fields.pop_back();
      EXPECT_TRUE(replica.restore(key, type, fields, type == "BLOOMERY1" ? 1 : 4));
    }
    for (const Words& words : sent) replica.run(words);
    EXPECT_TRUE(replica.state() == after) << command[0] << ", fault " << n << ": " << reply.text;
    return true;
  }

  static void sweep(const Words& command, Swept& swept, std::span<const Words> before_it = {}) {
    for (std::size_t n = 0;; ++n) {
      const std::int64_t before = live_allocations();
      const bool more = try_with(command, n, swept, before_it);
      EXPECT_EQ(live_allocations(), before) << command[0] << " leaks, fault " << n;
      if (!more || HasFailure()) return;
    }
  }
};

TEST_F(RedisFaults, EveryAllocationOfEveryCommand) {
  const std::string bytes(20 + 53, '\0');
  std::vector<Words> commands{
      {"BF.RESERVE", "new", "0.01", "1000"},
      {"BF.RESERVE", "new", "0.0123456789012345", "1000", "COUNTING", "SECRET"},
      {"BF.RESERVE", "new", "0.01", "1000", "WINDOW", "60", "LAYOUT", "BLOCK"},
      {"BF.RESERVE", "new", "0.01", "1000", "LAYOUT", "BLOCK", "PART", "1", "2"},
      {"BF.ADD", "new", "a key that makes a filter"},
      {"CF.RESERVE", "new", "1000"},
      {"CF.ADD", "new", "a key that makes a filter"},
      {"CF.ADDNX", "cuckoo", "another key of a cuckoo filter"},
      {"CF.DEL", "cuckoo", "a key of more than sixteen bytes 7"},
      {"CF.COMPACT", "cuckoo"},
      {"CF.INFO", "cuckoo"},
      {"CF.DEBUG", "cuckoo"},
      {"CF.COUNT", "cuckoo", "x"},
      {"CF.SCANDUMP", "cuckoo", "0"},
      {"CF.SCANDUMP", "cuckoo", "1"},
      {"BF.MERGE", "plain", "1", "other", "FORCE"},
      {"BF.MERGE", "new", "2", "plain", "other", "FORCE"},
      {"BF.MERGE", "new", "1", "block", "FORCE"},
      {"BF.DEL", "counting", "a key of more than sixteen bytes 7"},
      {"BF.ROTATE", "window", "99999999999999"},
      {"BF.INSERT", "new", "ERROR", "0.0123456789012345", "ITEMS", "a", "b"},
      {"BF.LOADCHUNK", "new", "1", bytes},
      {"CF.LOADCHUNK", "new", "1", std::string(38, '\1')}};
  for (const char* key : {"plain", "fixed", "block", "counting", "window", "part", "new"}) {
    commands.push_back(with_items({"BF.MADD", key}, 50, 400));
    commands.push_back(with_items({"BF.INSERT", key, "ITEMS"}, 50, 400));
    commands.push_back({"BF.ADD", key, "one more key of more than sixteen bytes"});
    commands.push_back(with_items({"BF.MEXISTS", key}, 0, 200));
    for (const char* command : {"BF.INFO", "BF.CARD", "BF.DEBUG", "BF.HEALTH", "BF.CLEAR"})
      commands.push_back({command, key});
    commands.push_back({"BF.SCANDUMP", key, "0"});
    commands.push_back({"BF.SCANDUMP", key, "1"});
  }
  commands.push_back(with_items({"CF.INSERT", "cuckoo", "ITEMS"}, 300, 900));
  commands.push_back(with_items({"CF.INSERTNX", "new", "ITEMS"}, 0, 900));
  commands.push_back(with_items({"CF.MEXISTS", "cuckoo"}, 0, 50));
  Swept swept;
  for (const Words& command : commands) {
    sweep(command, swept);
    if (HasFailure()) return;
  }
  std::cout << commands.size() << " commands, " << swept.faults << " faults injected, "
            << swept.partly << " answered in part\n";
  EXPECT_GT(swept.faults, commands.size());
}

// A chunk that memory is missing for can be sent again; so can the last, which makes the filter.
TEST_F(RedisFaults, EveryAllocationOfEveryChunk) {
  Swept swept;
  for (const std::vector<Words>& chunks : loads()) {
    ASSERT_GT(chunks.size(), 3U);
    for (std::size_t i = 0; i < chunks.size() && !HasFailure(); ++i)
      sweep(chunks[i], swept, std::span{chunks}.first(i));
    FakeServer server;
    for (const Words& words : chunks) {
      {
        const FailNth fault{0};
        server.run(words);
      }
      if (FailNth::happened()) {
        EXPECT_EQ(server.run(words).errors, 0U) << "sent again";
      }
    }
    EXPECT_NE(std::get<std::string>(server.state().begin()->second.back()), "BLOOMERY1") << "whole";
  }
  std::cout << swept.faults << " faults injected into chunks\n";
  EXPECT_GT(swept.faults, 30U);
}

// Loads and copies: none, or the whole; a value of the server's own file may also be kept unread.
TEST_F(RedisFaults, EveryAllocationOfALoadAndACopy) {
  std::size_t faults = 0;
  for (const int flags : {0, redis_module::kFlagLoading})
    for (const char* key : {"plain", "block", "counting", "window", "cuckoo"}) {
      for (std::size_t n = 0;; ++n) {
        const std::int64_t before = live_allocations();
        bool more = false;
        {
          FakeServer server;
          prepare(server);
          FakeServer::Fields fields = server.state().at(key);
          const std::string type = std::get<std::string>(fields.back());
          fields.pop_back();
          server.flags = flags;
          const int encoding = type == "BLOOMERY1" ? 1 : 4;
          bool loaded = false;
          {
            const FailNth fault{n};
            loaded = server.restore("back", type, fields, encoding);
          }
          more = FailNth::happened();
          server.flags = flags;  // a reader's clock does not shift what a replica would save
          if (loaded) {
            EXPECT_EQ(server.state().at("back").size(), fields.size() + 1)
                << key << ", fault " << n;
          } else {
            EXPECT_TRUE(more) << key;
          }
          {
            const FailNth fault{n};
            loaded = server.copy(key, "copied");
          }
          more = more || FailNth::happened();
          faults += more ? 1 : 0;
          if (loaded) {
            EXPECT_TRUE(server.state().at("copied") == server.state().at(key));
          }
        }
        EXPECT_EQ(live_allocations(), before) << key << " leaks, fault " << n;
        if (!more || HasFailure()) break;
      }
    }
  std::cout << faults << " faults injected into loads and copies\n";
  EXPECT_GT(faults, 100U);
}

}  // namespace
}  // namespace bloomery::testing
