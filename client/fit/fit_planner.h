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
// words that three of four owners have at least, not for their mean. Debian's catalogue by its
// 2,192 maintainers (a quarter have at most 46 words, half 122, the mean is 956), K = 10, δ = 1e-4:
//
//      ε      expected for 46    122    956    perplexity (true unigram: 1,821)
//      5                 0.6     1.0    2.7    2,050
//      10                1.0     1.7    4.7    1,846
//      20                1.7     2.8    7.9    1,708
//
// What is left open of K and J is chosen, with ν = 1:
//   J  as many iterations as the hours, the wall's limits and the releases left allow, at most
//      the algorithm's default. A fit is J + 1 releases of one price, and more are for nothing. Of
//      vouchers at most as many as there are, and as what is to be spent is enough for.
//   σ  the least for J + 1 releases that takes what is to be spent, by the policy that is enforced.
//   ν  1: a release takes one interval whatever it computes, and a full batch has the least noise
//      for a price (by a factor of four at the paper's setting).
//   K  the most of 5, 10, 20, 50, 100, 200, 500 that is at most kTopicsPerSignal times the expected
//      signal to noise of a word of rank 1,000. Calibrated on the Debian catalogue, with budgets of
//      that ε and δ = 1e-4 and some 10 % more noise than now (perplexity):
//
//      ε (expected)    K = 10      20      50     100       proposed
//      0.1 (0.42)       2,233   2,389   2,521                  5 (2,123)
//      0.2 (0.79)       1,916   1,928   1,995                 10
//      0.5 (1.8)        1,608   1,558   1,611                 20
//      1   (3.4)        1,486   1,383   1,377   1,364         50
//      2.44 (7.5)       1,384   1,242   1,154   1,152        100
//
//      Of `mixture` at most kComponentsPerSignal times, for a component needs all of its words.
//      Calibrated on 142,500 arXiv titles of 2.8 words, whose true unigram is at 877; so short, C
//      is half of what is expected, and so is the noise:
//
//      ε (expected)     K = 5      10      20      50     100       proposed
//      0.2 (0.6)          966     975                                  5
//      0.5 (1.4)          867     857     860     901                 10
//      0.932 (2.5)                        803     826                 20
//      2.44 (5.8)                         757     746     754         50
//
//      Of `gaussian` the most whose average component has a signal of at least
//      kLeastComponentSignal; with more than that many it falls off a cliff. Calibrated on 25,334
//      vectors of 32 numbers made of arXiv's abstracts (mean log density of others):
//
//      ε (carried)      K = 2       5      10      20      50     100       proposed
//      0.1 (5.7)                11.60   11.51    9.58    0.43                5
//      0.2 (10.5)               13.41   14.14   10.97   10.52               10
//      0.5 (24)         12.61   13.81   15.14   16.38   11.40   11.04       20
//      1   (44)         12.61   14.12   15.39   16.92   17.14   11.70       20
//      2.44 (96)        12.61   14.09   15.37   17.34   19.05   18.71       50
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
