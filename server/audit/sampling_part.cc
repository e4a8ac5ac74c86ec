#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/parts.h"
#include "server/audit/statistics/bounds.h"
#include "server/audit/statistics/draw_sums.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/canary_wall.h"
#include "server/mechanism/poisson_sampler.h"

namespace topicwall::audit {
namespace {

constexpr double kRate = 0.3;
// An entry is 8 standard deviations from the threshold, a bin of the histogram from the next count.
constexpr double kSigma = 1.0 / 16.0;
constexpr int kTerms = 512;     // of the long document
constexpr int kMostWords = 16;  // that are kept of it
constexpr int kDocuments = 40;  // of the owner, of which AuditedWall::kMostDocuments are kept
constexpr int kCuts = 40;       // releases of what is cut

absl::Status ObserveDraws(const CanaryShape& shape, int releases, Attack& attack,
                          std::vector<Finding>* findings) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<CanaryWall> wall, CanaryWall::Start(attack, shape));
  DrawSums sums(shape.units, kRate);
  // Every canary is longer than the clip norm: the histogram's last bin counts who was drawn.
  int64_t differ = 0;
  TW_RETURN_IF_ERROR(wall->Observe({.sampling_rate = kRate,
                                    .noise_multiplier = kSigma,
                                    .histogram_noise_multiplier = kSigma,
                                    .releases = releases},
                                   [&](const CanaryWall::Seen& seen) {
                                     std::vector<bool> drawn;
                                     for (std::size_t unit = 0; unit < shape.units; ++unit) {
                                       drawn.push_back(seen.by_term[shape.EntryOf(unit)] > 0.5F);
                                     }
                                     const auto batch =
                                         std::count(drawn.begin(), drawn.end(), true);
                                     differ += std::lround(seen.histogram.back()) == batch ? 0 : 1;
                                     sums.Add(drawn);
                                   }));
  Append(sums.Report(attack.x()), findings);
  findings->push_back({"statistics and norm histogram are of the same units",
                       absl::StrFormat("%d releases of %d units", releases, shape.units),
                       absl::StrCat(differ, " differ"), "none", "1 unit", HoldsIf(differ == 0)});
  return absl::OkStatus();
}

// One unit that is cut to `chosen` of its terms 0 … among - 1, each of them once.
struct Cut {
  std::string claim;
  PlantedCorpus planted;
  int chosen;
  int among;
};

Cut LongDocument() {
  Cut cut = {"words of a document that is too long are chosen evenly, and afresh each time",
             {.vocabulary_size = kTerms, .documents = {{.id = "long", .counts = {}}}},
             kMostWords,
             kTerms};
  for (uint32_t i = 0; i < kTerms; ++i) cut.planted.documents[0].counts.push_back({i, 1});
  return cut;
}

Cut OwnerOfMany() {
  Cut cut = {"so are documents of an owner who has too many",
             {.vocabulary_size = kTerms, .privacy_unit = v1::PRIVACY_UNIT_OWNER, .documents = {}},
             AuditedWall::kMostDocuments,
             kDocuments};
  for (uint32_t i = 0; i < kDocuments; ++i) {
    cut.planted.documents.push_back(
        {.id = absl::StrCat("document-", i), .owner = "owner", .counts = {{i, 1}}});
  }
  return cut;
}

absl::StatusOr<Finding> ObserveCut(const Cut& cut, Attack& attack) {
  constexpr char kCorpus[] = "cut";
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(attack.NewPath("wall"), {.corpora = {{kCorpus, cut.planted}}}));
  v1::ReleaseSpec plan = wall->PlanOf(kCorpus);
  // At most 25 terms once each have length 5: nothing is clipped, and noise is 5/64 of a word.
  plan.mutable_gaussian()->set_noise_multiplier(0x1p-6);
  plan.set_max_tokens(kMostWords);
  plan.set_iterations(kCuts);
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall->alice().Reserve(plan));
  int wrong_size = 0;
  int64_t in_first_half = 0;
  int64_t again = 0;
  std::vector<bool> last(kTerms, false);
  for (int i = 1; i <= kCuts; ++i) {
    TW_ASSIGN_OR_RETURN(
        const ReceivedRelease release,
        wall->alice().RunRelease(state, i,
                                 {.parameters = std::vector<float>(kTerms, -1), .clip_norm = 5}));
    int kept = 0;
    for (std::size_t term = 0; term < last.size(); ++term) {
      const bool is_kept = release.statistics[term] > 0.5F;
      kept += is_kept ? 1 : 0;
      in_first_half += is_kept && static_cast<int>(term) < cut.among / 2 ? 1 : 0;
      // Of releases two by two, so that no cut is in two pairs and the bound's trials are
      // independent.
      again += i % 2 == 0 && is_kept && last[term] ? 1 : 0;
      last[term] = is_kept;
    }
    wrong_size += kept == cut.chosen ? 0 : 1;
  }
  const double share = static_cast<double>(cut.chosen) / cut.among;
  const int64_t all = int64_t{kCuts} * cut.chosen;
  // Words of one cut are drawn without replacement, for which the bound holds as well (bounds.h).
  return Finding{
      cut.claim,
      absl::StrFormat("%d of %d, %d releases", cut.chosen, cut.among, kCuts),
      absl::StrFormat("%d from the first half, %d kept twice running, %d of another "
                      "size",
                      in_first_half, again, wrong_size),
      absl::StrFormat("about %d and %.0f; none", all / 2, static_cast<double>(all) / 2 * share),
      "the same ones each time; those from one half",
      HoldsIf(RateInterval(in_first_half, all, attack.x()).Holds(0.5) &&
              RateInterval(again, all / 2, attack.x()).Holds(share) && wrong_size == 0)};
}

// threshold <= ν·2^64. Both sides are doubles: below 2^64 a threshold has at most the 53 bits of ν.
Finding Thresholds() {
  int above = 0;
  int tried = 0;
  for (double rate = 0.9; rate > 1e-25; rate *= 0.37) {
    for (const double near : {rate, std::nextafter(rate, 0.0)}) {
      ++tried;
      const auto threshold = static_cast<double>(mechanism::CoinThreshold(near));
      above += threshold <= std::ldexp(near, 64) ? 0 : 1;
    }
  }
  return {"no coin's threshold is above the rate that was paid",
          absl::StrFormat("%d rates from 1e-25 to 1", tried),
          absl::StrCat(above, " above"),
          "none",
          "2^-64 of a rate",
          HoldsIf(above == 0)};
}

}  // namespace

Findings AttackSampling(Attack& attack) {
  const int releases = attack.options().releases;
  std::vector<Finding> findings;
  TW_RETURN_IF_ERROR(ObserveDraws(kSmallShape, std::min(releases, 2000), attack, &findings));
  TW_RETURN_IF_ERROR(
      ObserveDraws(kLargeShape, std::clamp(releases / 25, 2, 40), attack, &findings));
  for (const Cut& cut : {LongDocument(), OwnerOfMany()}) {
    TW_ASSIGN_OR_RETURN(Finding finding, ObserveCut(cut, attack));
    findings.push_back(std::move(finding));
  }
  findings.push_back(Thresholds());
  return findings;
}

}  // namespace topicwall::audit
