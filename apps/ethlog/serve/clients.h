// What one client may ask for: calls in a second, and searches at the same time.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bloomery::ethlog {

struct ClientLimits {
  double calls_per_second = 0;  // each call of a batch counts; 0: any
  std::size_t searches = 0;     // at a time; 0: any
};

// For all chains of a server together. Any thread may use it. Clients without a name are not
// limited.
class Clients {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Clients(const ClientLimits& limits) : limits_{limits} {}
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  const ClientLimits& limits() const { return limits_; }

  // Takes one call of what the client has left: as many as the limit names after a second of rest.
  // Otherwise how long it must wait for the next one.
  std::optional<std::chrono::milliseconds> take_call(std::string_view client,
                                                     Clock::time_point now = Clock::now());

  // The right to one search; ends with it.
  class Search {
   public:
    Search(Clients& clients, std::string client) : clients_{&clients}, client_{std::move(client)} {}
    Search(Search&& other) noexcept
        : clients_{std::exchange(other.clients_, nullptr)}, client_{std::move(other.client_)} {}
    Search& operator=(Search&&) = delete;
    ~Search() {
      if (clients_ != nullptr) clients_->end_search(client_);
    }

   private:
    Clients* clients_;
    std::string client_;
  };
  // Nothing: it has as many as it may.
  std::optional<Search> begin_search(std::string_view client);

  std::size_t size() const;  // clients that are remembered

 private:
  struct Client {
    double calls = 0;  // that are left
    Clock::time_point counted;
    std::size_t searches = 0;
  };
  void end_search(const std::string& client);
  void forget_idle(Clock::time_point now);

  const ClientLimits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, Client, std::less<>> clients_;
  Clock::time_point swept_ = {};
};

}  // namespace bloomery::ethlog
