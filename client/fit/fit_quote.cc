// Defaults → description and budget → what is open of K and J → σ by the enforced policy → stages →
// the wall's price of them all. The policy chooses σ here and not the wall, so that a wall that
// would like less noise to be bought has no say in it; the wall's price only confirms.
#include "client/fit/fit_quote.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/enforced_price.h"
#include "client/audit/wall_audit.h"
#include "client/exit_code.h"
#include "client/fit/checkpoint.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_planner.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/wall/mock_custodian.h"
#include "model/data/vocabulary.h"
#include "model/lda/denoise/clip_choice.h"
#include "proto/budget_refusal.h"

namespace topicwall::client {
namespace {

absl::Status CheckShares(const FitSpec& spec) {
  TW_RETURN_IF_ERROR(CheckSamplingRate(*spec.sampling_rate));
  if (spec.held_out_share >= 0 && spec.held_out_share < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("held-out-share must be in [0, 1); got ", spec.held_out_share, "."));
}

absl::Status CheckSpec(const FitSpec& spec) {
  TW_RETURN_IF_ERROR(CheckNoise(spec));
  // A planner turns ε into K and J; from σ there is nothing to turn.
  if (spec.is_planned && spec.noise_multiplier.has_value()) {
    return absl::InvalidArgumentError("a plan is proposed for what is to be spent: give --spend.");
  }
  TW_RETURN_IF_ERROR(CheckFromOne("iterations", spec.iterations));
  TW_RETURN_IF_ERROR(CheckFromOne("max-words", spec.max_words));
  TW_RETURN_IF_ERROR(CheckFromOne("nominal-size", spec.planning.num_documents));
  TW_RETURN_IF_ERROR(CheckAboveZero("epsilon-alone", spec.epsilon));
  TW_RETURN_IF_ERROR(CheckAboveZero("noise-multiplier", spec.noise_multiplier));
  TW_RETURN_IF_ERROR(CheckAboveZero("words-per-unit", spec.planning.words_per_unit));
  TW_RETURN_IF_ERROR(CheckShares(spec));
  // No price has C in it, and the wall would first refuse it when the unigram is paid.
  TW_RETURN_IF_ERROR(lda::CheckClipNorm(*spec.clip_norm));
  return CheckFromOne("topics", spec.num_topics.value_or(spec.is_planned ? 1 : 0));
}

// Sums over ν are float32 in every algorithm, and one that is not would end a fit that has paid.
// 2^64 leaves as much room again for the units and for whatever a clip norm comes to.
absl::Status CheckNoiseOfSums(const FitSpec& spec) {
  if (*spec.noise_multiplier * *spec.clip_norm / *spec.sampling_rate <= 0x1p64) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "noise-multiplier x clip-norm / sampling-rate, the noise of every sum, must be at most 2^64, "
      "for sums are float32; got ",
      *spec.noise_multiplier, " x ", *spec.clip_norm, " / ", *spec.sampling_rate,
      ". Give a larger sampling-rate, or less noise."));
}

// The wall prices all releases of a fit as those of one plan.
absl::Status CheckLimits(const FitSpec& spec, const v1::CorpusDescription& description) {
  const int64_t most = description.limits().max_iterations();
  TW_ASSIGN_OR_RETURN(const int64_t releases, NumReleases(spec));
  if (releases <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "iterations must be so few that a fit has at most ", most,
      " releases, the wall's limit; got ", *spec.iterations, ", which takes ", releases, "."));
}

// K, J, σ_eff and N, where they are still open.
absl::Status CompleteSpec(const Account& account, FitQuote& quote) {
  FitSpec& spec = quote.spec;
  if (!spec.max_words.has_value()) spec.max_words = quote.description.limits().max_tokens();
  if (spec.noise_multiplier.has_value()) return CheckLimits(spec, quote.description);
  if (spec.is_planned) {
    // Before σ is chosen: what J is proposed decides how many releases share the ε.
    TW_ASSIGN_OR_RETURN(spec, ProposeFit(account, quote.description, spec));
  }
  TW_RETURN_IF_ERROR(CheckLimits(spec, quote.description));
  TW_ASSIGN_OR_RETURN(spec.noise_multiplier, NoiseFor(account, quote.description, spec));
  return absl::OkStatus();
}

// σ_eff of the quote's spec, with K and J, and stages and price with it.
absl::Status PriceStages(WallPort& wall, const Account& account,
                         const std::optional<double>& epsilon, FitQuote& quote) {
  const auto plan_of = [&](double noise_multiplier) -> absl::StatusOr<v1::ReleaseSpec> {
    quote.spec.noise_multiplier = noise_multiplier;
    TW_ASSIGN_OR_RETURN(quote.stages, StagesOf(quote.spec, quote.description));
    return PricedAs(quote.stages);
  };
  TW_ASSIGN_OR_RETURN(quote.price,
                      PriceAtMost(wall, {.policy = account.policy, .sum = quote.description.sum()},
                                  *quote.spec.noise_multiplier, epsilon, plan_of));
  return absl::OkStatus();
}

// What the wall's price may be at most: the ε asked for, or, of what is to be spent, this side's
// price of the noise that takes it.
absl::StatusOr<std::optional<double>> MostAlone(const Account& account, const FitQuote& quote) {
  if (!quote.spec.spend.has_value()) return quote.spec.epsilon;
  TW_ASSIGN_OR_RETURN(const std::vector<v1::FitStage> stages,
                      StagesOf(quote.spec, quote.description));
  TW_ASSIGN_OR_RETURN(const double alone, PriceAlone(account.policy, PricedAs(stages)));
  return std::optional<double>(alone);
}

// A fit that is paid must be written: topics and noisy sums of K·V float32 each (of a checkpoint:
// those so far and those that it began with), and the terms, of which a byte more is no harm. The
// spec is complete: its topics may have been left to the planner.
absl::Status CheckModelSize(const FitSpec& spec, const v1::CorpusDescription& description) {
  constexpr double kBytesOfTerm = 64;
  if (description.has_vectors()) return absl::OkStatus();  // its terms are few
  const auto terms = static_cast<double>(description.vocabulary_size());
  const double most = (kMaxModelBytes / terms - kBytesOfTerm) / (2 * sizeof(float));
  if (*spec.num_topics <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "topics must be at most ", static_cast<int64_t>(most), " for the ",
      description.vocabulary_size(), " terms of corpus ", description.corpus(),
      ", or the model's file would be larger than 2 GiB; got ", *spec.num_topics, "."));
}

// What an initial model has seen of the corpus, the new one has too. So with every further one:
// each began with a model that left as much out.
absl::Status CheckHeldOut(const FitQuote& quote) {
  const v1::ModelFile& initial = *quote.spec.initial_model;
  const double share = quote.spec.held_out_share;
  if (!SawHeldOut(initial, quote.topics(), UnitNamingOf(quote.description))) {
    return absl::OkStatus();
  }
  if (share > initial.held_out_share()) {
    return absl::InvalidArgumentError(
        absl::StrCat("held-out-share must be at most that of an initial model of the same corpus, ",
                     initial.held_out_share(), "; got ", share,
                     ". Begin without --init, or hold as few units out."));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "held-out-share must be 0 with an initial model of another version of the corpus, unless "
      "both versions are known to name units alike: this one holds other units out; got ",
      share, ". Begin without --init, or hold nobody out."));
}

// Means and variances say nothing of vectors in other units, and those of a mixture of Gaussians
// nothing of words.
absl::Status CheckInitialSpace(const FitSpec& spec, const v1::CorpusDescription& description) {
  const v1::ModelFile& initial = *spec.initial_model;
  if (initial.has_gaussian() != description.has_vectors()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an initial model must be of the corpus's kind; one is of ",
        initial.has_gaussian() ? "vectors, the other of text." : "text, the other of vectors."));
  }
  const v1::VectorSpace& space = description.vectors();
  if (!initial.has_gaussian() || (initial.vocabulary_size() == space.dimension() &&
                                  initial.gaussian().norm_bound() == space.norm_bound())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "an initial model must be of vectors of ", space.dimension(), " dimensions and norm bound ",
      space.norm_bound(), ", as the corpus; it is of ", initial.vocabulary_size(), " and ",
      initial.gaussian().norm_bound(), ". Begin without --init."));
}

absl::Status CheckInitialModel(const FitQuote& quote) {
  if (quote.spec.initial_model == nullptr) return absl::OkStatus();
  // Its topics would be paid for with real noise. A mock begins with what it likes.
  TW_RETURN_IF_ERROR(CheckNotOfMock(
      IsMock(quote.spec.initial_model->custodian_id()), quote.description.custodian_id(),
      "the initial model is a MOCK's, of documents that do not exist. Begin without "
      "--init, or with another model."));
  TW_RETURN_IF_ERROR(CheckHeldOut(quote));
  return CheckInitialSpace(quote.spec, quote.description);
}

}  // namespace

std::vector<v1::ReleaseSpec> PlansOf(const std::vector<v1::FitStage>& stages) {
  std::vector<v1::ReleaseSpec> plans;
  for (const v1::FitStage& stage : stages) plans.push_back(stage.plan().plan());
  return plans;
}

absl::StatusOr<FitStart> StartOf(WallPort& wall, const FitQuote& quote) {
  TW_ASSIGN_OR_RETURN(lda::Vocabulary vocabulary, FetchVocabulary(wall, quote.description));
  TW_ASSIGN_OR_RETURN(v1::CheckpointFile checkpoint,
                      NewCheckpoint(quote.spec, quote.stages, vocabulary));
  return FitStart{.vocabulary = std::move(vocabulary), .checkpoint = std::move(checkpoint)};
}

absl::StatusOr<FitQuote> MakeQuote(WallPort& wall, const FitSpec& spec) {
  FitQuote quote;
  TW_ASSIGN_OR_RETURN(quote.spec, WithDefaults(spec));
  TW_RETURN_IF_ERROR(CheckSpec(quote.spec));
  TW_ASSIGN_OR_RETURN(quote.description, wall.DescribeCorpus(spec.corpus));
  TW_RETURN_IF_ERROR(CheckKindOfCorpus(quote.spec, quote.description));
  TW_ASSIGN_OR_RETURN(quote.budget, OpenBudget(wall, spec.corpus));
  TW_ASSIGN_OR_RETURN(const Account account, AccountOf(wall, quote.description, quote.budget));
  TW_RETURN_IF_ERROR(WithSum(CompleteSpec(account, quote), quote.description.sum()));
  TW_RETURN_IF_ERROR(CheckModelSize(quote.spec, quote.description));
  TW_RETURN_IF_ERROR(CheckNoiseOfSums(quote.spec));
  TW_ASSIGN_OR_RETURN(const std::optional<double> most, MostAlone(account, quote));
  TW_RETURN_IF_ERROR(PriceStages(wall, account, most, quote));
  // The spec of a checkpoint is complete, so that `--epsilon-alone` and `--noise-multiplier` of one
  // fit can both be compared later.
  if (!spec.epsilon.has_value()) quote.spec.epsilon = quote.price.epsilon_alone();
  TW_RETURN_IF_ERROR(CheckInitialModel(quote));
  if (quote.spec.initial_model != nullptr || !quote.spec.anchors.empty()) {
    TW_ASSIGN_OR_RETURN(quote.start, StartOf(wall, quote));
  }
  TW_RETURN_IF_ERROR(
      AddTaking(account, quote.spec, PlansOf(quote.stages), *quote.spec.noise_multiplier, quote));
  TW_ASSIGN_OR_RETURN(quote.expected, ExpectationOf(quote.spec, quote.description));
  TW_ASSIGN_OR_RETURN(quote.expected_components,
                      ExpectedComponentsOf(quote.spec, quote.description));
  TW_ASSIGN_OR_RETURN(quote.expected_paper, PaperNoiseOf(quote.spec, quote.description));
  return quote;
}

absl::Status CheckOpen(const v1::CorpusDescription& description) {
  absl::string_view why;
  const bool is_paused = description.state() == v1::CORPUS_STATE_PAUSED;
  if (is_paused) {
    why = "paused: by the custodian, after late releases, or because documents could not be read";
  }
  if (description.state() == v1::CORPUS_STATE_FROZEN) {
    why = "frozen: its ledger was restored from a backup, and the custodian has not thawed it";
  }
  if (why.empty()) return absl::OkStatus();
  return WithDetail(
      absl::FailedPreconditionError(
          absl::StrCat("corpus ", description.corpus(), " is ", why,
                       ". Nothing is charged meanwhile, and what was released can be read. Ask the "
                       "custodian, and give the same command again.")),
      base::JsonObject()
          .SetString("kind", "corpus_state")
          .SetString("corpus", description.corpus())
          .SetString("state", is_paused ? "paused" : "frozen"));
}

absl::Status RefusalOf(const PaidQuote& quote) {
  const v1::BudgetStatus& budget = quote.budget;
  const v1::PlanPrice& price = quote.price;
  // First: while a corpus is paused or frozen, what is left of its budget does not matter.
  TW_RETURN_IF_ERROR(CheckOpen(quote.description));
  if (price.fits()) return absl::OkStatus();
  // Within the corpus' total and refused all the same: it is the analyst's own cap.
  const bool is_own_cap = budget.has_own() && price.epsilon_with_plan() <= price.epsilon_total();
  const v1::PrincipalBudget& own = budget.own();
  // What the wall would answer to ReservePlan, said before anything is written to the folder.
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(price.epsilon_alone());
  detail.set_epsilon_spent(is_own_cap ? own.epsilon_spent() : budget.epsilon_spent());
  detail.set_epsilon_total(is_own_cap ? own.epsilon_cap() : budget.epsilon_total());
  detail.set_epsilon_left(std::max(0.0, detail.epsilon_total() - detail.epsilon_spent()));
  detail.set_delta(price.delta());
  detail.set_most_iterations(price.most_iterations());
  detail.set_limit(is_own_cap ? "analyst" : "corpus");
  detail.set_vouchers(!is_own_cap && budget.has_inventory());
  absl::Status refusal = proto::BudgetRefusal("the plan does not fit in the budget.", detail);
  if (!is_own_cap) {
    refusal = WithTaken(std::move(refusal), price.epsilon_with_plan() - budget.epsilon_spent());
  }
  return WithSum(std::move(refusal), quote.description.sum());
}

}  // namespace topicwall::client
