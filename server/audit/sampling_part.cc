#include "server/audit/sampling_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/status_macros.h"
#include "server/audit/audited_wall.h"
#include "server/audit/draw_sums.h"
#include "server/audit/statistical_bounds.h"
#include "server/mechanism/poisson_sampler.h"

namespace topicwall::audit {
namespace {

constexpr char kUnits[] = "units";
constexpr char kLong[] = "long";
constexpr int kNumUnits = 512;  // and terms
constexpr double kRate = 0.3;
constexpr double kSigma = 1.0 / 16.0;
constexpr int kMostReleases = 2000;
constexpr int kMostWords = 16;  // of the long document's kNumUnits
constexpr int kCuts = 40;
constexpr double kLowRate = 0.01;  // at which a corpus of one unit gives empty batches
constexpr int kShapes = 8;
constexpr accountant::PrivacyParams kBudget = {.epsilon = 0x1p20, .delta = 1e-6};

Finding Judged(std::string claim, std::string tried, std::string measured, std::string bound,
               std::string smallest, bool holds) {
  return {Part::kSampling,
          std::move(claim),
          std::move(tried),
          std::move(measured),
          std::move(bound),
          std::move(smallest),
          holds ? Verdict::kHolds : Verdict::kViolated};
}

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

EStepQuestion QuestionOf(double clip_norm) {
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
  TW_ASSIGN_OR_RETURN(v1::PlanSpec plan, wall.PlanOf(kUnits));
  const int releases = std::min(options.releases, kMostReleases);
  plan.set_sampling_rate(kRate);
  plan.set_noise_multiplier(kSigma);
  plan.set_histogram_noise_multiplier(kSigma);
  plan.set_iterations(releases);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall.alice().Reserve(plan));
  Draws draws;
  for (int i = 1; i <= releases; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall.alice().RunEStep(state.plan_id(), i, QuestionOf(1)));
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

Finding Altogether(const DrawSums& sums, double x) {
  const int64_t tosses = sums.releases() * kNumUnits;
  const Interval rate = RateInterval(sums.drawn(), tosses, x);
  Finding finding = Judged(
      "units take part at the rate that was paid", absl::StrFormat("%d coins", tosses),
      absl::StrFormat("%.5f (%.5f … %.5f)",
                      static_cast<double>(sums.drawn()) / static_cast<double>(tosses), rate.low,
                      rate.high),
      absl::StrFormat("%g in that range", kRate),
      absl::StrFormat("a rate of %.4f", kRate + 2 * (rate.high - rate.low) / 2), rate.Holds(kRate));
  // Fewer than were paid for cost accuracy, not privacy.
  if (rate.high < kRate) finding.verdict = Verdict::kUtilityLost;
  return finding;
}

Finding OfEachUnit(const DrawSums& sums, double x) {
  const double each = x + std::log(static_cast<double>(kNumUnits));
  int off = 0;
  for (const int64_t drawn : sums.drawn_of_unit()) {
    if (!RateInterval(drawn, sums.releases(), each).Holds(kRate)) ++off;
  }
  const auto& counts = sums.drawn_of_unit();
  return Judged(
      "so does every single unit", absl::StrFormat("%d units", kNumUnits),
      absl::StrFormat("drawn %d to %d times in %d releases; %d beyond chance",
                      *std::min_element(counts.begin(), counts.end()),
                      *std::max_element(counts.begin(), counts.end()), sums.releases(), off),
      "none", "a unit that is always or never drawn", off == 0);
}

Finding Batches(const DrawSums& sums, double x) {
  const double scatter = sums.batch_scatter() / static_cast<double>(sums.releases());
  const Interval bounds = BatchScatterBounds(sums.releases(), kNumUnits, kRate, x);
  return Judged("the number of units drawn scatters as independent coins do",
                absl::StrFormat("%d batches", sums.releases()),
                absl::StrFormat("variance %.3f of nν(1-ν)", scatter),
                absl::StrFormat("%.3f … %.3f", bounds.low, bounds.high),
                "batches of a fixed size; coins shared by 4 units", bounds.Holds(scatter));
}

Finding Alike(std::string claim, int64_t alike, int64_t pairs, double x) {
  const double by_chance = kRate * kRate + (1 - kRate) * (1 - kRate);
  const Interval rate = RateInterval(alike, std::max<int64_t>(pairs, 1), x);
  return Judged(
      std::move(claim), absl::StrFormat("%d pairs", pairs),
      absl::StrFormat("alike %.5f (%.5f … %.5f)",
                      static_cast<double>(alike) / static_cast<double>(std::max<int64_t>(pairs, 1)),
                      rate.low, rate.high),
      absl::StrFormat("%.5f in that range", by_chance),
      absl::StrFormat("a correlation of %.3f", (rate.high - rate.low) / (2 * kRate * (1 - kRate))),
      rate.Holds(by_chance));
}

struct Shapes {
  std::vector<std::vector<std::size_t>> message_sizes;  // of each release
  int empty = 0;                                        // releases without anybody
};

absl::StatusOr<Shapes> ObserveShapes(const PlantedCorpus& planted, ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<AuditedWall> wall,
                      AuditedWall::Start(folder, {.corpora = {{.name = kUnits, .planted = planted}},
                                                  .budget = kBudget}));
  TW_ASSIGN_OR_RETURN(v1::PlanSpec plan, wall->PlanOf(kUnits));
  plan.set_sampling_rate(kLowRate);
  plan.set_noise_multiplier(kSigma);
  plan.set_histogram_noise_multiplier(kSigma);
  plan.set_iterations(kShapes);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall->alice().Reserve(plan));
  Shapes shapes;
  for (int i = 1; i <= kShapes; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall->alice().RunEStep(state.plan_id(), i, QuestionOf(1)));
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
  return Judged(
      "a release without anybody is answered like any other",
      absl::StrFormat("a corpus of 1 unit and one of %d, %d releases each", kNumUnits, kShapes),
      absl::StrFormat("%d and %d of them without anybody: messages %s", few.empty, many.empty,
                      equal ? "of the same sizes" : "differ"),
      "same number and sizes", "1 byte", equal);
}

// The sets of words that releases of the long document kept.
absl::StatusOr<std::vector<std::vector<bool>>> ObserveCuts(AuditedWall& wall) {
  TW_ASSIGN_OR_RETURN(v1::PlanSpec plan, wall.PlanOf(kLong));
  plan.set_noise_multiplier(0x1p-6);
  plan.set_max_words(kMostWords);
  plan.set_iterations(kCuts);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall.alice().Reserve(plan));
  std::vector<std::vector<bool>> kept;
  for (int i = 1; i <= kCuts; ++i) {
    // 16 words once each have length 4: nothing is clipped, and noise is 1/16 of a word.
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall.alice().RunEStep(state.plan_id(), i, QuestionOf(4)));
    kept.push_back(Present(release));
  }
  return kept;
}

Finding Cuts(const std::vector<std::vector<bool>>& kept, double x) {
  int64_t again = 0;
  int64_t in_first_half = 0;
  int wrong_size = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (CountIn(kept[i]) != kMostWords) ++wrong_size;
    for (std::size_t word = 0; word < kept[i].size(); ++word) {
      if (kept[i][word] && word < kNumUnits / 2) ++in_first_half;
      if (i % 2 == 1 && kept[i][word] && kept[i - 1][word]) ++again;
    }
  }
  const double share = static_cast<double>(kMostWords) / kNumUnits;
  const bool even = RateInterval(in_first_half, int64_t{kCuts} * kMostWords, x).Holds(0.5);
  const bool fresh = RateInterval(again, int64_t{kCuts} / 2 * kMostWords, x).low <= share;
  return Judged("words of a document that is too long are chosen evenly, and afresh each time",
                absl::StrFormat("%d of %d words, %d releases", kMostWords, kNumUnits, kCuts),
                absl::StrFormat("%d from the first half, %d kept twice running, %d cuts of another "
                                "size",
                                in_first_half, again, wrong_size),
                absl::StrFormat("about %d and %.0f; none", kCuts * kMostWords / 2,
                                kCuts / 2 * kMostWords * share),
                "the same words each time; words from one half", even && fresh && wrong_size == 0);
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
  return Judged("no coin's threshold is above the rate that was paid",
                absl::StrFormat("%d rates from 1e-25 to 1", tried), absl::StrCat(above, " above"),
                "none", "2^-64 of a rate", above == 0);
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditSampling(const AuditOptions& options, double x,
                                                   ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(folder, {.corpora = {{.name = kUnits, .planted = OneWordEach()},
                                              {.name = kLong, .planted = OneLongDocument()}},
                                  .budget = kBudget}));
  TW_ASSIGN_OR_RETURN(const Draws draws, ObserveDraws(options, *wall));
  TW_ASSIGN_OR_RETURN(Finding empty, EmptyBatches(folder));
  TW_ASSIGN_OR_RETURN(const auto kept, ObserveCuts(*wall));
  const DrawSums& sums = draws.sums;
  std::vector<Finding> findings = {
      Altogether(sums, x),
      OfEachUnit(sums, x),
      Batches(sums, x),
      Alike("two units are drawn independently", sums.units_alike(), sums.unit_pairs(), x),
      Alike("a unit is drawn afresh for every release", sums.releases_alike(), sums.release_pairs(),
            x),
      Judged("statistics and norm histogram are of the same units",
             absl::StrFormat("%d releases", sums.releases()),
             absl::StrCat(draws.histograms_that_differ, " differ"), "none", "1 unit",
             draws.histograms_that_differ == 0)};
  findings.push_back(std::move(empty));
  findings.push_back(Cuts(kept, x));
  findings.push_back(Thresholds());
  return findings;
}

}  // namespace topicwall::audit
