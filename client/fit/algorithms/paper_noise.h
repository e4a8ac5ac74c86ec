// What noise puts into the topics of algorithm `paper`, against what documents do.
//
// Its M-step takes a sum below 0 for 0. Noise of the deviation τ = σC/ν then leaves τ/√(2π) words
// in each of the K·V entries on average, however many releases there are, and the n·L words of all
// documents are shared by as many. Every such fit that was measured (deploy/study/RESULTS.md) had
// more of noise than of documents, and predicted worse than word frequencies alone.
//
// PUBLIC: of public numbers and the analyst's own. Pure. INVALID_ARGUMENT if an assumption is below
// 1.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_PAPER_NOISE_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_PAPER_NOISE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/fit/fit_spec.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct PaperNoise {
  double of_documents;  // words in all topics together
  double of_noise;
};

// `spec` has K, ν, C and σ_eff. Nothing of other algorithms, or if nobody says how many documents
// there are.
absl::StatusOr<std::optional<PaperNoise>> PaperNoiseOf(const FitSpec& spec,
                                                       const v1::CorpusDescription& description);

// One sentence that begins with "warning: ", for topics that are more of noise than of documents;
// "" for others. `epsilon` is the price of the fit.
std::string WarningOf(const PaperNoise& expected, double epsilon);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_PAPER_NOISE_H_
