#include "server/cluster/sum_job.h"

#include <openssl/crypto.h>
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "proto/strict_parse.h"
#include "server/cluster/job_messages.h"

namespace topicwall::cluster {
namespace {

// All but a sum, which comes as a message of its own behind its answer.
constexpr int64_t kMostSmallBytes = int64_t{1} << 16;
constexpr absl::Duration kLook = absl::Milliseconds(20);

template <typename Message>
absl::StatusOr<Message> Receive(int socket, const std::atomic<bool>* abandoned) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, ReceiveMessage(socket, kMostSmallBytes, abandoned));
  Message message;
  if (proto::ParseStrictly(bytes, &message)) return message;
  return absl::UnavailableError(
      "the job's message cannot be read; install the same version on all its hosts");
}

}  // namespace

absl::StatusOr<std::shared_ptr<JobConnection>> JobConnection::Greet(base::FileDescriptor socket) {
  TW_ASSIGN_OR_RETURN(v1::JobHello hello, Receive<v1::JobHello>(socket.get(), nullptr));
  return std::shared_ptr<JobConnection>(new JobConnection(std::move(socket), std::move(hello)));
}

// What is lost is hung up on, so that IsLost is true from then on whatever else comes.
absl::StatusOr<v1::JobAnswer> JobConnection::Ask(const v1::JobOrder& order,
                                                 const std::atomic<bool>* abandoned) {
  std::string bytes = order.SerializeAsString();
  absl::Status sent = SendMessage(socket_.get(), bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());  // there may be keys in it
  absl::StatusOr<v1::JobAnswer> answer =
      sent.ok() ? Receive<v1::JobAnswer>(socket_.get(), abandoned) : sent;
  if (!answer.ok()) {
    HangUp();
    return answer.status();
  }
  if (answer->code() == 0) return answer;
  return absl::Status(static_cast<absl::StatusCode>(answer->code()), answer->reason());
}

absl::Status JobConnection::Prepare(const v1::PrepareSum& order) {
  v1::JobOrder prepare;
  *prepare.mutable_prepare() = order;
  return Ask(prepare, nullptr).status();
}

absl::StatusOr<JobConnection::Sum> JobConnection::Begin(v1::BeginSum order, int64_t most_bytes,
                                                        const std::atomic<bool>* abandoned) {
  v1::JobOrder begin;
  *begin.mutable_begin() = std::move(order);
  const absl::StatusOr<v1::JobAnswer> answer = Ask(begin, abandoned);
  std::string& coins = *begin.mutable_begin()->mutable_coins();
  OPENSSL_cleanse(coins.data(), coins.size());
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> bytes = ReceiveMessage(socket_.get(), most_bytes, abandoned);
  if (bytes.ok()) return Sum{.bytes = *std::move(bytes), .unreadable = answer->unreadable()};
  HangUp();
  return bytes.status();
}

absl::StatusOr<v1::MeasuredUnits> JobConnection::Measure(const v1::MeasureUnits& order) {
  v1::JobOrder measure;
  *measure.mutable_measure() = order;
  TW_ASSIGN_OR_RETURN(const v1::JobAnswer answer, Ask(measure, nullptr));
  return answer.measured();
}

// Nobody sends without being asked: what is readable between two orders is the end.
bool JobConnection::IsLost() const {
  pollfd readable = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
  return poll(&readable, 1, 0) != 0;
}

void JobConnection::HangUp() { shutdown(socket_.get(), SHUT_RDWR); }

void SumJob::Connect(base::FileDescriptor socket) {
  // Without the lock: a hello may be long in coming, and Await must see meanwhile that the job
  // before is lost.
  absl::StatusOr<std::shared_ptr<JobConnection>> connection =
      JobConnection::Greet(std::move(socket));
  if (!connection.ok()) return;
  absl::MutexLock lock(&mutex_);
  current_ = *std::move(connection);
}

absl::StatusOr<std::shared_ptr<JobConnection>> SumJob::Await(absl::Duration at_most,
                                                             const std::atomic<bool>* abandoned) {
  const absl::Time until = absl::Now() + at_most;
  for (;;) {
    {
      absl::MutexLock lock(&mutex_);
      if (current_ != nullptr && !current_->IsLost()) return current_;
    }
    if (abandoned != nullptr && *abandoned) {
      return absl::CancelledError("the release was abandoned");
    }
    if (absl::Now() >= until) {
      return absl::UnavailableError(absl::StrCat(
          "no job of topicwall-worker has been connected for ", absl::FormatDuration(at_most),
          "; look at executor.mpi.launch and at the server's standard error"));
    }
    // Looked at again, not waited for: that a job has gone nobody tells.
    absl::SleepFor(kLook);
  }
}

}  // namespace topicwall::cluster
