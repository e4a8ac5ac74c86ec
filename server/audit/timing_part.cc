#include "server/audit/timing_part.h"

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
#include "server/audit/statistics/two_sample_test.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/polled_wall.h"

namespace topicwall::audit {
namespace {

constexpr char kThin[] = "thin";
constexpr char kFat[] = "fat";
constexpr int kTerms = 4'000;
constexpr int kTopics = 50;
constexpr int kWordsOfADocument = 40;
constexpr int kThinDocuments = 10;
constexpr int kFatDocuments = 6'000;
// As many of each corpus; at least what shows two samples apart altogether.
constexpr int kFewest = 20;
constexpr int kMost = 100;
constexpr accountant::PrivacyParams kBudget = {.epsilon = 0x1p20, .delta = 1e-6};

PlantedCorpus DocumentsOf(int documents) {
  PlantedCorpus planted = {.vocabulary_size = kTerms, .documents = {}};
  for (int i = 0; i < documents; ++i) {
    planted.documents.push_back({.id = absl::StrCat("document-", i), .counts = {}});
    for (int word = 0; word < kWordsOfADocument; ++word) {
      const int term = word * (kTerms / kWordsOfADocument) + i % (kTerms / kWordsOfADocument);
      planted.documents.back().counts.push_back({static_cast<uint32_t>(term), 3});
    }
  }
  return planted;
}

// Uneven, so that an E-step has something to do.
ReleaseQuestion Question() {
  ReleaseQuestion question = {.log_topics = {}, .clip_norm = 4};
  for (int topic = 0; topic < kTopics; ++topic) {
    for (int term = 0; term < kTerms; ++term) {
      question.log_topics.push_back(-8 - static_cast<float>((topic * 31 + term * 17) % 40) / 10);
    }
  }
  return question;
}

absl::StatusOr<v1::PlanState> Reserve(AuditedWall& wall, const WallProbe& principal,
                                      const std::string& corpus, int iterations) {
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall.PlanOf(corpus));
  plan.set_iterations(iterations);
  plan.set_options(OptionsOfTopics(kTopics, /*max_iterations=*/100, /*mean_change_threshold=*/0));
  return principal.Reserve(plan);
}

// Whether each release is the fat corpus's: half of them, every order as likely.
absl::StatusOr<std::vector<bool>> DrawnOrder(int of_each, const AuditSeed& seed) {
  TW_ASSIGN_OR_RETURN(random::Keystream choices, seed.Choices("order of timed releases"));
  std::vector<bool> fat(static_cast<std::size_t>(of_each), true);
  fat.resize(2 * fat.size(), false);
  for (std::size_t i = fat.size() - 1; i > 0; --i) {
    const std::size_t other = choices.NextBelow(i + 1);
    const bool swapped = fat[i];
    fat[i] = fat[other];
    fat[other] = swapped;
  }
  TW_RETURN_IF_ERROR(choices.status());
  return fat;
}

struct Seen {
  std::vector<std::string> calls;
  std::vector<PolledRelease> thin;
  std::vector<PolledRelease> fat;
};

absl::StatusOr<Seen> Observe(const TimingTrial& trial, const AuditSeed& seed, AuditedWall& wall) {
  const int of_each = trial.of_each;
  const ReleaseQuestion question = Question();
  // One iteration more each, which is not timed: what is done once is done then.
  TW_ASSIGN_OR_RETURN(const v1::PlanState thin, Reserve(wall, wall.alice(), kThin, of_each + 1));
  TW_ASSIGN_OR_RETURN(const v1::PlanState fat, Reserve(wall, wall.alice(), kFat, of_each + 1));
  TW_ASSIGN_OR_RETURN(const v1::PlanState bobs, Reserve(wall, wall.bob(), kThin, 1));
  TW_RETURN_IF_ERROR(wall.bob().RunRelease(bobs.plan_id(), 1, question).status());
  const PolledWall polled(&wall, kThin, bobs);
  Seen seen = {.calls = polled.CallNames(), .thin = {}, .fat = {}};
  TW_ASSIGN_OR_RETURN(const std::vector<bool> drawn, DrawnOrder(of_each, seed));
  std::vector<bool> order = {false, true};
  order.insert(order.end(), drawn.begin(), drawn.end());
  int iterations[] = {0, 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& plan = (order[i] ? fat : thin).plan_id();
    const int iteration = ++iterations[order[i] ? 1 : 0];
    TW_ASSIGN_OR_RETURN(PolledRelease release, polled.During([&] {
      return wall.alice().RunRelease(plan, iteration, question).status();
    }));
    if (iteration > 1) (order[i] ? seen.fat : seen.thin).push_back(std::move(release));
    if (trial.progress != nullptr && i % 20 == 19) {
      trial.progress(absl::StrFormat("timing: release %d of %d", i + 1, order.size()));
    }
  }
  return seen;
}

struct Worst {
  std::string name;
  TwoSampleTest test = {.distance = 0, .p_value = 1};

  template <typename Number>
  void Compare(std::string what, const Seen& seen, Number number) {
    std::vector<double> thin;
    std::vector<double> fat;
    for (const PolledRelease& release : seen.thin) thin.push_back(number(release));
    for (const PolledRelease& release : seen.fat) fat.push_back(number(release));
    const TwoSampleTest compared = CompareSamples(std::move(thin), std::move(fat));
    if (!name.empty() && compared.p_value >= test.p_value) return;
    test = compared;
    name = std::move(what);
  }
};

Finding RowOf(std::string claim, std::string tried, const Worst& worst, int of_each, double p) {
  return {Part::kTiming,
          std::move(claim),
          std::move(tried),
          absl::StrFormat("distance %.3f, by chance with probability %.2g (%s)",
                          worst.test.distance, worst.test.p_value, worst.name),
          absl::StrFormat("probability above %.2g", p),
          absl::StrFormat("a distance of %.3f", SmallestDistanceSeen(of_each, of_each, p)),
          HoldsIf(worst.test.p_value > p)};
}

}  // namespace

absl::StatusOr<std::vector<Finding>> TryTiming(const TimingTrial& trial, const AuditSeed& seed,
                                               ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(folder,
                         {.corpora = {{.name = kThin, .planted = DocumentsOf(kThinDocuments)},
                                      {.name = kFat, .planted = DocumentsOf(kFatDocuments)}},
                          .budget = kBudget,
                          .bob_epsilon_cap = kBudget.epsilon,
                          .e_step_threads = 1,
                          .real_interval_ms = trial.interval_ms,
                          .timing_protection = trial.timing_protection}));
  TW_ASSIGN_OR_RETURN(const Seen seen, Observe(trial, seed, *wall));
  Worst arrival;
  arrival.Compare("from request to reply", seen,
                  [](const PolledRelease& release) { return release.took_ms; });
  Worst calls;
  for (std::size_t i = 0; i < seen.calls.size(); ++i) {
    calls.Compare(absl::StrCat("the slowest ", seen.calls[i]), seen,
                  [i](const PolledRelease& release) { return release.calls[i].slowest_ms; });
    calls.Compare(absl::StrCat("when ", seen.calls[i], " was slowest"), seen,
                  [i](const PolledRelease& release) { return release.calls[i].when_ms; });
  }
  const std::string tried = absl::StrFormat(
      "%d releases of each of two corpora, %d and %d documents, T = %d ms, real clock",
      trial.of_each, kThinDocuments, kFatDocuments, trial.interval_ms);
  return std::vector<Finding>{
      RowOf("when a release arrives is the same for a thin corpus and a fat one", tried, arrival,
            trial.of_each, trial.most_p),
      RowOf("no call of another principal's tells when a release is ready",
            absl::StrFormat("%d calls polled meanwhile, 2 numbers of each", seen.calls.size()),
            calls, trial.of_each, trial.most_p)};
}

absl::StatusOr<std::vector<Finding>> AuditTiming(const AuditOptions& options, const AuditSeed& seed,
                                                 double x, ScratchFolder* folder) {
  return TryTiming({.of_each = std::clamp(options.releases, kFewest, kMost),
                    .most_p = 2 * std::exp(-x),
                    .progress = options.progress},
                   seed, folder);
}

}  // namespace topicwall::audit
