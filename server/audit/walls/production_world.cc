#include "server/audit/walls/production_world.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "production";
constexpr accountant::PrivacyParams kBudget = {.epsilon = 0x1p20, .delta = 1e-6};

PlantedCorpus OneWordEach() {
  PlantedCorpus planted = {.vocabulary_size = ProductionWorld::kTerms, .documents = {}};
  for (uint32_t term = 0; term < ProductionWorld::kTerms; ++term) {
    planted.documents.push_back({.id = absl::StrCat("unit-", term), .counts = {{term, 1}}});
  }
  return planted;
}

std::vector<float> LogTopics() {
  std::vector<float> values(ProductionWorld::kTopics * ProductionWorld::kTerms, -1e4F);
  for (std::size_t unit = 0; unit < ProductionWorld::kTerms; ++unit) {
    values[ProductionWorld::EntryOf(unit)] = 0;
  }
  return values;
}

}  // namespace

ProductionWorld::ProductionWorld(std::unique_ptr<AuditedWall> wall)
    : wall_(std::move(wall)), question_({.log_topics = LogTopics(), .clip_norm = 1}) {}

absl::StatusOr<std::unique_ptr<ProductionWorld>> ProductionWorld::Start(ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(
          folder, {.corpora = {{.name = kCorpus, .planted = OneWordEach()}}, .budget = kBudget}));
  return std::unique_ptr<ProductionWorld>(new ProductionWorld(std::move(wall)));
}

absl::Status ProductionWorld::Observe(const Setting& setting,
                                      absl::FunctionRef<void(const ReceivedRelease&)> use) {
  TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall_->PlanOf(kCorpus));
  plan.set_sampling_rate(setting.sampling_rate);
  plan.mutable_gaussian()->set_noise_multiplier(setting.noise_multiplier);
  plan.set_iterations(setting.releases);
  plan.set_options(OptionsOfTopics(kTopics));
  TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall_->alice().Reserve(plan));
  for (int i = 1; i <= setting.releases; ++i) {
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall_->alice().RunRelease(state.plan_id(), i, question_));
    if (release.statistics.size() != kTopics * kTerms) {
      return absl::InternalError("a release is not of the shape that was asked for");
    }
    use(release);
  }
  return absl::OkStatus();
}

}  // namespace topicwall::audit
