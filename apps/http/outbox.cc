#include "apps/http/outbox.h"

#include "apps/http/web_socket_session.h"

namespace bloomery::http {

// Takes no memory: a peer that memory runs out for can still be closed.
void Outbox::notify(Signal signal) {
  signals_ |= signal;
  if (std::exchange(is_posted_, true)) return;
  post_without_allocating(hub_->io, post_memory_, [me = shared_from_this()] { me->deliver(); });
}

void Outbox::deliver() {
  std::unique_lock lock{mutex_};
  is_posted_ = false;
  const unsigned signals = std::exchange(signals_, 0);
  lock.unlock();
  const auto session = session_.lock();
  if (!session) return;
  try {
    if ((signals & kClose) != 0) return session->close();
    if ((signals & kPump) != 0) session->pump();
    if ((signals & kGoodbye) != 0)
      session->say_goodbye(boost::beast::websocket::close_code::normal);
  } catch (...) {
    session->close();
  }
}

bool Outbox::send(std::string message) {
  const std::lock_guard lock{mutex_};
  if (hub_ == nullptr) return false;
  const std::size_t bytes = unsent_bytes_ + message.size();
  bool fits = unsent_bytes_ == 0 || bytes <= hub_->options.limits.unsent_bytes;
  fits = fits && share_->resize(bytes);
  try {
    if (fits) messages_.push_back(std::move(message));
  } catch (const std::bad_alloc&) {
    fits = false;
  }
  if (!fits) {
    ++hub_->refused;
    notify(kClose);
    hub_ = nullptr;
    return false;
  }
  unsent_bytes_ = bytes;
  if (messages_.size() == 1) notify(kPump);
  return true;
}

void Outbox::close() {
  const std::lock_guard lock{mutex_};
  if (hub_ == nullptr) return;
  notify(kGoodbye);
  hub_ = nullptr;
}

std::optional<std::string> Outbox::next() {
  const std::lock_guard lock{mutex_};
  if (messages_.empty()) return std::nullopt;
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void Outbox::sent(std::size_t bytes) {
  const std::lock_guard lock{mutex_};
  if (!share_) return;
  unsent_bytes_ -= bytes;
  share_->resize(unsent_bytes_);
}

bool Outbox::is_behind() {
  const std::lock_guard lock{mutex_};
  return hub_ != nullptr && unsent_bytes_ > hub_->options.limits.unsent_bytes / 2;
}

void Outbox::end() {
  const std::lock_guard lock{mutex_};
  hub_ = nullptr;
  messages_.clear();
  share_.reset();
}

}  // namespace bloomery::http
