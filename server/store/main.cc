// topicwall-store: the process that speaks with the database of a shared ledger. Started by
// topicwall-server for its vault, and by topicwall-admin. It has neither key nor documents, and of
// the ledger what the database has.
#include <signal.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/command_line.h"
#include "base/standard_streams.h"
#include "server/sandbox/sandbox.h"
#include "server/store/postgresql/postgres_store.h"
#include "server/store/remote/store_service.h"
#include "server/supervisor/control_line.h"

namespace {

using topicwall::store::Identity;
using topicwall::store::StoreService;

int Fail(const absl::Status& status) {
  std::cerr << "topicwall-store: " << status.message() << "\n";
  return 1;
}

// Why it cannot be reached is for whoever reads the log, once; the vault may tell analysts.
absl::StatusOr<std::unique_ptr<topicwall::store::EventStore>> Open(const std::string& service,
                                                                   std::string* told) {
  auto opened =
      topicwall::store::OpenPostgresStore(service, topicwall::store::PostgresUse::kReadWrite);
  // All others are texts of our own, without names of hosts or users.
  if (!absl::IsUnavailable(opened.status())) return opened;
  const std::string why(opened.status().message());
  // Each call tries again while the database is down; the log is told once for each reason.
  if (why != *told) std::cerr << "topicwall-store: " << why << std::endl;
  *told = why;
  return absl::UnavailableError(
      "the ledger's database cannot be reached; topicwall-store says on standard error why.");
}

// A session that breaks the rules is closed, and the vault gets another one. SIGTERM ends the
// process at any time: what was not committed is not there.
int Serve(const std::string& service) {
  std::string told;
  StoreService store({.open = [&] { return Open(service, &told); },
                      .create =
                          [&](const Identity& identity) {
                            return topicwall::store::MakePostgresStore(service, identity);
                          },
                      .retire =
                          [&](const std::vector<topicwall::store::Chain>& chains) {
                            return topicwall::store::RetirePostgresStore(service, chains);
                          }});
  // With or without a database, which the first call opens: to be started again would not help a
  // process whose database is down.
  topicwall::supervisor::TellSupervisor(topicwall::supervisor::kServing);
  for (;;) {
    topicwall::supervisor::Session session = topicwall::supervisor::NextSession();
    if (!session.socket.valid()) return 0;
    const absl::Status served = store.Serve(std::move(session.socket));
    if (!served.ok()) std::cerr << "topicwall-store: " << served.message() << "\n";
    topicwall::supervisor::TellLost(session.number);
  }
}

// The folder of the service's file, also where a link leads, and what libraries look up.
std::vector<std::string> Readable(const std::filesystem::path& service_file) {
  std::vector<std::string> readable = {service_file.parent_path().string()};
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(service_file, error);
  if (!error) readable.push_back(real.parent_path().string());
  for (const char* file :
       {"/dev/urandom", "/etc/hosts", "/etc/localtime", "/etc/nsswitch.conf", "/etc/resolv.conf"}) {
    if (std::filesystem::exists(file)) readable.emplace_back(file);
  }
  return readable;
}

struct Flags {
  std::string service;
  std::string service_file;
  bool best_effort = false;
};

int Run(const Flags& flags) {
  if (!topicwall::supervisor::HasSupervisor()) {
    return Fail(absl::FailedPreconditionError(
        "topicwall-store is started by topicwall-server or topicwall-admin, and of no use alone"));
  }
  // Nothing else says where the database is, and with what it is reached: libpq has some thirty
  // variables.
  std::vector<std::string> others = {"HOME"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const absl::string_view name = absl::string_view(*variable).substr(0, strcspn(*variable, "="));
    if (absl::StartsWith(name, "PG")) others.emplace_back(name);
  }
  for (const std::string& name : others) unsetenv(name.c_str());
  setenv("PGSERVICEFILE", flags.service_file.c_str(), /*overwrite=*/1);
  const auto inside =
      topicwall::sandbox::EnterStore({.readable = Readable(flags.service_file), .writable = {}},
                                     flags.best_effort ? topicwall::sandbox::Strictness::kBestEffort
                                                       : topicwall::sandbox::Strictness::kRequired);
  if (!inside.ok()) return Fail(inside.status());
  // Children are started with SIGTERM blocked, for those who wait for it (AwaitStop). This one
  // waits in libpq, so it is interrupted.
  signal(SIGTERM, [](int) { _exit(0); });
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigprocmask(SIG_UNBLOCK, &stop_signals, nullptr);
  return Serve(absl::StrCat("service=", flags.service));
}

}  // namespace

int main(int argc, char** argv) {
  topicwall::base::OccupyStandardStreams();
  topicwall::base::CommandLine line(
      {.program = "topicwall-store",
       .version = topicwall::kVersion,
       .description = "The process of topicwall-server that has the database of the ledger."});
  topicwall::base::Command app = line.root();
  app.Footer("Started by topicwall-server:\n  topicwall-server --config wall.textproto");
  Flags flags;
  app.Add("--service", flags.service, "ledger.postgresql.service of the configuration").Required();
  app.Add("--service-file", flags.service_file, "ledger.postgresql.service_file").Required();
  app.AddFlag("--best-effort", flags.best_effort, "With sandbox: SANDBOX_BEST_EFFORT");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  return Run(flags);
}
