#include "server/ledger/budget_picture.h"

#include <utility>
#include <vector>

#include "base/sha256.h"
#include "server/ledger/plan_table.h"

namespace topicwall::ledger {
namespace {

ChargePicture PictureOf(const ChargeRow& row) {
  ChargePicture charge{.request_digest = row.request_digest,
                       .charged_at_ms = row.charged_at_ms,
                       .release_interval_ms = row.release_interval_ms,
                       .kernel_name = row.kernel_name,
                       .free_processors = row.free_processors,
                       .restarted_at_ms = row.restarted_at_ms,
                       .void_ground = row.void_ground};
  if (row.state == ChargeState::kPublished) {
    charge.published = true;
    charge.header_sha256 = row.header_sha256;
    charge.release_sha256 = row.release_sha256;
    charge.readable_at_ms = row.readable_at_ms;
    charge.intervals_waited = row.intervals_waited;
  }
  return charge;
}

absl::StatusOr<PlanPicture> PictureOf(SqliteConnection& connection, const PlanRow& row) {
  PlanPicture plan{.corpus_version = row.corpus_version,
                   .principal = row.principal,
                   .plan_sha256 = base::DigestBytes(base::Sha256Of(row.spec)),
                   .cost = row.cost,
                   .reserved_at_ms = row.reserved_at_ms,
                   .state = row.state,
                   .iterations = row.iterations,
                   .reserved_iterations = row.reserved_iterations,
                   .refundable = row.refundable,
                   .expired = row.expired};
  TW_ASSIGN_OR_RETURN(const std::vector<ChargeRow> charges, ChargesOf(connection, row.plan_id));
  for (const ChargeRow& charge : charges) plan.charges[charge.iteration] = PictureOf(charge);
  return plan;
}

}  // namespace

absl::StatusOr<BudgetPicture> PictureOfTables(SqliteConnection& connection,
                                              const BudgetRow& budget) {
  BudgetPicture picture;
  picture.policy = budget.policy;
  picture.privacy_unit = budget.privacy_unit;
  picture.spent = budget.spent;
  picture.restored_at = budget.restored_at;
  TW_ASSIGN_OR_RETURN(picture.thaws, ThawsOf(connection, budget.budget_id));
  picture.signing_key = budget.signing_key;
  TW_ASSIGN_OR_RETURN(const std::vector<PrincipalSpending> analysts,
                      AllAnalystsSpent(connection, budget));
  picture.analyst_spent = {analysts.begin(), analysts.end()};
  TW_ASSIGN_OR_RETURN(const std::vector<CorpusRow> corpora, AllCorpora(connection));
  for (const CorpusRow& corpus : corpora) {
    if (corpus.budget_id != budget.budget_id) continue;
    picture.corpora[corpus.corpus_version] = CorpusPicture{.corpus = corpus.corpus,
                                                           .overruns = corpus.overruns,
                                                           .acknowledged = corpus.acknowledged,
                                                           .restarts = corpus.restarts,
                                                           .voided = corpus.voided,
                                                           .unreadable = corpus.unreadable};
  }
  TW_ASSIGN_OR_RETURN(const std::vector<PlanRow> plans, PlansOf(connection, ""));
  for (const PlanRow& plan : plans) {
    if (picture.corpora.count(plan.corpus_version) == 0) continue;
    TW_ASSIGN_OR_RETURN(picture.plans[plan.plan_id], PictureOf(connection, plan));
  }
  return picture;
}

}  // namespace topicwall::ledger
