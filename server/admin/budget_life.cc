#include "server/admin/budget_life.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::admin {
namespace {

void AddCharge(const v1::IterationCharged& act, BudgetLife& life) {
  ++life.charges;
  // Absent is not 0: 0 says that there was no protection, absent that nobody wrote down what there
  // was.
  if (!act.has_release_interval_ms()) {
    ++life.unrecorded;
    return;
  }
  life.fewest_free_processors = std::min(
      life.fewest_free_processors.value_or(act.free_processors()), int{act.free_processors()});
  const int64_t interval_ms = act.release_interval_ms();
  if (interval_ms <= 0) {
    ++life.unprotected;
    return;
  }
  life.shortest_interval_ms = life.shortest_interval_ms == 0
                                  ? interval_ms
                                  : std::min(life.shortest_interval_ms, interval_ms);
  life.longest_interval_ms = std::max(life.longest_interval_ms, interval_ms);
}

std::string At(int64_t shortest_ms, int64_t longest_ms) {
  return absl::StrCat("readable at multiples of ", shortest_ms,
                      longest_ms == shortest_ms ? "" : absl::StrCat(" to ", longest_ms),
                      " ms after their charge only");
}

}  // namespace

void BudgetLife::Add(const v1::LedgerEvent& event) {
  switch (event.act_case()) {
    case v1::LedgerEvent::kBudgetOpened:
      opening = event.budget_opened();
      break;
    case v1::LedgerEvent::kIterationCharged:
      AddCharge(event.iteration_charged(), *this);
      break;
    case v1::LedgerEvent::kReleasePublished:
      if (event.release_published().intervals_waited() > 1) ++overruns;
      break;
    case v1::LedgerEvent::kReleaseRestarted:
      ++restarts;
      break;
    case v1::LedgerEvent::kReleaseVoided:
      ++voided;
      break;
    default:
      break;
  }
}

// From the worst to the best. One release without protection is told first and alone: a sentence
// that began with those that were protected would be read as if it spoke of all.
std::string BudgetLife::Timing(std::optional<int64_t> now) const {
  if (unprotected > 0) {
    return absl::StrCat("not protected for ", unprotected, " of ", charges,
                        " charged releases: when they came depended on the documents");
  }
  if (now == 0) return "not protected: when a release comes depends on the documents";
  std::string text;
  if (unrecorded > 0) {
    text = absl::StrCat("not recorded for ", unrecorded, " of ", charges, " charged releases");
  }
  if (charges > unrecorded || now.has_value()) {
    // Also what the next charge would be made under: a statement is read by those who are about to
    // ask.
    int64_t shortest_ms = charges > unrecorded ? shortest_interval_ms : *now;
    int64_t longest_ms = charges > unrecorded ? longest_interval_ms : *now;
    if (now.has_value()) {
      shortest_ms = std::min(shortest_ms, *now);
      longest_ms = std::max(longest_ms, *now);
    }
    absl::StrAppend(&text, text.empty() ? "protected: releases are " : "; protected otherwise: ",
                    At(shortest_ms, longest_ms));
  }
  return text.empty() ? "the corpus is not served at present, and nothing was charged" : text;
}

absl::StatusOr<BudgetLife> LifeOf(ledger::PrivacyLedger& ledger, absl::string_view corpus_version) {
  BudgetLife life;
  // As an auditor reads: whatever is missing from the sum would make it look better.
  TW_RETURN_IF_ERROR(ledger.ReadEvents(corpus_version, {.principal = "", .is_auditor = true}, 1,
                                       [&life](const v1::LedgerEntry& entry) {
                                         v1::LedgerEvent event;
                                         if (!event.ParseFromString(entry.event())) {
                                           return absl::DataLossError(
                                               "an event of the ledger does not parse.");
                                         }
                                         life.Add(event);
                                         return absl::OkStatus();
                                       }));
  return life;
}

}  // namespace topicwall::admin
