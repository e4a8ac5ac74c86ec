// Words that an analyst expects in one topic, and what the topic is to be called: `fit --anchors`.
//
//   {"heart": ["cardiac", "ecg"], "lungs": ["asthma", "inhaler"]}
//
//   absl::StatusOr<Anchors> anchors = ReadAnchors("anchors.json");
//   absl::StatusOr<lda::AnchorTerms> terms = AnchorTermsOf(*anchors, vocabulary, num_topics);
//
// They are sorted by name, and number j is of topic j: the order in which they were written means
// nothing. They shape the first topics of a fit (model/lda/denoise/first_topics.h) and nothing
// after them, and a topic has the name of its anchor until it is given a label
// (client/topics/topic_labels.h).
//
// PUBLIC: the analyst's own words, and those of the corpus' public list. Pure but for ReadAnchors.
#ifndef TOPICWALL_CLIENT_FIT_ANCHORS_H_
#define TOPICWALL_CLIENT_FIT_ANCHORS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/vocabulary.h"
#include "model/lda/denoise/first_topics.h"
#include "proto/model.pb.h"

namespace topicwall::client {

using Anchors = std::vector<v1::Anchor>;

// INVALID_ARGUMENT, naming what is wrong, for anything but an object of lists of words, a name that
// is no label, and an anchor without words.
absl::StatusOr<Anchors> ParseAnchors(const std::string& json);
// Of a file; its errors name it, and are those of base/durable_file.h as well.
absl::StatusOr<Anchors> ReadAnchors(const std::string& path);

// As ParseAnchors takes it; the same anchors are the same text.
std::string AnchorsJson(const Anchors& anchors);

// INVALID_ARGUMENT for more anchors than topics, and for a word that `vocabulary` does not have.
absl::StatusOr<lda::AnchorTerms> AnchorTermsOf(const Anchors& anchors,
                                               const lda::Vocabulary& vocabulary, int num_topics);
// As a fit keeps them.
lda::AnchorTerms AnchorTermsOf(const v1::DenoisedState& state);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ANCHORS_H_
