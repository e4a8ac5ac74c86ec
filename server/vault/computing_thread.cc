// Why a thread of its own: whoever has the turn must wake at an instant, computed or not; and
// processors are kept free by this thread's affinity, which the threads that it starts take over.
#include "server/vault/computing_thread.h"

#include <utility>

namespace topicwall::server {

ComputingThread::ComputingThread(const release::Processors& processors)
    : processors_(processors), thread_([this] { Run(); }) {}

// What still runs was abandoned by whoever waited for it, and ends soon.
ComputingThread::~ComputingThread() {
  Interrupt();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// It may take the place of a task that was never taken up: whoever began that one had the turn
// before, and has abandoned it.
std::shared_ptr<ComputingThread::Task> ComputingThread::Begin(bool keep_free, Work work) {
  auto task = std::make_shared<Task>(keep_free, std::move(work));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_ = task;
  }
  changed_.notify_all();
  return task;
}

bool ComputingThread::IsIdle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_ == nullptr && !running_;
}

bool ComputingThread::Await(Task& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return task.done_ || interrupted_; });
  return task.done_;
}

void ComputingThread::Abandon(Task& task) { task.abandoned_ = true; }

void ComputingThread::Interrupt() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    interrupted_ = true;
  }
  changed_.notify_all();
}

// `work_` ends before `done_` is set, and goes with all that it holds: of an abandoned task nobody
// else would let the release and its keys go.
void ComputingThread::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || next_ != nullptr; });
    if (stopped_) return;
    const std::shared_ptr<Task> task = std::exchange(next_, nullptr);
    running_ = true;
    lock.unlock();
    if (task->keep_free_) {
      processors_.KeepFree();
    } else {
      processors_.UseAll();
    }
    task->work_(task->abandoned_);
    lock.lock();
    task->work_ = nullptr;  // and what it holds, if nobody waits any more
    task->done_ = true;
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace topicwall::server
