// What can be expected of a fit, in the words of the one who will pay for it.
//
//   absl::StatusOr<std::optional<lda::ExpectedSignal>> expected =
//       ExpectationOf(plans, description, {.words_per_document = 120});
//   if (expected->has_value()) WarningOf(**expected, epsilon);   // "" if all is well
//
// The number of documents is the custodian's nominal size, unless the analyst says otherwise; how
// long they are is the analyst's assumption, 40 words if not said. Nobody counts. Nothing is
// expected if nobody says how many documents there are, or of an algorithm other than `denoised`,
// which model/lda/denoise/noise_model.h does not describe. Where the unit is an owner, all
// documents of one count as one document, so that the assumption is of all their words.
//
// PUBLIC. Pure. INVALID_ARGUMENT for a guess out of its domain.
#ifndef TOPICWALL_CLIENT_FIT_FIT_EXPECTATION_H_
#define TOPICWALL_CLIENT_FIT_FIT_EXPECTATION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/fit/checkpoint.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

// Of documents that the analyst cannot see.
struct CorpusGuess {
  std::optional<int64_t> num_documents;  // otherwise the custodian's nominal size
  double words_per_document = 40;        // words that are in the vocabulary
};

// n, as far as anybody says. INVALID_ARGUMENT if a guess is below 1.
absl::StatusOr<std::optional<int64_t>> DocumentsOf(const v1::CorpusDescription& description,
                                                   const CorpusGuess& guess);

absl::StatusOr<std::optional<lda::ExpectedSignal>> ExpectationOf(
    const FitPlans& plans, const v1::CorpusDescription& description, const CorpusGuess& guess);

// One sentence that begins with "warning: ", for a fit that is not worth its price; "" for others.
// `epsilon` is that price.
std::string WarningOf(const lda::ExpectedSignal& expected, double epsilon);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_EXPECTATION_H_
