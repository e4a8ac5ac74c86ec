// Keeps the server's processes running, and is the only one that starts any.
//
//   Supervisor supervisor({.vault = {...}, .gate = {...}, .on_serving = [](address) {...}});
//   return supervisor.Run();
//
// Starts the vault and the gate, gives each its end of a session (a connected pair of sockets), and
// another one whenever either has died or lost the one before: the gate once the vault has taken
// its end, for one that dies takes none. Of a shared ledger also the store, with a session of its
// own with the vault; and once the gate serves the job that sums for the vault, if there is one,
// which comes to the vault by a door.
//
// One that dies is started again: if it had served, kFirstPause later and not within kApart of its
// last start, however often that is; if it never did, kFirstPause later, twice as long each time,
// up to kLongestPause. A child has served once it says so, and the job once it has come by its
// door. So the time depends on nothing but starts and deaths, which are alarms. A death before the
// gate has said that it serves ends the server: what is wrong with a configuration or a ledger is
// for the custodian. SIGTERM and SIGINT are passed on, as SIGTERM, and another one to the vault,
// which waits for a release; children that have not ended kPatience later are killed, and at once
// if nobody was served yet.
//
// It has no network and no key, and of what children say understands two words
// (control_line.h). PUBLIC. Threads: Run: the only one of the process.
#ifndef TOPICWALL_SERVER_SUPERVISOR_SUPERVISOR_H_
#define TOPICWALL_SERVER_SUPERVISOR_SUPERVISOR_H_

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"
#include "server/supervisor/child_process.h"

namespace topicwall::supervisor {

class Supervisor {
 public:
  static constexpr std::chrono::milliseconds kLook{20};  // at what nothing tells of
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::milliseconds kLongestPause{30'000};
  static constexpr std::chrono::milliseconds kApart{1'000};
  static constexpr std::chrono::seconds kPatience{90};

  struct Params {
    Launch vault;
    Launch gate;
    std::optional<Launch> store = {};  // of a shared ledger
    std::optional<Launch> job = {};    // that sums for the vault
    // Once: where the gate listens. An error ends the server.
    std::function<absl::Status(const std::string& address)> on_serving;
    // Where programs of this machine connect to the vault.
    struct Door {
      With with;
      // Nonblocking, made once the gate serves; not valid: there is none.
      std::function<base::FileDescriptor()> listen;
      // When it is readable: the next connection, not valid if it is nobody's who may.
      std::function<base::FileDescriptor(int listener)> accept;
    };
    std::vector<Door> doors = {};
    // A child died while it should not: "vault", "gate", "store" or "job".
    std::function<void(const std::string& name)> on_death;
  };
  explicit Supervisor(Params params);

  // Until a signal, or until the server cannot be started. The exit code: 0 after a signal; else
  // that of the child that could not start. An error of the system's is one of its own.
  absl::StatusOr<int> Run();

 private:
  using Clock = std::chrono::steady_clock;

  struct Child {
    std::string name;
    Launch launch;
    std::optional<ChildProcess> process = {};
    pid_t last = 0;  // of the process, or of the one before
    Clock::time_point started = {};
    Clock::time_point start_at = {};  // while there is no process
    std::chrono::milliseconds pause = kFirstPause;
    bool served = false;  // since it was started
  };

  // Once round; as HearAndBury.
  absl::StatusOr<std::optional<int>> Turn();
  // Those that there are, in the order in which they start.
  std::vector<Child*> Children();
  absl::Status StartDue();
  void OfferSessions();
  // False if either was not there to take its end.
  static bool Connect(Child& first, With with_second, Child& second, With with_first);
  void Accept(size_t door);
  bool IsOfOurs(int connection) const;
  absl::Status Hear(Child& child, absl::string_view said);
  // Of a child that died before the server served: its exit code.
  absl::StatusOr<std::optional<int>> HearAndBury();
  void StartLater(Child& child);
  void Await();
  int End();

  Params params_;
  Child vault_;
  Child gate_;
  std::optional<Child> store_;
  std::optional<Child> job_;
  base::FileDescriptor signals_;
  std::vector<base::FileDescriptor> listeners_ = {};  // of doors, in their order; none yet
  bool stopping_ = false;
  bool serving_ = false;
  bool needs_session_ = false;
  bool needs_store_session_ = false;
  base::FileDescriptor gates_end_{-1};  // of the session that the vault is offered
};

}  // namespace topicwall::supervisor

#endif  // TOPICWALL_SERVER_SUPERVISOR_SUPERVISOR_H_
