// A plan reserved, and its releases asked for, or read again, checked and kept, to the last.
//
// What is durable when:
//   1. the plan and its request_id: before ReservePlan is sent;
//   2. its plan_id: once that was answered;
//   3. what a release says, and with it how many there are: once it was checked, and before the
//      next is asked for.
// A crash before 1 has asked for nothing. After it the same plan is asked for under the same id,
// and is the same plan. After 2, or between two of 3, one release is asked for again, and the same
// question is answered from the wall's store, free, however often it is put. If ℓ differs from what
// an interrupted run asked with (another version of this program), the wall says ALREADY_EXISTS for
// the one iteration that may have been under way; its stored release is read instead, or is
// UNAVAILABLE until it is readable. So a crash repeats a question and never a payment.
//
// Errors: the wall's; INVALID_ARGUMENT, with nothing sent or written, for a plan of no model of
// this program, or one that does not take its parameters, so that the wall never would; UNAVAILABLE
// without random bytes; DATA_LOSS for a release that is not what was asked (release_check.h);
// CANCELLED if it was stopped between two releases, all that was paid being kept. PUBLIC. Threads:
// one. Cost: ℓ sent, the release received, of each.
#ifndef TOPICWALL_CLIENT_WALL_PAID_RELEASE_H_
#define TOPICWALL_CLIENT_WALL_PAID_RELEASE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/wall/wall_port.h"
#include "model/data/corpus_shape.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr size_t kRequestIdSize = 16;
// 16 bytes from the operating system. UNAVAILABLE if it has none to give.
absl::StatusOr<std::string> NewRequestId();

// What is asked of a plan.
struct ReleaseQuestion {
  double clip_norm = 0;                // C
  model::CorpusShape corpus = {};      // that the plan is of
  std::vector<float> parameters = {};  // of the plan's model: ℓ of topics
  double direction_noise = 0;          // r; 0: no noise along rows
};

// A plan as it stands in what is kept of it. All but should_stop are called; any error ends the
// run.
struct PlanRun {
  v1::FitPlan& plan;
  std::function<int()> releases;  // that are kept
  std::function<absl::StatusOr<ReleaseQuestion>()> next;
  std::function<absl::Status(const Release& release)> take;  // what is then written
  std::function<absl::Status()> write;                       // durably
  // Nothing is reserved under this request_id, for good.
  std::function<absl::Status()> remove;
  // Has the last word on what was reserved: without its OK the plan keeps no plan_id, so that
  // nothing is ever charged to it, and the same call is answered the same.
  std::function<absl::Status(const v1::PlanState& reserved)> check;
  // Once the plan is reserved, and after each release.
  std::function<void()> on_progress;
  // Asked before each release, when all that is paid is durable; may be empty.
  std::function<bool()> should_stop;
  std::string of_what = "";  // the releases that are counted, as " of its stage topics"
};

// From wherever the plan is to its end. One without a plan_id is reserved first, under its
// request_id or a new one.
absl::Status RunPlan(WallPort& wall, const PlanRun& run);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_PAID_RELEASE_H_
