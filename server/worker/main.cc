// topicwall-worker: one rank of the job that sums for the vault. Started by mpirun or srun, which
// topicwall-server starts (executor in the configuration).
#include <sched.h>
#include <topicwall_version.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/command_line.h"
#include "base/file_descriptor.h"
#include "base/standard_streams.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"
#include "model/kernel_option.h"
#include "server/local_doors.h"
#include "server/random/secret_key.h"
#include "server/release/start_moment.h"
#include "server/wall_config.h"
#include "server/worker/job.h"
#include "server/worker/rank_sums.h"
#include "server/worker/ranks.h"

namespace {

using topicwall::base::FileDescriptor;
using topicwall::server::ConnectToServer;
using topicwall::server::Door;
using topicwall::worker::Ranks;
using topicwall::worker::RankSums;

struct Flags {
  std::string config;
  int threads = 1;
};

// mpirun gives a rank one processor where there are at most two ranks on a host, unless it is told
// not to: all threads then take turns on it.
void TellIfBound(int rank, int num_threads) {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof(mine), &mine) != 0) return;
  const int processors = CPU_COUNT(&mine);
  if (num_threads <= processors || processors >= sysconf(_SC_NPROCESSORS_ONLN)) return;
  std::cerr << "topicwall-worker: rank " << rank << ": its " << num_threads << " threads share "
            << processors << " of the host's processors; give mpirun "
            << "--bind-to none" << std::endl;
}

absl::Status Work(const Ranks& ranks, const Flags& flags) {
  const absl::Duration began = topicwall::base::SteadyNow();
  TW_ASSIGN_OR_RETURN(const auto config, topicwall::server::ReadWallConfig(flags.config));
  if (flags.threads < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads must be at least 1; got ", flags.threads));
  }
  if (!topicwall::random::SecretKey::AreLocked()) {
    return absl::FailedPreconditionError(
        "keys cannot be locked into memory, so they might be written to swap; let each rank lock "
        "256 KiB: ulimit -l");
  }
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<RankSums> sums,
                      RankSums::Open(config, {.shard = ranks.rank(),
                                              .num_shards = ranks.size(),
                                              .num_threads = flags.threads}));
  // Whoever is connected sums: all are ready before.
  TW_RETURN_IF_ERROR(ranks.Agree(absl::OkStatus()));
  FileDescriptor vault(-1);
  if (ranks.is_first()) {
    // The first charge may wait for the job, and everybody is told when it was made: after all
    // ranks have read their documents, but not when.
    const absl::Duration took = topicwall::base::SteadyNow() - began;
    absl::SleepFor(topicwall::release::StartMoment(took) - took);
    TW_ASSIGN_OR_RETURN(vault, ConnectToServer(Door::kJob, config));
    Ranks::EndWithout(vault.get());
  }
  return topicwall::worker::ServeVault(ranks, *sums, vault.get());
}

}  // namespace

// A rank that cannot begin exits without MPI's farewell, which ends the job.
int main(int argc, char** argv) {
  topicwall::base::OccupyStandardStreams();
  topicwall::base::CommandLine line(
      {.program = "topicwall-worker",
       .version = topicwall::kVersion,
       .description = "One rank of the job that sums for topicwall-server on several hosts."});
  topicwall::base::Command app = line.root();
  app.Footer(
      "Started by topicwall-server with executor.mpi.launch of the configuration, for instance\n"
      "  /usr/bin/mpirun --hostfile hosts --map-by ppr:1:node --bind-to none topicwall-worker "
      "--config wall.textproto --threads 16");
  Flags flags;
  app.Add("--config", flags.config, "The custodian's configuration, on every host").Required();
  app.Add("--threads", flags.threads, "Of each rank");
  topicwall::model::AddKernelOption(app, "The E-step's arithmetic");
  topicwall::model::AddKernelList(app);
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  Ranks::Start(&argc, &argv);
  const Ranks ranks;
  TellIfBound(ranks.rank(), flags.threads);
  const absl::Status worked = Work(ranks, flags);
  if (!worked.ok()) {
    std::cerr << "topicwall-worker: rank " << ranks.rank() << ": " << worked.message() << std::endl;
    _exit(1);
  }
  Ranks::End();
  return 0;
}
