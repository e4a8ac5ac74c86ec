#include "client/evaluate/document_shares.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/fit/model_file.h"
#include "model/lda/reading/topic_proportions.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::client {
namespace {

absl::StatusOr<mixture::FittedMixture> MixtureOf(const v1::ModelFile& file,
                                                 const lda::DocumentList& documents) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  for (size_t d = 0; d < documents.size(); ++d) {
    // Here, since FittedMixture looks terms up as they come.
    if (lda::IsCanonical(documents[d], model.vocabulary_size())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("documents must be of the model's ", model.vocabulary_size(),
                     " words, each once and in their order; number ", d + 1, " is not."));
  }
  return mixture::FittedMixture::Create(model, file.component_weights());
}

}  // namespace

absl::StatusOr<std::vector<double>> SharesOfDocuments(const v1::ModelFile& file,
                                                      const lda::DocumentList& documents) {
  if (file.component_weights().empty()) {
    TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
    return lda::TopicProportions(model, documents, {.num_threads = lda::NumProcessors()});
  }
  TW_ASSIGN_OR_RETURN(const mixture::FittedMixture fitted, MixtureOf(file, documents));
  const auto components = static_cast<size_t>(file.num_topics());
  std::vector<double> shares(documents.size() * components);
  lda::ForEachBlock(documents.size(), lda::NumProcessors(), [&](size_t d, size_t) {
    const std::vector<double> of_document = fitted.Shares(documents[d]);
    std::copy(of_document.begin(), of_document.end(),
              shares.begin() + static_cast<std::ptrdiff_t>(d * components));
  });
  return shares;
}

absl::StatusOr<std::vector<mixture::Assignment>> AssignDocuments(
    const v1::ModelFile& file, const lda::DocumentList& documents) {
  if (file.component_weights().empty()) {
    return absl::FailedPreconditionError(
        "documents are assigned by mixtures, and this model is none: its documents have a share of "
        "every topic, which transform tells. Fit with --algorithm mixture.");
  }
  TW_ASSIGN_OR_RETURN(const mixture::FittedMixture fitted, MixtureOf(file, documents));
  std::vector<mixture::Assignment> assigned;
  for (size_t d = 0; d < documents.size(); ++d) assigned.push_back(fitted.Assign(documents[d]));
  return assigned;
}

}  // namespace topicwall::client
