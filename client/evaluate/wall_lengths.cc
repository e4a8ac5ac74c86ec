#include "client/evaluate/wall_lengths.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/fit/fit_quote.h"
#include "client/wall/topics_asked.h"
#include "model/data/corpus_shape.h"
#include "proto/models/lengths.pb.h"

namespace topicwall::client {
namespace {

// What every unit weighs.
constexpr double kClipNormOfLengths = 1;
// Beyond it bins would be of nobody.
constexpr int64_t kMostWords = int64_t{1} << 40;

int64_t MostWords(const v1::CorpusDescription& description) {
  const v1::Limits& limits = description.limits();
  const int64_t words = std::max<int64_t>(1, limits.max_tokens());
  if (description.privacy_unit() != v1::PRIVACY_UNIT_OWNER) return std::min(words, kMostWords);
  const int64_t documents = std::max<int64_t>(1, limits.max_documents_per_unit());
  // By division: the product may overflow.
  return documents > kMostWords / words ? kMostWords : words * documents;
}

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

absl::StatusOr<v1::LengthsFile> BeginLengths(WallPort& wall, const LengthsWish& wish,
                                             const LengthsHooks& hooks) {
  TW_ASSIGN_OR_RETURN(const LengthsQuote quote, QuoteLengths(wall, wish));
  TW_ASSIGN_OR_RETURN(v1::LengthsFile file, NewPaid<v1::LengthsFile>(quote, hooks));
  file.set_format_version(kLengthsFormatVersion);
  file.set_clip_norm(kClipNormOfLengths);
  file.mutable_edges()->Add(quote.edges.begin(), quote.edges.end());
  file.set_most_words(quote.most_words);
  file.set_privacy_unit(quote.description.privacy_unit());
  file.set_custodian_id(quote.description.custodian_id());
  return file;
}

absl::Status FinishLengths(WallPort& wall, const ModelDirectory& directory, const std::string& path,
                           const LengthsHooks& hooks, v1::LengthsFile& file) {
  const std::vector<float> edges(file.edges().begin(), file.edges().end());
  // How many words there are changes nothing of what is answered.
  const model::CorpusShape of_text = {.vocabulary_size = 1};
  return FinishPlan(
      wall, {.file = file,
             .directory = directory,
             .path = path,
             .plan = *file.mutable_plan(),
             .clip_norm = file.clip_norm(),
             .corpus = of_text,
             .parameters = edges,
             .releases = [&] { return IsFinished(file) ? 1 : 0; },
             .take =
                 [&](const Release& release) {
                   file.mutable_counts()->Add(release.statistics.begin(), release.statistics.end());
                   file.set_noise_standard_deviation(release.header.noise_standard_deviation());
                 },
             .on_progress = hooks.on_progress,
             .should_stop = hooks.should_stop});
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
  quote.most_words = MostWords(quote.description);
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
  // The name says what was asked: to find the file is to have the same question again.
  const std::string path = LengthsPath(directory.path(), wish);
  TW_ASSIGN_OR_RETURN(std::optional<v1::LengthsFile> begun, ReadLengths(path));
  if (begun.has_value() && IsFinished(*begun)) {
    TW_RETURN_IF_ERROR(CheckPaidHere(wall, wish.corpus, directory.path(), begun->custodian_id()));
    return WallLengths{.file = *std::move(begun), .was_finished = true};
  }
  if (begun.has_value()) {
    TW_RETURN_IF_ERROR(CheckVersion(wall, begun->plan().plan()));
  } else {
    TW_ASSIGN_OR_RETURN(begun, BeginLengths(wall, wish, hooks));
  }
  TW_RETURN_IF_ERROR(FinishLengths(wall, directory, path, hooks, *begun));
  return WallLengths{.file = *std::move(begun), .was_finished = false};
}

}  // namespace topicwall::client
