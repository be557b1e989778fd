#include "apps/tracker/watch/webhook.h"

#include <algorithm>
#include <atomic>

#include "apps/http/server.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/unix_time.h"
#include "apps/tracker/watch/webhook_events.h"
#include "apps/tracker/watch/webhook_token.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

// SNS and Ceph cannot send a header of ours: they have the token in the address.
std::string_view token_in_query(std::string_view query) {
  constexpr std::string_view kName = "token=";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    if (part.starts_with(kName)) return part.substr(kName.size());
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

// "Bearer TOKEN", as MinIO sends its auth_token, or the token alone. The scheme has no case.
std::string_view token_in_header(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  const bool has_scheme =
      authorization.size() >= kScheme.size() &&
      std::ranges::equal(authorization.substr(0, kScheme.size()), kScheme, [](char c, char wanted) {
        return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == wanted;
      });
  if (has_scheme) authorization.remove_prefix(kScheme.size());
  return authorization;
}

http::Reply sentence(unsigned status, std::string_view text) {
  return {.status = status, .body = message(text, "\n")};
}

class HttpWebhook final : public Webhook {
 public:
  HttpWebhook(Watcher& watcher, WebhookOptions options)
      : watcher_{watcher}, token_{std::move(options.token)}, say_{std::move(options.say)} {}

  Status listen(const http::Address& address) {
    http::ServerOptions options;
    options.listen = address;
    options.workers = 2;
    // Senders know this machine by some name. A page in a browser does not know the token.
    if (!token_.empty()) options.hosts = {"*"};
    options.handle = [this](const http::Request& request) { return handle(request); };
    options.broken = [this](const http::BrokenRequest& request) { hear_broken(request); };
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
    if (!is_permitted(request)) {
      refuse();
      return {.status = 401,
              .body = "a notification carries the token: Authorization: Bearer ...\n",
              .headers = {{"WWW-Authenticate", "Bearer"}}};
    }
    if (request.body.empty()) return sentence(200, "nothing changed");  // MinIO tries the address
    try {
      return use(request.body);
    } catch (...) {  // there was no memory for all of it
      flag_everything("the watcher had no memory for it");
      throw;
    }
  }

  http::Reply use(std::string_view body) {
    const auto notification = decode_object_events(body);
    if (!notification) {
      flag_everything(notification.error().message);
      return sentence(400, notification.error().message);
    }
    if (!notification->notice.empty()) say(notification->notice);
    mark(notification->changes);
    ++notifications_;
    changes_ += notification->changes.size();
    return sentence(200, message(notification->changes.size(), " changes"));
  }

  // A request that could not be read. A sender without the token cannot make the next scan read
  // everything by sending half of a request.
  void hear_broken(const http::BrokenRequest& request) {
    if (!request.head.method.empty() && request.head.method != "POST") return;
    if (is_permitted(request.head)) return flag_everything(request.reason);
    if (request.is_head_whole) return refuse();
    if (unheard_++ == 0)
      say(message(
          "a request broke before its token could be read, so it flags nothing: ", request.reason,
          "; if it was a notification, scan with --full once (further ones are counted in "
          "/metrics)"));
  }

  // The sender of a notification may not send it again, and it may have reported a change.
  void flag_everything(std::string_view reason) {
    constexpr std::string_view kSubject = "an event notification: ";  // of the decoder's sentences
    if (reason.starts_with(kSubject)) reason.remove_prefix(kSubject.size());
    ++unreadable_;
    watcher_.mark_everything(message("an event notification could not be read: ", reason));
  }

  void refuse() {
    if (refused_++ == 0)
      say("a notification without the right token was refused; give the token to the sender, as "
          "auth_token, Authorization: Bearer, or ?token= (further ones are counted in /metrics)");
  }

  bool is_permitted(const http::Request& request) const {
    if (token_.empty()) return true;
    return equal_in_constant_time(token_in_header(request.authorization), token_) ||
           equal_in_constant_time(token_in_query(request.query), token_);
  }

  void say(const std::string& text) const {
    if (say_) say_(text);
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
            .refused = refused_,
            .unheard = unheard_};
  }

  Watcher& watcher_;
  const std::string token_;
  const std::function<void(const std::string&)> say_;
  std::atomic<std::uint64_t> notifications_ = 0;
  std::atomic<std::uint64_t> changes_ = 0;
  std::atomic<std::uint64_t> unreadable_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> unheard_ = 0;
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
  auto webhook = std::make_unique<HttpWebhook>(watcher, std::move(options));
  if (auto listening = webhook->listen(*address); !listening) return listening.error();
  return std::unique_ptr<Webhook>{std::move(webhook)};
}

}  // namespace bloomery::tracker
