// topicwall-gate: the process of the server that has the network. Started by topicwall-server.
#include <malloc.h>
#include <topicwall_version.h>

#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/command_line.h"
#include "base/programs/grpc_environment.h"
#include "base/programs/thread_shortage.h"
#include "base/standard_streams.h"
#include "base/status_macros.h"
#include "server/acts/act_client.h"
#include "server/gate/wall_server.h"
#include "server/log/event_log.h"
#include "server/processes.h"
#include "server/sandbox/sandbox.h"
#include "server/supervisor/control_line.h"
#include "server/wall_config.h"

namespace {

using topicwall::acts::ActClient;
using topicwall::server::EventLog;
using topicwall::server::LogEvent;
using topicwall::server::LogField;
using topicwall::server::WallServer;

// How long an act waits for a vault that died: it reads its key and ledger, and looks at its
// corpora, before it answers again.
constexpr absl::Duration kPatience = absl::Minutes(10);
// Of one message of the vault's. It is what the vault sends in parts that bounds memory.
constexpr int64_t kMaxMessageBytes = int64_t{1} << 30;

// Sessions are taken from the start, since the server asks the vault before it listens; and until
// the server has gone, for its last calls may need another one.
absl::Status Serve(const topicwall::v1::WallConfig& config, EventLog& log) {
  ActClient vault(kPatience, kMaxMessageBytes, topicwall::supervisor::TellLost);
  std::thread sessions([&vault] {
    for (;;) {
      topicwall::supervisor::Session session = topicwall::supervisor::NextSession();
      if (!session.socket.valid()) return;
      vault.Attach(std::move(session.socket), session.number);
    }
  });
  // After the server, before the client that it attaches them to.
  const absl::Cleanup no_more_sessions = [&sessions] {
    topicwall::supervisor::NoMoreSessions();
    sessions.join();
  };
  TW_ASSIGN_OR_RETURN(const auto server, WallServer::Start(config, vault, log));
  topicwall::supervisor::TellSupervisor(
      absl::StrCat(topicwall::supervisor::kServing, " ", server->address()));
  topicwall::supervisor::AwaitStop();
  server->Drain();
  return absl::OkStatus();
}

int Fail(const absl::Status& status) {
  std::cerr << "topicwall-server: " << status.message() << "\n";
  return 1;
}

int Run(const std::string& config_path, bool best_effort) {
  if (!topicwall::supervisor::HasSupervisor()) {
    return Fail(absl::FailedPreconditionError(
        "topicwall-gate is started by topicwall-server, and of no use alone"));
  }
  // Requests are parsed by many threads, one at a time: what that takes is kept for the next one
  // once, and not once for each of the allocator's arenas.
  mallopt(M_ARENA_MAX, 1);
  // What the network makes it take, no process with documents shall pay for: where the machine's
  // memory runs out this one ends first, and is started again.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  const auto config = topicwall::server::ReadWallConfig(config_path);
  if (!config.ok()) return Fail(config.status());
  const auto strictness = best_effort ? topicwall::sandbox::Strictness::kBestEffort
                                      : topicwall::sandbox::Strictness::kRequired;
  // Before any thread and any byte of the network.
  const auto inside = topicwall::sandbox::EnterGate(
      {.readable = topicwall::server::ReadableByTheGate(*config), .writable = {}}, strictness);
  if (!inside.ok()) return Fail(inside.status());
  const auto log = EventLog::Of(topicwall::supervisor::kLog);
  const absl::Status served = Serve(*config, *log);
  if (served.ok()) return 0;
  log->Write(LogEvent::kServerNotStarted,
             {{LogField::kCode, absl::StatusCodeToString(served.code())},
              {LogField::kReason, std::string(served.message())}});
  return Fail(served);
}

}  // namespace

int main(int argc, char** argv) {
  topicwall::base::OccupyStandardStreams();
  topicwall::base::ExplainThreadShortage("topicwall-server");
  topicwall::base::RestrictGrpcEnvironment();
  topicwall::base::CommandLine line(
      {.program = "topicwall-gate",
       .version = topicwall::kVersion,
       .description = "The process of topicwall-server that has the network."});
  topicwall::base::Command app = line.root();
  app.Footer("Started by topicwall-server:\n  topicwall-server --config wall.textproto");
  std::string config_path;
  app.Add("--config", config_path, "The custodian's configuration (text format)").Required();
  bool best_effort = false;
  app.AddFlag("--best-effort", best_effort, "With sandbox: SANDBOX_BEST_EFFORT");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Run(config_path, best_effort);
}
