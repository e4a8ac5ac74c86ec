// model.pb: a fitted model with everything needed to read and judge it.
//
//   absl::StatusOr<v1::ModelFile> file = ParseModelFile(bytes, path);
//   absl::StatusOr<lda::TopicModel> model = ModelOf(*file);       // λ, η, α
//   absl::StatusOr<lda::Vocabulary> vocabulary = VocabularyOf(*file);
//
// λ: K×V float32, row = topic. The vocabulary stands in the file, so that topics and
// perplexities need no connection. PUBLIC: post-processing of what was released.
#ifndef TOPICWALL_CLIENT_FIT_MODEL_FILE_H_
#define TOPICWALL_CLIENT_FIT_MODEL_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "model/data/vocabulary.h"
#include "model/gaussian/component_estimate.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kModelFormatVersion = 1;

// INVALID_ARGUMENT, naming `path`, if the bytes are no model, of another format version, the number
// of terms or parameters is not what K and V say, its corpus or algorithm is no name
// (base/name.h), or what is to sum to 1 does not.
absl::StatusOr<v1::ModelFile> ParseModelFile(absl::string_view bytes, absl::string_view path);

// FAILED_PRECONDITION of a mixture of Gaussians, which has no topics.
absl::Status CheckIsOfWords(const v1::ModelFile& file);
// INVALID_ARGUMENT if a parameter is out of its domain; and as CheckIsOfWords.
absl::StatusOr<lda::TopicModel> ModelOf(const v1::ModelFile& file);

// FAILED_PRECONDITION, naming `path`, for a mixture: its documents have one component each, so that
// what is asked of α has no answer.
absl::Status CheckIsOfTopics(const v1::ModelFile& file, absl::string_view path);

// Of a mixture of Gaussians: π, means, variances, none below gaussian::kLeastVariance.
gaussian::Components ComponentsOf(const v1::ModelFile& file);

// What a model of algorithm `denoised` says of its noise.
struct ModelNoise {
  std::vector<float> statistics;           // K×V, row = topic, in words
  std::vector<float> deviations;           // of each term: V, in words
  std::vector<float> mass_deviations;      // of each topic's sum besides: K, in words, or none
  std::vector<double> term_probabilities;  // the private unigram: V

  lda::NoisyTopics topics(int num_topics) const {
    return {.num_topics = num_topics,
            .vocabulary_size = static_cast<int>(deviations.size()),
            .values = statistics,
            .noise_deviations = deviations,
            .mass_deviations = mass_deviations};
  }
};
// Nothing if the model says nothing of it. INVALID_ARGUMENT if it is no matrix.
absl::StatusOr<std::optional<ModelNoise>> NoiseOf(const v1::ModelFile& file);

// Of each term its share of the corpus, as the file keeps it: the private unigram, or what was read
// of λ before topics were merged. V, or none.
inline absl::Span<const double> CorpusOf(const v1::ModelFile& file) {
  return file.term_probabilities().empty() ? file.merged().term_probabilities()
                                           : file.term_probabilities();
}

// Of each term, what the prior gives every topic of it, in words: V. η, which the trainer of a
// private fit deals out by the corpus' own words (model/lda/denoise/denoised_model.h): η·V·p_v.
std::vector<double> TermPriors(const v1::ModelFile& file);

// α and the topics or components, as they go into a hash of what was asked of them.
void UpdateWithTopics(const v1::ModelFile& file, base::Sha256* hash);
// Of K and these: what evaluations and prevalences of a model are told by.
std::string TopicsSha256(const v1::ModelFile& file);

// By the rule of the file's tokenizer; FAILED_PRECONDITION if this program does not know it.
absl::StatusOr<lda::Vocabulary> VocabularyOf(const v1::ModelFile& file);

// Terms under the rule that `tokenizer` names: words-1 or counts (model/data/tokenizer.h).
// FAILED_PRECONDITION for another name: counts made with another rule would be wrong.
absl::StatusOr<lda::Vocabulary> MakeVocabulary(absl::string_view tokenizer,
                                               std::vector<std::string> terms);

// Whether its fit saw units that `plan` holds out, as far as can be told: of this corpus's name, by
// version, share and how units are named. Nobody can tell whether one person stands in two corpora.
bool SawHeldOut(const v1::ModelFile& file, const v1::ReleaseSpec& plan,
                const v1::UnitNaming& naming);
v1::UnitNaming UnitNamingOf(const v1::CorpusDescription& description);

// Where a model is from. What its algorithm says beside (FitAlgorithm::Annotate) is not in it.
struct ModelProvenance {
  const v1::CorpusDescription& description;
  std::string algorithm;
  int iterations;  // J that it saw
  double epsilon;  // of the fit alone, enforced accountant, upper bound
  double delta;
  v1::FitPlan plan = {};  // of the topics; none without a wall
};
// Without topics, and with those of `model`.
v1::ModelFile MakeModelFile(const lda::Vocabulary& vocabulary, const ModelProvenance& provenance);
void SetTopics(const lda::TopicModel& model, v1::ModelFile& file);
v1::ModelFile MakeModelFile(const lda::TopicModel& model, const lda::Vocabulary& vocabulary,
                            const ModelProvenance& provenance);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_MODEL_FILE_H_
