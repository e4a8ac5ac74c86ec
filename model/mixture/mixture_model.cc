// The document itself is one more term, number V, which every document has once: so its component's
// count needs no code of its own anywhere, from the E-step to the merging of a unit's documents.
#include "model/mixture/mixture_model.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/mixture/responsibilities.h"
#include "model/mixture/unit_responsibilities.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/parse_options.h"

namespace topicwall::mixture {
namespace {

UnitColumns ColumnsOf(const model::UnitLimits& limits) {
  return {.of_document = static_cast<size_t>(limits.TermsOfDocument()) + 1,
          .of_unit = static_cast<size_t>(limits.TermsOfUnit()) + 1,
          .of_all = static_cast<size_t>(limits.vocabulary_size) + 1,
          .several_documents = limits.max_documents > 1};
}

struct MixtureShape {
  int num_components;  // K
  int num_terms;       // V + 1

  int64_t size() const { return int64_t{num_components} * num_terms; }
  lda::LogTopicsView View(absl::Span<const float> parameters) const {
    return {.num_topics = num_components, .vocabulary_size = num_terms, .values = parameters};
  }
  model::StatisticShape Grid() const { return model::GridOf(num_components, num_terms); }
  model::WorstUnit Worst(const model::UnitLimits& limits) const {
    const auto components = static_cast<size_t>(num_components);
    const UnitColumns columns = ColumnsOf(limits);
    const size_t table = Responsibilities::BytesOfTable(components, static_cast<size_t>(num_terms));
    return {
        .columns = static_cast<int64_t>(columns.of_unit),
        .rows = num_components,
        .bytes_of_thread =
            static_cast<int64_t>(UnitResponsibilities::BytesReserved(components, columns)),
        .bytes_of_all = static_cast<int64_t>(table + sizeof(float) * static_cast<size_t>(size()))};
  }
};

// K may be anything, so that V + 1 is the last number to be shaped by it.
absl::StatusOr<MixtureShape> ParseShape(absl::string_view serialised, int64_t vocabulary_size) {
  v1::MixtureOptions message;
  TW_RETURN_IF_ERROR(proto::ParseOptions(serialised, &message));
  if (!(vocabulary_size >= 1 && vocabulary_size < std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the vocabulary must have at least 1 term and fewer than 2^31 - 1; got ", vocabulary_size));
  }
  const int num_components = message.num_components();
  if (num_components >= 1 && num_components <= lda::kMaxTopicEntries / (vocabulary_size + 1)) {
    return MixtureShape{.num_components = num_components,
                        .num_terms = static_cast<int>(vocabulary_size) + 1};
  }
  return absl::InvalidArgumentError(absl::StrCat("num_components must be at least 1, and it times ",
                                                 vocabulary_size + 1, " at most 2^32; got ",
                                                 num_components, ". 20 to 100 is usual."));
}

class MixtureUnitInference final : public UnitResponsibilities {
 public:
  MixtureUnitInference(const Responsibilities* e_step, const model::UnitLimits& limits)
      : UnitResponsibilities(e_step, ColumnsOf(limits)) {}

 private:
  bool InferDocument(const model::UnitDocument& document) override {
    // False for a document that is empty or not canonical, which then adds nothing, not even
    // itself.
    if (!WithItself(document.counts, e_step_.num_terms() - 1, &columns_)) return false;
    e_step_.Infer(columns_, workspace_);
    return true;
  }
};

class MixtureInference final : public model::Shaped<model::Inference, MixtureShape> {
 public:
  MixtureInference(const MixtureShape& shape, Responsibilities e_step)
      : Shaped(shape), e_step_(std::move(e_step)) {}

  absl::string_view kernel_name() const override { return e_step_.kernel_name(); }
  std::unique_ptr<model::UnitInference> NewThread(const model::UnitLimits& limits) const override {
    return std::make_unique<MixtureUnitInference>(&e_step_, limits);
  }

 private:
  const Responsibilities e_step_;
};

class MixtureModel final : public model::Shaped<model::StatisticModel, MixtureShape> {
 public:
  using Shaped::Shaped;

  model::Demand demand() const override {
    return {.parameters = shape_.size(), .iterations = 1, .needs_weights = false};
  }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return lda::CheckLogTopics(shape_.View(parameters));
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int num_threads) const override {
    const lda::LogTopicsView weights = shape_.View(parameters);
    TW_RETURN_IF_ERROR(lda::CheckLogTopics(weights));
    return std::make_unique<MixtureInference>(
        shape_, Responsibilities(weights, lda::ChosenKernel(), num_threads));
  }
};

std::string OptionBytes(int32_t num_components) {
  v1::MixtureOptions options;
  options.set_num_components(num_components);
  return options.SerializeAsString();
}

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeMixtureModel(absl::string_view options,
                                                                        int64_t vocabulary_size) {
  TW_ASSIGN_OR_RETURN(const MixtureShape shape, ParseShape(options, vocabulary_size));
  return std::make_unique<MixtureModel>(shape);
}

// All weights alike, so that every component is listed, with every term. One is left of as many as
// a request may have, for the document's own column.
absl::StatusOr<std::vector<model::WorstCase>> WorstMixtures(const model::AnalystLimits& limits) {
  const int64_t fewer = limits.parameters_per_term - 1;
  const auto components = static_cast<int32_t>(std::clamp<int64_t>(fewer, 1, INT32_MAX));
  const std::string options = OptionBytes(components);
  TW_ASSIGN_OR_RETURN(const MixtureShape shape, ParseShape(options, limits.vocabulary_size));
  return std::vector<model::WorstCase>{
      {.name = "all components",
       .options = options,
       .parameters = [shape] { return std::vector<float>(static_cast<size_t>(shape.size()), -1); },
       .times = 1}};
}

}  // namespace topicwall::mixture
