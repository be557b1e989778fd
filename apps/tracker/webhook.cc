#include "apps/tracker/webhook.h"

#include <atomic>

#include "apps/http/server.h"
#include "apps/tracker/paths.h"
#include "apps/tracker/webhook_events.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Takes as long for a wrong token as for the right one.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^
                  (b.empty() ? 0U : static_cast<unsigned char>(b[i % b.size()]));
  return difference == 0;
}

http::Reply sentence(unsigned status, std::string_view text) {
  return {.status = status, .body = message(text, "\n")};
}

class HttpWebhook final : public Webhook {
 public:
  HttpWebhook(Watcher& watcher, std::string token) : watcher_{watcher}, token_{std::move(token)} {}

  Status listen(const http::Address& address) {
    http::ServerOptions options;
    options.listen = address;
    options.workers = 2;
    options.handle = [this](const http::Request& request) { return handle(request); };
    auto server = http::Server::start(std::move(options));
    if (!server) return server.error();
    server_.emplace(std::move(*server));
    return ok();
  }
  std::string address() const override { return http::text_of(server_->address()); }

 private:
  http::Reply handle(const http::Request& request) {
    if (request.method == "POST") return take(request);
    if (request.method != "GET" && request.method != "HEAD")
      return sentence(405, "event notifications come by POST");
    if (request.path != "/metrics") return sentence(200, "the watcher is alive");  // also a probe
    const auto status = watcher_.status();
    if (!status) return sentence(500, status.error().message);
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = metrics_text(*status, counts(), unix_now())};
  }

  http::Reply take(const http::Request& request) {
    if (!is_permitted(request.authorization)) {
      ++refused_;
      return {.status = 401,
              .body = "a notification carries the token: Authorization: Bearer ...\n",
              .headers = {{"WWW-Authenticate", "Bearer"}}};
    }
    if (request.body.empty()) return sentence(200, "nothing changed");  // MinIO tries the address
    const auto changes = decode_object_events(request.body);
    if (!changes) {
      // Its sender may not send it again, and it may have told of a change.
      ++unreadable_;
      watcher_.mark_everything("an event notification could not be read");
      return sentence(400, changes.error().message);
    }
    mark(*changes);
    ++notifications_;
    changes_ += changes->size();
    return sentence(200, message(changes->size(), " changes"));
  }

  bool is_permitted(std::string_view authorization) const {
    constexpr std::string_view kScheme = "Bearer ";
    if (token_.empty()) return true;
    if (authorization.starts_with(kScheme)) authorization.remove_prefix(kScheme.size());
    return equal_in_constant_time(authorization, token_);
  }

  // In a tree that is watched, a bucket is a folder of each root.
  void mark(const std::vector<ObjectChange>& changes) {
    std::vector<std::string> folders;
    if (const auto roots = watcher_.roots()) folders = *roots;
    if (folders.empty()) folders.emplace_back();
    for (const ObjectChange& change : changes)
      for (const std::string& folder : folders) {
        const std::string path = clean_path(folder + "/" + clean_path(change.bucket), change.key);
        (void)watcher_.mark(std::span{&path, 1}, change.key.empty());
      }
  }

  WebhookCounts counts() const {
    return {.notifications = notifications_,
            .changes = changes_,
            .unreadable = unreadable_,
            .refused = refused_};
  }

  Watcher& watcher_;
  const std::string token_;
  std::atomic<std::uint64_t> notifications_ = 0;
  std::atomic<std::uint64_t> changes_ = 0;
  std::atomic<std::uint64_t> unreadable_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::optional<http::Server> server_;  // the last: its handlers use the others
};

}  // namespace

Result<std::unique_ptr<Webhook>> Webhook::start(Watcher& watcher, WebhookOptions options) {
  const auto address = http::parse_address(options.listen);
  if (!address) return address.error();
  if (!http::is_loopback(*address) && options.token.empty())
    return Error{ErrorCode::kInvalidArgument,
                 message(options.listen,
                         ": others than this machine could send events; give a token, or listen "
                         "on 127.0.0.1")};
  auto webhook = std::make_unique<HttpWebhook>(watcher, std::move(options.token));
  if (auto listening = webhook->listen(*address); !listening) return listening.error();
  return std::unique_ptr<Webhook>{std::move(webhook)};
}

}  // namespace bloomery::tracker
