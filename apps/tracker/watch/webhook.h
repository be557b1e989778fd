// The watcher's HTTP server on loopback: accepts event notifications of object stores (POST), and
// serves /metrics and /health.
#pragma once
#include "apps/tracker/watch/metrics.h"
#include "apps/tracker/watch/watcher.h"

namespace bloomery::tracker {

struct WebhookOptions {
  std::string listen;      // "127.0.0.1:9199"
  std::string token = {};  // that a notification must carry; empty: none
  // Gets messages for the operator: a subscription that waits, a first notification refused.
  // Never the token. Called from any thread.
  std::function<void(const std::string&)> say = {};
};

class Webhook {
 public:
  // kInvalidArgument for an address that is not of this machine alone, unless there is a token.
  // kUnsupported where the program was built without an HTTP server.
  static Result<std::unique_ptr<Webhook>> start(Watcher& watcher, WebhookOptions options);
  Webhook() = default;
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;
  virtual ~Webhook() = default;  // answers what runs, then stops listening
  virtual std::string address() const = 0;
};

}  // namespace bloomery::tracker
