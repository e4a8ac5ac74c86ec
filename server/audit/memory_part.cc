#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/audit/parts.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/limited_child.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "memory";
constexpr char kAnswered[] = "answered";
constexpr int kTerms = 50'000;  // V
constexpr int kTopics = 100;    // K
constexpr int64_t kMebibyte = int64_t{1} << 20;
// Beside what the release of the smaller corpus took: limits on both sides of it.
constexpr int64_t kSteps[] = {-128, -64, -32, -16, -12, -8, -4, 4, 8, 32, 64, 128, 256};
// Just where the reservation begins to fail, a megabyte more or less of the allocator's decides,
// for either corpus: also one that is left from making the corpus. So where they end differently
// both are asked again, every other time with kGrain more, and it counts only if no ending of one
// is ever one of the other: with the same law for both, at most once in 10^8 (2 · 4^-14), and
// always if the unit takes 8 MiB, since there is a limit in the first half of what it takes.
constexpr int kTries = 14;
constexpr int64_t kGrain = 4 * kMebibyte;

PlantedCorpus Documents(bool with_unit) {
  PlantedCorpus planted = {
      .vocabulary_size = kTerms, .privacy_unit = v1::PRIVACY_UNIT_OWNER, .documents = {}};
  for (uint32_t i = 0; i < 64; ++i) {
    planted.documents.push_back({.id = absl::StrCat("other-", i),
                                 .owner = absl::StrCat("owner-", i),
                                 .counts = {{i, 3}, {i + 1000, 2}}});
  }
  for (int i = 0; with_unit && i < 5; ++i) {
    planted.documents.push_back({.id = absl::StrCat("unit-", i), .owner = "unit", .counts = {}});
    for (uint32_t term = 0; term < kTerms; ++term) {
      planted.documents.back().counts.push_back({term, 7});
    }
  }
  return planted;
}

// Of one corpus under one limit.
absl::StatusOr<ChildEnding> ReleaseWithin(bool with_unit, int64_t most_growth, Attack& attack) {
  const std::string folder = attack.NewPath("child");
  std::unique_ptr<AuditedWall> wall;
  v1::PlanState plan;
  ReleaseQuestion question;
  // Wall and plan before the limit: what is limited is the release alone, from its request on.
  const auto prepare = [&]() -> absl::Status {
    TW_ASSIGN_OR_RETURN(wall,
                        AuditedWall::Start(folder, {.corpora = {{kCorpus, Documents(with_unit)}}}));
    v1::ReleaseSpec spec = wall->PlanOf(kCorpus);
    spec.set_options(OptionsOfTopics(kTopics, /*max_iterations=*/2));
    TW_ASSIGN_OR_RETURN(plan, wall->alice().Reserve(spec));
    question = {.parameters = std::vector<float>(std::size_t{kTopics} * kTerms, -1.0F),
                .clip_norm = 4,
                .direction_noise = 5};
    return absl::OkStatus();
  };
  const auto work = [&]() -> std::string {
    const auto release = wall->alice().RunRelease(plan, 1, question);
    if (!release.ok()) return absl::StrCat("error ", release.status().code());
    return kAnswered;
  };
  auto ending = RunLimited(prepare, work, most_growth);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return ending;
}

struct Observed {
  int different = 0;
  int died = 0;
  int answered = 0;
  std::string first;  // limit and endings of the first that is not as it should be
};

absl::Status TryLimit(int64_t limit, Attack& attack, Observed* observed) {
  std::set<std::string> without;
  std::set<std::string> with;
  int died = 0;
  const auto meet = [&] {
    return std::any_of(with.begin(), with.end(),
                       [&](const std::string& text) { return without.count(text) > 0; });
  };
  for (int i = 0; i < kTries && !meet(); ++i) {
    for (auto* endings : {&without, &with}) {
      TW_ASSIGN_OR_RETURN(const ChildEnding ending,
                          ReleaseWithin(endings == &with, limit + i % 2 * kGrain, attack));
      endings->insert(ending.died ? "died" : ending.text);
      died += ending.died ? 1 : 0;
    }
  }
  const bool different = !meet();
  observed->different += different ? 1 : 0;
  observed->died += died;
  observed->answered += without.count(kAnswered) > 0 ? 1 : 0;
  if (observed->first.empty() && (different || died > 0)) {
    observed->first =
        absl::StrFormat(" (within %d MiB with it: %s, without: %s)", limit / kMebibyte,
                        absl::StrJoin(with, " or "), absl::StrJoin(without, " or "));
  }
  return absl::OkStatus();
}

}  // namespace

Findings AttackMemory(Attack& attack) {
  TW_ASSIGN_OR_RETURN(const ChildEnding free, ReleaseWithin(false, kNoLimit, attack));
  TW_ASSIGN_OR_RETURN(const ChildEnding free_with, ReleaseWithin(true, kNoLimit, attack));
  // Limits are counted from what a release takes: where it fails, or where that cannot be seen,
  // there is nothing to count from.
  for (const ChildEnding* ending : {&free, &free_with}) {
    if (ending->died || ending->text != kAnswered) {
      return absl::UnavailableError(
          absl::StrCat("a release without a limit failed (", ending->text,
                       "): lift ulimit -v, and see that there is memory and disk space"));
    }
    if (!(ending->most_growth > 0)) {
      return absl::UnavailableError(
          "what memory a release takes cannot be seen in /proc/self/status: mount /proc");
    }
  }
  Observed observed;
  int limits = 0;
  for (const int64_t step : kSteps) {
    const int64_t limit = free.most_growth + step * kMebibyte;
    if (limit <= 0) continue;
    attack.Tell(absl::StrFormat("memory: releases within %d MiB", limit / kMebibyte));
    ++limits;
    TW_RETURN_IF_ERROR(TryLimit(limit, attack, &observed));
  }
  return std::vector<Finding>{
      {"a wall with little memory answers alike, with a huge unit and without it",
       absl::StrFormat("%d limits around what a release at K = %d and V = %d takes", limits,
                       kTopics, kTerms),
       absl::StrFormat("%d answered; %d different, %d deaths%s; without a limit %d and %d MiB",
                       observed.answered, observed.different, observed.died, observed.first,
                       free_with.most_growth / kMebibyte, free.most_growth / kMebibyte),
       "none different, no death", "8 MiB that a unit takes beside others",
       HoldsIf(observed.different == 0 && observed.died == 0 && observed.answered > 0)}};
}

}  // namespace topicwall::audit
