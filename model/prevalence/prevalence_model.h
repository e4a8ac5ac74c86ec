// Prevalence as the server computes it: how much of each group of documents is about each topic, of
// any topics that the analyst sends.
//
// Options: proto/models/prevalence.proto. Parameters: ℓ, K·V log topics
// (model/lda/topics/log_topics.h). A document's cell g is made of its values of the attributes that
// are asked for (cells.h); its shares θ are those of its words, θ_k = Σ_v x_kv / Σ_kv x_kv of its
// E-step (model/lda/topics/e_step.h), which sum to 1. Of a mixture ℓ is K·(V + 1) log weights, and
// θ how likely each component is (model/mixture/component_shares.h). Shape: D = (K + 1)·G, every
// cell there is, empty ones too; columns are the K topics and the document itself (P = K + 1), rows
// are cells: Σ_d θ_dk, and how many documents there are, all >= 0. With weight b on the document's
// column, one document has a norm of at most √(1 + b²). What is made of its releases is the
// analyst's half: prevalence_estimate.h.
#ifndef TOPICWALL_MODEL_PREVALENCE_PREVALENCE_MODEL_H_
#define TOPICWALL_MODEL_PREVALENCE_PREVALENCE_MODEL_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/corpus_shape.h"
#include "model/statistic_model.h"
#include "model/worst_case.h"

namespace topicwall::prevalence {

// INVALID_ARGUMENT for bytes that are no PrevalenceOptions, for topics as ParseTopicOptions
// (model/lda/topic_options.h), for attributes that are not strictly ascending numbers of the
// corpus's, and for (K + 1)·G above 2^32.
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakePrevalenceModel(
    absl::string_view options, const model::CorpusShape& corpus);

// Those of WorstTopics (model/lda/worst_topics.h), of one group: groups take no time.
absl::StatusOr<std::vector<model::WorstCase>> WorstPrevalence(const model::AnalystLimits& limits);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_PREVALENCE_MODEL_H_
