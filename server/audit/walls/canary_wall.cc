#include "server/audit/walls/canary_wall.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "canaries";
constexpr int kReplayEvery = 10;
constexpr int kTellEvery = 100;

}  // namespace

CanaryWall::CanaryWall(Attack& attack, const CanaryShape& shape, std::unique_ptr<AuditedWall> wall)
    : attack_(attack),
      shape_(shape),
      wall_(std::move(wall)),
      question_({.parameters = {}, .clip_norm = kClipNorm}) {
  for (std::size_t topic = 0; topic < shape.topics; ++topic) {
    for (std::size_t term = 0; term < shape.terms; ++term) {
      // exp(-10^4) is 0 in every arithmetic: the word has one topic, and its unit one entry.
      question_.parameters.push_back(term % shape.topics == topic ? 0 : -1e4F);
    }
  }
}

absl::StatusOr<std::unique_ptr<CanaryWall>> CanaryWall::Start(Attack& attack,
                                                              const CanaryShape& shape) {
  PlantedCorpus planted = {.vocabulary_size = static_cast<int>(shape.terms), .documents = {}};
  for (uint32_t unit = 0; unit < shape.units; ++unit) {
    planted.documents.push_back({.id = absl::StrCat("unit-", unit), .counts = {{unit, 500}}});
  }
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(attack.NewPath("wall"), {.corpora = {{kCorpus, std::move(planted)}}}));
  return std::unique_ptr<CanaryWall>(new CanaryWall(attack, shape, std::move(wall)));
}

absl::Status CanaryWall::Observe(const Setting& setting, absl::FunctionRef<void(const Seen&)> use) {
  v1::ReleaseSpec plan = wall_->PlanOf(kCorpus);
  plan.set_sampling_rate(setting.sampling_rate);
  plan.mutable_gaussian()->set_noise_multiplier(setting.noise_multiplier);
  const double sigma_h = setting.histogram_noise_multiplier;
  if (sigma_h > 0) plan.mutable_gaussian()->set_histogram_noise_multiplier(sigma_h);
  plan.set_iterations(setting.releases);
  plan.set_options(OptionsOfTopics(static_cast<int>(shape_.topics)));
  const Principal& alice = wall_->alice();
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, alice.Reserve(plan));
  Seen seen = {.by_term = std::vector<float>(shape_.topics * shape_.terms), .histogram = {}};
  for (int i = 1; i <= setting.releases; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release, alice.RunRelease(state, i, question_));
    const auto& histogram = release.header.norm_histogram();
    if (release.statistics.size() != seen.by_term.size() || histogram.empty() != (sigma_h == 0)) {
      return absl::InternalError("a release is not of the shape that was asked for");
    }
    for (std::size_t entry = 0; entry < seen.by_term.size(); ++entry) {
      // Sent row by row (topics), drawn column by column (terms).
      const std::size_t place = entry % shape_.topics * shape_.terms + entry / shape_.topics;
      seen.by_term[entry] = release.statistics[place] / static_cast<float>(kClipNorm);
    }
    seen.histogram.assign(histogram.begin(), histogram.end());
    seen.is_repeatable = true;
    if (i % kReplayEvery == 1) {
      TW_ASSIGN_OR_RETURN(const auto again, alice.RunRelease(state, i, question_));
      TW_ASSIGN_OR_RETURN(const auto read, alice.GetRelease(state.plan_id(), i));
      // Equal bits, headers among them: another noise for the same charge could be averaged away.
      seen.is_repeatable = again == release && read == release;
    }
    use(seen);
    if (i % kTellEvery == 0) {
      attack_.Tell(absl::StrFormat("σ = %g, K = %d: release %d of %d", setting.noise_multiplier,
                                   shape_.topics, i, setting.releases));
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::audit
