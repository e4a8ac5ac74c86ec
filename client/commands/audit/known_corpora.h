// The corpora that a profile knows, one row each: what `topicwall corpora` and Python's
// Wall.corpora() tell.
//
// No wall has a list of its corpora to tell: an analyst is told the names by the custodian. Known
// are those whose ledger the profile noted (`notes`: each that was asked about), those that it has
// plans in, and those named. In the order of their names, and behind them those that nothing but
// the call names, in its order. One that is not served to the profile (any more) is left out,
// unless it is named: then that is the error. Other errors: the wall's. PUBLIC. Cost: two questions
// a corpus. Threads: the wall's.
#ifndef TOPICWALL_CLIENT_COMMANDS_AUDIT_KNOWN_CORPORA_H_
#define TOPICWALL_CLIENT_COMMANDS_AUDIT_KNOWN_CORPORA_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct KnownCorpus {
  v1::CorpusDescription description;
  std::optional<v1::BudgetStatus> budget;  // none while none is open
};

absl::StatusOr<std::vector<KnownCorpus>> KnownCorpora(WallPort& wall, const v1::HeadBook& notes,
                                                      const std::vector<std::string>& named);

// As a table, and as {"corpora":[{"corpus":"notes","unit":"document",…},…]}. `epsilon` is of the
// sum over all budgets that may concern the same people, `left` of the corpus's own.
std::string CorporaText(const std::vector<KnownCorpus>& corpora);
std::string CorporaJson(const std::vector<KnownCorpus>& corpora);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_AUDIT_KNOWN_CORPORA_H_
