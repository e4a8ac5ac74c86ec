#include "client/mock/mock_wall.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/price_record.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/mock/made_up_corpus.h"
#include "client/mock/made_up_release.h"
#include "client/mock/mock_ledger.h"
#include "client/wall/admission.h"
#include "client/wall/mock_custodian.h"
#include "model/models.h"
#include "proto/release_spec.h"
#include "proto/request_digest.h"

namespace topicwall::client {
namespace {

constexpr char kGuarantee[] =
    "MOCK: the documents are made up from public words, the noise is ordinary, and nothing is "
    "guaranteed or spent.";

// As long as the real one, and never the same.
// A model fitted to a mock must not pass for one of the corpus: versions are compared wherever
// money is spent.
std::string MockVersionOf(const v1::CorpusDescription& real) {
  const std::string digest = base::DigestBytes(base::Sha256Of(real.corpus_version()));
  return absl::StrCat(kMockCustodian, digest).substr(0, real.corpus_version().size());
}

v1::CorpusDescription MockOf(v1::CorpusDescription description) {
  description.set_corpus_version(MockVersionOf(description));
  description.set_custodian_id(kMockCustodian);
  description.set_guarantee(kGuarantee);
  description.set_state(v1::CORPUS_STATE_OPEN);
  description.clear_sum();
  for (const auto clear :
       {&v1::CorpusDescription::clear_overruns, &v1::CorpusDescription::clear_restarts,
        &v1::CorpusDescription::clear_voided, &v1::CorpusDescription::clear_worst_protection}) {
    (description.*clear)();
  }
  return description;
}

// As the wall bounds plans before it prices them.
absl::Status CheckLimits(const v1::ReleaseSpec& plan, const v1::CorpusDescription& description,
                         const model::CorpusShape& shape) {
  const v1::Limits& limits = description.limits();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.model(), plan.options(), shape));
  const auto check = [](const char* name, double value, double limit) {
    if (value <= limit) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name, " must be at most ", limit, "; got ", value, ". Ask for less."));
  };
  TW_RETURN_IF_ERROR(check("iterations", plan.iterations(), limits.max_iterations()));
  TW_RETURN_IF_ERROR(check("max_tokens", static_cast<double>(plan.max_tokens()),
                           static_cast<double>(limits.max_tokens())));
  TW_RETURN_IF_ERROR(check("the passes over a document",
                           static_cast<double>(model->demand().iterations),
                           limits.max_model_iterations()));
  TW_RETURN_IF_ERROR(check(
      "the parameters of a term",
      static_cast<double>(model->demand().parameters) / static_cast<double>(shape.vocabulary_size),
      limits.max_parameters_per_term()));
  if (plan.gaussian().noise_multiplier() >= limits.min_noise_multiplier()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("noise_multiplier must be at least ", limits.min_noise_multiplier(), "; got ",
                   plan.gaussian().noise_multiplier(), ". Ask for more noise."));
}

}  // namespace

// All that copies of one mock share. Every member function is called under `mutex`.
class MockWall::World {
 public:
  World(v1::CorpusDescription told, std::vector<std::string> words, MockLedger opened)
      : description(std::move(told)),
        terms(std::move(words)),
        corpus(MakeUpCorpus(description)),
        ledger(std::move(opened)) {}

  absl::Status CheckName(absl::string_view name) const {
    if (name == description.corpus()) return absl::OkStatus();
    return NotAdmitted(
        "list", absl::PermissionDeniedError(absl::StrCat(
                    "this is a mock of corpus ", description.corpus(), ", and of no other.")));
  }
  absl::StatusOr<v1::PlanState> Show(const std::string& plan_id) const {
    TW_ASSIGN_OR_RETURN(v1::PlanState state, ledger.Show(plan_id));
    *state.mutable_plan() = plans.at(plan_id).spec;
    return state;
  }

  struct Plan {
    std::string request_id;
    v1::ReleaseSpec spec;
    std::map<int32_t, Release> releases;
  };
  std::mutex mutex;
  v1::CorpusDescription description;
  const std::vector<std::string> terms;
  const MadeUpCorpus corpus;
  MockLedger ledger;
  std::map<std::string, Plan> plans;
  std::vector<std::string> order;  // in which they were reserved
};

absl::StatusOr<MockWall> MockWall::Of(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription real, wall.DescribeCorpus(corpus));
  if (real.state() == v1::CORPUS_STATE_NO_BUDGET) {
    return absl::FailedPreconditionError(
        absl::StrCat("corpus ", corpus,
                     " has no budget yet, and nobody knows what anything would cost. Ask the "
                     "custodian to open one."));
  }
  TW_ASSIGN_OR_RETURN(std::vector<std::string> terms,
                      wall.GetVocabulary(corpus, real.vocabulary_size()));
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall.GetBudget(corpus));
  v1::CorpusDescription description = MockOf(real);
  TW_ASSIGN_OR_RETURN(MockLedger ledger, MockLedger::Open(description, budget));
  description.set_signing_key(ledger.signing_key());
  *description.mutable_sum() = ledger.budget().sum();
  return MockWall(
      std::make_shared<World>(std::move(description), std::move(terms), std::move(ledger)));
}

const std::string& MockWall::corpus() const { return world_->description.corpus(); }
const std::string& MockWall::signing_key() const { return world_->ledger.signing_key(); }

absl::StatusOr<v1::CorpusDescription> MockWall::DescribeCorpus(absl::string_view corpus) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->CheckName(corpus));
  v1::CorpusDescription description = world_->description;
  const int64_t left = std::max<int64_t>(
      0, description.limits().max_releases() - world_->ledger.releases_reserved());
  description.set_releases_left(left);
  description.set_own_releases_left(left);
  return description;
}

absl::StatusOr<std::vector<std::string>> MockWall::GetVocabulary(absl::string_view corpus,
                                                                 int64_t) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->CheckName(corpus));
  return world_->terms;
}

absl::StatusOr<v1::PlanPrice> MockWall::PricePlan(const v1::ReleaseSpec& plan) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->CheckName(plan.corpus()));
  TW_RETURN_IF_ERROR(CheckLimits(plan, world_->description, world_->corpus.shape));
  TW_ASSIGN_OR_RETURN(v1::PlanPrice price, world_->ledger.Quote(plan));
  const accountant::AdmissionPolicy& policy = world_->ledger.budget().policy();
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds, accountant::BoundAttacks(policy));
  price.set_noise_standard_deviation(plan.gaussian().noise_multiplier());
  TW_RETURN_IF_ERROR(accountant::ledger::TellPromise(policy.budget(), bounds, &price));
  return price;
}

// As with a wall, a request id that was used gives its plan again and buys nothing twice.
absl::StatusOr<v1::PlanState> MockWall::ReservePlan(const v1::ReservePlanRequest& request) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->CheckName(request.plan().corpus()));
  TW_RETURN_IF_ERROR(CheckLimits(request.plan(), world_->description, world_->corpus.shape));
  for (const auto& [id, plan] : world_->plans) {
    if (plan.request_id != request.request_id()) continue;
    if (proto::SameSpec(plan.spec, request.plan())) return world_->Show(id);
    return absl::AlreadyExistsError("another plan was reserved under this request_id.");
  }
  TW_ASSIGN_OR_RETURN(const std::string id, world_->ledger.Reserve(request.plan()));
  world_->plans[id] = {.request_id = request.request_id(), .spec = request.plan(), .releases = {}};
  world_->order.push_back(id);
  return world_->Show(id);
}

absl::StatusOr<v1::PlanState> MockWall::CancelPlan(absl::string_view plan_id) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->ledger.Cancel(std::string(plan_id)));
  return world_->Show(std::string(plan_id));
}

absl::StatusOr<v1::PlanState> MockWall::GetPlan(absl::string_view plan_id) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  return world_->Show(std::string(plan_id));
}

absl::StatusOr<std::vector<v1::PlanState>> MockWall::ListPlans(absl::string_view corpus) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  if (!corpus.empty()) TW_RETURN_IF_ERROR(world_->CheckName(corpus));
  std::vector<v1::PlanState> listed;
  for (const std::string& id : world_->order) {
    TW_ASSIGN_OR_RETURN(v1::PlanState state, world_->Show(id));
    // As the wall lists them: weights by their digest, receipts only where one plan is asked for.
    *state.mutable_plan() = proto::RecordOf(state.plan());
    state.clear_reservation_receipt();
    state.clear_cancellation_receipt();
    listed.push_back(std::move(state));
  }
  return listed;
}

absl::StatusOr<Release> MockWall::RunRelease(const v1::RunReleaseHeader& header,
                                             absl::Span<const float> parameters,
                                             const ReleaseShape&) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  const auto found = world_->plans.find(header.plan_id());
  if (found == world_->plans.end()) return world_->ledger.Show(header.plan_id()).status();
  World::Plan& plan = found->second;
  const std::string digest = base::DigestBytes(proto::RequestDigest(header, plan.spec, parameters));
  if (digest != header.request_digest()) {
    return absl::InvalidArgumentError(
        "request_digest is not that of what was sent. Send it again.");
  }
  const auto paid = plan.releases.find(header.iteration());
  if (paid != plan.releases.end()) {
    if (paid->second.header.request_digest() == digest) return paid->second;
    return absl::AlreadyExistsError("this iteration was paid for with other content.");
  }
  // Before the charge, unlike a wall: what cannot be made up should not use up a rehearsal.
  TW_ASSIGN_OR_RETURN(Release release,
                      MakeUpRelease(world_->corpus, plan.spec, header, parameters));
  TW_RETURN_IF_ERROR(world_->ledger.Charge(header, release.header.kernel_name()));
  TW_RETURN_IF_ERROR(world_->ledger.Publish(&release.header));
  plan.releases[header.iteration()] = release;
  return release;
}

absl::StatusOr<Release> MockWall::GetRelease(absl::string_view plan_id, int32_t iteration,
                                             const ReleaseShape&) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  const auto found = world_->plans.find(std::string(plan_id));
  if (found == world_->plans.end()) return world_->ledger.Show(std::string(plan_id)).status();
  const auto paid = found->second.releases.find(iteration);
  if (paid == found->second.releases.end()) {
    return absl::NotFoundError("the release cannot be read yet.");
  }
  return paid->second;
}

absl::StatusOr<v1::BudgetStatus> MockWall::GetBudget(absl::string_view corpus) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->CheckName(corpus));
  return world_->ledger.Status();
}

absl::StatusOr<std::vector<v1::LedgerEntry>> MockWall::ReadLedger(absl::string_view corpus,
                                                                  int64_t first_sequence) {
  const std::lock_guard<std::mutex> lock(world_->mutex);
  TW_RETURN_IF_ERROR(world_->CheckName(corpus));
  return world_->ledger.Entries(first_sequence);
}

}  // namespace topicwall::client
