// topicwall-server: keeps the corpora of one custodian behind the wall. Starts the processes
// that do so, and keeps them running.
#include <signal.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/command_line.h"
#include "base/durable_file.h"
#include "base/file_descriptor.h"
#include "base/standard_streams.h"
#include "server/local_doors.h"
#include "server/log/event_log.h"
#include "server/processes.h"
#include "server/supervisor/supervisor.h"
#include "server/wall_config.h"

namespace {

using topicwall::server::EventLog;
using topicwall::supervisor::Supervisor;
using topicwall::supervisor::With;

// Twice those that calls may have (CallPlaces::kThreads of server/access/), and less than a service
// has for all of its processes (TasksMax of the unit), so that the vault never wants for one.
constexpr int kThreadsOfTheGate = 2048;

struct Flags {
  std::string config;
  std::string ready_file;
  std::string kernel;
};

int Fail(const absl::Status& status) {
  std::cerr << "topicwall-server: " << status.message() << "\n";
  return 1;
}

// It is written over: a mistyped name must not cost the custodian a key.
absl::Status CheckReadyFile(const std::string& path) {
  if (path.empty() || !topicwall::base::NameIsTaken(path)) return absl::OkStatus();
  constexpr int64_t kMostBytes = 300;
  const absl::StatusOr<std::string> line = topicwall::base::ReadWholeFile(path, kMostBytes);
  const std::size_t colon = line.ok() ? line->rfind(':') : std::string::npos;
  uint32_t port = 0;
  if (colon != std::string::npos && absl::SimpleAtoi(line->substr(colon + 1), &port)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("--ready-file must be new, or what a server left there; ", path,
                   " is something else, and was left alone. Name a file that is only for this."));
}

absl::Status TellServing(const std::string& address, const std::string& ready_file) {
  std::cout << "topicwall-server: listening on " << address << std::endl;
  if (ready_file.empty()) return absl::OkStatus();
  // Whoever waits for it finds it complete.
  const absl::Status written = topicwall::base::ReplaceFileDurably(ready_file, address + "\n");
  if (written.ok()) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("--ready-file cannot be written: ", written.message()));
}

// Without it the server serves all the same; topicwall-admin then says that it has to be stopped,
// and a job that it is not there.
Supervisor::Params::Door DoorFor(topicwall::server::Door door, With with,
                                 const topicwall::v1::WallConfig& config, EventLog& log) {
  return {
      .with = with,
      .listen =
          [door, &config, &log] {
            auto listener = topicwall::server::Listen(door, config);
            if (listener.ok()) return *std::move(listener);
            log.Alarm(topicwall::server::kAlarmCustodianSocket, "");
            return topicwall::base::FileDescriptor(-1);
          },
      .accept = [door, &config](
                    int listener) { return topicwall::server::Accept(listener, door, config); }};
}

std::vector<Supervisor::Params::Door> DoorsOf(const topicwall::v1::WallConfig& config,
                                              EventLog& log) {
  using topicwall::server::Door;
  std::vector<Supervisor::Params::Door> doors = {
      DoorFor(Door::kCustodian, With::kCustodian, config, log)};
  if (config.has_executor()) doors.push_back(DoorFor(Door::kJob, With::kJob, config, log));
  return doors;
}

// What sums for the vault; none if the vault does.
std::optional<topicwall::supervisor::Launch> JobOf(const topicwall::v1::WallConfig& config,
                                                   int log) {
  if (!config.has_executor()) return std::nullopt;
  return topicwall::supervisor::Launch{
      .command = absl::StrSplit(config.executor().mpi().launch(), ' ', absl::SkipEmpty()),
      .user = config.processes().vault(),
      .log = log,
      .is_foreign = true};
}

const char* AlarmOfDeath(const std::string& child) {
  if (child == "vault") return topicwall::server::kAlarmVaultDied;
  if (child == "store") return topicwall::server::kAlarmStoreDied;
  if (child == "job") return topicwall::server::kAlarmJobDied;
  return topicwall::server::kAlarmGateDied;
}

// What the custodian was promised by naming two users is there, or there is no server.
absl::Status CheckMaySeparate(const topicwall::v1::WallConfig& config) {
  if (topicwall::server::AreSeparated(config) && geteuid() != 0) {
    return absl::FailedPreconditionError(
        "processes needs the server to be started as root, which it is not; start it so, or leave "
        "processes out: then gate and vault are not separated");
  }
  return topicwall::server::CheckUsers(config);
}

// What speaks with the database of a shared ledger; none if it is kept here.
std::optional<topicwall::supervisor::Launch> StoreOf(const std::filesystem::path& folder,
                                                     const topicwall::v1::WallConfig& config,
                                                     int log) {
  if (!config.has_ledger()) return std::nullopt;
  return topicwall::supervisor::Launch{
      .command = topicwall::server::CommandOfTheStore(folder / "topicwall-store", config),
      .user = config.processes().store(),
      .log = log};
}

int Serve(const Flags& flags) {
  // Inherited by all children.
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a full disk and no reason to die
  signal(SIGPIPE, SIG_IGN);  // nor is a log that nobody reads any more
  signal(SIGHUP, SIG_IGN);   // nor a terminal that closes: there is nothing to read again
  const auto config = topicwall::server::ReadWallConfig(flags.config);
  if (!config.ok()) return Fail(config.status());  // and nobody knows where its log is
  const absl::Status may_separate = CheckMaySeparate(*config);
  if (!may_separate.ok()) return Fail(may_separate);
  const absl::Status may_tell = CheckReadyFile(flags.ready_file);
  if (!may_tell.ok()) return Fail(may_tell);
  const auto folder = topicwall::supervisor::FolderOfThisProgram();
  if (!folder.ok()) return Fail(folder.status());
  // Opened once, before anybody gives up a right: no child's user needs to reach the file.
  const auto log_file = EventLog::OpenDescriptor(config->event_log());
  if (!log_file.ok()) return Fail(log_file.status());
  const auto log = EventLog::Of(log_file->get());
  std::vector<std::string> vault = {*folder / "topicwall-vault", "--config", flags.config};
  std::vector<std::string> gate = {*folder / "topicwall-gate", "--config", flags.config};
  // One that dies and is started again reads a file that may have been edited since; what it runs
  // as, and beside whom, is what was read here.
  if (topicwall::server::AreSeparated(*config)) vault.emplace_back("--separated");
  if (!topicwall::server::RequiresSandbox(*config)) {
    vault.emplace_back("--best-effort");
    gate.emplace_back("--best-effort");
  }
  if (!flags.kernel.empty()) vault.insert(vault.end(), {"--kernel", flags.kernel});
  Supervisor supervisor(
      {.vault = {.command = std::move(vault),
                 .user = config->processes().vault(),
                 .log = log_file->get()},
       .gate = {.command = std::move(gate),
                .user = config->processes().gate(),
                .log = log_file->get(),
                .most_threads = kThreadsOfTheGate},
       .store = StoreOf(*folder, *config, log_file->get()),
       .job = JobOf(*config, log_file->get()),
       .on_serving =
           [&](const std::string& address) { return TellServing(address, flags.ready_file); },
       .doors = DoorsOf(*config, *log),
       .on_death = [&](const std::string& name) { log->Alarm(AlarmOfDeath(name), ""); }});
  const absl::StatusOr<int> ended = supervisor.Run();
  return ended.ok() ? *ended : Fail(ended.status());
}

// The vault's answer, which ends the program, for whoever asks the one that they know.
std::string KernelNames() {
  const auto folder = topicwall::supervisor::FolderOfThisProgram();
  if (!folder.ok()) std::exit(Fail(folder.status()));
  const std::string vault = *folder / "topicwall-vault";
  execl(vault.c_str(), vault.c_str(), "--list-kernels", nullptr);
  return absl::StrCat(vault, " cannot be run: install it beside this program\n");
}

}  // namespace

int main(int argc, char** argv) {
  topicwall::base::OccupyStandardStreams();
  topicwall::base::CommandLine line(
      {.program = "topicwall-server",
       .version = topicwall::kVersion,
       .description = "Keeps private corpora and serves noised topic statistics over mutual TLS."});
  topicwall::base::Command app = line.root();
  app.Footer("Example:\n  topicwall-server --config wall.textproto");
  Flags flags;
  app.Add("--config", flags.config, "The custodian's configuration (text format)").Required();
  app.Add("--kernel", flags.kernel, "The E-step's arithmetic: one of --list-kernels");
  app.AddAnswer("--list-kernels", KernelNames,
                "Print the kernels that this processor can run, the fastest first");
  app.Add("--ready-file", flags.ready_file,
          "Written (anew) with \"host:port\" once the server listens");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Serve(flags);
}
