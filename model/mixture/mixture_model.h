// A mixture of multinomials as the server computes it, for short texts, each of which is about one
// thing: a unit's statistic says of which components its documents are, and with which words.
//
// Options: proto/models/mixture.proto. Parameters: ℓ, K rows of V + 1 log weights
// (responsibilities.h). Shape: D = K·(V + 1); columns are the V terms and the document itself
// (P = V + 1), rows are components: Σ_d r_dk c_dv in words, and Σ_d r_dk in documents, all >= 0.
// Without weights a document counts in the norm like one more word of it.
// What is made of its releases is the analyst's half: component_weights.h.
#ifndef TOPICWALL_MODEL_MIXTURE_MIXTURE_MODEL_H_
#define TOPICWALL_MODEL_MIXTURE_MIXTURE_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/statistic_model.h"
#include "model/worst_case.h"

namespace topicwall::mixture {

// INVALID_ARGUMENT for bytes that are no MixtureOptions, for K below 1 and for K·(V + 1) above
// 2^32.
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeMixtureModel(absl::string_view options,
                                                                        int64_t vocabulary_size);

// Documents of as many terms as can be, in as many components: one case. INVALID_ARGUMENT for
// limits that no request can have.
absl::StatusOr<std::vector<model::WorstCase>> WorstMixtures(const model::AnalystLimits& limits);

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_MIXTURE_MODEL_H_
