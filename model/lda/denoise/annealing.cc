#include "model/lda/denoise/annealing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topicwall::lda {

absl::Status CheckAnnealing(const Annealing& annealing) {
  if (!(annealing.first > 0 && annealing.first <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the first annealing exponent must be in (0, 1]; got ", annealing.first,
                     ". 0.2 is usual, 1 is no annealing."));
  }
  if (!(annealing.last >= annealing.first && annealing.last <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("the last annealing exponent must be in [",
                                                   annealing.first, ", 1]; got ", annealing.last));
  }
  if (!(annealing.until > 0 && annealing.until <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the annealed share of the iterations must be in (0, 1]; got ", annealing.until));
  }
  if (annealing.num_iterations >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("annealing needs at least 1 iteration; got ", annealing.num_iterations));
}

double AnnealingExponent(const Annealing& annealing, int64_t t) {
  const double done = static_cast<double>(t - 1) /
                      (annealing.until * static_cast<double>(annealing.num_iterations));
  // Exactly `last`, not what rounding makes of first + (last − first)·1.
  if (!(done < 1)) return annealing.last;
  return annealing.first + (annealing.last - annealing.first) * done;
}

LogTopics Flattened(const LogTopics& log_topics, double exponent) {
  std::vector<float> values(log_topics.values().begin(), log_topics.values().end());
  // Not normalised: the E-step divides every word by its largest weight and φ by its sum.
  for (float& value : values) value = static_cast<float>(exponent * value);
  // Holds a value: finite and <= 0 stays so.
  return *LogTopics::Create(log_topics.num_topics(), log_topics.vocabulary_size(),
                            std::move(values));
}

}  // namespace topicwall::lda
