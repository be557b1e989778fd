// eth logs --follow and --checkpoint: from state to state, each of which is safe before the next is
// begun.
#include <chrono>
#include <thread>

#include "apps/cli/eth/logs.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/ethlog/output/log_tail.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

constexpr int kMostRepeats = 20;  // of a search whose chain changes under it

class LogsFollower {
 public:
  LogsFollower(const LogsOptions& options, LogsRequest& request, LogFeed& feed)
      : options_{options}, request_{request}, feed_{feed}, checkpoint_{options.checkpoint} {}

  Status run() {
    if (Status s = begin(); !s) return s;
    for (int again = 0; !InterruptGuard::interrupted();) {
      const auto head = feed_.refresh();
      Status stepped = !head ? Status{head.error()} : *head ? all_steps(**head) : ok();
      const bool complete = !tail_ || !head || !*head || tail_->is_complete(**head, state_);
      feed_.release();
      // Nothing was delivered: a step asks first and writes then.
      if (!stepped && !feed_.is_waited_for(stepped.error())) return stepped;
      if (!options_.follow && complete) break;
      if (!options_.follow && ++again > kMostRepeats)
        return Error{ErrorCode::kIo,
                     "the chain changed again and again while it was read; try again"};
      wait();
    }
    warn_of_undecoded(options_, printer_->counts());
    if (!tail_ && !options_.goes_on())  // a chain without blocks
      if (Status s = printer_->writer().begin(); !s) return s;
    if (Status s = printer_->writer().finish(); !s) return s;
    return output_->finish();
  }
  std::uint64_t logs() const { return printer_ ? printer_->counts().logs : 0; }

 private:
  // The state of the last run, and the output as it was then.
  Status begin() {
    if (!options_.checkpoint.empty()) {
      auto loaded = checkpoint_.load();
      if (!loaded) return loaded.error();
      if (*loaded) {
        state_ = std::move(**loaded);
        continues_ = true;
        if (Status s = check_same(); !s) return s;
      }
    }
    auto output = open_output();
    if (!output) return output.error();
    output_ = std::move(*output);
    auto writer = make_log_writer(
        request_.format, request_.event_set(),
        {.keeps_undecoded = request_.on_undecoded == OnUndecoded::kKeep, .has_removed = true},
        [this](std::string_view text) { return output_->write(text); });
    if (!writer) return writer.error();
    printer_.emplace(request_.event_set(), request_.on_undecoded, std::move(*writer));
    return ok();
  }

  Status check_same() const {
    if (state_.search != request_.search)
      return usage_error(message(options_.checkpoint,
                                 ": the checkpoint belongs to another search: ", state_.search,
                                 "; give these options, or another file"));
    if (state_.output_bytes.has_value() == options_.output.empty())
      return usage_error(message(options_.checkpoint, ": the checkpoint belongs to a search whose ",
                                 state_.output_bytes ? "output is a file; give it with --output"
                                                     : "output is stdout; leave --output out",
                                 ", or give another checkpoint"));
    return ok();
  }

  Result<std::unique_ptr<LogsOutput>> open_output() {
    if (options_.output.empty()) return output_to_stdout();
    if (!options_.goes_on()) return output_to_new_file(options_.output, options_.force);
    if (!continues_) return output_to_growing_file(options_.output, options_.force);
    if (options_.force)
      return usage_error(message("--force would replace the output that ", options_.checkpoint,
                                 " continues; leave it out, or remove the checkpoint"));
    return output_continued(options_.output, state_);
  }

  Result<std::optional<std::uint64_t>> number_of(const BlockBound& bound, const TailBlock& head) {
    using Number = std::optional<std::uint64_t>;
    switch (bound.tag) {
      case BlockTag::kNumber:
        return Number{bound.number};
      case BlockTag::kEarliest: {
        const auto lowest = feed_.lowest();
        if (!lowest) return lowest.error();
        return Number{*lowest};
      }
      case BlockTag::kLatest:
        return Number{head.number};
      case BlockTag::kSafe:
      case BlockTag::kFinalized:
        return feed_.tagged(bound.tag);
      case BlockTag::kPending:
        break;
    }
    return usage_error("pending blocks cannot be searched");
  }

  // The first look at the chain.
  Status meet_chain(const TailBlock& head) {
    const auto id = feed_.chain_id();
    if (!id) return id.error();
    if (continues_ && state_.chain_id != *id)
      return usage_error(message(options_.checkpoint, ": the checkpoint belongs to chain ",
                                 state_.chain_id, ", and this is chain ", *id));
    TailOptions how;
    how.window = options_.window.value_or(kDefaultWindow);
    if (options_.to != "latest") {
      const auto last = number_of(*request_.query.to, head);
      if (!last) return last.error();
      if (!*last) return usage_error("--to: the chain has no such block yet");
      how.last = **last;
    }
    tail_.emplace(feed_, request_.query, how);
    // A file that a kill left without its beginning.
    if (continues_ && state_.output_bytes != std::optional<std::uint64_t>{0}) return ok();
    if (continues_) return write_beginning();
    const auto first = number_of(*request_.query.from, head);
    if (!first) return first.error();
    if (!*first) return usage_error("--from: the chain has no such block yet");
    state_.search = request_.search;
    state_.chain_id = *id;
    state_.first = **first;
    return write_beginning();
  }

  // A file is empty until there is a checkpoint: so the next run knows it, whenever this one ends.
  Status write_beginning() {
    if (!options_.output.empty())
      if (Status s = settle(); !s) return s;
    if (Status s = printer_->writer().begin(); !s) return s;
    return settle();
  }

  Status all_steps(const TailBlock& head) {
    if (!tail_)
      if (Status s = meet_chain(head); !s) return s;
    while (!InterruptGuard::interrupted()) {
      const auto step =
          tail_->step(head, state_, [this](LogRecord&& record) { return printer_->print(record); });
      if (!step) return step.error();
      if (*step == LogTail::Step::kIdle) return ok();
      if (Status s = settle(); !s) return s;
    }
    return ok();
  }

  // First the output, then the state that says so: after a kill between them, a file is cut back,
  // and stdout has some logs twice.
  Status settle() {
    if (Status s = output_->settle(state_); !s) return s;
    return options_.checkpoint.empty() ? ok() : checkpoint_.save(state_);
  }

  void wait() const {
    using namespace std::chrono;
    const auto end = steady_clock::now() + duration<double>{options_.poll_seconds};
    while (!InterruptGuard::interrupted() && steady_clock::now() < end)
      std::this_thread::sleep_for(
          std::min<duration<double>>(milliseconds{50}, end - steady_clock::now()));
  }

  const LogsOptions& options_;
  LogsRequest& request_;
  LogFeed& feed_;
  Checkpoint checkpoint_;
  TailState state_;
  bool continues_ = false;
  std::unique_ptr<LogsOutput> output_;
  std::optional<LogPrinter> printer_;
  std::optional<LogTail> tail_;
};

}  // namespace

int follow_logs(const LogsOptions& options, LogsRequest request, LogFeed& feed) {
  const InterruptGuard guard;
  LogsFollower follower{options, request, feed};
  const Status followed = follower.run();
  if (InterruptGuard::interrupted()) InterruptGuard::settle();
  if (!followed) {
    const bool in_arguments = followed.error().code == ErrorCode::kInvalidArgument;
    return complain("", followed.error(), in_arguments ? Blame::kArguments : Blame::kFilterFile);
  }
  return follower.logs() > 0 || options.follow ? kExitSuccess : kExitNothingSelected;
}

}  // namespace bloomery::cli
