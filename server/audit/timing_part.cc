#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/parts.h"
#include "server/audit/statistics/bounds.h"
#include "server/audit/walls/audited_wall.h"

namespace topicwall::audit {
namespace {

constexpr char kThin[] = "thin";
constexpr char kFat[] = "fat";
constexpr int kTerms = 4'000;
constexpr int kTopics = 50;
constexpr int kWordsOfADocument = 40;
constexpr int kThinDocuments = 10;
// As many of each corpus; at least what shows two samples apart altogether.
constexpr int kFewest = 20;
constexpr int kMost = 100;
// From one call to the next of its kind: all of them leave a processor to what they watch. Of plans
// a thousand may be open.
constexpr double kPauseMs = 5;
constexpr double kReservePauseMs = 700;

PlantedCorpus DocumentsOf(int documents) {
  PlantedCorpus planted = {.vocabulary_size = kTerms, .documents = {}};
  for (int i = 0; i < documents; ++i) {
    planted.documents.push_back({.id = absl::StrCat("document-", i), .counts = {}});
    constexpr int kApart = kTerms / kWordsOfADocument;
    for (int word = 0; word < kWordsOfADocument; ++word) {
      planted.documents.back().counts.push_back(
          {static_cast<uint32_t>(word * kApart + i % kApart), 3});
    }
  }
  return planted;
}

// Uneven, so that an E-step has something to do; with all that a clip can be asked to do.
ReleaseQuestion Question() {
  ReleaseQuestion question = {.parameters = {}, .clip_norm = 4, .direction_noise = 5};
  for (int topic = 0; topic < kTopics; ++topic) {
    for (int term = 0; term < kTerms; ++term) {
      question.parameters.push_back(-8 - static_cast<float>((topic * 31 + term * 17) % 40) / 10);
    }
  }
  return question;
}

absl::StatusOr<v1::PlanState> Reserve(const AuditedWall& wall, const Principal& principal,
                                      const std::string& corpus, int iterations) {
  v1::ReleaseSpec plan = wall.PlanOf(corpus);
  plan.set_iterations(iterations);
  plan.set_options(OptionsOfTopics(kTopics, /*max_iterations=*/100, /*mean_change_threshold=*/0));
  return principal.Reserve(plan);
}

struct Poll {
  std::string name;
  std::function<absl::Status()> make;
  double pause_ms = kPauseMs;
};

// Every call of the service, by those who wait for no release. `plan`: one of bob's whose first
// iteration is released.
std::vector<Poll> PollsOf(const AuditedWall& wall, const v1::PlanState& plan) {
  const Principal& bob = wall.bob();
  const Principal& ann = wall.ann();
  v1::Act vocabulary;
  vocabulary.mutable_get_vocabulary()->set_corpus(kThin);
  v1::Act plans;
  plans.mutable_list_plans()->set_corpus(kThin);
  return {{"DescribeCorpus", [&] { return bob.Describe(kThin).status(); }},
          {"GetVocabulary", [=, &bob] { return bob.Ask(vocabulary).status(); }},
          {"PricePlan", [=, &bob] { return bob.Price(plan.plan()).status(); }},
          {"ReservePlan", [=, &bob] { return bob.Reserve(plan.plan()).status(); }, kReservePauseMs},
          {"GetPlan", [=, &bob] { return bob.GetPlan(plan.plan_id()).status(); }},
          {"ListPlans", [=, &bob] { return bob.Ask(plans).status(); }},
          {"GetRelease", [=, &bob] { return bob.GetRelease(plan.plan_id(), 1).status(); }},
          {"GetBudget", [&] { return ann.Budget(kThin).status(); }},
          {"ReadLedger", [&] { return ann.ReadLedger(kThin).status(); }}};
}

// What was measured of one release: from request to reply; then of every call how long the slowest
// took, and when that was. What has to wait for a lock that a release takes when it is ready shows
// in both.
using Measured = std::vector<double>;

absl::StatusOr<Measured> MeasureDuring(const std::function<absl::Status()>& act,
                                       const std::vector<Poll>& polls) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto now_ms = [start] {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  Measured measured(1 + 2 * polls.size(), 0);
  auto acting = std::async(std::launch::async, [&] {
    const absl::Status status = act();
    measured[0] = now_ms();
    return status;
  });
  std::vector<double> next_ms(polls.size(), 0);
  absl::Status polled;
  while (polled.ok() &&
         acting.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    for (std::size_t i = 0; i < polls.size(); ++i) {
      const double when_ms = now_ms();
      if (when_ms < next_ms[i]) continue;
      next_ms[i] = when_ms + polls[i].pause_ms;
      polled.Update(polls[i].make());
      const double took_ms = now_ms() - when_ms;
      if (took_ms <= measured[1 + 2 * i]) continue;
      measured[1 + 2 * i] = took_ms;
      measured[2 + 2 * i] = when_ms;
    }
  }
  TW_RETURN_IF_ERROR(acting.get());
  TW_RETURN_IF_ERROR(polled);
  return measured;
}

// Whether each release is the fat corpus's: one of each that is not counted, because what is done
// once is done then; of the others half, every order as likely.
absl::StatusOr<std::vector<bool>> DrawnOrder(int of_each, Attack& attack) {
  TW_ASSIGN_OR_RETURN(random::Keystream choices, attack.Choices("order of timed releases"));
  std::vector<bool> fat = {false, true};
  int left[] = {of_each, of_each};
  while (left[0] + left[1] > 0) {
    const auto all = static_cast<uint64_t>(left[0] + left[1]);
    // As from an urn: every order of as many of each is as likely.
    const bool is_fat = choices.NextBelow(all) < static_cast<uint64_t>(left[1]);
    --left[is_fat ? 1 : 0];
    fat.push_back(is_fat);
  }
  TW_RETURN_IF_ERROR(choices.status());
  return fat;
}

Finding WorstOf(std::string claim, const std::vector<std::string>& names, std::size_t first,
                const std::vector<Measured> (&of)[2], const TimingTrial& trial) {
  TwoSampleTest worst;
  std::string worst_name = "none told apart";
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<double> samples[2];
    for (const int corpus : {0, 1}) {
      for (const Measured& measured : of[corpus]) samples[corpus].push_back(measured[first + i]);
    }
    const TwoSampleTest test = CompareSamples(std::move(samples[0]), std::move(samples[1]));
    if (test.p_value >= worst.p_value) continue;
    worst = test;
    worst_name = names[i];
  }
  return {std::move(claim),
          absl::StrFormat("by %d measures, %d releases of each of two corpora, %d "
                          "and %d documents, T = %d ms, real clock",
                          names.size(), trial.of_each, kThinDocuments, trial.fat_documents,
                          trial.interval_ms),
          absl::StrFormat("distance %.3f, by chance with probability %.2g (%s)", worst.distance,
                          worst.p_value, worst_name),
          absl::StrFormat("probability above %.2g", trial.most_p),
          absl::StrFormat("a distance of %.3f", SmallestDistanceSeen(trial.of_each, trial.most_p)),
          HoldsIf(worst.p_value > trial.most_p)};
}

}  // namespace

Findings TryTiming(const TimingTrial& trial, Attack& attack) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<AuditedWall> wall,
                      AuditedWall::Start(attack.NewPath("wall"),
                                         {.corpora = {{kThin, DocumentsOf(kThinDocuments)},
                                                      {kFat, DocumentsOf(trial.fat_documents)}},
                                          .e_step_threads = 1,
                                          .interval_ms = trial.interval_ms}));
  const ReleaseQuestion question = Question();
  const Principal& alice = wall->alice();
  TW_ASSIGN_OR_RETURN(const v1::PlanState thin, Reserve(*wall, alice, kThin, trial.of_each + 1));
  TW_ASSIGN_OR_RETURN(const v1::PlanState fat, Reserve(*wall, alice, kFat, trial.of_each + 1));
  TW_ASSIGN_OR_RETURN(const v1::PlanState bobs, Reserve(*wall, wall->bob(), kThin, 1));
  TW_RETURN_IF_ERROR(wall->bob().RunRelease(bobs, 1, question).status());
  const std::vector<Poll> polls = PollsOf(*wall, bobs);
  TW_ASSIGN_OR_RETURN(const std::vector<bool> order, DrawnOrder(trial.of_each, attack));
  std::vector<Measured> of[2];
  int iterations[] = {0, 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int corpus = order[i] ? 1 : 0;
    const int iteration = ++iterations[corpus];
    const auto release = [&] {
      return alice.RunRelease(corpus == 1 ? fat : thin, iteration, question).status();
    };
    TW_ASSIGN_OR_RETURN(Measured measured, MeasureDuring(release, polls));
    if (iteration > 1) of[corpus].push_back(std::move(measured));
    if (i % 20 == 19) {
      attack.Tell(absl::StrFormat("timing: release %d of %d", i + 1, order.size()));
    }
  }
  std::vector<std::string> names;
  for (const Poll& poll : polls) {
    names.push_back(absl::StrCat("the slowest ", poll.name));
    names.push_back(absl::StrCat("when ", poll.name, " was slowest"));
  }
  return std::vector<Finding>{
      WorstOf("when a release arrives is the same for a thin corpus and a fat one",
              {"from request to reply"}, 0, of, trial),
      WorstOf("no call of another principal's tells when a release is ready", names, 1, of, trial)};
}

Findings AttackTiming(Attack& attack) {
  return TryTiming({.of_each = std::clamp(attack.options().releases, kFewest, kMost),
                    .most_p = 2 * std::exp(-attack.x())},
                   attack);
}

}  // namespace topicwall::audit
