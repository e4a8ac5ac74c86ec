#include "server/audit/walls/noise_world.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/mechanism/norm_histogram.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "noise";
constexpr int kDocuments = 30;
constexpr uint32_t kCanaryWords = 500;
constexpr int kReplayEvery = 10;
// A release costs at most some 300 nats at the smallest order of the filter (σ_eff = 1/16 ÷ √2).
constexpr accountant::PrivacyParams kBudget = {.epsilon = 0x1p20, .delta = 1e-6};

bool IsSpread(int canary) { return canary % 2 == 1; }

// Its terms: four numbers are set aside for each.
std::vector<uint32_t> TermsOf(int canary) {
  const auto first = static_cast<uint32_t>(4 * canary);
  if (!IsSpread(canary)) return {first};
  return {first, first + 1, first + 2, first + 3};
}

PlantedCorpus Documents() {
  PlantedCorpus planted = {.vocabulary_size = NoiseWorld::kTerms, .documents = {}};
  for (int i = 0; i < kDocuments; ++i) {
    const auto first = static_cast<uint32_t>(NoiseWorld::kFirstOfDocuments + i);
    planted.documents.push_back(
        {.id = absl::StrCat("document-", i), .counts = {{first, 3}, {first + 9, 2}}});
  }
  return planted;
}

PlantedCorpus DocumentsAndCanaries() {
  PlantedCorpus planted = Documents();
  for (int i = 0; i < NoiseWorld::kCanaries; ++i) {
    PlantedDocument canary = {.id = absl::StrCat("canary-", i), .counts = {}};
    const std::vector<uint32_t> terms = TermsOf(i);
    for (const uint32_t term : terms) {
      canary.counts.push_back({term, kCanaryWords / static_cast<uint32_t>(terms.size())});
    }
    planted.documents.push_back(std::move(canary));
  }
  return planted;
}

// Canaries' terms occur in topic 0 alone, all others alike in every topic.
std::vector<float> LogTopics() {
  std::vector<float> values;
  for (int topic = 0; topic < NoiseWorld::kTopics; ++topic) {
    for (int term = 0; term < NoiseWorld::kTerms; ++term) {
      const bool canary = term < 4 * NoiseWorld::kCanaries;
      values.push_back(canary && topic > 0 ? -1e4F : -1.0F);
    }
  }
  return values;
}

std::vector<int> EntriesOfTerms(int first, int end) {
  std::vector<int> entries;
  for (int topic = 0; topic < NoiseWorld::kTopics; ++topic) {
    for (int term = first; term < end; ++term) entries.push_back(topic * NoiseWorld::kTerms + term);
  }
  return entries;
}

bool SameRelease(const ReceivedRelease& a, const ReceivedRelease& b) {
  return a.header.SerializeAsString() == b.header.SerializeAsString() &&
         a.statistics == b.statistics;
}

absl::StatusOr<bool> ReplaysAreEqual(const WallProbe& probe, const std::string& plan_id,
                                     int iteration, const ReleaseQuestion& question,
                                     const ReceivedRelease& first) {
  TW_ASSIGN_OR_RETURN(const ReceivedRelease again, probe.RunRelease(plan_id, iteration, question));
  TW_ASSIGN_OR_RETURN(const ReceivedRelease read, probe.GetRelease(plan_id, iteration));
  return SameRelease(first, again) && SameRelease(first, read);
}

absl::StatusOr<std::string> Reserve(AuditedWall& wall, const NoiseWorld::Setting& setting) {
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall.PlanOf(kCorpus));
  plan.mutable_gaussian()->set_noise_multiplier(setting.noise_multiplier);
  if (setting.histogram_noise_multiplier > 0) {
    plan.mutable_gaussian()->set_histogram_noise_multiplier(setting.histogram_noise_multiplier);
  }
  plan.set_iterations(setting.releases);
  plan.set_options(OptionsOfTopics(NoiseWorld::kTopics));
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall.alice().Reserve(plan));
  return state.plan_id();
}

}  // namespace

NoiseWorld::NoiseWorld(std::unique_ptr<AuditedWall> with, std::unique_ptr<AuditedWall> without)
    : with_(std::move(with)),
      without_(std::move(without)),
      question_({.log_topics = LogTopics(), .clip_norm = kClipNorm}) {}

absl::StatusOr<std::unique_ptr<NoiseWorld>> NoiseWorld::Start(ScratchFolder* folder) {
  const auto start = [folder](PlantedCorpus planted) {
    return AuditedWall::Start(
        folder, {.corpora = {{.name = kCorpus, .planted = std::move(planted)}}, .budget = kBudget});
  };
  TW_ASSIGN_OR_RETURN(std::unique_ptr<AuditedWall> with, start(DocumentsAndCanaries()));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<AuditedWall> without, start(Documents()));
  return std::unique_ptr<NoiseWorld>(new NoiseWorld(std::move(with), std::move(without)));
}

absl::Status NoiseWorld::Observe(const Setting& setting,
                                 absl::FunctionRef<void(const Releases&)> use) {
  TW_ASSIGN_OR_RETURN(const std::string plan_with, Reserve(*with_, setting));
  TW_ASSIGN_OR_RETURN(const std::string plan_without, Reserve(*without_, setting));
  for (int i = 1; i <= setting.releases; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease with,
                        with_->alice().RunRelease(plan_with, i, question_));
    TW_ASSIGN_OR_RETURN(const ReceivedRelease without,
                        without_->alice().RunRelease(plan_without, i, question_));
    bool equal = true;
    if (i % kReplayEvery == 1) {
      TW_ASSIGN_OR_RETURN(equal, ReplaysAreEqual(with_->alice(), plan_with, i, question_, with));
    }
    use({.with = with, .without = without, .replays_are_equal = equal});
  }
  return absl::OkStatus();
}

double NoiseWorld::Project(const ReceivedRelease& release, int canary) {
  const std::vector<uint32_t> terms = TermsOf(canary);
  double sum = 0;
  for (const uint32_t term : terms) sum += static_cast<double>(release.statistics[term]);
  // The direction has 1/√n in each of its n entries: 1, or 1/2 in four.
  return sum / (IsSpread(canary) ? 2 : 1) / kClipNorm;
}

const std::vector<int>& NoiseWorld::EmptyEntries() {
  static const auto* const entries =
      new std::vector<int>(EntriesOfTerms(4 * kCanaries, kFirstOfDocuments));
  return *entries;
}

const std::vector<int>& NoiseWorld::DocumentEntries() {
  static const auto* const entries =
      new std::vector<int>(EntriesOfTerms(kFirstOfDocuments, kTerms));
  return *entries;
}

int NoiseWorld::CanaryBin() {
  return mechanism::NormHistogramBin(static_cast<double>(kCanaryWords));
}

}  // namespace topicwall::audit
