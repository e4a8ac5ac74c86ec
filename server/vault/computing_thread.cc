#include "server/vault/computing_thread.h"

#include <utility>

namespace topicwall::server {

ComputingThread::ComputingThread(const release::Processors& processors)
    : processors_(processors), thread_([this] { Run(); }) {}

ComputingThread::~ComputingThread() {
  Interrupt();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<ComputingThread::Task> ComputingThread::Begin(bool keep_free, Work work) {
  auto task = std::make_shared<Task>(keep_free, std::move(work));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_ = task;
  }
  changed_.notify_all();
  return task;
}

ComputingThread::Awaited ComputingThread::Await(Task& task, std::chrono::milliseconds at_most) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, at_most, [&] { return task.done_ || interrupted_; });
  if (task.done_) return Awaited::kDone;
  task.abandoned_ = true;
  return interrupted_ ? Awaited::kInterrupted : Awaited::kTooLate;
}

void ComputingThread::Interrupt() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    interrupted_ = true;
  }
  changed_.notify_all();
}

void ComputingThread::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || next_ != nullptr; });
    if (stopped_) return;
    const std::shared_ptr<Task> task = std::exchange(next_, nullptr);
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
    changed_.notify_all();
  }
}

}  // namespace topicwall::server
