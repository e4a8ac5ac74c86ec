// Each answer goes the same way: its receipts must open under the book's key; what they say is
// compared with what was asked; they are kept, durably; only then is the answer passed on. So
// nothing is built on an answer of which there is no proof yet.
//
// What a wall could do otherwise, and what stands against it:
//   · reserve a plan with other terms than asked for, dearer or with less noise: CheckTerms;
//   · charge for a request that was never made: the digest in CheckCharge;
//   · send a release that is not the one in its chain: the two digests in CheckPublication;
//   · back it up with receipts of another plan or another budget: the loop in KeepRelease.
// Nothing is lost by refusing: what was paid for is in the wall's store, and asking again is free.
#include "client/wall/receipted_wall.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "proto/ledger.pb.h"
#include "proto/release_header.h"
#include "proto/release_spec.h"

namespace topicwall::client {
namespace {

absl::Status NotAsAsked(const v1::LedgerEvent& event, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the receipt that came for ", proto::DescribeAct(event),
                                          " is not of what was "
                                          "asked: ",
                                          what,
                                          ". Nothing was used. Try again; if it stays so, ask the "
                                          "custodian."));
}

// SameSpec decides. The fields before it are those that an analyst would ask about, and are there
// to name what differs; the record holds weights by their digest, hence RecordOf.
absl::Status CheckTerms(const v1::LedgerEvent& event, const v1::ReleaseSpec& kept,
                        const v1::ReleaseSpec& plan) {
  if (kept.corpus() != plan.corpus() || kept.corpus_version() != plan.corpus_version()) {
    return NotAsAsked(event, "its corpus is another one");
  }
  const v1::Gaussian& noise = plan.gaussian();
  if (kept.gaussian().noise_multiplier() != noise.noise_multiplier() ||
      kept.gaussian().has_histogram_noise_multiplier() != noise.has_histogram_noise_multiplier() ||
      kept.gaussian().histogram_noise_multiplier() != noise.histogram_noise_multiplier()) {
    return NotAsAsked(event, "its noise multiplier is another one");
  }
  if (kept.sampling_rate() != plan.sampling_rate()) {
    return NotAsAsked(event, "its sampling rate is another one");
  }
  if (kept.iterations() != plan.iterations()) {
    return NotAsAsked(event, "its number of iterations is another one");
  }
  if (!proto::SameSpec(kept, proto::RecordOf(plan))) {
    return NotAsAsked(event, "its plan is another one");
  }
  return absl::OkStatus();
}

absl::Status CheckCharge(const v1::LedgerEvent& event, const v1::ReleaseHeader& header) {
  const v1::IterationCharged& act = event.iteration_charged();
  if (act.plan_id() != header.plan_id() || act.iteration() != header.iteration()) {
    return NotAsAsked(event, "it is not the charge of this iteration");
  }
  // It covers C, the options and every bit of the parameters (proto/request_digest.h).
  if (act.request_digest() != header.request_digest()) {
    return NotAsAsked(event, "other parameters or options were charged");
  }
  if (event.time_ms() != header.charged_at_ms()) {
    return NotAsAsked(event, "it was charged at another time");
  }
  return absl::OkStatus();
}

absl::Status CheckPublication(const v1::LedgerEvent& event, const v1::ReleaseHeader& header) {
  const v1::ReleasePublished& act = event.release_published();
  if (act.plan_id() != header.plan_id() || act.iteration() != header.iteration()) {
    return NotAsAsked(event, "it is not the release of this iteration");
  }
  // That the matrix itself has the first digest is for release_check.h, which has read it anyway.
  if (act.release_sha256() != header.statistics_sha256() ||
      act.header_sha256() !=
          base::DigestBytes(base::Sha256Of(proto::StoredOf(header).SerializeAsString()))) {
    return NotAsAsked(event, "another release was published");
  }
  if (event.time_ms() != header.readable_at_ms()) {
    return NotAsAsked(event, "it became readable at another time");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::CorpusDescription> ReceiptedWall::DescribeCorpus(absl::string_view corpus) {
  TW_ASSIGN_OR_RETURN(v1::CorpusDescription description, wall_.DescribeCorpus(corpus));
  // A budget brings the key along; a corpus without one has signed nothing.
  if (description.state() != v1::CORPUS_STATE_NO_BUDGET) {
    TW_RETURN_IF_ERROR(book_.Meet(description.signing_key()));
  }
  return description;
}

absl::StatusOr<v1::PlanState> ReceiptedWall::KeepPlan(absl::StatusOr<v1::PlanState> plan,
                                                      absl::string_view asked) {
  TW_RETURN_IF_ERROR(plan.status());
  // Another plan of the same analyst's would come with receipts that hold.
  if (!asked.empty() && plan->plan_id() != asked) {
    return absl::DataLossError(absl::StrCat("the wall was asked for plan ", asked,
                                            " and answered with another. Nothing was used. Try "
                                            "again; if it stays so, ask the custodian."));
  }
  TW_ASSIGN_OR_RETURN(const proto::OpenedReceipt reserved,
                      proto::OpenReceipt(plan->reservation_receipt(), book_.signing_key()));
  if (!reserved.event.has_plan_reserved() ||
      reserved.event.plan_reserved().plan_id() != plan->plan_id()) {
    return NotAsAsked(reserved.event, "it is not the reservation of this plan");
  }
  TW_RETURN_IF_ERROR(
      CheckTerms(reserved.event, reserved.event.plan_reserved().spec(), plan->plan()));
  // The second receipt is the only proof of what was given back.
  std::vector<v1::SignedReceipt> receipts = {plan->reservation_receipt()};
  if (plan->state() == v1::PlanState::CANCELLED) {
    TW_ASSIGN_OR_RETURN(const proto::OpenedReceipt cancelled,
                        proto::OpenReceipt(plan->cancellation_receipt(), book_.signing_key()));
    if (!cancelled.event.has_plan_cancelled() ||
        cancelled.event.plan_cancelled().plan_id() != plan->plan_id()) {
      return NotAsAsked(cancelled.event, "it is not the cancellation of this plan");
    }
    receipts.push_back(plan->cancellation_receipt());
  }
  TW_RETURN_IF_ERROR(book_.Keep(receipts));
  return plan;
}

absl::StatusOr<v1::PlanState> ReceiptedWall::ReservePlan(const v1::ReservePlanRequest& request) {
  absl::StatusOr<v1::PlanState> plan = wall_.ReservePlan(request);
  TW_RETURN_IF_ERROR(plan.status());
  // What was asked counts, not what the answer says was asked.
  *plan->mutable_plan() = request.plan();
  return KeepPlan(std::move(plan));
}

absl::StatusOr<v1::PlanState> ReceiptedWall::CancelPlan(absl::string_view plan_id) {
  return KeepPlan(wall_.CancelPlan(plan_id), plan_id);
}

absl::StatusOr<v1::PlanState> ReceiptedWall::GetPlan(absl::string_view plan_id) {
  return KeepPlan(wall_.GetPlan(plan_id), plan_id);
}

absl::Status ReceiptedWall::KeepRelease(const Release& release) {
  const v1::ReleaseHeader& header = release.header;
  TW_ASSIGN_OR_RETURN(const proto::OpenedReceipt charged,
                      proto::OpenReceipt(header.charge_receipt(), book_.signing_key()));
  TW_ASSIGN_OR_RETURN(const proto::OpenedReceipt published,
                      proto::OpenReceipt(header.release_receipt(), book_.signing_key()));
  TW_RETURN_IF_ERROR(CheckCharge(charged.event, header));
  TW_RETURN_IF_ERROR(CheckPublication(published.event, header));
  // A fit that was begun without receipts asks for its plan's now.
  if (book_.TermsOf(header.plan_id()) == nullptr) {
    TW_RETURN_IF_ERROR(GetPlan(header.plan_id()).status());
  }
  // Each receipt repeats the terms of its plan. They must be those reserved, byte for byte: under
  // other terms the same charge would be one for another mechanism.
  const v1::PlanReserved* terms = book_.TermsOf(header.plan_id());
  for (const proto::OpenedReceipt& receipt : {charged, published}) {
    if (terms == nullptr ||
        receipt.receipt.plan().SerializeAsString() != terms->SerializeAsString()) {
      return NotAsAsked(receipt.event, "the plan it names was reserved otherwise");
    }
    if (receipt.event.budget_id() != charged.event.budget_id()) {
      return NotAsAsked(receipt.event, "it is of another budget");
    }
  }
  return book_.Keep({header.charge_receipt(), header.release_receipt()});
}

absl::StatusOr<Release> ReceiptedWall::RunRelease(const v1::RunReleaseHeader& header,
                                                  absl::Span<const float> log_topics,
                                                  const ReleaseShape& shape) {
  // The receipts speak of the header. That the header answers this call is checked here, or the
  // wall could send any older release of the plan with receipts that hold.
  TW_ASSIGN_OR_RETURN(Release release, wall_.RunRelease(header, log_topics, shape));
  if (release.header.plan_id() != header.plan_id() ||
      release.header.iteration() != header.iteration() ||
      release.header.request_digest() != header.request_digest()) {
    return absl::DataLossError("the release that came is not the one that was asked for.");
  }
  TW_RETURN_IF_ERROR(KeepRelease(release));
  return release;
}

absl::StatusOr<Release> ReceiptedWall::GetRelease(absl::string_view plan_id, int32_t iteration,
                                                  const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(Release release, wall_.GetRelease(plan_id, iteration, shape));
  if (release.header.plan_id() != plan_id || release.header.iteration() != iteration) {
    return absl::DataLossError("the release that came is not the one that was asked for.");
  }
  TW_RETURN_IF_ERROR(KeepRelease(release));
  return release;
}

}  // namespace topicwall::client
