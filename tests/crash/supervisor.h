// Keeps the server of a world running, as systemd would: starts it again whenever it died.
//
//   Supervisor supervisor(world, {"after-charge", "before-recompute-commit"});
//   auto stub = supervisor.StubOf("alice");   // of the server that runs now
//   int kills = supervisor.Finish();
//
// Threads: any; the world's server is the supervisor's alone meanwhile.
#ifndef TOPICWALL_TESTS_CRASH_SUPERVISOR_H_
#define TOPICWALL_TESTS_CRASH_SUPERVISOR_H_

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {

class Supervisor {
 public:
  // Starts the server. `kill_at`: what kills it, one after the other; then nothing does.
  Supervisor(WallWorld& world, std::vector<std::string> kill_at);
  ~Supervisor();

  std::unique_ptr<v1::PrivacyWall::Stub> StubOf(const std::string& name)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // WallWorld::Plan, repeated until a server answers.
  v1::ReleaseSpec Plan(double noise_multiplier, int iterations) ABSL_LOCKS_EXCLUDED(mutex_);
  // What a custodian does about a corpus that paused, between two runs of the server: pauses of a
  // busy machine are overruns.
  void AcknowledgeOverruns() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the server. How often it had died of its kill points; a death of anything else has failed
  // the test.
  int Finish();

 private:
  void StartAgain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Watch();

  WallWorld& world_;
  const std::vector<std::string> kill_at_;
  absl::Mutex mutex_;
  int kills_ ABSL_GUARDED_BY(mutex_) = 0;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread watcher_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_CRASH_SUPERVISOR_H_
