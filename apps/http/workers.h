// Threads that run jobs in the order they came, short ones before long ones: while every thread has
// a long one there is still another for the short. Adding a job takes no memory, so it cannot fail.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace bloomery::http {

class Workers {
 public:
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    virtual ~Job() = default;
    // On a worker's thread. The job owns itself: it decides where it ends.
    virtual void work(std::shared_ptr<Job> self) noexcept = 0;

   private:
    friend class Workers;
    std::shared_ptr<Job> next_job_;
  };

  // Fewer threads where the system gives no more; std::system_error where it gives not even one for
  // each length.
  explicit Workers(std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // finish()

  enum class Length { kShort, kLong };
  // Precondition: the job is not waiting already.
  void add(Length length, std::shared_ptr<Job> job) noexcept;
  // Runs what was added, then ends the threads.
  void finish();

 private:
  struct Jobs {
    std::shared_ptr<Job> first;
    Job* last = nullptr;
  };
  void start(std::size_t threads);
  void run(Length longest);
  std::shared_ptr<Job> next(Length longest);  // null: there is nothing to do
  static std::shared_ptr<Job> take(Jobs& jobs);

  std::mutex mutex_;
  std::condition_variable changed_;
  Jobs short_jobs_, long_jobs_;
  bool finishing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace bloomery::http
