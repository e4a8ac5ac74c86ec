// The one thread of the server that computes releases, one after the other, so that nobody who
// waits for an instant waits for a computation.
//
//   std::shared_ptr<ComputingThread::Task> task = computing.Begin(keep_free, work);
//   switch (computing.Await(*task, at_most)) …
//
// Whoever has the turn of the queue begins a task and waits for it: until it is done, until its
// time is over, or until the server goes down. In the last two cases it abandons the task: `work`
// sees that and ends soon, and nobody waits for it any more but the next task. Threads that `work`
// starts are its own and stay on the same processors (server/release/processors.h).
//
// Privacy: when a task is done is PRIVATE. Errors: none; `work` may not throw.
// Threads: any. The destructor abandons what runs, and waits for it.
#ifndef TOPICWALL_SERVER_VAULT_COMPUTING_THREAD_H_
#define TOPICWALL_SERVER_VAULT_COMPUTING_THREAD_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "server/release/processors.h"

namespace topicwall::server {

class ComputingThread {
 public:
  using Work = std::function<void(const std::atomic<bool>& abandoned)>;
  class Task;
  enum class Awaited { kDone, kTooLate, kInterrupted };

  // Throws std::system_error if the machine has no thread to give.
  explicit ComputingThread(const release::Processors& processors);
  ~ComputingThread();
  ComputingThread(const ComputingThread&) = delete;
  ComputingThread& operator=(const ComputingThread&) = delete;

  // Runs `work` as soon as what was begun before has ended. `keep_free`: off the processors that
  // are to be kept free.
  std::shared_ptr<Task> Begin(bool keep_free, Work work);

  // Waits for `task`, by the steady clock. Unless it is done, it is abandoned then.
  Awaited Await(Task& task, std::chrono::milliseconds at_most);

  // The server goes down: every Await returns, now and later.
  void Interrupt();

 private:
  void Run();

  const release::Processors processors_;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::shared_ptr<Task> next_;  // begun, and not taken up
  bool interrupted_ = false;
  bool stopped_ = false;
  std::condition_variable changed_;
  std::thread thread_;  // last: it uses all of the above
};

class ComputingThread::Task {
 public:
  Task(bool keep_free, Work work) : keep_free_(keep_free), work_(std::move(work)) {}

 private:
  friend class ComputingThread;

  const bool keep_free_;
  Work work_;
  std::atomic<bool> abandoned_ = false;
  bool done_ = false;  // guarded by the thread's mutex
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_COMPUTING_THREAD_H_
