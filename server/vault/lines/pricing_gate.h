// One composition at a time in the whole server, and nobody can fill the line before it.
//
//   TW_ASSIGN_OR_RETURN(const PricingGate::Turn turn, gate.Enter("alice", cancelled));
//   ... ask the accountants, looking at `cancelled` between them ...
//
// Composing takes up to 450 MB and 6 s (pld_accountant.h), and costs who asks nothing. So one runs;
// of each principal at most kWaitingOfPrincipal wait, of all together kWaiting, and whoever comes
// then is told UNAVAILABLE at once, so that no thread is held. The next turn goes to the principal
// whose last one is longest ago, and among its calls to the oldest. A call whose client went away
// leaves the line.
//
// PUBLIC: the line depends on requests alone. Threads: any. A Turn must not outlive its gate.
#ifndef TOPICWALL_SERVER_VAULT_LINES_PRICING_GATE_H_
#define TOPICWALL_SERVER_VAULT_LINES_PRICING_GATE_H_

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/threads/steady_wait.h"

namespace topicwall::server {

// Whether nobody waits for the answer any more. Called often, from any thread.
using Cancelled = std::function<bool()>;

// CANCELLED if so: to be asked between the steps of something long.
absl::Status StillWanted(const Cancelled& cancelled);

class PricingGate {
 public:
  static constexpr int kWaitingOfPrincipal = 2;
  static constexpr int kWaiting = 16;

  class Turn {
   public:
    Turn(Turn&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (gate_ != nullptr) gate_->Leave();
    }

   private:
    friend class PricingGate;
    explicit Turn(PricingGate* gate) : gate_(gate) {}
    PricingGate* gate_;  // null once moved from
  };

  // Returns when it is this call's turn. UNAVAILABLE if the line is full or the gate closed;
  // CANCELLED once `cancelled` says so, which is seen within kLookMs.
  absl::StatusOr<Turn> Enter(absl::string_view principal, const Cancelled& cancelled);

  // Sends everybody in the line away, now and later: the server is going down.
  void Close();

 private:
  friend struct PricingGateTestPeer;
  static constexpr int kLookMs = 50;

  void Leave();
  bool IsNext(int64_t ticket) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t LastTurnOf(const std::string& principal) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  struct Waiting {
    std::string principal;
    int64_t ticket;
  };
  absl::Mutex mutex_;
  base::SteadyCondVar moved_;
  bool taken_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t tickets_ ABSL_GUARDED_BY(mutex_) = 0;
  std::list<Waiting> line_ ABSL_GUARDED_BY(mutex_);  // oldest first
  // The ticket of each principal's last turn. As many as the configuration lists.
  std::map<std::string, int64_t> last_turn_ ABSL_GUARDED_BY(mutex_);
  int64_t turns_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_LINES_PRICING_GATE_H_
