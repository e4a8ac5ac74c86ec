// What a report says of a model, from its folder alone: topics, words, map, common words.
//
//   TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModel("notes.model"));
//   TW_RETURN_IF_ERROR(AddModelFacts(file, sha256_of_model_pb, report));
//
// Words of a topic are those that are among the first kWordsShown by relevance
//   λ·log β_kv + (1 − λ)·log(β_kv / p_v)
// (Sievert, Shirley 2014) at any of the steps λ = 0, 0.2 … 1, in the order of kUsualStep, so that
// the page can order them anew at each step without knowing any other word. A word that the topic
// has no more often than the corpus is never among them. p is the model's private unigram; of a
// model without one, the mean of its topics by their shares.
//
// Errors: INVALID_ARGUMENT for a model that is none. PUBLIC: post-processing of releases. Pure.
// Cost: sorting K×V entries once.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_MODEL_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_MODEL_FACTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/report/facts/topic_likeness.h"
#include "proto/model.pb.h"
#include "proto/report.pb.h"

namespace topicwall::client {

inline constexpr int kWordsShown = 10;
inline constexpr double kUsualStep = 0.6;

absl::Status AddModelFacts(const v1::ModelFile& file, const std::string& sha256,
                           v1::Report& report);

// p of a model, V: see above.
absl::StatusOr<std::vector<double>> CorpusSharesOf(const v1::ModelFile& file);

// The parts of its topics that p does not explain.
absl::StatusOr<DistinctParts> DistinctPartsOf(const v1::ModelFile& file);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_MODEL_FACTS_H_
