// What a report says of a model, from its folder alone: topics, words, map, common words.
//
// Shares, words and how far to believe them are those of `topicwall topics`
// (client/topics/topic_reading.h). Words of a topic are those that are among its first kWordsShown
// at any of the steps λ = 0, 0.2 … 1 of relevance, in the order of λ = 0.6, so that the page can
// order them anew at each step without knowing any other word.
//
// Of a mixture of Gaussians its components (component_facts.h).
//
// Errors: INVALID_ARGUMENT for a model that is none. PUBLIC: post-processing of releases. Pure.
// Cost: that of a reading with intervals, and K²·V.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_MODEL_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_MODEL_FACTS_H_

#include <string>

#include "absl/status/status.h"
#include "proto/model.pb.h"
#include "proto/report.pb.h"

namespace topicwall::client {

inline constexpr int kWordsShown = 10;
inline constexpr double kSureAbove = 0.95;  // of a common word that a topic has above the corpus

absl::Status AddModelFacts(const v1::ModelFile& file, const std::string& sha256,
                           v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_MODEL_FACTS_H_
