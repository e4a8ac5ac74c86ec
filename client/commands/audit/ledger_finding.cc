#include "client/commands/audit/ledger_finding.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "client/audit/head_book.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

// Of this look nothing is known against the ledger.
bool CannotBeRead(const absl::Status& error) {
  return IsNoFaultOfALedger(error) || IsNotShown(error);
}

std::string DescribeNoted(const v1::NotedHead& note) {
  return absl::StrCat(DescribeNote(note), ", budget ", note.budget_id());
}

// What the ledger is called then. That a program is too old for it is neither.
absl::string_view NameOf(const absl::Status& error) {
  if (IsNotShown(error)) return "NOT SHOWN to you";
  if (IsNoFaultOfALedger(error)) return "unavailable";
  return proto::IsWrittenByNewer(error) ? "NOT VERIFIED" : "BROKEN";
}

}  // namespace

bool IsNotShown(const absl::Status& error) { return absl::IsPermissionDenied(error); }

bool IsForgotten(const LedgerFinding& finding) {
  return finding.accepted && finding.status.ok() && finding.sight.head.budget_id().empty();
}

std::string LineOf(const LedgerFinding& finding) {
  if (finding.noted.has_value()) {
    return absl::StrCat(finding.corpus,
                        ": NOT SHOWN to you any more; noted: ", DescribeNoted(*finding.noted), ": ",
                        finding.status.message());
  }
  if (!finding.status.ok()) {
    return absl::StrCat(finding.corpus, ": ", NameOf(finding.status), ": ",
                        finding.status.message());
  }
  const v1::NotedHead& head = finding.sight.head;
  if (IsForgotten(finding)) {
    return absl::StrCat(finding.corpus,
                        ": NOT SHOWN to you any more, and no longer noted; forgotten: ",
                        DescribeNoted(*finding.sight.replaced));
  }
  if (head.budget_id().empty()) return absl::StrCat(finding.corpus, ": no budget is open yet");
  std::string text = absl::StrCat(finding.corpus, ": entry ", head.sequence(), ", head ",
                                  base::Hex(head.head()), ", budget ", head.budget_id());
  // Accepted where nothing was to accept, it is in place of nothing.
  if (!finding.sight.replaced.has_value() || finding.sight.replaced->head() == head.head()) {
    return text + (finding.accepted ? "; accepted" : "");
  }
  return absl::StrCat(text, finding.accepted ? "; accepted in place of " : "; a new one, after ",
                      DescribeNoted(*finding.sight.replaced));
}

base::JsonObject ObjectOf(const LedgerFinding& finding) {
  base::JsonObject object;
  object.SetString("corpus", finding.corpus)
      .SetBool("continues", finding.status.ok() && !IsForgotten(finding));
  if (!finding.status.ok()) {
    object.SetBool("unavailable", CannotBeRead(finding.status))
        .SetBool("not_shown", IsNotShown(finding.status))
        .SetBool("written_by_newer", proto::IsWrittenByNewer(finding.status))
        .SetString("error", finding.status.message());
    if (finding.noted.has_value()) object.SetString("noted", DescribeNoted(*finding.noted));
    return object;
  }
  if (IsForgotten(finding)) {
    return object.SetString("forgotten", DescribeNoted(*finding.sight.replaced));
  }
  const v1::NotedHead& head = finding.sight.head;
  return object.SetString("budget_id", head.budget_id())
      .SetInteger("sequence", head.sequence())
      .SetString("head", base::Hex(head.head()))
      .SetBool("signed", head.has_signed_head())
      .SetBool("accepted", finding.accepted)
      .SetRaw("replaced", finding.sight.replaced.has_value()
                              ? base::JsonString(DescribeNote(*finding.sight.replaced))
                              : "null");
}

// Broken weighs most, and what another try may mend least.
absl::Status SummaryOf(absl::Span<const LedgerFinding> findings) {
  int64_t broken = 0, newer = 0, unavailable = 0;
  for (const LedgerFinding& finding : findings) {
    if (finding.status.ok()) continue;
    if (CannotBeRead(finding.status)) {
      ++unavailable;
    } else {
      ++(proto::IsWrittenByNewer(finding.status) ? newer : broken);
    }
  }
  const std::string of_all = absl::StrCat(" of ", findings.size(), " ledgers ");
  if (broken > 0) {
    return absl::DataLossError(absl::StrCat(broken, of_all, "are not what they should be."));
  }
  if (newer > 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        newer, of_all, "were not verified: a program is older than what wrote them. Upgrade it."));
  }
  if (unavailable == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(unavailable, of_all, "could not be read, noted or exported."));
}

}  // namespace topicwall::client
