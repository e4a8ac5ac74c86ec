#include "server/admin/shared_units.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

using UnitIds = std::vector<random::UnitId>;

// Both ascending. Leaves at the first: one bit is all that may be said, and how many there are is
// not even known here.
bool HaveCommonUnit(const UnitIds& a, const UnitIds& b) {
  auto in_a = a.begin();
  auto in_b = b.begin();
  while (in_a != a.end() && in_b != b.end()) {
    if (*in_a == *in_b) return true;
    *in_a < *in_b ? ++in_a : ++in_b;
  }
  return false;
}

Sharing Compare(const Custody& custody, const corpus::CorpusStore& corpus, const UnitIds& ids,
                const ledger::CorpusStatus& corpus_status) {
  const auto other = corpus::CorpusStore::Open(
      server::CorpusFile(custody.config, corpus_status.corpus), custody.key);
  if (!other.ok()) return Sharing::kUnreadable;
  const corpus::CorpusDescription& description = (*other)->description();
  const std::string version(description.version.begin(), description.version.end());
  // The name has been ingested again: the file holds other people than those the budget was spent
  // on.
  if (version != corpus_status.corpus_version) return Sharing::kUnreadable;
  if (description.privacy_unit != corpus.description().privacy_unit) return Sharing::kOtherUnit;
  // Ids that are only places in a file are equal for different people and different for the same
  // ones.
  if (description.unjoinable || corpus.description().unjoinable) return Sharing::kUnjoinable;
  const absl::StatusOr<UnitIds> other_ids = (*other)->UnitIds();
  if (!other_ids.ok()) return Sharing::kUnreadable;
  return HaveCommonUnit(ids, *other_ids) ? Sharing::kShared : Sharing::kNone;
}

absl::string_view Finding(Sharing sharing) {
  switch (sharing) {
    case Sharing::kNone:
      return "shares no privacy unit";
    case Sharing::kShared:
      return "shares privacy units";
    case Sharing::kUnreadable:
      return "cannot be compared, its corpus file is missing, damaged or another version";
    case Sharing::kOtherUnit:
      return "cannot be compared, its privacy unit is another one";
    case Sharing::kUnjoinable:
      return "cannot be compared, documents came without ids of their own (bag of words)";
  }
  return "cannot be compared";
}

}  // namespace

absl::StatusOr<std::vector<SharingWith>> FindSharedUnits(
    const Custody& custody, const corpus::CorpusStore& corpus,
    absl::Span<const ledger::CorpusStatus> statuses) {
  std::vector<SharingWith> found;
  if (statuses.empty()) return found;
  TW_ASSIGN_OR_RETURN(const UnitIds ids, corpus.UnitIds());
  for (const ledger::CorpusStatus& corpus_status : statuses) {
    found.push_back(
        {.corpus_status = corpus_status, .sharing = Compare(custody, corpus, ids, corpus_status)});
  }
  return found;
}

std::string Describe(const SharingWith& other) {
  return absl::StrCat(other.corpus_status.corpus, " (version ",
                      base::Hex(other.corpus_status.corpus_version), "): ", Finding(other.sharing));
}

}  // namespace topicwall::admin
