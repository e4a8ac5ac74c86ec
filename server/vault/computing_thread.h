// The one thread of the server that computes releases, one after the other, so that nobody who
// waits for an instant waits for a computation.
//
//   std::shared_ptr<ComputingThread::Task> task = computing.Begin(keep_free, work);
//   if (computing.IsIdle()) …           // asked at a time of the caller's own
//   if (computing.Await(*task)) …        // or waited for
//   computing.Abandon(*task);
//
// Whoever has the turn of the queue begins a task, and asks or waits until it is done. What takes
// too long it abandons: `work` sees that and ends soon, and nobody waits for it any more but the
// next task. Threads that `work` starts are its own and stay on the same processors
// (server/release/processors.h).
//
// Privacy: when a task is done is PRIVATE. Errors: none; `work` may not throw.
// Threads: any. The destructor waits for what runs, which was abandoned or ends.
#ifndef TOPICWALL_SERVER_VAULT_COMPUTING_THREAD_H_
#define TOPICWALL_SERVER_VAULT_COMPUTING_THREAD_H_

#include <atomic>
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

  // Throws std::system_error if the machine has no thread to give.
  explicit ComputingThread(const release::Processors& processors);
  ~ComputingThread();
  ComputingThread(const ComputingThread&) = delete;
  ComputingThread& operator=(const ComputingThread&) = delete;

  // Runs `work` as soon as what was begun before has ended. `keep_free`: off the processors that
  // are to be kept free.
  std::shared_ptr<Task> Begin(bool keep_free, Work work);

  // Whether all that was begun is done. An abandoned task is not before it has ended.
  bool IsIdle();

  // Waits until `task` is done; false if the server goes down before.
  bool Await(Task& task);

  void Abandon(Task& task);

  // The server goes down: every Await returns, now and later.
  void Interrupt();

 private:
  void Run();

  const release::Processors processors_;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::shared_ptr<Task> next_;  // begun, and not taken up
  bool running_ = false;
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
