// topicwall-vault: the process of the server that has the documents. Started by topicwall-server.
#include <malloc.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/command_line.h"
#include "base/status_macros.h"
#include "model/kernel_option.h"
#include "model/models.h"
#include "server/acts/act_server.h"
#include "server/log/event_log.h"
#include "server/random/secret_key.h"
#include "server/sandbox/sandbox.h"
#include "server/supervisor/control_line.h"
#include "server/vault/vault.h"
#include "server/vault/wall.h"
#include "server/wall_config.h"

namespace {

using topicwall::acts::ActServer;
using topicwall::server::EventLog;
using topicwall::server::LogEvent;
using topicwall::server::LogField;
using topicwall::server::Vault;
using topicwall::server::Wall;

// Longer than the gate drains: it hangs up when the last call has been answered.
constexpr absl::Duration kDrainTimeout = absl::Seconds(8);
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
  return paths;
}

// Sessions with the gate, one after the other, until SIGTERM. The ledger is durable after each of
// its acts, so it is safe at any time to leave what still runs to the end of the process.
absl::Status Serve(const topicwall::v1::WallConfig& config, std::unique_ptr<EventLog> log) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<Wall> wall,
                      Wall::Open(config, topicwall::release::SystemClock(), std::move(log)));
  Vault vault(wall.get());
  // The longest is a page of plans, each with its weights.
  const int64_t longest = std::min(kMostMessageBytes, 100 * vault.LargestRequestBytes());
  ActServer acts(vault, {.max_message_bytes = longest});
  absl::Notification over;
  std::thread sessions([&acts, &over] {
    for (;;) {
      topicwall::base::FileDescriptor session = topicwall::supervisor::NextSession();
      if (!session.valid()) break;
      // Whatever ended it: the supervisor sees to another one.
      acts.Serve(std::move(session)).IgnoreError();
    }
    over.Notify();
  });
  topicwall::supervisor::AwaitStop();
  topicwall::supervisor::NoMoreSessions();
  vault.Drain();
  const bool gate_has_gone = over.WaitForNotificationWithTimeout(kDrainTimeout);
  vault.Interrupt();
  if (!gate_has_gone) _exit(0);
  sessions.join();
  return absl::OkStatus();
}

int Fail(const absl::Status& status) {
  std::cerr << "topicwall-server: " << status.message() << "\n";
  return 1;
}

int Run(const std::string& config_path) {
  if (!topicwall::supervisor::HasSupervisor()) {
    return Fail(absl::FailedPreconditionError(
        "topicwall-vault is started by topicwall-server, and of no use alone"));
  }
  mallopt(M_MMAP_THRESHOLD, kLargeBlockBytes);
  const auto config = topicwall::server::ReadWallConfig(config_path);
  if (!config.ok()) return Fail(config.status());
  const auto strictness = config->sandbox() == topicwall::v1::SANDBOX_BEST_EFFORT
                              ? topicwall::sandbox::Strictness::kBestEffort
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

std::string KernelNames() {
  std::string names;
  for (const std::string& name : topicwall::model::KernelNames()) names.append(name).append("\n");
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  topicwall::base::CommandLine line(
      {.program = "topicwall-vault",
       .version = topicwall::kVersion,
       .description = "The process of topicwall-server that has the documents."});
  topicwall::base::Command app = line.root();
  app.Footer("Started by topicwall-server:\n  topicwall-server --config wall.textproto");
  std::string config_path;
  app.Add("--config", config_path, "The custodian's configuration (text format)").Required();
  // What it was computed with stands in every release.
  topicwall::model::AddKernelOption(app, "The E-step's arithmetic");
  app.AddAnswer("--list-kernels", KernelNames,
                "Print the kernels that this processor can run, the fastest first");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Run(config_path);
}
