#include "model/prevalence/prevalence_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/topic_options.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/worst_topics.h"
#include "model/prevalence/cells.h"
#include "proto/models/prevalence.pb.h"

namespace topicwall::prevalence {
namespace {

constexpr int64_t kMaxEntries = int64_t{1} << 32;  // sparse_statistic.h

struct PrevalenceShape {
  lda::TopicOptions topics;
  Cells cells;

  model::StatisticShape grid() const {
    return model::GridOf(cells.size(), int64_t{topics.num_topics} + 1);
  }
};

absl::StatusOr<PrevalenceShape> ParseShape(absl::string_view serialised,
                                           const model::CorpusShape& corpus) {
  v1::PrevalenceOptions message;
  if (!message.ParseFromArray(serialised.data(), static_cast<int>(serialised.size()))) {
    return absl::InvalidArgumentError(
        "the model's options must be a serialised PrevalenceOptions; they are not. Send them "
        "again.");
  }
  TW_ASSIGN_OR_RETURN(
      lda::TopicOptions topics,
      lda::ParseTopicOptions(message.topics().SerializeAsString(), corpus.vocabulary_size));
  TW_ASSIGN_OR_RETURN(Cells cells, Cells::Create(std::vector<int>(message.attributes().begin(),
                                                                  message.attributes().end()),
                                                 corpus));
  if (!(cells.size() <= kMaxEntries / (int64_t{topics.num_topics} + 1))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "(num_topics + 1) times the cells must be at most 2^32; got ", topics.num_topics,
        " topics and ", cells.size(), " cells. Ask for fewer attributes."));
  }
  return PrevalenceShape{.topics = std::move(topics), .cells = std::move(cells)};
}

// A unit has at most one cell a document.
int64_t MostCells(const PrevalenceShape& shape, const model::UnitLimits& limits) {
  return std::min(shape.cells.size(), limits.max_documents);
}

model::WorstUnit WorstOf(const PrevalenceShape& shape, const model::UnitLimits& limits) {
  const auto topics = static_cast<size_t>(shape.topics.num_topics);
  const size_t bytes =
      lda::EStep::BytesReserved(static_cast<size_t>(limits.TermsOfDocument()), topics) +
      topics * sizeof(double);
  return {.columns = shape.grid().period,
          .rows = MostCells(shape, limits),
          .bytes_of_thread = static_cast<int64_t>(bytes),
          .bytes_of_all = lda::BytesOfTopics(shape.topics.num_topics, limits.vocabulary_size)};
}

class PrevalenceUnitInference final : public model::UnitInference {
 public:
  PrevalenceUnitInference(const Cells* cells, const lda::EStep* e_step,
                          const model::UnitLimits& limits)
      : cells_(*cells), e_step_(*e_step) {
    e_step_.Reserve(static_cast<size_t>(limits.TermsOfDocument()), workspace_);
    words_.resize(static_cast<size_t>(e_step_.num_topics()));
  }

  // The E-step draws nothing.
  void Infer(const model::Unit& unit, model::UnitBits& /*bits*/,
             model::SparseStatistic* statistic) override {
    Start(unit, statistic);
    size_t documents = 0;
    for (const model::UnitDocument& document : unit.documents) {
      if (unit.Abandoned()) break;
      e_step_.Infer(document.counts, workspace_);
      documents += Add(document, statistic) ? 1 : 0;
    }
    // What has nothing to say says nothing: not even that it is in a cell.
    if (documents == 0) statistic->Clear();
  }

 private:
  // Zeros, for every topic in every cell that the unit is in. Cells are put in their places one by
  // one, as there is room for the cells that a unit can be in and not for all its documents.
  void Start(const model::Unit& unit, model::SparseStatistic* statistic) {
    statistic->Clear();
    std::vector<uint32_t>& cells = statistic->rows;
    for (const model::UnitDocument& document : unit.documents) {
      const uint32_t cell = CellOf(document);
      const auto place = std::lower_bound(cells.begin(), cells.end(), cell);
      if (place == cells.end() || *place != cell) cells.insert(place, cell);
    }
    const auto columns = static_cast<size_t>(e_step_.num_topics()) + 1;
    for (size_t k = 0; k < columns; ++k) statistic->columns.push_back(static_cast<uint32_t>(k));
    statistic->values.assign(columns * cells.size(), 0);
  }

  uint32_t CellOf(const model::UnitDocument& document) const {
    return static_cast<uint32_t>(cells_.CellOf(document.attributes));
  }

  // False if the E-step made nothing of the document.
  bool Add(const model::UnitDocument& document, model::SparseStatistic* statistic) {
    double all = 0;
    std::fill(words_.begin(), words_.end(), 0);
    const absl::Span<const uint32_t> topics = workspace_.topics();
    for (size_t j = 0; j < workspace_.num_rows(); ++j) {
      const absl::Span<const float> x = workspace_.row(j);
      for (size_t a = 0; a < topics.size(); ++a) words_[topics[a]] += double{x[a]};
    }
    // By its own words, so that a document counts once, however long it is.
    for (const uint32_t topic : topics) all += words_[topic];
    if (!(all > 0)) return false;
    const std::vector<uint32_t>& cells = statistic->rows;
    const auto row = static_cast<size_t>(
        std::lower_bound(cells.begin(), cells.end(), CellOf(document)) - cells.begin());
    for (const uint32_t topic : topics) {
      statistic->values[topic * cells.size() + row] += static_cast<float>(words_[topic] / all);
    }
    statistic->values[words_.size() * cells.size() + row] += 1;
    return true;
  }

  const Cells& cells_;
  const lda::EStep& e_step_;
  lda::EStep::Workspace workspace_;
  std::vector<double> words_;  // of the document at hand, of each topic
};

class PrevalenceInference final : public model::Inference {
 public:
  PrevalenceInference(PrevalenceShape shape, lda::EStep e_step)
      : shape_(std::move(shape)), e_step_(std::move(e_step)) {}

  model::StatisticShape shape() const override { return shape_.grid(); }
  absl::string_view kernel_name() const override { return e_step_.kernel_name(); }
  model::WorstUnit Worst(const model::UnitLimits& limits) const override {
    return WorstOf(shape_, limits);
  }
  std::unique_ptr<model::UnitInference> NewThread(const model::UnitLimits& limits) const override {
    return std::make_unique<PrevalenceUnitInference>(&shape_.cells, &e_step_, limits);
  }

 private:
  const PrevalenceShape shape_;
  const lda::EStep e_step_;
};

class PrevalenceModel final : public model::StatisticModel {
 public:
  explicit PrevalenceModel(PrevalenceShape shape) : shape_(std::move(shape)) {}

  model::StatisticShape shape() const override { return shape_.grid(); }
  model::Demand demand() const override { return shape_.topics.Demand(/*needs_weights=*/false); }
  model::WorstUnit Worst(const model::UnitLimits& limits) const override {
    return WorstOf(shape_, limits);
  }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return lda::CheckLogTopics(shape_.topics.View(parameters));
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int num_threads) const override {
    TW_ASSIGN_OR_RETURN(lda::EStep e_step, lda::BindTopics(shape_.topics, parameters, num_threads));
    return std::make_unique<PrevalenceInference>(shape_, std::move(e_step));
  }

 private:
  const PrevalenceShape shape_;
};

// The options of topics alone, as those of their prevalence.
absl::StatusOr<std::string> InOneGroup(absl::string_view topics) {
  v1::PrevalenceOptions options;
  if (!options.mutable_topics()->ParseFromArray(topics.data(), static_cast<int>(topics.size()))) {
    return absl::InternalError("the options of the worst topics do not parse.");
  }
  return options.SerializeAsString();
}

}  // namespace

absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakePrevalenceModel(
    absl::string_view options, const model::CorpusShape& corpus) {
  TW_ASSIGN_OR_RETURN(PrevalenceShape shape, ParseShape(options, corpus));
  return std::make_unique<PrevalenceModel>(std::move(shape));
}

absl::StatusOr<std::vector<model::WorstCase>> WorstPrevalence(const model::AnalystLimits& limits) {
  TW_ASSIGN_OR_RETURN(std::vector<model::WorstCase> cases, lda::WorstTopics(limits));
  // A cell more costs nothing beside an E-step: the worst topics are the worst here.
  for (model::WorstCase& one : cases) {
    TW_ASSIGN_OR_RETURN(one.options, InOneGroup(one.options));
  }
  return cases;
}

}  // namespace topicwall::prevalence
