// The one source that sees MPI. No call is left to wait by itself: MPI's own waiting takes a whole
// processor.
#include "server/worker/ranks.h"

#include <mpi.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace topicwall::worker {
namespace {

// What moving a chunk takes at most, on a network that is worth it.
constexpr std::chrono::milliseconds kExchange(100);

// MPI counts in int, and takes buffers of its own for what it adds.
constexpr size_t kChunk = size_t{1} << 20;

// One for the process, as MPI is. Negative: nobody's end is looked for.
int vault_socket = -1;

// Without MPI's farewell, which other ranks would have to be there for.
void EndIfNobodyWaits() {
  pollfd vault = {.fd = vault_socket, .events = POLLRDHUP, .revents = 0};
  if (poll(&vault, 1, 0) > 0) _exit(1);
}

// MPI moves bytes only while somebody asks it: at once while an exchange lasts, and now and then
// while others still compute. A millisecond between two looks from the beginning made an exchange
// of 10 MB take a second.
void Await(MPI_Request* request) {
  using std::chrono::microseconds;
  const auto start = std::chrono::steady_clock::now();
  microseconds pause(20);
  for (int done = 0;;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    EndIfNobodyWaits();
    if (std::chrono::steady_clock::now() - start < kExchange) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, microseconds(1000));
    }
  }
}

template <typename Number>
Number Reduced(Number own, MPI_Datatype type, MPI_Op operation) {
  Number all = own;
  MPI_Request request;
  MPI_Iallreduce(&own, &all, 1, type, operation, MPI_COMM_WORLD, &request);
  Await(&request);
  return all;
}

void BroadcastFrom(int root, std::string* bytes) {
  uint64_t length = bytes->size();
  MPI_Request request;
  MPI_Ibcast(&length, 1, MPI_UINT64_T, root, MPI_COMM_WORLD, &request);
  Await(&request);
  bytes->resize(length);
  for (size_t first = 0; first < length; first += kChunk) {
    const int count = static_cast<int>(std::min(kChunk, length - first));
    MPI_Ibcast(bytes->data() + first, count, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    Await(&request);
  }
}

}  // namespace

// Threads sum, and never call MPI.
void Ranks::Start(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) MPI_Abort(MPI_COMM_WORLD, 1);
}

void Ranks::EndWithout(int vault) { vault_socket = vault; }

void Ranks::End() { MPI_Finalize(); }

Ranks::Ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

void Ranks::Broadcast(std::string* bytes) const { BroadcastFrom(0, bytes); }

absl::Status Ranks::Agree(const absl::Status& own) const {
  // size_ stands for no error, since no rank has that number.
  const int first = Reduced(own.ok() ? size_ : rank_, MPI_INT, MPI_MIN);
  if (first == size_) return absl::OkStatus();
  int code = own.raw_code();
  MPI_Request request;
  MPI_Ibcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD, &request);
  Await(&request);
  std::string reason(own.message());
  BroadcastFrom(first, &reason);
  return absl::Status(static_cast<absl::StatusCode>(code), reason);
}

bool Ranks::Any(bool own) const { return Reduced<int>(own ? 1 : 0, MPI_INT, MPI_MAX) != 0; }

double Ranks::Largest(double own) const { return Reduced(own, MPI_DOUBLE, MPI_MAX); }

bool Ranks::AllEqual(absl::string_view own) const {
  std::string firsts(own);
  Broadcast(&firsts);
  return !Any(firsts != own);
}

void Ranks::AddUp(absl::Span<uint64_t> numbers) const {
  for (size_t first = 0; first < numbers.size(); first += kChunk) {
    const absl::Span<uint64_t> chunk = numbers.subspan(first, kChunk);
    MPI_Request request;
    MPI_Ireduce(is_first() ? MPI_IN_PLACE : chunk.data(), chunk.data(),
                static_cast<int>(chunk.size()), MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD, &request);
    Await(&request);
  }
}

}  // namespace topicwall::worker
