// What can be expected of a fit, in the words of the one who will pay for it; and, from a budget, a
// size and some hours, which fit to make of them.
//
//   absl::StatusOr<FitSpec> proposed = ProposeFit(account, description, spec);   // with K and J
//   absl::StatusOr<std::optional<lda::ExpectedSignal>> expected = ExpectationOf(spec, description);
//   if (expected->has_value()) WarningOf(**expected, epsilon);   // "" if all is well
//
// The number of documents is the custodian's nominal size, unless the analyst says otherwise; how
// many words they have is the analyst's assumption, kWordsPerUnit if not said, or was measured
// (client/evaluate/wall_lengths.h), and never more than count. Of `mixture` no K is proposed
// without either. Nothing is expected if nobody says how many documents there are, or of an
// algorithm other than `denoised` and `mixture`, which model/lda/denoise/noise_model.h describes,
// and `gaussian`, which model/gaussian/expected_components.h does; of `paper` there is
// client/fit/algorithms/paper_noise.h. Where the unit is an owner, all documents of one count
// as one document, so that the assumption is of all their words, or of one vector. Few owners may
// have most of the words, of which the clip leaves little: what is expected is about right for the
// words that three of four owners have at least, not for their mean (deploy/study/EXPERIMENTS.md,
// "Owners").
//
// What is left open of K and J is chosen, with ν = 1:
//   J  as many iterations as the hours, the wall's limits and the releases left allow, at most
//      the algorithm's default. A fit is J + 1 releases of one price, and more are for nothing. Of
//      vouchers at most as many as there are, and as what is to be spent is enough for.
//   σ  the least for J + 1 releases that takes what is to be spent, by the policy that is enforced.
//   ν  1: a release takes one interval whatever it computes, and a full batch has the least noise
//      for a price (by a factor of four at the paper's setting).
//   K  the most of 5, 10, 20, 50, 100, 200, 500 that is at most kTopicsPerSignal times the expected
//      signal to noise of a word of rank 1,000; of `mixture` at most kComponentsPerSignal times,
//      for a component needs all of its words; of `gaussian` the most whose average component has a
//      signal of at least kLeastComponentSignal: with more than that many it falls off a cliff. How
//      each was calibrated: deploy/study/EXPERIMENTS.md, "What a plan should ask for", "Short
//      texts" and "Vectors".
//
// Errors: INVALID_ARGUMENT for a number out of its domain or beyond a limit, or hours without what
// a release takes; of a proposal FAILED_PRECONDITION if hours or releases left are not enough for
// any fit, no σ is enough, or nobody says how many documents there are. PUBLIC: of public numbers
// and the analyst's own. Pure. Cost: a price.
#ifndef TOPICWALL_CLIENT_FIT_FIT_PLANNER_H_
#define TOPICWALL_CLIENT_FIT_FIT_PLANNER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/audit/spend.h"
#include "client/fit/fit_spec.h"
#include "model/gaussian/expected_components.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

inline constexpr double kTopicsPerSignal = 16;
inline constexpr double kComponentsPerSignal = 10;

// Whether fits by it can be proposed and expected.
bool CanBePlanned(absl::string_view algorithm);

// `spec` with K, J and ν; it says what to spend, or an ε. Of an algorithm that can be planned.
absl::StatusOr<FitSpec> ProposeFit(const Account& account, const v1::CorpusDescription& description,
                                   const FitSpec& spec);

// σ_eff of each release: the least that takes what `spec` is to spend of the budget, or that its ε
// alone allows, by the policy that is enforced. `spec` has J and ν.
absl::StatusOr<double> NoiseFor(const Account& account, const v1::CorpusDescription& description,
                                const FitSpec& spec);

// What a release takes at least; 0 if nobody says.
double SecondsPerRelease(const v1::CorpusDescription& description, const Planning& planning);

// n, as far as anybody says. INVALID_ARGUMENT if an assumption is below 1.
absl::StatusOr<std::optional<int64_t>> DocumentsOf(const v1::CorpusDescription& description,
                                                   const Planning& planning);

// Words of one unit that count, at most: of a document `max_words`, or the wall's limit where that
// is less or nothing is given; of an owner those of as many documents as the wall takes. A vector
// counts as one word. 2^40 where it is more, or where a wall states no limit.
int64_t MostWordsPerUnit(const v1::CorpusDescription& description,
                         std::optional<int64_t> max_words);

// L: what is assumed or was measured, as far as it counts.
double WordsOf(const FitSpec& spec, const v1::CorpusDescription& description);

// `spec` has K, J, ν and σ_eff. Nothing of `gaussian`.
absl::StatusOr<std::optional<lda::ExpectedSignal>> ExpectationOf(
    const FitSpec& spec, const v1::CorpusDescription& description);
// The same of `gaussian`, and nothing of others.
absl::StatusOr<std::optional<gaussian::ExpectedComponents>> ExpectedComponentsOf(
    const FitSpec& spec, const v1::CorpusDescription& description);

// One sentence that begins with "warning: ", for a fit that is not worth its price; "" for others.
// `epsilon` is that price.
std::string WarningOf(const lda::ExpectedSignal& expected, double epsilon);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_PLANNER_H_
