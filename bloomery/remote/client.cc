#include "bloomery/remote/client.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <random>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/remote/transfer.h"

namespace bloomery::internal {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using MultiHandle = std::unique_ptr<CURLM, FreeMulti>;

bool is_token(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') ||
         std::string_view{"!#$%&'*+-.^_`|~"}.find(letter) != std::string_view::npos;
}

// The message names the header, never its value: that is what must stay secret.
Status check_header(std::string_view header) {
  constexpr std::string_view kOurs[] = {
      "range", "if-match",        "if-unmodified-since", "if-range",
      "host",  "accept-encoding", "content-length",      "transfer-encoding"};
  const std::size_t colon = header.find(':');
  const std::string_view name = header.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() || !std::ranges::all_of(name, is_token))
    return invalid_argument("a header is written 'Name: value'");
  const auto is_control = [](char letter) {
    return (static_cast<unsigned char>(letter) < ' ' && letter != '\t') || letter == 0x7f;
  };
  if (std::ranges::any_of(header, is_control))
    return invalid_argument(message("the header ", name, " holds a control character"));
  if (header.find_first_not_of(" \t", colon + 1) == std::string_view::npos)
    return invalid_argument(message("the header ", name, " has no value"));
  std::string lower{name};
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (std::ranges::find(kOurs, lower) != std::end(kOurs))
    return invalid_argument(message("the header ", name, " is set by the reader itself"));
  return ok();
}

// A request with its attempts.
struct Job {
  Job(const RequestSetup& setup, const RequestGoal& goal, const std::string& of)
      : transfer{setup, goal}, address{of}, target{of} {}

  Transfer transfer;
  const std::string& address;
  std::string target;  // behind redirects
  std::uint32_t retries = 0;
  std::uint32_t redirects = 0;
  Clock::time_point not_before{};
};

}  // namespace

struct HttpClient::State {
  RemoteOptions options;
  RequestSetup setup;
  MultiHandle multi;
  RemoteTraffic traffic = {};
  std::minstd_rand jitter{std::random_device{}()};

  Status run(std::deque<Job>& jobs);
  Status start(Job& job);
  // The job again, or nothing where it is done.
  Result<bool> finish(Job& job, CURLcode code);
  Result<bool> again(Job& job, const AttemptResult& result);
  Status follow(Job& job, const std::string& target) const;
};

namespace {

// Takes what is under way out of the multi handle on every way out.
class Running {
 public:
  explicit Running(CURLM* multi) : multi_{multi} {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    for (const auto& [easy, job] : active_) curl_multi_remove_handle(multi_, easy);
  }

  Status add(CURL* easy, Job* job) {
    if (curl_multi_add_handle(multi_, easy) != CURLM_OK)
      return Error{ErrorCode::kIo, "libcurl cannot start a request"};
    active_.emplace_back(easy, job);
    return ok();
  }
  Job* remove(CURL* easy) {
    const auto found = std::ranges::find(active_, easy, &std::pair<CURL*, Job*>::first);
    Job* const job = found->second;
    curl_multi_remove_handle(multi_, easy);
    active_.erase(found);
    return job;
  }
  std::size_t size() const { return active_.size(); }

 private:
  CURLM* multi_;
  std::vector<std::pair<CURL*, Job*>> active_;
};

constexpr std::chrono::milliseconds kLongestPoll{1000};

}  // namespace

Result<bool> HttpClient::State::again(Job& job, const AttemptResult& result) {
  if (job.retries == options.retries)
    return Error{result.error.code,
                 message(result.error.message, "; given up after ", job.retries + 1, " attempts")};
  if (result.wait > options.longest_wait)
    return Error{ErrorCode::kIo,
                 message(result.error.message, "; it asks to wait ", result.wait.count(),
                         " s, longer than the ", options.longest_wait.count(),
                         " s that are waited; try again later")};
  auto wait = options.back_off * (1u << std::min(job.retries, 10u));
  // Half of it at random, so that many readers do not come back together.
  wait -= std::chrono::milliseconds{
      std::uniform_int_distribution<std::int64_t>{0, wait.count() / 2}(jitter)};
  job.not_before = Clock::now() + std::max<std::chrono::milliseconds>(wait, result.wait);
  job.target = job.address;
  job.redirects = 0;
  ++job.retries;
  ++traffic.retries;
  return true;
}

Status HttpClient::State::follow(Job& job, const std::string& target) const {
  const auto to = parse_web_origin(target);
  if (!to) return Error{ErrorCode::kIo, message("the server redirects: ", to.error().message)};
  const auto from = parse_web_origin(job.target);
  if (from && from->is_encrypted && !to->is_encrypted)
    return Error{ErrorCode::kIo, message("the server redirects from https to http (",
                                         shown_web_address(target), "), which is not followed")};
  if (job.redirects == options.redirects)
    return Error{ErrorCode::kIo, message("the server redirects more than ", options.redirects,
                                         " times, the last time to ", shown_web_address(target))};
  ++job.redirects;
  job.target = target;
  return ok();
}

Result<bool> HttpClient::State::finish(Job& job, CURLcode code) {
  const AttemptResult result = job.transfer.finish(code);
  traffic.fetched_bytes += job.transfer.received();
  switch (result.next) {
    case AttemptResult::Next::kDone:
      return false;
    case AttemptResult::Next::kRetry:
      return again(job, result);
    case AttemptResult::Next::kFollow:
      if (auto followed = follow(job, result.target); !followed) return followed.error();
      return true;
    case AttemptResult::Next::kFail:
      break;
  }
  return result.error;
}

Status HttpClient::State::run(std::deque<Job>& jobs) {
  Running running{multi.get()};
  std::deque<Job*> waiting;
  for (Job& job : jobs) waiting.push_back(&job);
  while (!waiting.empty() || running.size() > 0) {
    const auto now = Clock::now();
    auto next = now + kLongestPoll;
    for (std::size_t looked = waiting.size(); looked > 0; --looked) {
      Job* const job = waiting.front();
      waiting.pop_front();
      if (job->not_before > now || running.size() >= std::max(1u, options.connections)) {
        if (job->not_before > now) next = std::min(next, job->not_before);
        waiting.push_back(job);
        continue;
      }
      const auto easy = job->transfer.start(job->target);
      if (!easy) return easy.error();
      if (auto added = running.add(*easy, job); !added) return added;
      ++traffic.requests;
    }
    int active = 0;
    if (curl_multi_perform(multi.get(), &active) != CURLM_OK)
      return Error{ErrorCode::kIo, "libcurl cannot go on with its requests"};
    bool has_ended = false;
    int left = 0;
    while (const CURLMsg* ended = curl_multi_info_read(multi.get(), &left)) {
      if (ended->msg != CURLMSG_DONE) continue;
      const CURLcode code = ended->data.result;  // gone once the handle is removed
      Job* const job = running.remove(ended->easy_handle);
      const auto goes_on = finish(*job, code);
      if (!goes_on) return goes_on.error();
      if (*goes_on) waiting.push_back(job);
      has_ended = true;
    }
    if (has_ended) continue;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    curl_multi_poll(multi.get(), nullptr, 0,
                    static_cast<int>(std::max<std::int64_t>(0, wait.count())), nullptr);
  }
  return ok();
}

Result<HttpClient> HttpClient::create(std::string_view address, const RemoteOptions& options) {
  static std::once_flag once;
  static CURLcode started = CURLE_OK;
  std::call_once(once, [] { started = curl_global_init(CURL_GLOBAL_DEFAULT); });
  if (started != CURLE_OK) return Error{ErrorCode::kIo, "libcurl cannot be started"};
  auto origin = parse_web_origin(address);
  if (!origin) return origin.error();
  for (const std::string& header : options.headers)
    if (auto valid = check_header(header); !valid) return valid.error();
  auto state = std::make_unique<State>();
  state->options = options;
  state->setup = {std::move(*origin), &state->options};
  state->multi.reset(curl_multi_init());
  if (!state->multi) return Error{ErrorCode::kIo, "libcurl cannot be started"};
  const auto connections = static_cast<long>(std::max(1u, options.connections));
  curl_multi_setopt(state->multi.get(), CURLMOPT_MAXCONNECTS, connections);
  curl_multi_setopt(state->multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, connections);
  return HttpClient{std::move(state)};
}

HttpClient::HttpClient(std::unique_ptr<State> state) : state_{std::move(state)} {}
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&& other) noexcept = default;
HttpClient::~HttpClient() = default;

const RemoteTraffic& HttpClient::traffic() const { return state_->traffic; }

Result<FirstBytes> HttpClient::open(const std::string& address, std::size_t first_bytes,
                                    std::uint64_t whole_limit) {
  std::deque<Job> jobs;
  jobs.emplace_back(state_->setup, RequestGoal{.length = first_bytes, .whole_limit = whole_limit},
                    address);
  if (auto done = state_->run(jobs); !done) return done.error();
  return jobs.front().transfer.take_first();
}

Status HttpClient::read(const std::string& address, std::span<const RangeRead> ranges,
                        const ObjectVersion& version) {
  std::deque<Job> jobs;
  for (const RangeRead& range : ranges)
    jobs.emplace_back(state_->setup,
                      RequestGoal{range.offset, range.into.size(), range.into, &version}, address);
  return state_->run(jobs);
}

}  // namespace bloomery::internal
