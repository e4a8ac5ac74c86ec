// Something that is being paid for on one thread, and whoever looks on from another.
//
//   the thread that pays                     the thread that shows
//     job.Agree(quote_json)      waits for     job.asked(), job.Answer(true)
//     job.Show({…})                            job.shown()
//     job.stopped()                            job.Stop()
//
// So prompts, bars and Ctrl-C stay on the caller's own thread, where Python has them, and no
// callback into the interpreter is made from the one that pays. Threads: any.
#ifndef TOPICWALL_CLIENT_PYTHON_PAID_JOB_H_
#define TOPICWALL_CLIENT_PYTHON_PAID_JOB_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "client/audit/profiled_wall.h"

namespace topicwall::client {

class PaidJob {
 public:
  struct Progress {
    std::string stage = {};
    std::string plan_id = {};  // empty: nothing is reserved yet
    int done = 0;              // releases of the stage
    int total = 0;
    std::string waiting = {};  // why the wall is waited for; empty: it is not
  };

  // Waits until the quote is answered. CANCELLED unless it was agreed to.
  absl::Status Agree(std::string quote_json);
  void Show(Progress progress);
  void ShowWaiting(std::string why);
  bool stopped() const;

  std::optional<std::string> asked() const;  // a quote that waits for its answer
  void Answer(bool agreed);
  Progress shown() const;
  void Stop();  // also answers no, and waits no longer for a wall that does not answer
  // The same, and ends the call that is under way: what it was for is kept all the same.
  void StopNow();
  // As of WallConnection.
  void SetCall(std::function<void()> end);

 private:
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  // All below: guarded by mutex_.
  std::optional<std::string> asked_;
  std::optional<bool> answer_;
  Progress progress_;
  bool stopped_ = false;
  bool stopped_now_ = false;
  std::function<void()> end_call_;
};

// Tells `job`, which must outlive the wall, that the wall is waited for, and stops as it says.
WallNews NewsFor(PaidJob& job);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_PAID_JOB_H_
