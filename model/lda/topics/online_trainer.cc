#include "model/lda/topics/online_trainer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topicwall::lda {
namespace {

absl::Status CheckAtLeastOne(absl::string_view name, int64_t value) {
  if (value >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be at least 1; got ", value));
}

}  // namespace

absl::StatusOr<OnlineTrainer> OnlineTrainer::Create(const OnlineTrainerParams& params,
                                                    MStepState initial) {
  for (const absl::Status& status : {CheckTopicShape(params.num_topics, params.vocabulary_size),
                                     CheckAtLeastOne("corpus_size", params.corpus_size),
                                     CheckAtLeastOne("num_threads", params.num_threads)}) {
    if (!status.ok()) return status;
  }
  if (absl::Status status = CheckEStepOptions(params.e_step, params.num_topics); !status.ok()) {
    return status;
  }
  // The sum is scaled to the corpus before the M-step sees it: to that it is a whole one, ν = 1.
  absl::StatusOr<std::unique_ptr<PaperMStep>> m_step =
      PaperMStep::Create({.shape = {.num_topics = params.num_topics,
                                    .vocabulary_size = params.vocabulary_size,
                                    .document_topic_prior = params.e_step.document_topic_prior,
                                    .topic_term_prior = params.topic_term_prior,
                                    .sampling_rate = 1},
                          .tau0 = params.tau0,
                          .kappa = params.kappa},
                         std::move(initial));
  if (!m_step.ok()) return m_step.status();
  return OnlineTrainer(params, *std::move(m_step));
}

OnlineTrainer::OnlineTrainer(const OnlineTrainerParams& params, std::unique_ptr<PaperMStep> m_step)
    : params_(params), m_step_(std::move(m_step)), sum_(params.num_topics, params.vocabulary_size) {
  m_step_->UseThreads(params_.num_threads);
}

absl::Status OnlineTrainer::Take(absl::Span<const DocumentView> batch) {
  if (batch.empty()) {
    return absl::InvalidArgumentError("a batch must have at least one document; got none");
  }
  // Made anew for every batch, from λ as it stands: a pass over K·V, the reason to take large
  // batches.
  const absl::StatusOr<EStep> e_step =
      EStep::Create(m_step_->NextLogTopics(), params_.e_step, ChosenKernel(), params_.num_threads);
  if (!e_step.ok()) return e_step.status();
  sum_.Reset();
  sum_.Add(*e_step, batch, params_.num_threads);
  // D/S of the batch at hand: with S of a full one the last, shorter batch of a pass would count
  // for less than its documents.
  const double scale = static_cast<double>(params_.corpus_size) / static_cast<double>(batch.size());
  return m_step_->Update(sum_.Scaled(scale, params_.num_threads));
}

absl::Status OnlineTrainer::Pass(const DocumentList& documents, int64_t batch_size) {
  if (absl::Status status = CheckAtLeastOne("batch_size", batch_size); !status.ok()) return status;
  std::vector<DocumentView> batch;
  for (size_t i = 0; i < documents.size(); ++i) {
    batch.push_back(documents[i]);
    if (batch.size() < static_cast<size_t>(batch_size) && i + 1 < documents.size()) continue;
    if (absl::Status status = Take(batch); !status.ok()) return status;
    batch.clear();
  }
  return absl::OkStatus();
}

}  // namespace topicwall::lda
