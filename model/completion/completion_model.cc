#include "model/completion/completion_model.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "model/completion/completion_score.h"
#include "model/completion/token_halves.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/topic_options.h"
#include "model/lda/topics/e_step.h"
#include "model/mixture/responsibilities.h"

namespace topicwall::completion {
namespace {

struct CompletionShape : lda::TopicOptions {
  static model::StatisticShape Grid() { return {.dimension = 2, .period = 2}; }
  model::WorstUnit Worst(const model::UnitLimits& limits) const {
    const auto terms = static_cast<size_t>(limits.TermsOfDocument());
    const auto topics = static_cast<size_t>(num_topics);
    const auto columns = static_cast<size_t>(num_columns());
    const bool of_mixture = one_topic_a_document;
    const size_t score = of_mixture ? CompletionScore::BytesReservedOfMixture(terms, topics)
                                    : CompletionScore::BytesReserved(terms, topics);
    const size_t components =
        of_mixture ? mixture::Responsibilities::BytesOfTable(topics, columns) : 0;
    // The statistic has two entries whatever the unit: all that grows with one is workspace.
    return {.columns = Grid().period,
            .rows = Grid().rows(),
            .bytes_of_thread = static_cast<int64_t>(TokenHalves::BytesReserved(terms) + score),
            .bytes_of_all =
                lda::BytesOfTopics(num_topics, num_columns()) + static_cast<int64_t>(components)};
  }
};

class CompletionUnitInference final : public model::UnitInference {
 public:
  CompletionUnitInference(CompletionScore score, const model::UnitLimits& limits)
      : score_(std::move(score)) {
    const auto terms = static_cast<size_t>(limits.TermsOfDocument());
    halves_.Reserve(terms);
    score_.Reserve(terms);
  }

  void Infer(const model::Unit& unit, model::UnitBits& bits,
             model::SparseStatistic* statistic) override {
    score_.Reset();
    for (const model::UnitDocument& document : unit.documents) {
      // Between documents, where nothing is half done: the statistic so far is of no use to
      // anybody.
      if (unit.Abandoned()) break;
      // Before it is split: each half of such a document may look as if it were one.
      if (!lda::IsCanonical(document.counts, score_.num_terms())) continue;
      // A stream for each document: what is drawn for one does not depend on how many bits those
      // before took.
      bits.StartDocument(document.number);
      halves_.Split(document.counts, bits);
      score_.Add(halves_.observed(), halves_.scored());
    }
    score_.Write(statistic);
  }

 private:
  TokenHalves halves_;
  CompletionScore score_;
};

class CompletionInference final : public model::Shaped<model::Inference, CompletionShape> {
 public:
  CompletionInference(const CompletionShape& shape, lda::EStep e_step,
                      std::optional<mixture::Responsibilities> components)
      : Shaped(shape), e_step_(std::move(e_step)), components_(std::move(components)) {}

  absl::string_view kernel_name() const override { return e_step_.kernel_name(); }
  std::unique_ptr<model::UnitInference> NewThread(const model::UnitLimits& limits) const override {
    return std::make_unique<CompletionUnitInference>(components_.has_value()
                                                         ? CompletionScore(&e_step_, &*components_)
                                                         : CompletionScore(&e_step_),
                                                     limits);
  }

 private:
  const lda::EStep e_step_;
  const std::optional<mixture::Responsibilities> components_;  // of a mixture
};

class CompletionModel final : public model::Shaped<model::StatisticModel, CompletionShape> {
 public:
  using Shaped::Shaped;

  model::Demand demand() const override { return shape_.Demand(/*needs_weights=*/true); }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return lda::CheckLogTopics(shape_.View(parameters));
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int num_threads) const override {
    TW_ASSIGN_OR_RETURN(lda::EStep e_step, lda::BindTopics(shape_, parameters, num_threads));
    std::optional<mixture::Responsibilities> components;
    if (shape_.one_topic_a_document) {
      components.emplace(shape_.View(parameters), lda::ChosenKernel(), num_threads);
    }
    return std::make_unique<CompletionInference>(shape_, std::move(e_step), std::move(components));
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeCompletionModel(
    absl::string_view options, int64_t vocabulary_size) {
  TW_ASSIGN_OR_RETURN(lda::TopicOptions parsed, lda::ParseTopicOptions(options, vocabulary_size));
  return std::make_unique<CompletionModel>(CompletionShape{std::move(parsed)});
}

}  // namespace topicwall::completion
