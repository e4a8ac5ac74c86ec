#include <memory>
#include <string>

#include "base/status_macros.h"
#include "model/models.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/lda.pb.h"
#include "proto/models/lda_options.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "server/audit/pairs/neighbouring_pair.h"

namespace topicwall::audit {
namespace {

absl::StatusOr<std::unique_ptr<model::StatisticModel>> ModelOf(const NeighbouringPair& asked) {
  if (asked.model == AskedModel::kMixture) {
    v1::MixtureOptions options;
    options.set_num_components(asked.num_topics());
    return model::MakeModel("multinomial_mixture", options.SerializeAsString(),
                            {.vocabulary_size = asked.vocabulary_size});
  }
  if (asked.model == AskedModel::kMixtureCompletion) {
    v1::LdaOptions options;
    options.set_num_topics(asked.num_topics());
    options.set_one_topic_a_document(true);
    return model::MakeModel("document_completion", options.SerializeAsString(),
                            {.vocabulary_size = asked.vocabulary_size});
  }
  if (asked.of_vectors()) {
    v1::GaussianOptions options;
    options.set_num_components(asked.num_topics());
    return model::MakeModel(
        asked.model == AskedModel::kGaussian ? "gaussian_mixture" : "gaussian_likelihood",
        options.SerializeAsString(), {.vector_dimension = asked.vector_dimension()});
  }
  if (asked.model == AskedModel::kLengths) {
    v1::LengthOptions options;
    options.set_num_bins(static_cast<int>(asked.log_topics.size()) + 1);
    return model::MakeModel("unit_lengths", options.SerializeAsString(),
                            {.vocabulary_size = asked.vocabulary_size});
  }
  const std::string topics =
      proto::LdaOptionBytes(asked.num_topics(), asked.document_topic_prior,
                            asked.max_e_step_iterations, asked.mean_change_threshold);
  const model::CorpusShape corpus = {.vocabulary_size = asked.vocabulary_size,
                                     .attribute_sizes = asked.attribute_sizes};
  if (asked.model == AskedModel::kPrevalence) {
    v1::PrevalenceOptions options;
    if (!options.mutable_topics()->ParseFromString(topics)) {
      return absl::InternalError("options just made do not parse");
    }
    // All of them, for which there are the most cells.
    for (int i = 0; i < corpus.num_attributes(); ++i) options.add_attributes(i);
    return model::MakeModel("prevalence", options.SerializeAsString(), corpus);
  }
  return model::MakeModel(
      asked.model == AskedModel::kDocumentCompletion ? "document_completion" : "lda", topics,
      corpus);
}

}  // namespace

absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const NeighbouringPair& asked) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model, ModelOf(asked));
  return model->Bind(asked.log_topics, /*num_threads=*/1);
}

}  // namespace topicwall::audit
