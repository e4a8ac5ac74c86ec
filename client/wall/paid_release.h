// A plan reserved, and one release of it: asked for, or read again, and checked.
//
//   TW_RETURN_IF_ERROR(ReserveDurably(wall, plan, write, remove));
//   absl::StatusOr<Release> release = FetchRelease(wall, {.plan = plan, .iteration = 3, …});
//
// The same question is answered from the wall's store, free, however often it is put. If ℓ differs
// from what an interrupted run asked with (another version of this program), the wall says
// ALREADY_EXISTS for the one iteration that may have been under way; its stored release is read
// instead, or is UNAVAILABLE until it is readable.
//
// Errors: the wall's; INVALID_ARGUMENT for a plan of no model of this program; DATA_LOSS for a
// release that is not what was asked (release_check.h). PUBLIC. Threads: one. Cost: ℓ sent, the
// release received.
#ifndef TOPICWALL_CLIENT_WALL_PAID_RELEASE_H_
#define TOPICWALL_CLIENT_WALL_PAID_RELEASE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/wall/wall_port.h"
#include "model/data/corpus_shape.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// CANCELLED: somebody stopped between two releases, `done` of them being paid and kept. `what`
// follows "releases", as " of its stage topics".
absl::Status StoppedAfter(const v1::FitPlan& plan, int64_t done, absl::string_view what = "");

struct ReleaseQuestion {
  const v1::FitPlan& plan;  // reserved
  int32_t iteration;
  double clip_norm;                    // C
  model::CorpusShape corpus;           // that the plan is of
  absl::Span<const float> parameters;  // of the plan's model: ℓ of topics
  bool may_be_under_way;               // an earlier run may have asked for it
  double direction_noise = 0;          // r; 0: no noise along rows
};

absl::StatusOr<Release> FetchRelease(WallPort& wall, const ReleaseQuestion& question);

inline constexpr size_t kRequestIdSize = 16;
// 16 bytes from the operating system. UNAVAILABLE if it has none to give.
absl::StatusOr<std::string> NewRequestId();

// Reserves a plan, and gives it its request_id, unless an earlier run did, and its plan_id. `write`
// makes durable what knows the plan: before the wall hears of it, and once it has answered.
// `remove` is called if nothing is reserved under this request_id, for good. `check` is asked about
// the answer, and has the last word: without its OK the plan keeps no plan_id, so that nothing is
// ever charged to it, and the same call is answered the same. Errors: the wall's, of NewRequestId,
// and those of the three; INVALID_ARGUMENT, with nothing sent or written, if the plan's
// model does not take `parameters`, those of the first release, and so the wall never would.
absl::Status ReserveDurably(WallPort& wall, v1::FitPlan& plan, const model::CorpusShape& corpus,
                            absl::Span<const float> parameters,
                            absl::FunctionRef<absl::Status()> write,
                            absl::FunctionRef<absl::Status()> remove,
                            absl::FunctionRef<absl::Status(const v1::PlanState&)> check);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_PAID_RELEASE_H_
