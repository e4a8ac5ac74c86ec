// A fit that begins with the topics of another model: `fit --init`.
//
//   absl::StatusOr<v1::ModelFile> model = ReadInitialModel("public.model");
//   start = NewWarmStart(*model, vocabulary, num_topics);   // at the start
//   start = DecideWarmStart(*start, unigram, draws);         // once there is a private unigram
//
// The model may be an earlier one of the same corpus, or one of public documents
// (`fit --no-privacy`); its terms are found by name. Whether its topics fit the corpus is decided
// by model/lda/denoise/warm_start.h from the unigram that the fit pays for anyway, once: what is
// decided, and the topics that the fit begins with, stand in the algorithm's state
// (denoised_fit.h), so that a fit that is resumed has the same bits. The command that resumes it
// still has to name that model: CheckSameFit (fit_spec.h) refuses one of another SourceDigest, and
// a command that names none.
//
// A model with an α for each topic (`topicwall learn-prior`), all of which the fit takes, hands
// that on to the plan of the topics as well.
//
// PUBLIC: released or public topics. An analyst who gives a model of documents that are not public,
// or an α learned from such, shows them to the wall, in the request for the first iteration and in
// the plan.
// Errors: NOT_FOUND, INVALID_ARGUMENT as model_directory.h; INVALID_ARGUMENT for a model of more
// topics than the fit has, or that knows none of its terms.
#ifndef TOPICWALL_CLIENT_FIT_INITIAL_MODEL_H_
#define TOPICWALL_CLIENT_FIT_INITIAL_MODEL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/vocabulary.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// From the folder of a model, or from its file.
absl::StatusOr<v1::ModelFile> ReadInitialModel(const std::string& path);

// What tells one initial model (λ and α) from another: 32 bytes.
std::string SourceDigest(const v1::ModelFile& model);

// Undecided. Topics of which `vocabulary` knows less than a thousandth are left out.
absl::StatusOr<v1::WarmStart> NewWarmStart(const v1::ModelFile& model,
                                           const lda::Vocabulary& vocabulary, int num_topics);

// Of the topics that the initial model has not (model/lda/denoise/first_topics.h).
struct FirstDraws {
  int num_topics;  // K of the fit
  uint64_t seed;
  double gamma_shape;  // of the algorithm's recipe
};
// `start`, decided; as it is if it was decided before.
absl::StatusOr<v1::WarmStart> DecideWarmStart(v1::WarmStart start, absl::Span<const double> unigram,
                                              const FirstDraws& draws);

struct WarmStartShape {
  int num_topics;       // K of the fit
  int vocabulary_size;  // V >= 1
  bool is_decided;      // whether it must be
};
// Whether it is one of the three states of WarmStart, in its right shape.
bool IsSoundWarmStart(const v1::WarmStart& start, const WarmStartShape& shape);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_INITIAL_MODEL_H_
