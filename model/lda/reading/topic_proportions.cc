#include "model/lda/reading/topic_proportions.h"

#include <algorithm>
#include <cstddef>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/topics/e_step.h"

namespace topicwall::lda {
namespace {

constexpr size_t kDocumentsPerBlock = 256;

}  // namespace

absl::StatusOr<std::vector<double>> TopicProportions(const TopicModel& model,
                                                     const DocumentList& documents,
                                                     const HeldOutOptions& options) {
  TW_RETURN_IF_ERROR(CheckCanonical(documents, model.vocabulary_size()));
  TW_ASSIGN_OR_RETURN(const EStep e_step,
                      // The mean topics, as for completion (held_out_perplexity.cc): the two then
                      // speak of the same θ.
                      EStep::Create(LogMeanTopics(model, options.num_threads),
                                    UsualEStep(model.document_topic_prior(), options)));
  const auto topics = static_cast<size_t>(model.num_topics());
  std::vector<double> proportions(documents.size() * topics);
  std::vector<EStep::Workspace> workspaces(static_cast<size_t>(std::max(options.num_threads, 1)));
  // Each block writes its own rows, so threads change no bits.
  ForEachPart(documents.size(), kDocumentsPerBlock, options.num_threads,
              [&](size_t begin, size_t end, size_t thread) {
                for (size_t d = begin; d < end; ++d) {
                  e_step.Infer(documents[d], workspaces[thread]);
                  const absl::Span<const float> gamma = workspaces[thread].gamma();
                  double sum = 0;
                  for (size_t k = 0; k < topics; ++k) sum += gamma[k];
                  for (size_t k = 0; k < topics; ++k) {
                    proportions[d * topics + k] = gamma[k] / sum;
                  }
                }
              });
  return proportions;
}

}  // namespace topicwall::lda
