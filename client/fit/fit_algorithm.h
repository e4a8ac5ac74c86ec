// How releases become topics: the part of a fit that the wall and the trainer know nothing of.
//
//   absl::StatusOr<std::unique_ptr<FitAlgorithm>> algorithm = RestoreAlgorithm(checkpoint);
//   plan = (*algorithm)->BeginStage(i, plan);         // before the stage's plan is reserved
//   ask the wall with (*algorithm)->NextParameters(), clip_norm() and direction_noise();
//   (*algorithm)->TakeIn(release);
//   checkpoint.set_state((*algorithm)->State());
//
//   denoised  the default: a private unigram first, then empirical Bayes (denoised_fit.h)
//   mixture   for short texts: as denoised, of a mixture of multinomials (mixture_fit.h)
//   gaussian  for corpora of vectors: a mixture of Gaussians (gaussian_fit.h)
//   paper     Algorithm 1 of the paper with its constants (model/lda/topics/m_step.h)
//
// A fit is a list of stages, each with a plan of its own. An algorithm says which, decides what is
// asked, and takes in what comes back; what it remembers between two releases are bytes that nobody
// else reads. Another algorithm is another FitMethod in the table of fit_algorithm.cc: trainer and
// checkpoint stay as they are.
//
// PUBLIC: post-processing of releases. What State gave, RestoreAlgorithm continues with the same
// bits. Errors: INVALID_ARGUMENT, naming what is wrong with a state or a release; the algorithm is
// then what it was.
// Threads: one caller; the loops use all processors, which changes no bits.
#ifndef TOPICWALL_CLIENT_FIT_FIT_ALGORITHM_H_
#define TOPICWALL_CLIENT_FIT_FIT_ALGORITHM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/fit/fit_spec.h"
#include "client/wall/wall_port.h"
#include "model/data/corpus_shape.h"
#include "model/data/vocabulary.h"
#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"

namespace topicwall::client {

class FitAlgorithm {
 public:
  virtual ~FitAlgorithm() = default;
  FitAlgorithm(const FitAlgorithm&) = delete;
  FitAlgorithm& operator=(const FitAlgorithm&) = delete;

  // The plan of stage number `stage`, from 0, as it is to be reserved: with what the releases of
  // the stages before it say. Not called again once that was made durable.
  virtual absl::StatusOr<v1::ReleaseSpec> BeginStage(int stage, v1::ReleaseSpec plan) = 0;

  // What the plan's model takes, ℓ of topics, and C and r of the next request.
  virtual absl::StatusOr<std::vector<float>> NextParameters() const = 0;
  virtual double clip_norm() const = 0;
  virtual double direction_noise() const { return 0; }
  // Takes in the checked release of the next iteration. FAILED_PRECONDITION if it is noise and no
  // more, and the fit cannot go on.
  virtual absl::Status TakeIn(const Release& release) = 0;

  // All that it must remember.
  virtual std::string State() const = 0;

  // Whether a release was taken in that says something of topics. Before, neither Model nor
  // Annotate may be asked.
  virtual bool HasTopics() const = 0;
  // As they stand. Nothing where the components are no topics: Annotate then says all.
  virtual std::optional<lda::TopicModel> Model() const = 0;
  // What else a model of this algorithm says, beside λ and where it is from.
  virtual void Annotate(const v1::CheckpointFile& fit, v1::ModelFile& model) const = 0;

 protected:
  FitAlgorithm() = default;
};

// What an algorithm is before there is a fit. The numbers are chosen where none are given.
struct FitMethod {
  const char* name;
  int iterations;                // J
  double sampling_rate;          // ν
  double clip_norm;              // C
  double total_prior;            // Kα
  double mean_change_threshold;  // of the E-step
  int releases_beside;           // those of the topics
  // The stages, from the plan of the topics, which has everything but noise: their names and plans.
  // All their releases have the σ_eff of the spec, and so one price.
  absl::StatusOr<std::vector<v1::FitStage>> (*stages)(const v1::ReleaseSpec& topics,
                                                      const FitSpec& spec,
                                                      const v1::CorpusDescription& description);
  // The state before the first release. `spec` leaves nothing open.
  absl::StatusOr<std::string> (*initial_state)(const FitSpec& spec,
                                               const lda::Vocabulary& vocabulary);
  absl::StatusOr<std::unique_ptr<FitAlgorithm>> (*restore)(const v1::CheckpointFile& checkpoint);
  bool of_vectors = false;  // for corpora of vectors, and for no others; else for those of text
  bool takes_anchors = false;
  bool can_be_planned = false;  // there is a model of what its noise leaves (fit_planner.h)
};

// The names of all, the default first; of those that can be planned.
std::vector<std::string> AlgorithmNames();
std::vector<std::string> PlannedAlgorithmNames();

// INVALID_ARGUMENT, listing the names, for any other.
absl::StatusOr<const FitMethod*> FindMethod(absl::string_view name);

// INVALID_ARGUMENT, naming algorithms that are, if the spec's is not for this kind of corpus.
absl::Status CheckKindOfCorpus(const FitSpec& spec, const v1::CorpusDescription& description);
// What the models of a fit's plans may know of its corpus, the fit being of the right kind.
absl::StatusOr<model::CorpusShape> CorpusShapeOf(const v1::CheckpointFile& checkpoint);

// The algorithm as it was when it gave checkpoint.state().
absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreAlgorithm(
    const v1::CheckpointFile& checkpoint);

// Of all stages. `spec` has J.
absl::StatusOr<int64_t> NumReleases(const FitSpec& spec);

// The stages of a fit, not begun. `spec` has K, J, ν, N and σ_eff.
absl::StatusOr<std::vector<v1::FitStage>> StagesOf(const FitSpec& spec,
                                                   const v1::CorpusDescription& description);

// One plan that costs what all stages do together, since their releases are of one kind, with the
// model of the stage that asks for most topics.
v1::ReleaseSpec PricedAs(const std::vector<v1::FitStage>& stages);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_ALGORITHM_H_
