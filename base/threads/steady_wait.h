// Waits and durations by the steady clock, which nobody can set.
//
//   const absl::Duration end = SteadyNow() + patience;
//   while (!done && SteadyNow() < end) changed.WaitFor(&mutex, end - SteadyNow());
//   while (!stop.WaitFor(absl::Seconds(1))) Look();
//
// Abseil's waits end by the wall clock: set back by an hour it makes each of them an hour longer.
// So the product has none that ends by itself (tests/layering). What is told to others, an instant
// or a certificate's end, is a time of the wall clock. Threads: any.
#ifndef TOPICWALL_BASE_THREADS_STEADY_WAIT_H_
#define TOPICWALL_BASE_THREADS_STEADY_WAIT_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace topicwall::base {

// Since some moment before the program began.
inline absl::Duration SteadyNow() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

class SteadyCondVar {
 public:
  void Signal() { changed_.notify_one(); }
  void SignalAll() { changed_.notify_all(); }

  // Returns once it is signalled or `at_most` have passed, or earlier for no reason.
  void WaitFor(absl::Mutex* mutex, absl::Duration at_most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Held held{mutex};
    // Now and a piece can be added up, now and for ever cannot.
    changed_.wait_for(held, absl::ToChronoNanoseconds(std::min(at_most, absl::Hours(1))));
  }

 private:
  struct Held {
    absl::Mutex* mutex;
    void lock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Lock(); }
    void unlock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Unlock(); }
  };
  std::condition_variable_any changed_;
};

class SteadyNotification {
 public:
  void Notify() {
    absl::MutexLock lock(&mutex_);
    notified_ = true;
    changed_.SignalAll();
  }
  bool HasBeenNotified() const {
    absl::MutexLock lock(&mutex_);
    return notified_;
  }
  // Whether it has been notified, by now or within `at_most`.
  bool WaitFor(absl::Duration at_most) {
    const absl::Duration end = SteadyNow() + at_most;
    absl::MutexLock lock(&mutex_);
    while (!notified_ && SteadyNow() < end) changed_.WaitFor(&mutex_, end - SteadyNow());
    return notified_;
  }

 private:
  mutable absl::Mutex mutex_;
  SteadyCondVar changed_;
  bool notified_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_THREADS_STEADY_WAIT_H_
