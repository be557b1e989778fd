#include "apps/tracker/fleet/redis.h"

#include <cryptopp/sha.h>

#include <algorithm>
#include <charconv>

#include "apps/tracker/fleet/codec.h"
#include "apps/tracker/fleet/scripts.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using redis_client::RedisAddress;
using redis_client::RedisConnection;
using redis_client::RedisReply;

// A server that is silent for longer is not waited for: nodes and leaders have their own patience.
constexpr std::chrono::milliseconds kLongestTimeout{5'000};
constexpr std::uint64_t kViewBytes = std::uint64_t{128} << 20;  // 256 nodes with all their roots

std::string hexadecimal(std::uint64_t number) {
  char digits[16];
  const auto written = std::to_chars(digits, digits + sizeof digits, number, 16);
  return {digits, written.ptr};
}

std::string sha1_hex(std::string_view text) {
  CryptoPP::byte digest[CryptoPP::SHA1::DIGESTSIZE];
  CryptoPP::SHA1{}.CalculateDigest(digest, reinterpret_cast<const CryptoPP::byte*>(text.data()),
                                   text.size());
  std::string hex;
  for (const CryptoPP::byte byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

struct Script {
  explicit Script(std::string_view body)
      : text{std::string{scripts::kPrelude} + std::string{body}}, digest{sha1_hex(text)} {}
  std::string text;
  std::string digest;
};

using Words = std::vector<std::string>;

class RedisFleet final : public FleetStore {
 public:
  RedisFleet(RedisAddress address, FleetRedisOptions options)
      : address_{std::move(address)}, options_{options} {
    address_.timeout = std::min(address_.timeout, kLongestTimeout);
    const std::string tag = "{" + address_.key + "}";
    keys_ = {tag + ":fleet", tag + ":leader", tag + ":answers", tag + ":merged"};
  }

  Result<FleetView> view() override {
    static const Script script{scripts::kView};
    return view_in(run(script, {}));
  }

  Result<Joined> join(const NodeSeat& seat, const Share& share, const std::optional<Share>& known,
                      const std::vector<RememberedMember>& remembered) override {
    static const Script script{scripts::kJoin};
    Words arguments{seat.name,
                    hexadecimal(seat.instance),
                    hexadecimal(seat.identity),
                    seat.place,
                    encode_share(share),
                    known ? encode_share(*known) : std::string{},
                    std::to_string(options_.alive_time.count())};
    add(arguments, remembered);
    const auto words = run(script, arguments);
    if (!words) return words.error();
    static constexpr std::pair<std::string_view, Joined> kOutcomes[] = {{"joined", Joined::kYes},
                                                                        {"again", Joined::kAgain},
                                                                        {"taken", Joined::kTaken},
                                                                        {"alive", Joined::kAlive},
                                                                        {"many", Joined::kTooMany}};
    for (const auto& [word, outcome] : kOutcomes)
      if (words->front() == word) {
        if (outcome == Joined::kYes) await_replica();
        return outcome;
      }
    return unexpected(*words);
  }

  Result<Poll> poll(const NodeSeat& seat) override {
    static const Script script{scripts::kPoll};
    const auto words = run(script, {seat.name, hexadecimal(seat.instance),
                                    std::to_string(options_.beat_every.count())});
    if (!words) return words.error();
    if (words->front() == "left") return Poll{.standing = Poll::Standing::kLeft};
    if (words->front() == "unknown") return Poll{};
    if (words->front() != "member" || words->size() != 5) return unexpected(*words);
    Poll poll{.standing = Poll::Standing::kMember, .gathering = (*words)[3] == "1"};
    if (!number_in((*words)[1], 10, poll.current.index) ||
        !number_in((*words)[2], 16, poll.current.token) ||
        !number_in((*words)[4], 10, poll.changes))
      return unexpected(*words);
    return poll;
  }

  Result<bool> answer(const NodeSeat& seat, CycleId cycle, ByteView bytes) override {
    static const Script script{scripts::kAnswer};
    const auto words = run(script, {seat.name, hexadecimal(seat.instance), index_of(cycle),
                                    hexadecimal(cycle.token), std::string{text_of(bytes)}});
    if (!words) return words.error();
    return words->front() == "taken";
  }

  Status depart(const NodeSeat& seat) override {
    static const Script script{scripts::kDepart};
    const auto words = run(script, {seat.name, hexadecimal(seat.instance)});
    if (!words) return words.error();
    return ok();
  }

  Status forget(const std::string& name) override {
    static const Script script{scripts::kForget};
    const auto words = run(script, {name, std::to_string(options_.alive_time.count())});
    if (!words) return words.error();
    if (words->front() == "unknown")
      return Error{ErrorCode::kInvalidArgument,
                   message("the fleet has no node ", name, "; `track nodes` names them")};
    if (words->front() == "alive")
      return Error{ErrorCode::kInvalidArgument,
                   message("node ", name,
                           " is alive; stop its watcher first, or its changes would be missed")};
    return ok();
  }

  Result<std::optional<LeaderSeat>> lead(LeaderSeat seat) override {
    static const Script script{scripts::kLead};
    const auto words = run(script, {seat.owner, seat.name, lock_time()});
    if (!words) return words.error();
    if (words->front() == "held") return std::optional<LeaderSeat>{};
    if (words->front() != "leads" || words->size() != 2 || !number_in((*words)[1], 10, seat.fence))
      return unexpected(*words);
    return std::optional{std::move(seat)};
  }

  Status hold(const LeaderSeat& seat) override {
    static const Script script{scripts::kHold};
    return done(run(script, of_leader(seat)));
  }

  Result<FleetView> begin(const LeaderSeat& seat, std::uint64_t token,
                          const FleetMemory& memory) override {
    static const Script script{scripts::kBegin};
    Words arguments = of_leader(seat);
    arguments.push_back(std::to_string(memory.last_index));
    arguments.push_back(hexadecimal(token));
    arguments.push_back(std::to_string(kCyclesKept));
    add(arguments, memory.members);
    return view_in(run(script, arguments));
  }

  Result<FleetView> close_gathering(const LeaderSeat& seat, CycleId current) override {
    static const Script script{scripts::kClose};
    return view_in(run(script, of_leader(seat, current)));
  }

  Result<std::vector<std::byte>> read_answer(const std::string& name) override {
    auto bytes = field_of(keys_[2], name, kMaxAnswerBytes);
    if (!bytes) return bytes.error();
    return *bytes ? std::move(**bytes) : std::vector<std::byte>{};
  }

  Status commit(const LeaderSeat& seat, CycleId current, std::optional<CycleId> ended,
                ByteView merged, const std::vector<std::string>& leaving) override {
    static const Script script{scripts::kCommit};
    Words arguments = of_leader(seat, current);
    arguments.push_back(ended ? index_of(*ended) : std::string{});
    arguments.emplace_back(text_of(merged));
    arguments.insert(arguments.end(), leaving.begin(), leaving.end());
    return done(run(script, arguments));
  }

  Result<std::optional<std::vector<std::byte>>> read_merged(CycleId cycle) override {
    return field_of(keys_[3], index_of(cycle), kMaxMergedBytes);
  }

  Status finish_scan(const LeaderSeat& seat, CycleId current) override {
    static const Script script{scripts::kFinish};
    return done(run(script, of_leader(seat, current)));
  }

  Status release(const LeaderSeat& seat) override {
    static const Script script{scripts::kRelease};
    return done(run(script, of_leader(seat)));
  }

 private:
  static std::string index_of(CycleId cycle) { return std::to_string(cycle.index); }
  std::string lock_time() const { return std::to_string(options_.lock_time.count()); }

  Words of_leader(const LeaderSeat& seat) const {
    return {std::to_string(seat.fence), seat.owner, lock_time()};
  }
  Words of_leader(const LeaderSeat& seat, CycleId cycle) const {
    return {std::to_string(seat.fence), seat.owner, lock_time(), index_of(cycle),
            hexadecimal(cycle.token)};
  }
  static void add(Words& arguments, const std::vector<RememberedMember>& remembered) {
    for (const RememberedMember& member : remembered) {
      arguments.push_back(member.name);
      arguments.push_back(encode_share(member.share));
    }
  }

  static Error unexpected(const Words& words) {
    return {ErrorCode::kMalformed,
            message("unexpected reply '", redis_client::printable(words.front()),
                    "' of the server to a script of the fleet")};
  }
  // An empty text is a number that was never set.
  static bool number_in(const std::string& text, int base, std::uint64_t& number) {
    if (text.empty()) return true;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return read.ec == std::errc{} && read.ptr == text.data() + text.size();
  }
  static Status done(const Result<Words>& words) {
    if (!words) return words.error();
    return words->front() == "lost" ? Status{lost_lead()} : ok();
  }

  static Result<FleetView> view_in(Result<Words> words) {
    if (!words) return words.error();
    if (words->front() == "lost") return lost_lead();
    std::uint64_t now = 0;
    if (words->size() < 3 || !number_in((*words)[1], 10, now)) return unexpected(*words);
    auto view = parse_fleet(std::span{*words}.subspan(3), now);
    if (!view) return view;
    std::uint64_t left = 0;  // negative where the lock is free
    if (!(*words)[2].empty() && number_in((*words)[2], 10, left))
      view->lock_left = std::chrono::milliseconds{static_cast<std::int64_t>(left)};
    return view;
  }

  Result<RedisReply> call(const redis_client::RedisCommand& command, std::uint64_t reply_bytes) {
    if (!connection_) {
      auto opened = RedisConnection::open(address_);
      if (!opened) return opened.error();
      connection_.emplace(std::move(*opened));
    }
    auto replies = connection_->call_all({&command, 1}, reply_bytes);
    if (replies) return std::move(replies->front());
    connection_.reset();
    return replies.error();
  }

  // Sent by its digest; the text follows only if the server does not have it.
  Result<Words> run(const Script& script, const Words& arguments) {
    const std::string key_count = std::to_string(keys_.size());
    redis_client::RedisCommand command{"EVALSHA", script.digest, key_count};
    command.insert(command.end(), keys_.begin(), keys_.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto reply = call(command, kViewBytes);
    if (reply && reply->is_error() && reply->text.starts_with("NOSCRIPT")) {
      command[0] = "EVAL";
      command[1] = script.text;
      reply = call(command, kViewBytes);
    }
    if (!reply) return reply.error();
    if (reply->is_error()) return redis_client::as_error(*reply);
    Words words;
    for (RedisReply& element : reply->elements) words.push_back(std::move(element.text));
    if (words.empty()) words.emplace_back();
    if (words.front() == "version" && words.size() == 2)
      return Error{ErrorCode::kUnsupported,
                   message("the fleet in Redis has the unsupported version ",
                           redis_client::printable(words[1]), "; upgrade bloomery")};
    return words;
  }

  Result<std::optional<std::vector<std::byte>>> field_of(const std::string& key,
                                                         const std::string& field,
                                                         std::uint64_t limit) {
    constexpr std::uint64_t kFrame = 64;  // of the protocol, around the bytes
    const auto reply = call({"HGET", key, field}, limit + kFrame);
    if (!reply) return reply.error();
    if (reply->is_error()) return redis_client::as_error(*reply);
    if (reply->kind != RedisReply::Kind::kString) return std::optional<std::vector<std::byte>>{};
    const ByteView bytes = bytes_of(reply->text);
    return std::optional{std::vector<std::byte>{bytes.begin(), bytes.end()}};
  }

  // A failover right after a node joined would make the fleet forget it: where there are replicas,
  // one has it before the node relies on being a member. No replica, no wait.
  void await_replica() {
    const auto role = call({"INFO", "replication"}, RedisConnection::kShortReply);
    if (!role || role->text.find("connected_slaves:0") != std::string::npos) return;
    (void)call({"WAIT", "1", "1000"}, RedisConnection::kShortReply);
  }

  RedisAddress address_;
  FleetRedisOptions options_;
  std::vector<std::string> keys_;
  std::optional<RedisConnection> connection_;
};

}  // namespace

Error lost_lead() {
  return {ErrorCode::kIo,
          "this process no longer leads the fleet: another was elected, or Redis was restarted "
          "meanwhile"};
}

Result<RedisAddress> parse_fleet_address(std::string_view text) {
  auto address = redis_client::parse_redis_address(text);
  if (!address)
    return Error{address.error().code,
                 message(address.error().message, "; of a fleet, the key is the fleet's name")};
  if (auto fit = check_name("a fleet", address->key); !fit) return fit.error();
  return address;
}

std::unique_ptr<FleetStore> open_fleet_in_redis(RedisAddress address, FleetRedisOptions options) {
  return std::make_unique<RedisFleet>(std::move(address), options);
}

}  // namespace bloomery::tracker
