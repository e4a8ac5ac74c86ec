// topicwall-server: keeps the corpora of one custodian behind the wall.
#include <signal.h>
#include <topicwall_version.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/command_line.h"
#include "base/durable_file.h"
#include "model/kernel_option.h"
#include "model/models.h"
#include "server/gate/wall_server.h"
#include "server/log/event_log.h"
#include "server/vault/vault.h"
#include "server/vault/wall.h"
#include "server/wall_config.h"

namespace {

using topicwall::server::LogEvent;
using topicwall::server::LogField;
using topicwall::server::ReadWallConfig;
using topicwall::server::Vault;
using topicwall::server::Wall;
using topicwall::server::WallServer;

int Fail(const absl::Status& status) {
  std::cerr << "topicwall-server: " << status.message() << "\n";
  return 1;
}

// The same, and where the log is a file, a line of it.
int FailToStart(const topicwall::v1::WallConfig& config, const absl::Status& status) {
  if (!config.event_log().empty()) {
    const auto log = topicwall::server::EventLog::Open(config.event_log());
    if (log.ok()) {
      (*log)->Write(LogEvent::kServerNotStarted,
                    {{LogField::kCode, absl::StatusCodeToString(status.code())},
                     {LogField::kReason, std::string(status.message())}});
    }
  }
  return Fail(status);
}

int Serve(const std::string& config_path, const std::string& ready_file) {
  // Blocked before any thread starts, so that all inherit it and sigwait gets the signal.
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a full disk and no reason to die

  auto config = ReadWallConfig(config_path);
  if (!config.ok()) return Fail(config.status());  // and nobody knows where its log is
  auto wall = Wall::Open(*config, topicwall::release::SystemClock());
  if (!wall.ok()) return FailToStart(*config, wall.status());
  Vault vault(wall->get());
  auto server = WallServer::Start(*config, vault, (*wall)->log());
  if (!server.ok()) return FailToStart(*config, server.status());
  std::cout << "topicwall-server: listening on " << (*server)->address() << std::endl;
  if (!ready_file.empty()) {  // whoever waits for it finds it complete
    const absl::Status written =
        topicwall::base::ReplaceFileDurably(ready_file, (*server)->address() + "\n");
    if (!written.ok()) {
      return Fail(absl::PermissionDeniedError(
          absl::StrCat("--ready-file cannot be written: ", written.message())));
    }
  }
  int signal_number = 0;
  sigwait(&stop_signals, &signal_number);
  std::cout << "topicwall-server: finishing running requests" << std::endl;
  (*server)->Drain();
  return 0;
}

std::string KernelNames() {
  std::string names;
  for (const std::string& name : topicwall::model::KernelNames()) names.append(name).append("\n");
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  topicwall::base::CommandLine line(
      {.program = "topicwall-server",
       .version = topicwall::kVersion,
       .description = "Keeps private corpora and serves noised topic statistics over mutual TLS."});
  topicwall::base::Command app = line.root();
  app.Footer("Example:\n  topicwall-server --config wall.textproto");
  std::string config_path;
  std::string ready_file;
  app.Add("--config", config_path, "The custodian's configuration (text format)").Required();
  // What it was computed with stands in every release.
  topicwall::model::AddKernelOption(app, "The E-step's arithmetic");
  app.AddAnswer("--list-kernels", KernelNames,
                "Print the kernels that this processor can run, the fastest first");
  app.Add("--ready-file", ready_file, "Written with \"host:port\" once the server listens");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Serve(config_path, ready_file);
}
