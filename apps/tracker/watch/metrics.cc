#include "apps/tracker/watch/metrics.h"

#include <algorithm>
#include <sstream>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

class Metrics {
 public:
  Metrics() { throw_on_failure(out_); }
  template <class Number>
  void add(std::string_view name, std::string_view kind, std::string_view help, Number value,
           std::string_view labels = {}) {
    out_ << "# HELP bloomery_track_" << name << ' ' << help << "\n# TYPE bloomery_track_" << name
         << ' ' << kind << "\nbloomery_track_" << name << labels << ' ' << value << '\n';
  }
  std::string take() { return std::move(out_).str(); }

 private:
  std::ostringstream out_;
};

void add_current(Metrics& metrics, const CycleStatus& cycle) {
  metrics.add("cycle", "gauge", "Number of the current cycle.", cycle.id.index);
  metrics.add("cycle_started_seconds", "gauge", "When the current cycle began, Unix time.",
              cycle.started_unix);
  metrics.add("keys", "gauge", "Keys in the current cycle.", cycle.keys.value_or(0));
  metrics.add("fill_ratio", "gauge", "Share of bits set in the current cycle.", cycle.health.fill);
  metrics.add("false_positive_ratio", "gauge", "Real rate of the current cycle.",
              cycle.health.error_rate);
  metrics.add("everything", "gauge", "1 if everything may have changed in the current cycle.",
              cycle.everything.empty() ? 0 : 1);
  metrics.add("below", "gauge", "Subtrees that may have changed as a whole in the current cycle.",
              cycle.below.size());
}

void add_watch(Metrics& metrics, const WatchStatus& watch) {
  metrics.add("kernel_events_total", "counter", "Events of inotify and fanotify.", watch.events);
  metrics.add("changes_total", "counter", "Marks that came of events.", watch.changes);
  metrics.add("overflows_total", "counter", "Queues that were full; each made a cycle everything.",
              watch.overflows);
  metrics.add("watches", "gauge", "Folders or filesystems that are watched.", watch.watches);
  metrics.add("unseen_subtrees", "gauge", "Parts of the tree whose changes are not seen.",
              watch.unseen_count);
  metrics.add("backlog_bytes", "gauge", "Events that wait to be handled.", watch.backlog_bytes);
  metrics.add("barriers_total", "counter", "Barriers.", watch.barriers);
  metrics.add("late_barriers_total", "counter", "Barriers that gave up waiting.",
              watch.late_barriers);
  metrics.add("requests_total", "counter", "Requests of commands.", watch.requests);
  metrics.add("started_seconds", "gauge", "When the watcher began, Unix time.", watch.started_unix);
}

}  // namespace

std::string metrics_text(const TrackerStatus& status, const WebhookCounts& webhook,
                         std::int64_t now_unix) {
  Metrics metrics;
  metrics.add("marks_total", "counter", "Marks since the session began.", status.marks);
  metrics.add("lost_marks_total", "counter", "Marks that did not fit into the queue.",
              status.lost_marks);
  metrics.add("knows_from_cycle", "gauge", "From this cycle on everything is known.",
              status.knows_from);
  metrics.add("cycles", "gauge", "Cycles that are remembered.", status.cycles.size());
  std::size_t bytes = 0;
  for (const CycleStatus& cycle : status.cycles) bytes += cycle.bytes;
  metrics.add("bytes", "gauge", "Memory of all cycles.", bytes);
  metrics.add("saved_seconds", "gauge", "When the state was saved, Unix time.", status.saved_unix);
  metrics.add("copies", "gauge", "Copies of the state that were written last.", status.copies);
  metrics.add("problems", "gauge", "Copies that could not be written.", status.problems.size());
  metrics.add("heartbeat_age_seconds", "gauge", "Since the last heartbeat.",
              status.heartbeat_unix == 0
                  ? -1
                  : std::max<std::int64_t>(0, now_unix - status.heartbeat_unix));
  if (!status.cycles.empty()) add_current(metrics, status.cycles.front());
  if (status.watch) add_watch(metrics, *status.watch);
  metrics.add("webhook_notifications_total", "counter", "Event notifications.",
              webhook.notifications);
  metrics.add("webhook_changes_total", "counter", "Changes in them.", webhook.changes);
  metrics.add("webhook_unreadable_total", "counter",
              "Notifications that could not be read; each made a cycle everything.",
              webhook.unreadable);
  metrics.add("webhook_refused_total", "counter", "Notifications without the right token.",
              webhook.refused);
  metrics.add("webhook_unheard_total", "counter",
              "Requests that broke before their token could be read; they flagged nothing.",
              webhook.unheard);
  return metrics.take();
}

}  // namespace bloomery::tracker
