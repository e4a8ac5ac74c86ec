#include "server/admin/release_timing.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"
#include "server/local_doors.h"
#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/mechanism/row_directions.h"
#include "server/random/keystream.h"
#include "server/random/secret_key.h"

namespace topicwall::admin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kNoiseDraws = 20'000;
constexpr int kLookMs = 100;
// A job that was hung up on ends by itself; afterwards it is told to, and then made to.
constexpr int kLooksBeforeSignal = 100;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One entry's, with noise along it too: a release may be asked for so.
absl::StatusOr<mechanism::RowDirections> OneDirection() {
  return mechanism::RowDirections::Create(
      {.shape = model::GridOf(1, 1), .weights = {}, .noise_multiplier = 1, .direction_noise = 1},
      {1.0F});
}

// Of a release of the largest matrix.
absl::StatusOr<double> TimeNoise(const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(const mechanism::RowDirections direction, OneDirection());
  TW_ASSIGN_OR_RETURN(const random::SecretKey key, random::SecretKey::Generate());
  TW_ASSIGN_OR_RETURN(random::Keystream stream, random::Keystream::Create(key, 0));
  mechanism::RoundedGaussian<30> noise;
  const Clock::time_point start = Clock::now();
  // Stored each time, so that no draw is left out as unused.
  std::atomic<double> sum = 0;
  for (int64_t i = 0; i < kNoiseDraws; ++i) {
    sum = sum + direction.WithNoise(noise.Draw(stream), 0, 0, i);
  }
  const double seconds_of_one = SecondsSince(start) / static_cast<double>(kNoiseDraws);
  TW_RETURN_IF_ERROR(stream.status());
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  // Draws need no memory and share nothing, so that cores, and no more than there are threads,
  // multiply them.
  const double at_once = std::min(static_cast<double>(shape.threads), static_cast<double>(cores));
  return seconds_of_one * static_cast<double>(shape.limits.parameters_per_term) *
         static_cast<double>(shape.limits.vocabulary_size) / at_once;
}

absl::Status EndedEarly() {
  return absl::UnavailableError(
      "executor.mpi.launch was started and ended before all its ranks were ready; its reason is "
      "above, on the standard error");
}

// Until `descriptor` can be read from.
absl::Status AwaitJob(int descriptor, pid_t job, absl::Duration at_most, absl::Duration until) {
  for (;;) {
    pollfd readable = {.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&readable, 1, kLookMs) > 0) return absl::OkStatus();
    siginfo_t ended = {};
    // WNOWAIT: whoever ends is still there to be waited for by ~TimedJob.
    const bool looked =
        waitid(P_PID, static_cast<id_t>(job), &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (!looked || ended.si_pid != 0) return EndedEarly();
    if (base::SteadyNow() >= until) {
      return absl::UnavailableError(absl::StrCat(
          "executor.mpi.launch must have all its ranks ready within ",
          absl::FormatDuration(at_most),
          "; it still runs and they are not. Run the command by "
          "hand, as the user of the vault, and see what it waits for: a host that does not answer, "
          "or a question that nobody answers"));
    }
  }
}

absl::StatusOr<std::shared_ptr<cluster::JobConnection>> AwaitHello(int listener, pid_t job,
                                                                   const v1::WallConfig& config,
                                                                   absl::Duration at_most) {
  const absl::Duration until = base::SteadyNow() + at_most;
  base::FileDescriptor socket(-1);
  while (!socket.valid()) {
    TW_RETURN_IF_ERROR(AwaitJob(listener, job, at_most, until));
    socket = server::Accept(listener, server::Door::kJob, config);
  }
  TW_RETURN_IF_ERROR(AwaitJob(socket.get(), job, at_most, until));
  auto connection = cluster::JobConnection::Greet(std::move(socket));
  if (!connection.ok()) return EndedEarly();
  return connection;
}

v1::MeasureUnits OrderOf(const ReleaseShape& shape) {
  v1::MeasureUnits order;
  order.set_vocabulary_size(shape.limits.vocabulary_size);
  order.set_max_words(shape.limits.words);
  order.set_parameters_per_term(shape.limits.parameters_per_term);
  order.set_max_iterations(shape.limits.iterations);
  order.set_vector_dimension(shape.limits.vector_dimension);
  order.set_units(shape.units);
  order.set_documents_per_unit(shape.documents_per_unit);
  for (const int size : shape.attribute_sizes) order.add_attribute_sizes(size);
  return order;
}

}  // namespace

absl::StatusOr<ReleaseTiming> TimeWorstRelease(const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(ReleaseTiming timing, timing::TimeWorstUnits(shape));
  TW_ASSIGN_OR_RETURN(const double noise, TimeNoise(shape));
  timing.seconds += noise;
  return timing;
}

absl::StatusOr<std::unique_ptr<TimedJob>> TimedJob::Start(const v1::WallConfig& config,
                                                          absl::Duration at_most) {
  const auto listener = server::Listen(server::Door::kJob, config);
  if (!listener.ok()) {
    return absl::UnavailableError(absl::StrCat("a server runs with this configuration; stop it to ",
                                               "have its job measured"));
  }
  const Clock::time_point start = Clock::now();
  TW_ASSIGN_OR_RETURN(
      supervisor::ChildProcess process,
      supervisor::ChildProcess::Start(
          {.command = absl::StrSplit(config.executor().mpi().launch(), ' ', absl::SkipEmpty()),
           // Who is not root is that user already, or is told so by the job.
           .user = geteuid() == 0 ? config.processes().vault() : "",
           .log = -1,
           .is_foreign = true}));
  std::unique_ptr<TimedJob> job(new TimedJob(std::move(process)));
  TW_ASSIGN_OR_RETURN(job->connection_,
                      AwaitHello(listener->get(), job->process_.pid(), config, at_most));
  TW_RETURN_IF_ERROR(job->connection_->RequireBuild());
  job->start_seconds_ = std::exp2(std::ceil(std::max(0.0, std::log2(SecondsSince(start)))));
  return job;
}

// Without a connection it does not know that it is to end.
TimedJob::~TimedJob() {
  const int looks_before_signal = connection_ == nullptr ? 0 : kLooksBeforeSignal;
  connection_.reset();
  int status = 0;
  for (int looks = 0; waitpid(process_.pid(), &status, WNOHANG) == 0; ++looks) {
    if (looks == looks_before_signal) process_.Signal(SIGTERM);
    if (looks == looks_before_signal + kLooksBeforeSignal) process_.Signal(SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
}

absl::StatusOr<ReleaseTiming> TimedJob::TimeWorstRelease(const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(const v1::MeasuredUnits units, connection_->Measure(OrderOf(shape)));
  TW_ASSIGN_OR_RETURN(const double noise, TimeNoise(shape));
  return ReleaseTiming{.seconds = units.seconds() + noise,
                       .documents_timed = units.documents_timed(),
                       .cases = {units.cases().begin(), units.cases().end()}};
}

}  // namespace topicwall::admin
