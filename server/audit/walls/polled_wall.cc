#include "server/audit/walls/polled_wall.h"

#include <chrono>
#include <future>

#include "base/status_macros.h"

namespace topicwall::audit {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

PolledWall::PolledWall(AuditedWall* wall, std::string corpus, v1::PlanState plan) {
  const WallProbe& bob = wall->bob();
  const WallProbe& ann = wall->ann();
  const v1::ReleaseSpec spec = plan.plan();
  const std::string id = plan.plan_id();
  calls_ = {{"DescribeCorpus", [&bob, corpus] { return bob.Describe(corpus).status(); }},
            {"GetVocabulary", [&bob, corpus] { return bob.Vocabulary(corpus).status(); }},
            {"PricePlan", [&bob, spec] { return bob.Price(spec).status(); }},
            // A writer. What was cancelled unused is limited, so these stay.
            {"ReservePlan", [&bob, spec] { return bob.Reserve(spec).status(); }, /*pause_ms=*/700},
            {"GetPlan", [&bob, id] { return bob.GetPlan(id).status(); }},
            {"ListPlans", [&bob, corpus] { return bob.Plans(corpus).status(); }},
            {"GetRelease", [&bob, id] { return bob.GetRelease(id, 1).status(); }},
            {"GetBudget", [&ann, corpus] { return ann.Budget(corpus).status(); }},
            {"ReadLedger", [&ann, corpus] { return ann.ReadLedger(corpus).status(); }}};
}

std::vector<std::string> PolledWall::CallNames() const {
  std::vector<std::string> names;
  for (const Call& call : calls_) names.push_back(call.name);
  return names;
}

absl::StatusOr<PolledRelease> PolledWall::During(absl::FunctionRef<absl::Status()> act) const {
  PolledRelease seen = {.took_ms = 0, .calls = std::vector<PolledCall>(calls_.size())};
  const Clock::time_point start = Clock::now();
  auto acting = std::async(std::launch::async, [&] {
    const absl::Status status = act();
    seen.took_ms = MillisecondsSince(start);
    return status;
  });
  std::vector<double> next_ms(calls_.size(), 0);
  absl::Status polled;
  while (polled.ok() && acting.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const double when_ms = MillisecondsSince(start);
      if (when_ms < next_ms[i]) continue;
      next_ms[i] = when_ms + calls_[i].pause_ms;
      polled.Update(calls_[i].make());
      const double took_ms = MillisecondsSince(start) - when_ms;
      if (took_ms > seen.calls[i].slowest_ms) {
        seen.calls[i] = {.slowest_ms = took_ms, .when_ms = when_ms};
      }
    }
  }
  TW_RETURN_IF_ERROR(acting.get());
  TW_RETURN_IF_ERROR(polled);
  return seen;
}

}  // namespace topicwall::audit
