// What must be right for the server to start, and for a corpus to be served: one list, which the
// server goes through when it starts and `topicwall-admin check-config` goes through beforehand.
//
//   TW_RETURN_IF_ERROR(CheckDataDirectory(config));
//   absl::StatusOr<...> store = OpenToServe(config, "notes", key, budgets);
//
// Without a data directory, or with certificates that do not fit (CheckTlsFiles), or with a ledger
// that does not open (FoldedLedger::Open), or with no corpus at all, there is no server. A corpus
// that is not ingested or damaged stops nobody else: it is not served, its analysts are told that
// it is not ready, and the log has an alarm.
//
// Privacy: statuses name files, never what is in them. Threads: free functions without state.
#ifndef TOPICWALL_SERVER_VAULT_START_CHECKS_H_
#define TOPICWALL_SERVER_VAULT_START_CHECKS_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"
#include "proto/wall_config.pb.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/ledger_requests.h"
#include "server/ledger/privacy_ledger.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::server {

// What a server holds at most beside a release: matrices of requests, as many as the largest, of
// all principals together; and everything else that acts take (server/acts/act_server.h).
inline constexpr int64_t kMatricesReceived = 8;
inline constexpr int64_t kMostHeldBytes = int64_t{1} << 30;

// NOT_FOUND if the data directory is not there, or is not a folder that this user may write;
// FAILED_PRECONDITION if everybody may.
absl::Status CheckDataDirectory(const v1::WallConfig& config);

// FAILED_PRECONDITION if this version has one of the `budgets` and got it under another name than
// `corpus`: then the file is not that corpus's, and whoever may ask of the one would be answered
// from the other. Names in files are not sealed; that of the chain is all there is.
absl::Status RequireOwnName(absl::Span<const ledger::CorpusStatus> budgets,
                            absl::string_view version, absl::string_view corpus);

// FAILED_PRECONDITION if a budget was opened under another custodian_id than the configured:
// receipts and statements have the one, descriptions the other. Said, by the server's log and by
// check-config, and no reason not to serve.
absl::Status RequireCustodianOf(const v1::BudgetOpened& opening, const v1::WallConfig& config);

// FAILED_PRECONDITION if the ledger's last event is more than a few minutes after `now`, this
// machine's: the clock was ahead then, or is behind now, and what comes next is dated from that
// event on. Said, as above and by `status`, and no reason not to serve.
absl::Status RequireLastEventBefore(absl::Time now, ledger::PrivacyLedger& ledger);

// FAILED_PRECONDITION if one of the charges that are `under_way` was to be computed with another
// program, kernel or limit than this program and `config` have: it stays paid, and is not computed
// until they are put back. Said, as above, and no reason not to serve.
absl::Status RequireComputable(absl::Span<const v1::IterationCharged> under_way,
                               const v1::CorpusConfig& config);

// A corpus with every block unsealed once. NOT_FOUND if it was not ingested; DATA_LOSS if a byte of
// it was changed, or the key is another; FAILED_PRECONDITION if it holds more units than its limits
// allow, if these allow releases that a shared ledger does not take or a job cannot be told of, or
// as RequireOwnName. `budgets`: all of the ledger. Cost: reads the file.
absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> OpenToServe(
    const v1::WallConfig& config, absl::string_view corpus, const sealing::CustodianKey& key,
    absl::Span<const ledger::CorpusStatus> budgets);

// Whether an error of OpenToServe is that corpus's own: the others are served without it.
bool IsOfOneCorpus(const absl::Status& not_ready);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_START_CHECKS_H_
