// track watch: in the foreground until a signal; a service manager starts it again.
#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>

#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/track/fleet.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/watch/socket_server.h"
#include "apps/tracker/watch/webhook.h"
#include "apps/tracker/watch/webhook_token.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

struct WatchOptions {
  TrackOptions track;
  FleetOptions fleet;
  std::string node;
  std::vector<std::string> roots;
  std::string backend = "auto";
  std::uint64_t interval_milliseconds = std::uint64_t{5} * 60 * 1000;
  std::string webhook;
  std::string token_file;
  bool no_token = false;
};

// Held back before any thread begins, so that none of them is interrupted.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  // 0: a second went by without one.
  int wait() const {
    const timespec second{.tv_sec = 1, .tv_nsec = 0};
    return std::max(0, ::sigtimedwait(&signals_, nullptr, &second));
  }

 private:
  sigset_t signals_{};
};

tracker::WatcherOptions watcher_options(const WatchOptions& options, const Session& session) {
  tracker::WatcherOptions asked{.tracker = tracker_options(options.track, session)};
  asked.tracker.roots = options.roots;
  asked.tracker.save_every = std::chrono::milliseconds{options.interval_milliseconds};
  if (options.backend == "fanotify") asked.backend = tracker::WatchChoice::kFanotify;
  if (options.backend == "inotify") asked.backend = tracker::WatchChoice::kInotify;
  return asked;
}

// The state folder's own token, unless another one is given, or none is wanted.
Result<tracker::WebhookToken> token_for(const WatchOptions& options) {
  if (options.no_token || options.webhook.empty()) return tracker::WebhookToken{};
  return options.token_file.empty() ? tracker::webhook_token_of(options.track.state)
                                    : tracker::read_webhook_token(options.token_file);
}

// Printed once, when it was made: later it is found in its file only.
void say_token(const tracker::WebhookToken& token) {
  if (token.is_new)
    std::cout << "webhook token, printed this once: " << token.text << " (kept in "
              << token.file.string() << "; senders give it as Authorization: Bearer)" << std::endl;
}

void say_ready(const WatchOptions& options, const tracker::Watcher& watcher,
               const tracker::Webhook* webhook, const tracker::TrackerStatus& status) {
  if (options.roots.empty()) {
    std::cout << "listening for events";
  } else {
    std::cout << "watching " << options.roots.size()
              << (options.roots.size() == 1 ? " root with " : " roots with ") << watcher.backends();
  }
  if (webhook != nullptr) std::cout << ", webhook at http://" << webhook->address() << '/';
  std::cout << ", state in " << options.track.state << std::endl;
  for (const tracker::UnseenSubtree& subtree : status.watch->unseen)
    warn(subtree.path,
         "its changes cannot be seen, so it counts as changed in every cycle: " + subtree.reason);
}

// The watcher leaves its own files out; a scan of the root does not.
void warn_of_state_within(const WatchOptions& options) {
  for (const std::string& root : options.roots)
    if (tracker::lies_within(options.track.state, root))
      warn(
          options.track.state,
          message("lies in the watched folder ", root,
                  ": changes of its files are not recorded, but scans count them; choose a --state "
                  "outside of it"));
}

// A Redis that is not there yet is waited for; a name that is another's will never be this node's.
std::optional<std::string> trouble_of(const tracker::FleetNode& node) {
  constexpr std::chrono::seconds kPatience{2};
  if (node.wait_joined(kPatience)) return std::nullopt;
  const tracker::FleetNodeStatus status = node.status();
  if (status.ended) return status.problem;
  warn("", "the fleet is not joined yet: " + status.problem);
  return std::nullopt;
}

// Why a watcher ends that no signal ended.
struct Trouble {
  std::string about;
  std::string sentence;
};

// Until a signal ends it, until its state folder is gone, or until it is no part of its fleet any
// more.
std::optional<Trouble> wait_for_end(const WatchOptions& options, const HeldSignals& signals,
                                    tracker::Watcher& watcher, const tracker::FleetNode* node,
                                    MissingDrives drives) {
  for (;;) {
    const int signal = signals.wait();
    if (signal == SIGINT || signal == SIGTERM) return std::nullopt;
    if (const auto there = watcher.check_folder(); !there)
      return Trouble{options.track.state, there.error().message};
    drives.warn();
    if (signal == SIGHUP)
      if (auto saved = watcher.save(); !saved)
        (void)complain_of_state(options.track, saved.error());
    if (node == nullptr) continue;
    if (const tracker::FleetNodeStatus status = node->status(); status.ended)
      return Trouble{options.fleet.redis, status.problem};
  }
}

// A watcher that does not begin leaves no state behind where there was none.
class NewState {
 public:
  explicit NewState(const WatchOptions& options) : folder_{options.track.state} {
    std::error_code ignored;
    had_folder_ = std::filesystem::exists(folder_, ignored);
    for (const std::string_view name : kMade)
      if (had_folder_ && std::filesystem::exists(folder_ / name, ignored)) keeps_ = true;
    for (const std::string& drive : options.track.drives) {
      const auto copy = std::filesystem::path{drive} / tracker::kStateFile;
      if (!std::filesystem::exists(copy, ignored)) copies_.push_back(copy);
    }
  }
  NewState(const NewState&) = delete;
  NewState& operator=(const NewState&) = delete;
  void keep() { keeps_ = true; }
  ~NewState() {
    std::error_code ignored;
    if (keeps_ || !std::filesystem::exists(folder_, ignored)) return;
    // Another watcher may have begun meanwhile: then the files are its own.
    const auto lock = tracker::StateLock::take(folder_);
    if (!lock) return;
    for (const std::string_view name : kMade) std::filesystem::remove(folder_ / name, ignored);
    for (const auto& copy : copies_) std::filesystem::remove(copy, ignored);
    if (!had_folder_) std::filesystem::remove(folder_, ignored);  // only an empty one
  }

 private:
  static constexpr std::string_view kMade[] = {tracker::kStateFile, tracker::kSealFile,
                                               tracker::kLockFile, tracker::kHeartbeatFile,
                                               tracker::kWebhookTokenFile};
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> copies_;
  bool had_folder_ = false;
  bool keeps_ = false;
};

int watch(const WatchOptions& options, Session& session) {
  const HeldSignals signals;
  if (!options.token_file.empty())
    if (const auto token = tracker::read_webhook_token(options.token_file); !token)
      return complain("--webhook-token-file", token.error(), Blame::kArguments);
  warn_of_state_folder(options.track, session);
  NewState made{options};  // outlives the watcher, which writes when it ends
  auto watcher = tracker::Watcher::start(watcher_options(options, session));
  if (!watcher) {
    const bool of_root = watcher.error().message.starts_with("ROOT ");
    return of_root ? complain("", watcher.error(), Blame::kArguments)
                   : complain_of_state(options.track, watcher.error());
  }
  auto server = tracker::SocketServer::start(**watcher, options.track.state);
  if (!server) return complain_of_state(options.track, server.error());
  std::unique_ptr<tracker::Webhook> webhook;
  const auto token = token_for(options);
  if (!token) return complain_of_state(options.track, token.error());
  if (!options.webhook.empty()) {
    auto started = tracker::Webhook::start(
        **watcher, {.listen = options.webhook,
                    .token = token->text,
                    .say = [](const std::string& text) { warn("--webhook", text); }});
    if (!started) return complain("--webhook", started.error(), Blame::kArguments);
    webhook = std::move(*started);
  }
  std::unique_ptr<tracker::FleetNode> node;
  if (options.fleet.given()) {
    auto joined = join_fleet(options.fleet, options.node, options.track, **watcher);
    if (!joined) return complain_of_fleet(options.fleet, joined.error());
    node = std::move(*joined);
    if (const auto trouble = trouble_of(*node))
      return complain(options.fleet.redis, *trouble, kExitUsage);
  }
  const auto status = (*watcher)->status();
  if (!status) return complain_of_state(options.track, status.error());
  made.keep();
  if (!session.globals.quiet) {
    warn_of_state_within(options);
    say_ready(options, **watcher, webhook.get(), *status);
    say_token(*token);
  }
  const auto trouble = wait_for_end(
      options, signals, **watcher, node.get(),
      MissingDrives{session.globals.quiet ? std::vector<std::string>{} : status->drives});
  node.reset();
  webhook.reset();
  server->reset();
  const auto closed = (*watcher)->close();
  if (trouble) return complain(trouble->about, trouble->sentence, kExitUsage);
  return closed ? kExitSuccess : complain_of_state(options.track, closed.error());
}

}  // namespace

void attach_track_watch(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track watch /data --state S               until SIGTERM; SIGHUP saves\n"
      "  bloomery track watch /data /home --state S --drive /mnt/disk2/.bloomery\n"
      "  bloomery track watch /data --state S --node web1 --redis redis://host/archive\n"
      "  bloomery track watch --state S --webhook 127.0.0.1:9199   an object store's events\n");
  auto options = std::make_shared<WatchOptions>();
  subcommand.add_list("ROOT", options->roots, "Folders to watch, with everything below them");
  add_state_options(subcommand, options->track);
  add_rate_option(subcommand, options->track);
  auto* redis = add_redis_option(subcommand, options->fleet);
  add_node_option(subcommand, options->node)->needs(redis);
  subcommand
      .add_option(
          "--backend", options->backend,
          "Source of change information (default: auto, which is fanotify where it is permitted)")
      ->choices({"auto", "fanotify", "inotify"});
  subcommand
      .add_option("--interval",
                  Option::Store{[&target = options->interval_milliseconds](
                                    const std::string& text) -> Status {
                    const auto time = parse_duration(text);
                    if (!time) return time.error();
                    target = *time;
                    return ok();
                  }},
                  "How often the state is saved (default: 5m)")
      ->value_name("TIME");
  auto* webhook = subcommand.add_option(
      "--webhook", options->webhook,
      "Accept S3 event notifications over HTTP at this address; also serves /metrics and /health");
  webhook->value_name("ADDR:PORT");
  auto* token_file = subcommand.add_option(
      "--webhook-token-file", options->token_file,
      "File with the token that notifications must carry (default: webhook.token in the state "
      "folder, created and printed at the first start)");
  token_file->needs(webhook)->value_name("FILE");
  subcommand
      .add_flag("--webhook-no-token", options->no_token,
                "Accept notifications without a token, from any program on this machine")
      ->needs(webhook)
      ->excludes(token_file);
  subcommand.check([options]() -> Status {
    if (!options->roots.empty() || !options->webhook.empty()) return ok();
    return Error{ErrorCode::kInvalidArgument, "ROOT or --webhook is required"};
  });
  subcommand.action([options, &session] { session.exit_code = watch(*options, session); });
}

}  // namespace bloomery::cli
