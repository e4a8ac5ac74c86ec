#include "server/audit/sampling_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/statistics/draw_findings.h"
#include "server/audit/statistics/draw_sums.h"
#include "server/audit/statistics/statistical_bounds.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/production_world.h"
#include "server/mechanism/poisson_sampler.h"

namespace topicwall::audit {
namespace {

constexpr char kUnits[] = "units";
constexpr char kLong[] = "long";
constexpr char kOwner[] = "owner";
constexpr int kNumUnits = 512;  // and terms
constexpr double kRate = 0.3;
constexpr double kSigma = 1.0 / 16.0;
constexpr int kMostReleases = 2000;
// One large release is made for so many small ones.
constexpr int kReleasesForALargeOne = 25;
constexpr int kMostLargeReleases = 40;
constexpr int kMostWords = 16;  // of the long document's kNumUnits
constexpr int kCuts = 40;
constexpr int kOwnedDocuments = 40;  // of which the wall takes AuditedWall::kMostDocuments
constexpr double kLowRate = 0.01;    // at which a corpus of one unit gives empty batches
constexpr int kShapes = 8;
constexpr accountant::PrivacyParams kBudget = {.epsilon = 0x1p20, .delta = 1e-6};

PlantedCorpus OneWordEach() {
  PlantedCorpus planted = {.vocabulary_size = kNumUnits, .documents = {}};
  for (uint32_t i = 0; i < kNumUnits; ++i) {
    planted.documents.push_back({.id = absl::StrCat("unit-", i), .counts = {{i, 1}}});
  }
  return planted;
}

PlantedCorpus OneLongDocument() {
  PlantedCorpus planted = {.vocabulary_size = kNumUnits,
                           .documents = {{.id = "long", .counts = {}}}};
  for (uint32_t i = 0; i < kNumUnits; ++i) planted.documents[0].counts.push_back({i, 1});
  return planted;
}

ReleaseQuestion QuestionOf(double clip_norm) {
  return {.log_topics = std::vector<float>(kNumUnits, -1.0F), .clip_norm = clip_norm};
}

// Which entries are nearer to 1 than to 0.
std::vector<bool> Present(const ReceivedRelease& release) {
  std::vector<bool> present;
  for (const float value : release.statistics) present.push_back(value > 0.5F);
  return present;
}

int64_t CountIn(const std::vector<bool>& present) {
  return std::count(present.begin(), present.end(), true);
}

struct Draws {
  DrawSums sums = DrawSums(kNumUnits, kRate);
  int64_t histograms_that_differ = 0;
};

absl::StatusOr<Draws> ObserveDraws(const AuditOptions& options, AuditedWall& wall) {
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall.PlanOf(kUnits));
  const int releases = std::min(options.releases, kMostReleases);
  plan.set_sampling_rate(kRate);
  plan.mutable_gaussian()->set_noise_multiplier(kSigma);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(kSigma);
  plan.set_iterations(releases);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall.alice().Reserve(plan));
  Draws draws;
  for (int i = 1; i <= releases; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall.alice().RunRelease(state.plan_id(), i, QuestionOf(1)));
    const std::vector<bool> drawn = Present(release);
    draws.sums.Add(drawn);
    const auto& bins = release.header.norm_histogram();
    const float most = bins.empty() ? 0 : *std::max_element(bins.begin(), bins.end());
    if (std::lround(most) != CountIn(drawn)) ++draws.histograms_that_differ;
    if (options.progress != nullptr && i % 100 == 0) {
      options.progress(absl::StrFormat("sampling: release %d of %d", i, releases));
    }
  }
  return draws;
}

// The same at the size of a model in use.
absl::StatusOr<DrawSums> ObserveProduction(const AuditOptions& options, ScratchFolder* folder) {
  if (options.progress != nullptr) options.progress("sampling: K = 100, V = 50,000");
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ProductionWorld> world, ProductionWorld::Start(folder));
  DrawSums sums(ProductionWorld::kTerms, kRate);
  const int releases = std::clamp(options.releases / kReleasesForALargeOne, 2, kMostLargeReleases);
  TW_RETURN_IF_ERROR(
      world->Observe({.sampling_rate = kRate, .noise_multiplier = kSigma, .releases = releases},
                     [&](const ReceivedRelease& release) {
                       std::vector<bool> drawn;
                       for (std::size_t unit = 0; unit < ProductionWorld::kTerms; ++unit) {
                         drawn.push_back(release.statistics[ProductionWorld::EntryOf(unit)] > 0.5F);
                       }
                       sums.Add(drawn);
                     }));
  return sums;
}

struct Shapes {
  std::vector<std::vector<std::size_t>> message_sizes;  // of each release
  int empty = 0;                                        // releases without anybody
};

absl::StatusOr<Shapes> ObserveShapes(const PlantedCorpus& planted, ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<AuditedWall> wall,
                      AuditedWall::Start(folder, {.corpora = {{.name = kUnits, .planted = planted}},
                                                  .budget = kBudget}));
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall->PlanOf(kUnits));
  plan.set_sampling_rate(kLowRate);
  plan.mutable_gaussian()->set_noise_multiplier(kSigma);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(kSigma);
  plan.set_iterations(kShapes);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall->alice().Reserve(plan));
  Shapes shapes;
  for (int i = 1; i <= kShapes; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall->alice().RunRelease(state.plan_id(), i, QuestionOf(1)));
    shapes.message_sizes.push_back(release.message_sizes);
    if (CountIn(Present(release)) == 0) ++shapes.empty;
  }
  return shapes;
}

// The same acts on a corpus of one unit, whose batches are mostly empty, and on one of 512.
absl::StatusOr<Finding> EmptyBatches(ScratchFolder* folder) {
  PlantedCorpus one = OneWordEach();
  one.documents.resize(1);
  TW_ASSIGN_OR_RETURN(const Shapes few, ObserveShapes(one, folder));
  TW_ASSIGN_OR_RETURN(const Shapes many, ObserveShapes(OneWordEach(), folder));
  const bool equal = few.message_sizes == many.message_sizes;
  return Finding{
      Part::kSampling,
      "a release without anybody is answered like any other",
      absl::StrFormat("a corpus of 1 unit and one of %d, %d releases each", kNumUnits, kShapes),
      absl::StrFormat("%d and %d of them without anybody: messages %s", few.empty, many.empty,
                      equal ? "of the same sizes" : "differ"),
      "same number and sizes",
      "1 byte",
      HoldsIf(equal)};
}

PlantedCorpus OneOwner() {
  PlantedCorpus planted = {
      .vocabulary_size = kNumUnits, .privacy_unit = corpus::PrivacyUnit::kOwner, .documents = {}};
  for (uint32_t i = 0; i < kOwnedDocuments; ++i) {
    planted.documents.push_back(
        {.id = absl::StrCat("document-", i), .owner = "owner", .counts = {{i, 1}}});
  }
  return planted;
}

// The sets of terms that releases of a unit that is cut kept.
absl::StatusOr<std::vector<std::vector<bool>>> ObserveCuts(const std::string& corpus,
                                                           AuditedWall& wall) {
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall.PlanOf(corpus));
  plan.mutable_gaussian()->set_noise_multiplier(0x1p-6);
  plan.set_max_tokens(kMostWords);
  plan.set_iterations(kCuts);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall.alice().Reserve(plan));
  std::vector<std::vector<bool>> kept;
  for (int i = 1; i <= kCuts; ++i) {
    // At most 25 terms once each have length 5: nothing is clipped, and noise is 5/64 of a word.
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall.alice().RunRelease(state.plan_id(), i, QuestionOf(5)));
    kept.push_back(Present(release));
  }
  return kept;
}

struct Choice {
  std::string claim;
  std::string what;
  int chosen;
  int among;  // terms 0 … among - 1
};

Finding Chosen(const Choice& choice, const std::vector<std::vector<bool>>& kept, double x) {
  int64_t again = 0;
  int64_t in_first_half = 0;
  int wrong_size = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (CountIn(kept[i]) != choice.chosen) ++wrong_size;
    for (std::size_t term = 0; term < kept[i].size(); ++term) {
      if (kept[i][term] && static_cast<int>(term) < choice.among / 2) ++in_first_half;
      if (i % 2 == 1 && kept[i][term] && kept[i - 1][term]) ++again;
    }
  }
  const double share = static_cast<double>(choice.chosen) / choice.among;
  const bool even = RateInterval(in_first_half, int64_t{kCuts} * choice.chosen, x).Holds(0.5);
  const bool fresh = RateInterval(again, int64_t{kCuts} / 2 * choice.chosen, x).Holds(share);
  return {
      Part::kSampling,
      choice.claim,
      absl::StrFormat("%d of %d %s, %d releases", choice.chosen, choice.among, choice.what, kCuts),
      absl::StrFormat("%d from the first half, %d kept twice running, %d of another size",
                      in_first_half, again, wrong_size),
      absl::StrFormat("about %d and %.0f; none", kCuts * choice.chosen / 2,
                      kCuts / 2 * choice.chosen * share),
      "the same ones each time; those from one half",
      HoldsIf(even && fresh && wrong_size == 0)};
}

// threshold <= ν·2^64 in exact arithmetic: the product is a whole number of 2^-1100.
Finding Thresholds() {
  int above = 0;
  int tried = 0;
  for (double rate = 1; rate > 1e-25; rate *= 0.37) {
    for (const double near : {rate, std::nextafter(rate, 0.0)}) {
      if (near >= 1) continue;
      ++tried;
      // Both sides are doubles: below 2^64 a threshold has at most the 53 bits of ν.
      if (!(static_cast<double>(mechanism::CoinThreshold(near)) <= std::ldexp(near, 64))) ++above;
    }
  }
  return Finding{Part::kSampling,
                 "no coin's threshold is above the rate that was paid",
                 absl::StrFormat("%d rates from 1e-25 to 1", tried),
                 absl::StrCat(above, " above"),
                 "none",
                 "2^-64 of a rate",
                 HoldsIf(above == 0)};
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditSampling(const AuditOptions& options, double x,
                                                   ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(folder, {.corpora = {{.name = kUnits, .planted = OneWordEach()},
                                              {.name = kLong, .planted = OneLongDocument()},
                                              {.name = kOwner, .planted = OneOwner()}},
                                  .budget = kBudget}));
  TW_ASSIGN_OR_RETURN(const Draws draws, ObserveDraws(options, *wall));
  TW_ASSIGN_OR_RETURN(Finding empty, EmptyBatches(folder));
  TW_ASSIGN_OR_RETURN(const auto words, ObserveCuts(kLong, *wall));
  TW_ASSIGN_OR_RETURN(const auto documents, ObserveCuts(kOwner, *wall));
  TW_ASSIGN_OR_RETURN(const DrawSums large, ObserveProduction(options, folder));
  std::vector<Finding> findings = DrawFindings(draws.sums, x);
  for (Finding& finding : LargeDrawFindings(large, x)) findings.push_back(std::move(finding));
  findings.push_back(Finding{Part::kSampling, "statistics and norm histogram are of the same units",
                             absl::StrFormat("%d releases", draws.sums.releases()),
                             absl::StrCat(draws.histograms_that_differ, " differ"), "none",
                             "1 unit", HoldsIf(draws.histograms_that_differ == 0)});
  findings.push_back(std::move(empty));
  findings.push_back(
      Chosen({"words of a document that is too long are chosen evenly, and afresh each time",
              "words", kMostWords, kNumUnits},
             words, x));
  findings.push_back(Chosen({"so are documents of an owner who has too many", "documents",
                             static_cast<int>(AuditedWall::kMostDocuments), kOwnedDocuments},
                            documents, x));
  findings.push_back(Thresholds());
  return findings;
}

}  // namespace topicwall::audit
