#include "server/worker/job.h"

#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "proto/cluster.pb.h"
#include "proto/strict_parse.h"
#include "server/cluster/job_messages.h"
#include "server/executor/build.h"
#include "server/mechanism/partial_sum.h"
#include "server/worker/measured_units.h"

namespace topicwall::worker {
namespace {

// Room for the largest parameters and weights that a configuration may allow.
constexpr int64_t kMostOrderBytes = int64_t{1} << 31;
constexpr size_t kNumbersAtOnce = size_t{1} << 20;

// Of every rank's one, what is the same everywhere stays, and the rest is added up, in rank 0's.
// Shards are counted 0, 1 or 2 = more than once, whatever so many ranks would add up to.
absl::Status AddUp(const Ranks& ranks, std::string* sum) {
  constexpr size_t kHeader = mechanism::PartialSum::kHeaderBytes;
  const absl::string_view header = absl::string_view(*sum).substr(0, kHeader);
  if (!ranks.AllEqual(absl::StrCat(header, sum->size()))) {
    return absl::InternalError("the ranks' sums are of different releases, clips or shapes");
  }
  // As many as there are ranks: a release of a job has a shard for each.
  const auto num_shards = static_cast<size_t>(ranks.size());
  std::vector<uint64_t> numbers(sum->begin() + kHeader,
                                sum->begin() + static_cast<int64_t>(kHeader + num_shards));
  ranks.AddUp(absl::MakeSpan(numbers));
  for (size_t shard = 0; shard < num_shards; ++shard) {
    (*sum)[kHeader + shard] = static_cast<char>(std::min<uint64_t>(numbers[shard], 2));
  }
  for (size_t first = kHeader + num_shards; first < sum->size();) {
    const size_t bytes = std::min(kNumbersAtOnce * sizeof(uint64_t), sum->size() - first);
    numbers.resize(bytes / sizeof(uint64_t));
    std::memcpy(numbers.data(), sum->data() + first, bytes);
    ranks.AddUp(absl::MakeSpan(numbers));
    TOPICWALL_KILL_POINT("rank-in-the-reduction");
    std::memcpy(sum->data() + first, numbers.data(), bytes);
    first += bytes;
  }
  OPENSSL_cleanse(numbers.data(), numbers.size() * sizeof(uint64_t));
  return absl::OkStatus();
}

// What all ranks make of an order, and at rank 0 the bytes of the sum, if it was one.
struct Outcome {
  absl::Status status;
  bool unreadable = false;
  std::string sum = {};
  v1::MeasuredUnits measured = {};
};

Outcome Sum(const Ranks& ranks, RankSums& sums, const v1::BeginSum& order) {
  TOPICWALL_KILL_POINT("rank-before-sum");
  absl::StatusOr<RankSums::Part> part = sums.Sum(order);
  TOPICWALL_KILL_POINT("rank-after-sum");
  // Before anything is added up: a rank without a sum would leave all others waiting in the
  // reduction.
  Outcome outcome{.status = ranks.Agree(part.status())};
  if (!outcome.status.ok()) return outcome;
  outcome.unreadable = ranks.Any(part->unreadable);
  outcome.status = AddUp(ranks, &part->bytes);
  outcome.sum = std::move(part->bytes);
  return outcome;
}

Outcome Carry(const Ranks& ranks, RankSums& sums, const std::string& bytes) {
  v1::JobOrder order;
  // All ranks have the same bytes, so all go the same way here, and none waits for one that
  // refused.
  if (!proto::ParseStrictly(bytes, &order)) {
    return {.status = absl::InternalError("bytes that are no order of this version's")};
  }
  Outcome outcome{.status = absl::InternalError("an order must be to prepare, begin or measure")};
  if (order.has_prepare()) {
    outcome.status = ranks.Agree(sums.Prepare(order.prepare()));
  } else if (order.has_begin()) {
    outcome = Sum(ranks, sums, order.begin());
    std::string& coins = *order.mutable_begin()->mutable_coins();
    OPENSSL_cleanse(coins.data(), coins.size());
  } else if (order.has_measure()) {
    auto measured = MeasureOnAll(ranks, order.measure(), sums.num_threads());
    outcome.status = measured.status();
    if (measured.ok()) outcome.measured = *std::move(measured);
  }
  return outcome;
}

absl::Status Answer(int socket, const Outcome& outcome) {
  v1::JobAnswer answer;
  answer.set_code(outcome.status.raw_code());
  answer.set_reason(std::string(outcome.status.message()));
  answer.set_unreadable(outcome.unreadable);
  if (!outcome.measured.cases().empty()) *answer.mutable_measured() = outcome.measured;
  // First, for it says whether a sum follows.
  TW_RETURN_IF_ERROR(cluster::SendMessage(socket, answer.SerializeAsString()));
  TOPICWALL_KILL_POINT("rank-amid-answer");
  if (outcome.sum.empty() || !outcome.status.ok()) return absl::OkStatus();
  return cluster::SendMessage(socket, outcome.sum);
}

// Ranks that compute otherwise would let what a unit counts depend on how many others there are.
absl::Status RequireLikeFirst(const Ranks& ranks) {
  const std::string own =
      absl::StrCat("kernel ", model::ChosenKernelName(), " and build ", executor::Build());
  std::string firsts = own;
  ranks.Broadcast(&firsts);
  if (own == firsts) return absl::OkStatus();
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return absl::InternalError(
      absl::StrCat("rank ", ranks.rank(), " on host ", host.data(), " has ", own, ", and rank 0 ",
                   firsts, ": install the same topicwall-worker on all hosts, and name one ",
                   "--kernel that all their processors have (--list-kernels)"));
}

// Said once all ranks are ready: who says hello can sum.
absl::Status SayHello(const Ranks& ranks, int socket) {
  TW_RETURN_IF_ERROR(ranks.Agree(RequireLikeFirst(ranks)));
  if (!ranks.is_first()) return absl::OkStatus();
  v1::JobHello hello;
  hello.set_num_ranks(ranks.size());
  hello.set_kernel_name(model::ChosenKernelName());
  hello.set_build(std::string(executor::Build()));
  return cluster::SendMessage(socket, hello.SerializeAsString());
}

}  // namespace

// The vault's end is told to all as an order of no bytes.
absl::Status ServeVault(const Ranks& ranks, RankSums& sums, int socket) {
  TW_RETURN_IF_ERROR(ranks.Agree(SayHello(ranks, socket)));
  for (;;) {
    std::string order;
    if (ranks.is_first()) order = cluster::ReceiveMessage(socket, kMostOrderBytes).value_or("");
    if (order.empty()) Ranks::EndWithout(-1);  // all of them end in good order
    ranks.Broadcast(&order);
    if (order.empty()) return absl::OkStatus();
    TOPICWALL_KILL_POINT("rank-has-order");
    Outcome outcome = Carry(ranks, sums, order);
    OPENSSL_cleanse(order.data(), order.size());
    // A vault that has gone meanwhile is met by the next receive.
    if (ranks.is_first()) Answer(socket, outcome).IgnoreError();
    TOPICWALL_KILL_POINT("rank-after-answer");
    OPENSSL_cleanse(outcome.sum.data(), outcome.sum.size());
  }
}

}  // namespace topicwall::worker
