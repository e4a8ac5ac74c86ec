#include "model/prevalence/prevalence_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/document.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/topic_options.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/worst_topics.h"
#include "model/mixture/component_shares.h"
#include "model/mixture/responsibilities.h"
#include "model/prevalence/cells.h"
#include "proto/models/parse_options.h"
#include "proto/models/prevalence.pb.h"

namespace topicwall::prevalence {
namespace {

constexpr int64_t kMaxEntries = int64_t{1} << 32;  // sparse_statistic.h

struct PrevalenceShape {
  lda::TopicOptions topics;
  Cells cells;

  model::StatisticShape Grid() const {
    return model::GridOf(cells.size(), int64_t{topics.num_topics} + 1);
  }
  model::WorstUnit Worst(const model::UnitLimits& limits) const {
    const auto num_topics = static_cast<size_t>(topics.num_topics);
    const auto terms = static_cast<size_t>(limits.TermsOfDocument());
    const size_t bytes = topics.one_topic_a_document
                             ? mixture::ComponentShares::BytesReserved(terms, num_topics)
                             : lda::EStep::BytesReserved(terms, num_topics);
    return {.columns = Grid().period,
            // At most one cell a document.
            .rows = std::min(cells.size(), limits.max_documents),
            .bytes_of_thread = static_cast<int64_t>(bytes + num_topics * sizeof(double)),
            // As many for a mixture, whose table is as large.
            .bytes_of_all = lda::BytesOfTopics(topics.num_topics, topics.num_columns())};
  }
};

absl::StatusOr<PrevalenceShape> ParseShape(absl::string_view serialised,
                                           const model::CorpusShape& corpus) {
  v1::PrevalenceOptions message;
  TW_RETURN_IF_ERROR(proto::ParseOptions(serialised, &message));
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

// θ of documents under any topics, on one thread.
class DocumentShares {
 public:
  virtual ~DocumentShares() = default;

  // K numbers whose sum is 1, or near it; false of a document that says nothing.
  virtual bool Fill(lda::DocumentView document, std::vector<double>* shares) = 0;
};

// By the words that each topic has of it.
class SharesOfTopics final : public DocumentShares {
 public:
  SharesOfTopics(const lda::EStep* e_step, size_t num_terms) : e_step_(*e_step) {
    e_step_.Reserve(num_terms, workspace_);
  }
  bool Fill(lda::DocumentView document, std::vector<double>* shares) override {
    e_step_.Infer(document, workspace_);
    std::fill(shares->begin(), shares->end(), 0);
    const absl::Span<const uint32_t> topics = workspace_.topics();
    for (size_t j = 0; j < workspace_.num_rows(); ++j) {
      const absl::Span<const float> x = workspace_.row(j);
      for (size_t a = 0; a < topics.size(); ++a) (*shares)[topics[a]] += double{x[a]};
    }
    // By its own words, so that a document counts once, however long it is.
    double all = 0;
    for (const uint32_t topic : topics) all += (*shares)[topic];
    if (!(all > 0)) return false;
    for (const uint32_t topic : topics) (*shares)[topic] /= all;
    return true;
  }

 private:
  const lda::EStep& e_step_;
  lda::EStep::Workspace workspace_;
};

// By how likely each component of a mixture is.
class SharesOfComponents final : public DocumentShares {
 public:
  SharesOfComponents(const mixture::Responsibilities* components, size_t num_terms)
      : num_terms_(components->num_terms() - 1), shares_(components) {
    shares_.Reserve(num_terms);
  }
  bool Fill(lda::DocumentView document, std::vector<double>* shares) override {
    // Of what has no known word π would be the answer: nothing that it says itself.
    if (document.empty() || !lda::IsCanonical(document, num_terms_)) return false;
    shares_.Fill(document, shares);
    return true;
  }

 private:
  const int num_terms_;  // V
  mixture::ComponentShares shares_;
};

class PrevalenceUnitInference final : public model::UnitInference {
 public:
  PrevalenceUnitInference(const Cells* cells, int num_topics,
                          std::unique_ptr<DocumentShares> shares)
      : cells_(*cells), shares_(std::move(shares)), theta_(static_cast<size_t>(num_topics)) {}

  // Nothing is drawn.
  void Infer(const model::Unit& unit, model::UnitBits& /*bits*/,
             model::SparseStatistic* statistic) override {
    Start(unit, statistic);
    size_t documents = 0;
    for (const model::UnitDocument& document : unit.documents) {
      if (unit.Abandoned()) break;
      if (!shares_->Fill(document.counts, &theta_)) continue;
      Add(document, statistic);
      ++documents;
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
    const size_t columns = theta_.size() + 1;
    for (size_t k = 0; k < columns; ++k) statistic->columns.push_back(static_cast<uint32_t>(k));
    statistic->values.assign(columns * cells.size(), 0);
  }

  uint32_t CellOf(const model::UnitDocument& document) const {
    return static_cast<uint32_t>(cells_.CellOf(document.attributes));
  }

  // θ, and the document itself.
  void Add(const model::UnitDocument& document, model::SparseStatistic* statistic) {
    const std::vector<uint32_t>& cells = statistic->rows;
    const auto row = static_cast<size_t>(
        std::lower_bound(cells.begin(), cells.end(), CellOf(document)) - cells.begin());
    for (size_t k = 0; k < theta_.size(); ++k) {
      statistic->values[k * cells.size() + row] += static_cast<float>(theta_[k]);
    }
    statistic->values[theta_.size() * cells.size() + row] += 1;
  }

  const Cells& cells_;
  const std::unique_ptr<DocumentShares> shares_;
  std::vector<double> theta_;  // of the document at hand
};

// Of topics (lda::EStep, SharesOfTopics) or of components (the other two).
template <class EStep, class Shares>
class PrevalenceInference final : public model::Shaped<model::Inference, PrevalenceShape> {
 public:
  PrevalenceInference(PrevalenceShape shape, EStep e_step)
      : Shaped(std::move(shape)), e_step_(std::move(e_step)) {}

  absl::string_view kernel_name() const override { return e_step_.kernel_name(); }
  std::unique_ptr<model::UnitInference> NewThread(const model::UnitLimits& limits) const override {
    return std::make_unique<PrevalenceUnitInference>(
        &shape_.cells, shape_.topics.num_topics,
        std::make_unique<Shares>(&e_step_, static_cast<size_t>(limits.TermsOfDocument())));
  }

 private:
  const EStep e_step_;
};

class PrevalenceModel final : public model::Shaped<model::StatisticModel, PrevalenceShape> {
 public:
  using Shaped::Shaped;

  model::Demand demand() const override { return shape_.topics.Demand(/*needs_weights=*/false); }
  absl::Status Check(absl::Span<const float> parameters) const override {
    return lda::CheckLogTopics(shape_.topics.View(parameters));
  }
  absl::StatusOr<std::unique_ptr<model::Inference>> Bind(absl::Span<const float> parameters,
                                                         int num_threads) const override {
    if (shape_.topics.one_topic_a_document) {
      TW_RETURN_IF_ERROR(Check(parameters));
      return std::make_unique<PrevalenceInference<mixture::Responsibilities, SharesOfComponents>>(
          shape_, mixture::Responsibilities(shape_.topics.View(parameters), lda::ChosenKernel(),
                                            num_threads));
    }
    TW_ASSIGN_OR_RETURN(lda::EStep e_step, lda::BindTopics(shape_.topics, parameters, num_threads));
    return std::make_unique<PrevalenceInference<lda::EStep, SharesOfTopics>>(shape_,
                                                                             std::move(e_step));
  }
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
