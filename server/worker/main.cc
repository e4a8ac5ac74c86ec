// topicwall-worker: one rank of the job that sums for the vault. Started by mpirun or srun, which
// topicwall-server starts (executor in the configuration).
#include <sys/socket.h>
#include <sys/un.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/command_line.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "model/kernel_option.h"
#include "model/models.h"
#include "server/random/secret_key.h"
#include "server/wall_config.h"
#include "server/worker/job.h"
#include "server/worker/rank_sums.h"
#include "server/worker/ranks.h"

namespace {

using topicwall::base::FileDescriptor;
using topicwall::worker::Ranks;
using topicwall::worker::RankSums;

struct Flags {
  std::string config;
  std::string vault;
  int threads = 1;
};

absl::StatusOr<FileDescriptor> Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--vault must be shorter than ", sizeof(address.sun_path), " bytes: ", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() ||
      connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return absl::UnavailableError(
        absl::StrCat("rank 0 cannot connect to the vault at ", path, ": ", strerror(errno),
                     "; start rank 0 on the vault's host, as the vault's user"));
  }
  return socket;
}

absl::Status Work(const Ranks& ranks, const Flags& flags) {
  TW_ASSIGN_OR_RETURN(const auto config, topicwall::server::ReadWallConfig(flags.config));
  if (!topicwall::random::SecretKey::AreLocked()) {
    return absl::FailedPreconditionError(
        "keys cannot be locked into memory, so they might be written to swap; let each rank lock "
        "256 KiB: ulimit -l");
  }
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<RankSums> sums, RankSums::Open(config, flags.threads));
  FileDescriptor vault(-1);
  if (ranks.is_first()) {
    TW_ASSIGN_OR_RETURN(vault, Connect(flags.vault));
  }
  return topicwall::worker::ServeVault(ranks, *sums, vault.get());
}

std::string KernelNames() {
  std::string names;
  for (const std::string& name : topicwall::model::KernelNames()) names.append(name).append("\n");
  return names;
}

}  // namespace

// A rank that cannot begin exits without MPI's farewell, which ends the job.
int main(int argc, char** argv) {
  topicwall::base::CommandLine line(
      {.program = "topicwall-worker",
       .version = topicwall::kVersion,
       .description = "One rank of the job that sums for topicwall-server on several hosts."});
  topicwall::base::Command app = line.root();
  app.Footer(
      "Example, as executor.mpi.launch in the configuration:\n"
      "  mpirun --hostfile hosts -n 8 topicwall-worker --config wall.textproto --threads 16");
  Flags flags;
  app.Add("--config", flags.config, "The custodian's configuration, on every host").Required();
  app.Add("--vault", flags.vault, "Rank 0: the vault's socket").Required();
  app.Add("--threads", flags.threads, "Of each rank");
  topicwall::model::AddKernelOption(app, "The E-step's arithmetic");
  app.AddAnswer("--list-kernels", KernelNames,
                "Print the kernels that this processor can run, the fastest first");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  Ranks::Start(&argc, &argv);
  const Ranks ranks;
  const absl::Status worked = Work(ranks, flags);
  if (!worked.ok()) {
    std::cerr << "topicwall-worker: rank " << ranks.rank() << ": " << worked.message() << std::endl;
    _exit(1);
  }
  Ranks::End();
  return 0;
}
