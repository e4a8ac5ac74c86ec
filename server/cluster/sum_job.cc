#include "server/cluster/sum_job.h"

#include <openssl/crypto.h>
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"
#include "proto/strict_parse.h"
#include "server/executor/build.h"

namespace topicwall::cluster {
namespace {

// All but a sum, which comes as a message of its own behind its answer.
constexpr int64_t kMostSmallBytes = int64_t{1} << 16;
constexpr absl::Duration kLook = absl::Milliseconds(20);
constexpr absl::Duration kHello = absl::Seconds(5);

Patience For(absl::Duration at_most, const std::atomic<bool>* abandoned = nullptr) {
  return {.abandoned = abandoned, .until = base::SteadyNow() + at_most};
}

template <typename Message>
absl::StatusOr<Message> Receive(int socket, const Patience& patience) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, ReceiveMessage(socket, kMostSmallBytes, patience));
  Message message;
  if (proto::ParseStrictly(bytes, &message)) return message;
  return absl::UnavailableError(
      "the job's message cannot be read; install the same version on all its hosts");
}

// Also once the other side has closed it.
bool IsReadable(int socket) {
  pollfd readable = {.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&readable, 1, 0) != 0;
}

}  // namespace

absl::StatusOr<std::shared_ptr<JobConnection>> JobConnection::Greet(base::FileDescriptor socket) {
  TW_ASSIGN_OR_RETURN(v1::JobHello hello, Receive<v1::JobHello>(socket.get(), For(kHello)));
  return std::shared_ptr<JobConnection>(new JobConnection(std::move(socket), std::move(hello)));
}

absl::Status JobConnection::RequireBuild() const {
  if (hello_.build() == executor::Build()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the job's ranks are of another build (", hello_.build(), ") than this program (",
      executor::Build(), "); install the same on all hosts, the server's own among them"));
}

// What is lost is hung up on, so that IsLost is true from then on whatever else comes.
absl::StatusOr<v1::JobAnswer> JobConnection::Ask(const v1::JobOrder& order,
                                                 const Patience& patience) {
  std::string bytes = order.SerializeAsString();
  absl::Status sent = SendMessage(socket_.get(), bytes, patience);
  OPENSSL_cleanse(bytes.data(), bytes.size());  // there may be keys in it
  absl::StatusOr<v1::JobAnswer> answer =
      sent.ok() ? Receive<v1::JobAnswer>(socket_.get(), patience) : sent;
  if (!answer.ok()) {
    HangUp();
    return answer.status();
  }
  if (answer->code() == 0) return answer;
  return absl::Status(static_cast<absl::StatusCode>(answer->code()), answer->reason());
}

absl::Status JobConnection::Prepare(const v1::PrepareSum& order, absl::Duration at_most,
                                    const std::atomic<bool>* abandoned) {
  v1::JobOrder prepare;
  *prepare.mutable_prepare() = order;
  return Ask(prepare, For(at_most, abandoned)).status();
}

absl::StatusOr<JobConnection::Sum> JobConnection::Begin(v1::BeginSum order, int64_t most_bytes,
                                                        const std::atomic<bool>* abandoned) {
  const Patience patience = {.abandoned = abandoned};
  v1::JobOrder begin;
  *begin.mutable_begin() = std::move(order);
  const absl::StatusOr<v1::JobAnswer> answer = Ask(begin, patience);
  std::string& coins = *begin.mutable_begin()->mutable_coins();
  OPENSSL_cleanse(coins.data(), coins.size());
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> bytes = ReceiveMessage(socket_.get(), most_bytes, patience);
  if (bytes.ok()) return Sum{.bytes = *std::move(bytes), .unreadable = answer->unreadable()};
  HangUp();
  return bytes.status();
}

absl::StatusOr<v1::MeasuredUnits> JobConnection::Measure(const v1::MeasureUnits& order) {
  v1::JobOrder measure;
  *measure.mutable_measure() = order;
  TW_ASSIGN_OR_RETURN(const v1::JobAnswer answer, Ask(measure, {}));
  return answer.measured();
}

// Nobody sends without being asked: what is readable between two orders is the end.
bool JobConnection::IsLost() const { return IsReadable(socket_.get()); }

void JobConnection::HangUp() { shutdown(socket_.get(), SHUT_RDWR); }

void SumJob::Connect(base::FileDescriptor socket) {
  absl::MutexLock lock(&mutex_);
  came_ = std::move(socket);
  came_at_ = base::SteadyNow();
}

// A hello is taken on the thread of whoever needs a job, once there is something to read: that of
// Connect takes everybody's connections. A newer job is waited for a little, because the ranks of
// the one before may take some time to end.
std::shared_ptr<JobConnection> SumJob::Current() {
  base::FileDescriptor came(-1);
  {
    absl::MutexLock lock(&mutex_);
    if (came_.valid() && IsReadable(came_.get())) {
      came = std::move(came_);
    } else if (came_.valid() && base::SteadyNow() < came_at_ + kHello) {
      return nullptr;
    }
  }
  absl::StatusOr<std::shared_ptr<JobConnection>> greeted(nullptr);
  if (came.valid()) greeted = JobConnection::Greet(std::move(came));
  absl::MutexLock lock(&mutex_);
  if (greeted.ok() && *greeted != nullptr) current_ = *std::move(greeted);
  return current_ != nullptr && !current_->IsLost() ? current_ : nullptr;
}

absl::StatusOr<std::shared_ptr<JobConnection>> SumJob::Await(absl::Duration at_most,
                                                             const std::atomic<bool>* abandoned) {
  const absl::Duration until = base::SteadyNow() + at_most;
  for (;;) {
    std::shared_ptr<JobConnection> current = Current();
    if (current != nullptr) return current;
    if (abandoned != nullptr && *abandoned) {
      return absl::CancelledError("the release was abandoned");
    }
    if (base::SteadyNow() >= until) {
      return absl::UnavailableError(absl::StrCat(
          "no job of topicwall-worker has been connected for ", absl::FormatDuration(at_most),
          "; look at executor.mpi.launch and at the server's standard error"));
    }
    // Looked at again, not waited for: that a job has gone nobody tells.
    absl::SleepFor(kLook);
  }
}

}  // namespace topicwall::cluster
