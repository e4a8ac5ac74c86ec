#include "model/lda/lda_model.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status_macros.h"
#include "model/lda/math/portable_exp.h"
#include "model/lda/topic_options.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/sufficient_statistics.h"

namespace topicwall::lda {
namespace {

UnitStatistic::Bounds BoundsOf(int num_topics, const model::UnitLimits& limits) {
  return {.shape = {.num_topics = static_cast<size_t>(num_topics),
                    .num_columns = static_cast<size_t>(limits.vocabulary_size)},
          .num_terms = static_cast<size_t>(limits.TermsOfUnit()),
          .several_documents = limits.max_documents > 1};
}

struct LdaShape {
  int num_topics;
  int vocabulary_size;

  model::StatisticShape Grid() const { return model::GridOf(num_topics, vocabulary_size); }
  model::WorstUnit Worst(const model::UnitLimits& limits) const {
    const size_t bytes = EStep::BytesReserved(static_cast<size_t>(limits.TermsOfDocument()),
                                              static_cast<size_t>(num_topics)) +
                         UnitStatistic::BytesReserved(BoundsOf(num_topics, limits));
    return {.columns = limits.TermsOfUnit(),
            .rows = num_topics,
            .bytes_of_thread = static_cast<int64_t>(bytes),
            .bytes_of_all = BytesOfTopics(num_topics, limits.vocabulary_size)};
  }
};

// One thread's buffers, reserved for the worst unit at once: Infer then takes none, whatever the
// unit, and so cannot fail for want of it after the charge.
class LdaUnitInference final : public model::UnitInference {
 public:
  LdaUnitInference(const EStep* e_step, const model::UnitLimits& limits)
      : e_step_(*e_step), bounds_(BoundsOf(e_step->num_topics(), limits)) {
    e_step_.Reserve(static_cast<size_t>(limits.TermsOfDocument()), workspace_);
    unit_.Reserve(bounds_);
  }

  // The E-step draws nothing: its start is flat (e_step.h).
  void Infer(const model::Unit& unit, model::UnitBits& /*bits*/,
             model::SparseStatistic* statistic) override {
    unit_.Reset(bounds_.shape, statistic);
    for (const model::UnitDocument& document : unit.documents) {
      // What there is so far is thrown away: only that it ends soon matters.
      if (unit.Abandoned()) break;
      e_step_.Infer(document.counts, workspace_);
      unit_.Add(document.counts, workspace_);
    }
    unit_.Finish();
  }

 private:
  const EStep& e_step_;
  const UnitStatistic::Bounds bounds_;
  EStep::Workspace workspace_;
  UnitStatistic unit_;
};

class LdaInference final : public model::Shaped<model::Inference, LdaShape> {
 public:
  LdaInference(LdaShape shape, EStep e_step) : Shaped(shape), e_step_(std::move(e_step)) {}

  absl::string_view kernel_name() const override { return e_step_.kernel_name(); }
  // A topic's own words, exp(ℓ_k): what documents have of a topic is much like them. All divided by
  // the largest of all, so that none is beyond a float.
  bool Directions(absl::Span<float> directions) const override {
    float largest = e_step_.largest_log_weight(0);
    const auto num_terms = static_cast<uint32_t>(e_step_.vocabulary_size());
    for (uint32_t term = 1; term < num_terms; ++term) {
      largest = std::max(largest, e_step_.largest_log_weight(term));
    }
    float* direction = directions.data();
    for (uint32_t term = 0; term < num_terms; ++term) {
      const double scale = PortableExp(double{e_step_.largest_log_weight(term)} - double{largest});
      for (const float weight : e_step_.weights(term)) {
        *direction++ = static_cast<float>(scale * double{weight});
      }
    }
    return true;
  }
  std::unique_ptr<model::UnitInference> NewThread(const model::UnitLimits& limits) const override {
    return std::make_unique<LdaUnitInference>(&e_step_, limits);
  }

 private:
  const EStep e_step_;
};

class LdaModel final : public model::Shaped<model::StatisticModel, LdaShape> {
 public:
  explicit LdaModel(TopicOptions options)
      : Shaped({options.num_topics, options.vocabulary_size}), options_(std::move(options)) {}

  model::Demand demand() const override { return options_.Demand(/*needs_weights=*/false); }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return CheckLogTopics(options_.View(parameters));
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int num_threads) const override {
    TW_ASSIGN_OR_RETURN(EStep e_step, BindTopics(options_, parameters, num_threads));
    return std::make_unique<LdaInference>(shape_, std::move(e_step));
  }

 private:
  const TopicOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeLdaModel(absl::string_view options,
                                                                    int64_t vocabulary_size) {
  TW_ASSIGN_OR_RETURN(TopicOptions parsed, ParseTopicOptions(options, vocabulary_size));
  if (parsed.one_topic_a_document) {
    return absl::InvalidArgumentError(
        "one_topic_a_document must be false for the model lda; got true. A mixture is fitted by "
        "the model multinomial_mixture.");
  }
  return std::make_unique<LdaModel>(std::move(parsed));
}

}  // namespace topicwall::lda
