#include "client/evaluate/wall_lengths.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/spend.h"
#include "client/fit/fit_planner.h"
#include "client/wall/topics_asked.h"
#include "model/data/corpus_shape.h"
#include "proto/models/lengths.pb.h"

namespace topicwall::client {
namespace {

// What every unit weighs.
constexpr double kClipNormOfLengths = 1;

v1::ReleaseSpec UnpricedPlanOfLengths(const LengthsQuote& quote) {
  v1::LengthOptions options;
  options.set_num_bins(static_cast<int32_t>(quote.edges.size()) + 1);
  v1::ReleaseSpec plan;
  plan.set_corpus(quote.description.corpus());
  plan.set_corpus_version(quote.description.corpus_version());
  plan.set_sampling_rate(1);
  plan.set_iterations(1);
  plan.set_max_tokens(quote.description.limits().max_tokens());
  plan.set_model(kUnitLengths);
  plan.set_options(options.SerializeAsString());
  return plan;
}

void NoteLengths(const LengthsQuote& quote, v1::LengthsFile& file) {
  file.set_format_version(kLengthsFormatVersion);
  file.set_clip_norm(kClipNormOfLengths);
  file.mutable_edges()->Add(quote.edges.begin(), quote.edges.end());
  file.set_most_words(quote.most_words);
  file.set_privacy_unit(quote.description.privacy_unit());
  file.set_custodian_id(quote.description.custodian_id());
}

void TakeLengths(const Release& release, v1::LengthsFile& file) {
  file.mutable_counts()->Add(release.statistics.begin(), release.statistics.end());
  file.set_noise_standard_deviation(release.header.noise_standard_deviation());
}

}  // namespace

absl::StatusOr<LengthsQuote> QuoteLengths(WallPort& wall, const LengthsWish& wish) {
  TW_RETURN_IF_ERROR(CheckNoise(wish.noise));
  LengthsQuote quote;
  TW_ASSIGN_OR_RETURN(static_cast<PlanQuote&>(quote), BeginQuote(wall, wish.corpus));
  if (quote.description.has_vectors()) {
    return absl::InvalidArgumentError(absl::StrCat("lengths are of text, and ", wish.corpus,
                                                   " is of vectors, which have no words. A plan "
                                                   "of vectors needs none."));
  }
  quote.most_words = MostWordsPerUnit(quote.description, std::nullopt);
  quote.edges = lengths::EdgesUpTo(quote.most_words);
  quote.plan = UnpricedPlanOfLengths(quote);
  TW_RETURN_IF_ERROR(PriceAtMost(wall, wish.noise, quote));
  return quote;
}

std::optional<double> ExpectedError(const LengthsQuote& quote) {
  if (quote.description.nominal_size() < 1) return std::nullopt;
  return lengths::ExpectedRankError(static_cast<int>(quote.edges.size()) + 1,
                                    quote.plan.gaussian().noise_multiplier() * kClipNormOfLengths,
                                    static_cast<double>(quote.description.nominal_size()));
}

absl::StatusOr<WallLengths> AskLengths(WallPort& wall, ModelDirectory& directory,
                                       const LengthsWish& wish, const LengthsHooks& hooks) {
  TW_RETURN_IF_ERROR(CheckNoise(wish.noise));
  return AskPaid<v1::LengthsFile, LengthsQuote>(
      wall, directory,
      {.corpus = wish.corpus,
       .path = LengthsPath(directory.path(), wish),
       .read = ReadLengths,
       .quote = [&] { return QuoteLengths(wall, wish); },
       .note = NoteLengths,
       .custodian_id = [](const v1::LengthsFile& file) { return file.custodian_id(); },
       .parameters =
           [](const v1::LengthsFile& file) {
             return std::vector<float>(file.edges().begin(), file.edges().end());
           },
       // How many words there are changes nothing of what is answered.
       .corpus_shape =
           [](const v1::LengthsFile&) { return model::CorpusShape{.vocabulary_size = 1}; },
       .releases = [](const v1::LengthsFile& file) { return IsFinished(file) ? 1 : 0; },
       .take = TakeLengths},
      hooks);
}

}  // namespace topicwall::client
