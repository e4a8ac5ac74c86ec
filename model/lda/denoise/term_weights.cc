#include "model/lda/denoise/term_weights.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {

absl::StatusOr<std::vector<float>> TermWeights(absl::Span<const double> term_probabilities,
                                               const TermWeightOptions& options) {
  TW_RETURN_IF_ERROR(
      CheckTermProbabilities(term_probabilities, static_cast<int>(term_probabilities.size())));
  if (!(options.exponent >= 0 && options.exponent <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("exponent must be in [0, 1]; got ", options.exponent, ". 0.25 is usual."));
  }
  if (!(options.floor >= 1e-3 && options.floor <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("floor must be in [0.001, 1]; got ", options.floor, ". 0.2 is usual."));
  }
  const auto terms = static_cast<double>(term_probabilities.size());
  std::vector<float> weights;
  for (const double p : term_probabilities) {
    // Not libm's pow, whose last bit depends on the processor. Exponents are taken below 0.
    // The floor is on V·p, so that it is relative to the average term.
    const double log =
        options.exponent * FastestArrayMath().log(std::max(p * terms, options.floor));
    const double power = PortableExp(log > 0 ? -log : log);
    weights.push_back(static_cast<float>(log > 0 ? power : 1 / power));
  }
  return weights;
}

}  // namespace topicwall::lda
