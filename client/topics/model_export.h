// A model in the formats of other programs.
//
//   npz  arrays for numpy.load, row k = topic k + 1 of every other output:
//        components K×V float32 (λ), document_topic_prior K (α), topic_word_prior 1 (η), vocabulary
//        V, corpus V (share of each word), shares K; and where the model knows its noise
//        share_margins, comes_again K and z K×V float64 (a mixture has z alone, an only topic
//        neither z nor comes_again, merged topics share_margins alone, and where shares are not
//        known there are neither they nor these two). components_/Σ_v is what scikit-learn and
//        gensim call topics, and what pyLDAvis takes as topic_term_dists.
//   csv  one row for each topic (from 1) and word: topic, term, probability, lift, z,
//        probability_above; the last two are empty where the model knows no noise, and the last
//        one of a word that the topic has less of than the corpus (z < 0).
//   mm   Matrix Market, "array real general", for scipy.io.mmread, R, Julia and MATLAB: K×V
//        probabilities, row k = topic k from 1, columns in the vocabulary's order.
//   pyldavis  JSON, the arguments of pyLDAvis: prepare(**json.load(file)). Its documents are made
//        up: one a topic, as long as the topic is large (in words, also of a mixture), a million
//        words in all. Its topics keep their order, so that number k there is topic k.
//
// A mixture of Gaussians: gaussian_export.h.
//
// Errors: INVALID_ARGUMENT for another format; FAILED_PRECONDITION for pyldavis where shares are
// not known; those of NumpyArchive. PUBLIC. Pure. Memory: some copies of K×V.
#ifndef TOPICWALL_CLIENT_TOPICS_MODEL_EXPORT_H_
#define TOPICWALL_CLIENT_TOPICS_MODEL_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {

std::vector<std::string> ExportFormats();
// The error for another one.
absl::Status CheckExportFormat(absl::string_view format);

absl::StatusOr<std::string> ExportModel(const TopicReading& reading, absl::string_view format);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_MODEL_EXPORT_H_
