#include "client/audit/restores.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace topicwall::client {
namespace {

std::string GroundOf(const v1::BudgetThawed& thaw) {
  std::string text;
  switch (thaw.ground()) {
    case v1::BudgetThawed::HEAD_CONFIRMED:
      text = "the custodian confirmed that nothing was lost";
      break;
    case v1::BudgetThawed::EVENTS_APPENDED:
      text = "lost charges were taken over from an export";
      break;
    case v1::BudgetThawed::FORFEITED:
      text = "everything counts as spent";
      break;
    default:
      text = "on a ground that this version of topicwall does not know";
  }
  if (thaw.head_sequence() > 0) {
    absl::StrAppend(&text, "; complete if entry ", thaw.head_sequence(), ", head ",
                    absl::BytesToHexString(thaw.head()), ", was the newest");
  }
  if (thaw.forfeited_unseen()) {
    absl::StrAppend(&text,
                    "; not everybody who had plans showed a receipt, so what was left "
                    "counts as spent");
  }
  return text;
}

}  // namespace

std::vector<Restore> RestoresIn(absl::Span<const v1::LedgerEntry> entries) {
  std::vector<Restore> restores;
  for (const v1::LedgerEntry& entry : entries) {
    v1::LedgerEvent event;
    if (entry.event().empty() || !event.ParseFromString(entry.event())) continue;
    if (event.budget_opened().after_restore()) {
      restores.push_back({.sequence = entry.sequence(),
                          .time_ms = event.time_ms(),
                          .before_opening = true,
                          .thaw = {}});
    }
    if (event.has_budget_restored()) {
      restores.push_back({.sequence = entry.sequence(), .time_ms = event.time_ms(), .thaw = {}});
    }
    // Each restore freezes the budget until one thaw, so a thaw is always that of the last restore.
    if (event.has_budget_thawed() && !restores.empty()) {
      restores.back().thaw = event.budget_thawed();
      restores.back().thawed_at_ms = event.time_ms();
    }
  }
  return restores;
}

std::string DescribeRestore(const Restore& restore) {
  if (restore.before_opening) {
    return absl::StrCat("a backup had been restored before the budget was opened on ",
                        DescribeTime(restore.time_ms),
                        ": complete if these documents had no budget that was opened after that "
                        "backup, as the custodian says");
  }
  const std::string restored = absl::StrCat("a backup was restored at entry ", restore.sequence,
                                            " on ", DescribeTime(restore.time_ms));
  if (!restore.thaw.has_value()) return absl::StrCat(restored, ", and is not thawed yet");
  return absl::StrCat(restored, ", and thawed on ", DescribeTime(restore.thawed_at_ms), ": ",
                      GroundOf(*restore.thaw));
}

std::string DescribeTime(int64_t time_ms) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixMillis(time_ms),
                          absl::UTCTimeZone());
}

}  // namespace topicwall::client
