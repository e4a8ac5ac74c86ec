// How releases become topics: the part of a fit that the wall knows nothing of.
//
//   absl::StatusOr<std::unique_ptr<FitAlgorithm>> algorithm = RestoreAlgorithm(checkpoint);
//   ask the wall with (*algorithm)->NextLogTopics() and checkpoint.clip_norm();
//   (*algorithm)->TakeIn(release);
//   (*algorithm)->Save(checkpoint);
//
//   denoised        the default: a private unigram first, then empirical Bayes
//                   (model/lda/denoise/denoised_trainer.h)
//   signed-average  one plan and no unigram: the running average of the noisy sums, thresholded
//                   once (model/lda/topics/m_step.h)
//   paper           Algorithm 1 of the paper with its constants (model/lda/topics/m_step.h)
//
// PUBLIC: post-processing of releases. What Save wrote, RestoreAlgorithm continues with the same
// bits. Errors: INVALID_ARGUMENT, naming what is wrong with a checkpoint or a release; the
// algorithm is then what it was.
// Threads: one caller; the loops use all processors, which changes no bits.
#ifndef TOPICWALL_CLIENT_FIT_FIT_ALGORITHM_H_
#define TOPICWALL_CLIENT_FIT_FIT_ALGORITHM_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/wall/wall_port.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Names, as they stand in checkpoints, models and flags.
inline constexpr char kDenoised[] = "denoised";
inline constexpr char kSignedAverage[] = "signed-average";
inline constexpr char kPaper[] = "paper";
// Of a model that no wall was asked for (plain_fit.h); not an algorithm of a checkpoint.
inline constexpr char kNoPrivacy[] = "no-privacy";

// INVALID_ARGUMENT, listing the names, for any other.
absl::Status CheckAlgorithmName(absl::string_view name);

class FitAlgorithm {
 public:
  virtual ~FitAlgorithm() = default;
  FitAlgorithm(const FitAlgorithm&) = delete;
  FitAlgorithm& operator=(const FitAlgorithm&) = delete;

  virtual lda::LogTopics NextLogTopics() const = 0;  // ℓ of the next request
  // Takes in the checked release of the next iteration.
  virtual absl::Status TakeIn(const Release& release) = 0;
  // The state, the number of iterations done and the next clip norm.
  virtual void Save(v1::CheckpointFile& checkpoint) const = 0;

  virtual lda::TopicModel Model() const = 0;
  // What else a model of this algorithm says, beside λ and where it is from.
  virtual void Annotate(v1::ModelFile& model) const = 0;

 protected:
  FitAlgorithm() = default;
};

// The algorithm as it was after checkpoint.iterations_done(). Of `denoised`, once the unigram's
// release is in the checkpoint.
absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreAlgorithm(
    const v1::CheckpointFile& checkpoint);

// Begins the unigram of `denoised` with the release of its plan, checked. FAILED_PRECONDITION if
// that is noise and no more; the checkpoint is then what it was.
absl::Status BeginUnigram(const Release& release, v1::CheckpointFile& checkpoint);

// The unigram of `denoised`, as far as the checkpoint's releases tell it.
absl::StatusOr<std::vector<double>> UnigramOf(const v1::CheckpointFile& checkpoint);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_ALGORITHM_H_
