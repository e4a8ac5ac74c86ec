#include "client/fit/algorithms/paper_noise.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "client/fit/fit_planner.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/told_numbers.h"

namespace topicwall::client {

absl::StatusOr<std::optional<PaperNoise>> PaperNoiseOf(const FitSpec& spec,
                                                       const v1::CorpusDescription& description) {
  TW_ASSIGN_OR_RETURN(const std::optional<int64_t> units, DocumentsOf(description, spec.planning));
  if (!units.has_value() || spec.algorithm != kPaper) return std::nullopt;
  const double words = WordsOf(spec, description);
  const double documents = static_cast<double>(*units) * (1 - spec.held_out_share);
  const double entries = *spec.num_topics * static_cast<double>(description.vocabulary_size());
  const double deviation = *spec.noise_multiplier * *spec.clip_norm / *spec.sampling_rate;
  // The mean of max(0, z), z normal.
  const double left = std::sqrt(1 / (2 * std::numbers::pi));
  return PaperNoise{
      .of_documents = documents * words * lda::ShareLeftByClip(words, *spec.clip_norm),
      .of_noise = entries * deviation * left};
}

std::string WarningOf(const PaperNoise& expected, double epsilon) {
  const double times = expected.of_noise / expected.of_documents;
  if (times <= 1) return "";
  return absl::StrFormat(
      "warning: at epsilon %s (alone) the topics are expected to be noise for the most part, of "
      "which algorithm paper, that takes sums below 0 for 0, is left with %s times the words of "
      "all documents: wherever such fits were measured they were worse than word frequencies "
      "alone. "
      "An epsilon of about %s, fewer topics, a larger corpus, or --algorithm denoised has "
      "enough.",
      proto::EpsilonText(epsilon), proto::TwoDigitsUp(times), proto::TwoDigitsUp(epsilon * times));
}

}  // namespace topicwall::client
