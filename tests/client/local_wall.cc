#include "tests/client/local_wall.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/wall/topics_asked.h"
#include "model/completion/completion_score.h"
#include "model/data/tokenizer.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/mixture/responsibilities.h"
#include "model/models.h"
#include "proto/budget_refusal.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "tests/model/no_bits.h"

namespace topicwall::client {
namespace {

accountant::AdmissionPolicy Adaptive() {
  return *accountant::AdmissionPolicy::Create(
      *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}));
}

// Topic t owns terms t·n … t·n + n − 1. Document d of it holds two of them often and one each.
lda::DocumentList PlantDocuments(const LocalWall::Planted& planted) {
  lda::DocumentList documents;
  const auto n = static_cast<uint32_t>(planted.terms_per_topic);
  for (int topic = 0; topic < planted.num_topics; ++topic) {
    for (int d = 0; d < planted.documents_per_topic; ++d) {
      std::vector<lda::TermCount> document;
      for (uint32_t i = 0; i < n; ++i) {
        const bool often = (i + static_cast<uint32_t>(d)) % n < 2;
        document.push_back(
            {.term = static_cast<uint32_t>(topic) * n + i, .count = often ? 5u : 1u});
      }
      documents.Append(document);
    }
  }
  return documents;
}

int NumTerms(const LocalWall::Planted& planted) {
  if (planted.vectors.empty()) return planted.num_topics * planted.terms_per_topic;
  return static_cast<int>(planted.vectors[0].size());
}

// "aa", "ab", …: one token each.
std::vector<std::string> PlantTerms(int count) {
  std::vector<std::string> terms;
  for (int i = 0; i < count; ++i) {
    terms.push_back({static_cast<char>('a' + i / 26), static_cast<char>('a' + i % 26)});
  }
  return terms;
}

}  // namespace

LocalWall::LocalWall(const Planted& planted)
    : terms_(PlantTerms(NumTerms(planted))),
      documents_(PlantDocuments(planted)),
      vectors_(planted.vectors),
      policy_(Adaptive()),
      spent_(policy_.NothingSpent()) {
  description_.set_corpus("notes");
  description_.set_corpus_version(std::string(16, 'v'));
  description_.set_custodian_id("test-custodian");
  description_.set_tokenizer(lda::kTokenizerName);
  if (!vectors_.empty()) {
    description_.set_tokenizer(lda::kVectorsTokenizerName);
    description_.mutable_vectors()->set_dimension(NumTerms(planted));
    description_.mutable_vectors()->set_norm_bound(2.5);
  }
  description_.set_vocabulary_size(static_cast<int64_t>(terms_.size()));
  description_.set_vocabulary_sha256(base::DigestBytes(VocabularyDigest(terms_)));
  description_.mutable_limits()->set_max_tokens(500);
  description_.mutable_limits()->set_max_parameters_per_term(200);
  description_.mutable_limits()->set_max_iterations(100);
  description_.set_releases_left(1000);
  description_.mutable_limits()->set_max_model_iterations(100);
  description_.mutable_limits()->set_min_noise_multiplier(0.5);
  description_.set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  description_.set_epsilon(policy_.budget().epsilon);
  description_.set_delta(policy_.budget().delta);
  v1::Attribute& year = *description_.add_attributes();
  year.set_name("year");
  year.set_is_date(true);
  for (const char* day : {"2023-01-01", "2024-01-01", "2025-01-01"}) year.add_values(day);
  v1::Attribute& ward = *description_.add_attributes();
  ward.set_name("ward");
  for (const char* value : {"north", "south"}) ward.add_values(value);
}

template <typename Answer>
absl::StatusOr<Answer> LocalWall::Call(const std::function<absl::StatusOr<Answer>()>& call) {
  const int number = calls_++;
  if (fail_before_.count(number) != 0) return fail_before_[number];
  absl::StatusOr<Answer> answer = call();
  if (fail_after_.count(number) != 0) return fail_after_[number];
  return answer;
}

absl::StatusOr<std::optional<LocalWall::Admission>> LocalWall::Admit(
    const v1::ReleaseSpec& plan) const {
  TW_ASSIGN_OR_RETURN(const accountant::DpEvent event, EventOf(plan));
  return policy_.Admit(event, spent_);
}

absl::Status LocalWall::RefusalOf(v1::ReleaseSpec plan) const {
  v1::PrivacyBudgetExhausted detail;
  detail.set_limit("corpus");
  detail.set_epsilon_total(policy_.budget().epsilon);
  detail.set_epsilon_left(policy_.budget().epsilon - policy_.EpsilonSpent(spent_));
  detail.set_delta(policy_.budget().delta);
  for (int most = plan.iterations() - 1; most > 0; --most) {
    plan.set_iterations(most);
    TW_ASSIGN_OR_RETURN(const std::optional<Admission> admission, Admit(plan));
    if (!admission.has_value()) continue;
    detail.set_most_iterations(most);
    break;
  }
  return proto::BudgetRefusal("no budget", detail);
}

absl::StatusOr<v1::CorpusDescription> LocalWall::DescribeCorpus(absl::string_view corpus) {
  return Call<v1::CorpusDescription>([&]() -> absl::StatusOr<v1::CorpusDescription> {
    if (corpus != "notes") return absl::PermissionDeniedError("no such corpus for you");
    return description_;
  });
}

absl::StatusOr<std::vector<std::string>> LocalWall::GetVocabulary(absl::string_view, int64_t) {
  return Call<std::vector<std::string>>([&] { return terms_; });
}

absl::StatusOr<v1::PlanPrice> LocalWall::PricePlan(const v1::ReleaseSpec& plan) {
  return Call<v1::PlanPrice>([&]() -> absl::StatusOr<v1::PlanPrice> {
    if (plan.iterations() > description_.limits().max_iterations()) {
      return absl::InvalidArgumentError("iterations are above the limit");
    }
    v1::PlanPrice price;
    TW_ASSIGN_OR_RETURN(const double alone, PriceAlone(policy_, plan));
    TW_ASSIGN_OR_RETURN(const std::optional<Admission> admission, Admit(plan));
    price.set_epsilon_alone(alone);
    price.set_epsilon_with_plan(admission.has_value()
                                    ? policy_.EpsilonUpperBound(admission->spent_after)
                                    : std::numeric_limits<double>::infinity());
    price.set_epsilon_total(policy_.budget().epsilon);
    price.set_delta(policy_.budget().delta);
    price.set_fits(admission.has_value());
    return price;
  });
}

absl::StatusOr<v1::PlanState> LocalWall::ReservePlan(const v1::ReservePlanRequest& request) {
  return Call<v1::PlanState>([&]() -> absl::StatusOr<v1::PlanState> {
    v1::PlanState state;
    *state.mutable_plan() = request.plan();
    for (const auto& [id, plan] : plans_) {
      if (plan.request_id != request.request_id()) continue;
      if (plan.spec.SerializeAsString() != request.plan().SerializeAsString()) {
        return absl::AlreadyExistsError("another plan under this request_id");
      }
      state.set_plan_id(id);
      *state.mutable_reservation_receipt() = ReceiptOf(id);
      return state;
    }
    TW_ASSIGN_OR_RETURN(const std::optional<Admission> admission, Admit(request.plan()));
    if (!admission.has_value()) return RefusalOf(request.plan());
    spent_ = admission->spent_after;
    state.set_plan_id(absl::StrCat(plan_name, plans_.size() + 1));
    plans_[state.plan_id()] = {.request_id = request.request_id(),
                               .spec = request.plan(),
                               .cost = admission->plan,
                               .spent_after = spent_,
                               .releases = {}};
    *state.mutable_reservation_receipt() = ReceiptOf(state.plan_id());
    return state;
  });
}

absl::StatusOr<v1::PlanState> LocalWall::CancelPlan(absl::string_view) {
  return absl::UnimplementedError("not in these tests");
}
absl::StatusOr<v1::PlanState> LocalWall::GetPlan(absl::string_view plan_id) {
  const auto found = plans_.find(std::string(plan_id));
  if (found == plans_.end()) return absl::PermissionDeniedError("no such plan for you");
  v1::PlanState state;
  state.set_plan_id(found->first);
  state.set_state(cancelled ? v1::PlanState::CANCELLED : v1::PlanState::ACTIVE);
  *state.mutable_reservation_receipt() = ReceiptOf(found->first);
  for (const auto& [iteration, release] : found->second.releases) {
    v1::IterationState& charged = *state.add_iterations();
    charged.set_iteration(iteration);
    charged.set_voided(iteration == voided);
  }
  return state;
}
absl::StatusOr<std::vector<v1::PlanState>> LocalWall::ListPlans(absl::string_view) {
  return absl::UnimplementedError("not in these tests");
}
absl::StatusOr<std::vector<v1::LedgerEntry>> LocalWall::ReadLedger(absl::string_view, int64_t) {
  return Call<std::vector<v1::LedgerEntry>>([&] { return Chain().entries(); });
}

ChainBuilder LocalWall::Chain() const {
  ChainBuilder chain(policy_, "budget", "", description_.privacy_unit());
  if (description_.has_sum()) chain.TellSum(description_.sum());
  for (const auto& [id, plan] : plans_) {
    v1::LedgerEvent event;
    event.set_principal("analyst");
    event.mutable_plan_reserved()->set_plan_id(id);
    *event.mutable_plan_reserved()->mutable_spec() = plan.spec;
    chain.Admit(event, plan.cost);
  }
  return chain;
}

v1::SignedReceipt LocalWall::ReceiptOf(const std::string& plan_id) const {
  const Plan& plan = plans_.at(plan_id);
  v1::Receipt receipt;
  receipt.mutable_plan()->set_plan_id(plan_id);
  *receipt.mutable_plan()->mutable_spec() = plan.spec;
  receipt.mutable_plan()->mutable_cost()->Assign(plan.cost.cost.begin(), plan.cost.cost.end());
  receipt.mutable_spent()->Assign(plan.spent_after.begin(), plan.spent_after.end());
  receipt.set_epsilon(policy_.budget().epsilon);
  receipt.set_delta(policy_.budget().delta);
  v1::SignedReceipt signed_receipt;
  signed_receipt.set_receipt(receipt.SerializeAsString());
  return signed_receipt;
}

// What any model makes of every document that is not held out, added up.
void LocalWall::AddStatistics(const Plan& plan, absl::Span<const float> parameters,
                              Release& release) const {
  const auto terms = static_cast<int64_t>(terms_.size());
  const int dimension = vectors_.empty() ? 0 : static_cast<int>(terms);
  const auto model = *model::MakeModel(
      plan.spec.model(), plan.spec.options(),
      {.vocabulary_size = terms, .attribute_sizes = {3, 3}, .vector_dimension = dimension});
  const auto inference = *model->Bind(parameters, 1);
  const auto thread =
      inference->NewThread({.vocabulary_size = terms, .max_words = terms, .max_documents = 1});
  const auto columns = static_cast<size_t>(model->shape().period);
  release.statistics.assign(static_cast<size_t>(model->shape().dimension), 0);
  v1::ReleaseHeader& sent = release.header;
  sent.set_rows(static_cast<int64_t>(model->shape().rows()));
  sent.set_columns(model->shape().period);
  model::NoBits bits;
  model::SparseStatistic x;
  const bool of_text = vectors_.empty();
  for (size_t d = 0; d < (of_text ? documents_.size() : vectors_.size()); ++d) {
    if (IsHeldOut(d, plan.spec.held_out_share()) != plan.spec.held_out_only()) continue;
    const std::vector<uint16_t> attributes = AttributesOf(d);
    const model::UnitDocument document = {
        .counts = of_text ? documents_[d] : lda::DocumentView(),
        .number = 0,
        .attributes = attributes,
        .vector = of_text ? absl::Span<const float>() : absl::MakeConstSpan(vectors_[d])};
    thread->Infer({.documents = {&document, 1}}, bits, &x);
    double squares = 0;
    for (size_t i = 0; i < x.values.size(); ++i) {
      const size_t row = x.rows[i % x.rows.size()], column = x.columns[i / x.rows.size()];
      release.statistics[row * columns + column] += x.values[i];
      squares += double{x.values[i]} * x.values[i];
    }
    if (sent.norm_histogram().empty()) continue;
    const int bin = static_cast<int>(std::ceil(6 * std::log2(std::sqrt(squares) / 0.5)));
    const int place = std::clamp(bin, 0, lda::kClipHistogramBins - 1);
    sent.set_norm_histogram(place, sent.norm_histogram(place) + 1);
  }
}

Release LocalWall::Compute(const Plan& plan, const v1::RunReleaseHeader& header,
                           absl::Span<const float> parameters) const {
  Release release;
  v1::ReleaseHeader& sent = release.header;
  if (plan.spec.gaussian().has_histogram_noise_multiplier()) {
    sent.mutable_norm_histogram()->Resize(lda::kClipHistogramBins, 0);
    sent.set_histogram_noise_standard_deviation(plan.spec.gaussian().histogram_noise_multiplier());
  }
  if (plan.spec.model() == kDocumentCompletion) {
    release.statistics = Evaluate(plan, parameters);
    sent.set_rows(1);
    sent.set_columns(2);
  } else {
    AddStatistics(plan, parameters, release);
  }
  sent.set_plan_id(header.plan_id());
  sent.set_iteration(header.iteration());
  sent.set_request_digest(header.request_digest());
  sent.set_clip_norm(header.clip_norm());
  sent.set_direction_noise(header.direction_noise());
  sent.set_noise_standard_deviation(plan.spec.gaussian().noise_multiplier() * header.clip_norm());
  sent.set_statistics_sha256(base::DigestBytes(proto::DigestOfFloats(release.statistics)));
  return release;
}

lda::TokenSplit LocalWall::HeldOutHalves(const Plan& plan) const {
  lda::DocumentList held_out;
  for (size_t d = 0; d < documents_.size(); ++d) {
    if (IsHeldOut(d, plan.spec.held_out_share())) held_out.Append(documents_[d]);
  }
  return lda::SplitTokens(held_out, kSplitSeed);
}

// (A, n), as the wall has it.
std::vector<float> LocalWall::EvaluateMixture(const Plan& plan,
                                              absl::Span<const float> parameters) const {
  const auto topics =
      *lda::LogTopics::Create(NumTopics(plan.spec), static_cast<int>(terms_.size()) + 1,
                              {parameters.begin(), parameters.end()});
  const auto words = *lda::EStep::Create(
      topics, {.document_topic_prior = 1.0, .max_iterations = 1, .mean_change_threshold = 0});
  const mixture::Responsibilities components(topics, lda::ChosenKernel(), /*num_threads=*/1);
  completion::CompletionScore score(&words, &components);
  const lda::TokenSplit split = HeldOutHalves(plan);
  score.Reset();
  for (size_t d = 0; d < split.scored.size(); ++d) score.Add(split.observed[d], split.scored[d]);
  model::SparseStatistic statistic;
  score.Write(&statistic);
  return statistic.values;
}

// (A, n), the plain way.
std::vector<float> LocalWall::Evaluate(const Plan& plan, absl::Span<const float> parameters) const {
  const v1::LdaOptions options = TopicsOf(plan.spec);
  if (options.one_topic_a_document()) return EvaluateMixture(plan, parameters);
  const auto topics = *lda::LogTopics::Create(options.num_topics(), static_cast<int>(terms_.size()),
                                              {parameters.begin(), parameters.end()});
  const auto e_step = *lda::EStep::Create(
      topics, {.document_topic_prior = lda::DocumentTopicPrior(options.document_topic_prior()),
               .max_iterations = options.max_iterations(),
               .mean_change_threshold = options.mean_change_threshold()});
  const lda::TokenSplit split = HeldOutHalves(plan);
  double nats = 0;
  double words = 0;
  lda::EStep::Workspace workspace;
  for (size_t d = 0; d < split.scored.size(); ++d) {
    e_step.Infer(split.observed[d], workspace);
    double sum = 0;
    for (const float gamma : workspace.gamma()) sum += double{gamma};
    for (const lda::TermCount& entry : split.scored[d]) {
      double probability = 0;
      for (size_t k = 0; k < workspace.gamma().size(); ++k) {
        const float log_weight = topics.values()[k * terms_.size() + entry.term];
        probability += double{workspace.gamma()[k]} / sum * std::exp(double{log_weight});
      }
      nats -= entry.count * std::log(probability);
      words += entry.count;
    }
  }
  return {static_cast<float>(nats), static_cast<float>(words)};
}

absl::StatusOr<Release> LocalWall::RunRelease(const v1::RunReleaseHeader& header,
                                              absl::Span<const float> log_topics,
                                              const ReleaseShape&) {
  return Call<Release>([&]() -> absl::StatusOr<Release> {
    const auto found = plans_.find(header.plan_id());
    if (found == plans_.end()) return absl::PermissionDeniedError("no such plan for you");
    const std::string digest =
        base::DigestBytes(proto::RequestDigest(header, found->second.spec, log_topics));
    if (digest != header.request_digest()) return absl::InvalidArgumentError("wrong digest");
    std::map<int32_t, Release>& releases = found->second.releases;
    if (releases.count(header.iteration()) == 0) {
      if (cancelled) return absl::FailedPreconditionError("the plan must be active");
      ++releases_paid_;
      releases[header.iteration()] = Compute(found->second, header, log_topics);
    }
    Release release = releases[header.iteration()];
    if (release.header.request_digest() != digest) {
      return absl::AlreadyExistsError("other content under this iteration");
    }
    if (header.iteration() == voided) return absl::DataLossError("no release, ever");
    if (on_release) on_release(release);
    return release;
  });
}

absl::StatusOr<Release> LocalWall::GetRelease(absl::string_view plan_id, int32_t iteration,
                                              const ReleaseShape&) {
  return Call<Release>([&]() -> absl::StatusOr<Release> {
    return plans_[std::string(plan_id)].releases[iteration];
  });
}

absl::StatusOr<v1::BudgetStatus> LocalWall::GetBudget(absl::string_view) {
  return Call<v1::BudgetStatus>([&] {
    v1::BudgetStatus budget = Chain().Budget();
    budget.set_epsilon_left(budget.epsilon_total() - budget.epsilon_spent());
    return budget;
  });
}

}  // namespace topicwall::client
