// topicwall-vault: the process of the server that has the documents. Started by topicwall-server.
#include <malloc.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/command_line.h"
#include "base/file_descriptor.h"
#include "base/programs/thread_shortage.h"
#include "base/standard_streams.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"
#include "model/kernel_option.h"
#include "server/acts/act_server.h"
#include "server/log/event_log.h"
#include "server/random/secret_key.h"
#include "server/release/resource_limits.h"
#include "server/release/start_moment.h"
#include "server/sandbox/sandbox.h"
#include "server/store/remote/remote_store.h"
#include "server/supervisor/control_line.h"
#include "server/vault/custodian_door.h"
#include "server/vault/start_checks.h"
#include "server/vault/vault.h"
#include "server/vault/wall.h"
#include "server/wall_config.h"

namespace {

using topicwall::acts::ActServer;
using topicwall::server::CustodianDoor;
using topicwall::server::EventLog;
using topicwall::server::LogEvent;
using topicwall::server::LogField;
using topicwall::server::Vault;
using topicwall::server::Wall;
using topicwall::store::RemoteStore;
using topicwall::supervisor::Session;
using topicwall::supervisor::With;

// Longer than the gate drains: it hangs up when the last call has been answered.
constexpr absl::Duration kDrainTimeout = absl::Seconds(8);
// And for the release under way, after that (kPatience of the supervisor's is longer).
constexpr absl::Duration kReleasePatience = absl::Seconds(60);
// How long an act waits for a store that died and is started again.
constexpr absl::Duration kStorePatience = absl::Seconds(10);
constexpr int64_t kMostMessageBytes = int64_t{1} << 30;
// Larger blocks go back to the kernel when they are freed, and do not stay with whichever thread's
// arena they came from: acts run on threads of their own, and many compose one after the other.
constexpr int kLargeBlockBytes = 1 << 20;

topicwall::sandbox::Paths FilesOf(const topicwall::v1::WallConfig& config) {
  topicwall::sandbox::Paths paths{.readable = {config.key_file()},
                                  .writable = {config.data_directory()}};
  for (const char* file : {"/dev/urandom", "/etc/localtime"}) {
    if (std::filesystem::exists(file)) paths.readable.emplace_back(file);
  }
  // Read at every charge.
  const std::vector<std::string>& quota = topicwall::release::QuotaFiles();
  paths.readable.insert(paths.readable.end(), quota.begin(), quota.end());
  return paths;
}

// Of the gate's sessions the newest is the only one that it still wants, and a gate that was taken
// over may ask for as many as it likes.
constexpr size_t kGatesMostWaiting = 1;
constexpr size_t kCustodiansMostWaiting = 16;

// Sessions of one kind, one after the other, on a thread of their own. Of more that wait than
// `most` the oldest is hung up on.
class Sessions {
 public:
  Sessions(ActServer& acts, size_t most_waiting)
      : acts_(acts), most_waiting_(most_waiting), thread_([this] { ServeUntilClosed(); }) {}
  // Once Ended.
  ~Sessions() { thread_.join(); }

  void Add(topicwall::base::FileDescriptor session) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (waiting_.size() == most_waiting_) waiting_.pop_front();
    waiting_.push_back(std::move(session));
  }
  // No further ones.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
  }
  bool Ended(absl::Duration at_most) { return ended_.WaitFor(at_most); }

 private:
  std::optional<topicwall::base::FileDescriptor> Next() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto due = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return closed_ || !waiting_.empty();
    };
    mutex_.Await(absl::Condition(&due));
    if (waiting_.empty()) return std::nullopt;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }
  void ServeUntilClosed() {
    while (auto session = Next()) {
      acts_.Serve(*std::move(session)).IgnoreError();  // the supervisor sees to another one
    }
    ended_.Notify();
  }

  ActServer& acts_;
  const size_t most_waiting_;
  absl::Mutex mutex_;
  std::deque<topicwall::base::FileDescriptor> waiting_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  topicwall::base::SteadyNotification ended_;
  std::thread thread_;  // last: it uses all of the above
};

// The store that another process has. Whoever comes before its first session waits: of each kind
// the last.
absl::StatusOr<std::unique_ptr<RemoteStore>> AwaitStore(std::vector<Session>* early) {
  auto store = std::make_unique<RemoteStore>(kStorePatience);
  for (;;) {
    Session session = topicwall::supervisor::NextSession();
    if (!session.socket.valid()) return absl::CancelledError("the server is going down");
    if (session.with == With::kStore) {
      store->Attach(std::move(session.socket));
      return store;
    }
    std::erase_if(*early, [&](const Session& other) { return other.with == session.with; });
    early->push_back(std::move(session));
  }
}

// Until the release that has the turn, if any, is published or void: it is paid, and what is
// started next may be another program, which must not compute it. Not where instants are farther
// apart; and another signal ends the wait.
void AwaitLastRelease(Wall& wall) {
  // A terminal's own comes beside the supervisor's.
  topicwall::supervisor::AwaitStop(absl::ZeroDuration());
  const auto is_slow = [](const topicwall::server::ServedCorpus& corpus) {
    return absl::Milliseconds(corpus.schedule.interval_ms()) > kReleasePatience;
  };
  if (absl::c_any_of(wall.corpora(), is_slow)) return;
  constexpr absl::Duration kLook = absl::Milliseconds(100);
  for (absl::Duration waited; waited < kReleasePatience && wall.queue().IsTaken();
       waited += kLook) {
    if (topicwall::supervisor::AwaitStop(kLook)) return;
  }
}

// Sessions with the gate and the custodian until SIGTERM. The ledger is durable after each of its
// acts, so it is safe at any time to leave what still runs to the end of the process.
// Going down: lines are closed first; the gate, told at the same time, lets its calls end and hangs
// up; the release under way is waited for; then whoever waits for an instant is sent away. What is
// stored is published by the next start; what is only charged is begun again when it is asked for.
void ServeUntilStopped(Wall& wall, RemoteStore* remote, std::vector<Session> early) {
  Vault vault(&wall);
  // The longest answer is a page of plans, each with its weights.
  const int64_t longest = std::min(kMostMessageBytes, 100 * vault.LargestRequestBytes());
  ActServer acts(vault, {.max_message_bytes = vault.LargestRequestBytes(),
                         .max_answer_bytes = longest,
                         .max_held_bytes = topicwall::server::kMostHeldBytes});
  CustodianDoor door(wall.custodian(), topicwall::release::SystemClock());
  ActServer custodian_acts(door, {});
  Sessions of_gate(acts, kGatesMostWaiting);
  Sessions of_custodian(custodian_acts, kCustodiansMostWaiting);
  const auto take = [&](Session session) {
    if (session.with == With::kStore) {
      if (remote != nullptr) remote->Attach(std::move(session.socket));
      return;
    }
    if (session.with == With::kJob) {
      if (wall.job() != nullptr) wall.job()->Connect(std::move(session.socket));
      return;
    }
    (session.with == With::kCustodian ? of_custodian : of_gate).Add(std::move(session.socket));
  };
  for (Session& session : early) take(std::move(session));
  std::thread offers([&] {
    for (;;) {
      Session session = topicwall::supervisor::NextSession();
      if (!session.socket.valid()) break;
      take(std::move(session));
    }
    of_gate.Close();
    of_custodian.Close();
  });
  topicwall::supervisor::TellSupervisor(topicwall::supervisor::kServing);
  topicwall::supervisor::AwaitStop();
  topicwall::supervisor::NoMoreSessions();
  vault.Drain();
  const bool have_gone = of_gate.Ended(kDrainTimeout) && of_custodian.Ended(absl::ZeroDuration());
  AwaitLastRelease(wall);
  vault.Interrupt();
  if (!have_gone) _exit(0);
  offers.join();
}

absl::Status Serve(const topicwall::v1::WallConfig& config, std::unique_ptr<EventLog> log) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<Session> early;
  std::unique_ptr<RemoteStore> store;
  if (config.has_ledger()) {
    TW_ASSIGN_OR_RETURN(store, AwaitStore(&early));
  }
  RemoteStore* const remote = store.get();
  const absl::StatusOr<std::unique_ptr<Wall>> wall =
      Wall::Open(config, topicwall::release::SystemClock(), std::move(log), std::move(store));
  // A start that fails, too: by when it did one would know how far it had read.
  const auto took = absl::FromChrono(std::chrono::steady_clock::now() - began);
  if (topicwall::supervisor::AwaitStop(topicwall::release::StartMoment(took) - took)) {
    return absl::OkStatus();
  }
  TW_RETURN_IF_ERROR(wall.status());
  ServeUntilStopped(**wall, remote, std::move(early));
  (*wall)->CloseLedger();
  _exit(0);  // an end that waited for an abandoned computation would tell when that was through
}

int Fail(const absl::Status& status) {
  std::cerr << "topicwall-server: " << status.message() << "\n";
  return 1;
}

struct Flags {
  std::string config;
  bool separated = false;
  bool best_effort = false;
};

int Run(const Flags& flags) {
  if (!topicwall::supervisor::HasSupervisor()) {
    return Fail(absl::FailedPreconditionError(
        "topicwall-vault is started by topicwall-server, and of no use alone"));
  }
  mallopt(M_MMAP_THRESHOLD, kLargeBlockBytes);
  auto config = topicwall::server::ReadWallConfig(flags.config);
  if (!config.ok()) return Fail(config.status());
  // As the supervisor began, whatever the file says by now: that is what charges record.
  if (!flags.separated) config->clear_processes();
  config->set_sandbox(flags.best_effort ? topicwall::v1::SANDBOX_BEST_EFFORT
                                        : topicwall::v1::SANDBOX_REQUIRED);
  const auto strictness = flags.best_effort ? topicwall::sandbox::Strictness::kBestEffort
                                            : topicwall::sandbox::Strictness::kRequired;
  // Before any thread, any document and any word of the gate's.
  const auto inside = topicwall::sandbox::EnterVault(FilesOf(*config), strictness);
  if (!inside.ok()) return Fail(inside.status());
  if (!topicwall::random::SecretKey::AreLocked()) {
    return Fail(absl::FailedPreconditionError(
        "keys cannot be locked into memory, so they might be written to swap; let the server lock "
        "256 KiB: LimitMEMLOCK= of its unit, or ulimit -l"));
  }
  const absl::Status served = Serve(*config, EventLog::Of(topicwall::supervisor::kLog));
  if (served.ok()) return 0;
  EventLog::Of(topicwall::supervisor::kLog)
      ->Write(LogEvent::kServerNotStarted,
              {{LogField::kCode, absl::StatusCodeToString(served.code())},
               {LogField::kReason, std::string(served.message())}});
  return Fail(served);
}

}  // namespace

int main(int argc, char** argv) {
  topicwall::base::OccupyStandardStreams();
  topicwall::base::ExplainThreadShortage("topicwall-server");
  topicwall::base::CommandLine line(
      {.program = "topicwall-vault",
       .version = topicwall::kVersion,
       .description = "The process of topicwall-server that has the documents."});
  topicwall::base::Command app = line.root();
  app.Footer("Started by topicwall-server:\n  topicwall-server --config wall.textproto");
  Flags flags;
  app.Add("--config", flags.config, "The custodian's configuration (text format)").Required();
  app.AddFlag("--separated", flags.separated, "It and the gate run as the users of `processes`");
  app.AddFlag("--best-effort", flags.best_effort, "With sandbox: SANDBOX_BEST_EFFORT");
  // What it was computed with stands in every release.
  topicwall::model::AddKernelOption(app, "The E-step's arithmetic");
  topicwall::model::AddKernelList(app);
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Run(flags);
}
