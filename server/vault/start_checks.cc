#include "server/vault/start_checks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "server/ledger/charge_requests.h"
#include "server/store/remote/message_pipe.h"
#include "server/vault/release_computation.h"
#include "server/wall_config.h"

namespace topicwall::server {
namespace {

// The validity of plans rests on it. By what was allowed at ingestion and not by what is there:
// whether a corpus is served is seen by analysts, and one unit more must not decide it.
absl::Status RequireWithinLimits(const corpus::CorpusStore& store, const v1::CorpusConfig& config) {
  if (store.max_units() <= MaxUnits(config.limits())) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("corpus ", config.name(), " was ingested under a larger limits.max_units than ",
                   MaxUnits(config.limits()),
                   ". Raise that in the configuration, or ingest the corpus again under it."));
}

// No release is charged that a shared ledger does not take: not by what is asked, which has at most
// so many numbers for each term (request_validator.h), but by what may be.
absl::Status RequireStorable(const corpus::CorpusDescription& corpus, const v1::WallConfig& config,
                             const v1::CorpusConfig& served) {
  if (!config.has_ledger()) return absl::OkStatus();
  const auto row = int64_t{sizeof(float)} * static_cast<int64_t>(corpus.vocabulary->size());
  const int64_t most = store::MessagePipe::kMostBytesOfARelease / row;
  const int64_t may_be = served.limits().max_parameters_per_term();
  if (may_be <= most) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "limits.max_parameters_per_term of corpus ", served.name(), " must be at most ", most,
      " with a shared ledger, which takes releases of at most ",
      store::MessagePipe::kMostBytesOfARelease, " bytes, and each parameter per term needs ", row,
      "; it is ", may_be, ". Lower it."));
}

// No release is begun that a job cannot be told of: an order is one message, with the plan and all
// its parameters (proto/cluster.proto).
absl::Status RequireOrderable(const corpus::CorpusDescription& corpus, const v1::WallConfig& config,
                              const v1::CorpusConfig& served) {
  if (!config.has_executor()) return absl::OkStatus();
  constexpr int64_t kMostBytesOfAMessage = std::numeric_limits<int32_t>::max();
  constexpr int64_t kBesides = int64_t{1} << 20;  // options and all other numbers of a plan
  const auto row = int64_t{sizeof(float)} * static_cast<int64_t>(corpus.vocabulary->size());
  const int64_t most = kMostBytesOfAMessage - kBesides - row;  // a plan may have weights of terms
  if (config.max_matrix_bytes() <= most ||
      served.limits().max_parameters_per_term() <= most / row) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "max_matrix_bytes must be at most ", most, " with executor and the vocabulary of corpus ",
      served.name(), ": an order to the job has less than 2 GiB; it is ", config.max_matrix_bytes(),
      ". Lower it, or limits.max_parameters_per_term to at most ", most / row, "."));
}

}  // namespace

absl::Status CheckDataDirectory(const v1::WallConfig& config) {
  struct stat status {};
  const std::string& directory = config.data_directory();
  if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      access(directory.c_str(), R_OK | W_OK | X_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat("data_directory must be a folder that this user may write: ", directory,
                     "; mount its disk to be written on, or correct the configuration; for a new "
                     "wall, make it with mode 0700"));
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "data_directory must not be open to everybody, who could put another ledger in the place "
        "of this one: ",
        directory, "; run chmod o-w ", directory,
        ", and compare the ledger's heads (verify-ledger) with what analysts or a backup have"));
  }
  return absl::OkStatus();
}

absl::Status RequireOwnName(absl::Span<const ledger::CorpusStatus> budgets,
                            absl::string_view version, absl::string_view corpus) {
  for (const ledger::CorpusStatus& budgeted : budgets) {
    if (budgeted.corpus_version != version || budgeted.corpus == corpus) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("the file of corpus ", corpus, " is that of ", budgeted.corpus, ", version ",
                     base::Hex(version), ", which has budget ", budgeted.budget_id,
                     " under that name. Give every .corpus file the name that it had."));
  }
  return absl::OkStatus();
}

absl::Status RequireCustodianOf(const v1::BudgetOpened& opening, const v1::WallConfig& config) {
  if (opening.custodian_id() == config.custodian_id()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("custodian_id must be that of the ledger, \"", opening.custodian_id(), "\"; \"",
                   config.custodian_id(),
                   "\" would have analysts think that another custodian answers. Set it back."));
}

absl::Status RequireLastEventBefore(absl::Time now, ledger::PrivacyLedger& ledger) {
  TW_ASSIGN_OR_RETURN(const int64_t last_ms, ledger.LastTimeMs());
  // By which the clocks of servers of one ledger may differ, and more.
  constexpr absl::Duration kTolerance = absl::Minutes(5);
  const absl::Time last = absl::FromUnixMillis(last_ms);
  if (!(last > now + kTolerance)) return absl::OkStatus();
  const auto date = [](absl::Time time) {
    return absl::FormatTime("%Y-%m-%d %H:%M UTC", time, absl::UTCTimeZone());
  };
  return absl::FailedPreconditionError(absl::StrCat(
      "the ledger's last event is dated ", date(last), ", and this machine's clock says ",
      date(now),
      ": the clock was ahead then, or is behind now, and the next events are dated from the last "
      "one on, for the ledger's times never go back. Set the clock before anything else is "
      "written; see \"A wrong clock\" in the runbook."));
}

absl::Status RequireComputable(absl::Span<const v1::IterationCharged> under_way,
                               const v1::CorpusConfig& config) {
  const v1::ComputedWith now = ComputedWithOf(config.limits(), model::ChosenKernelName());
  for (const v1::IterationCharged& charge : under_way) {
    const std::string otherwise =
        accountant::ledger::ComputedOtherwise(charge.computed_with(), now);
    if (otherwise.empty()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "a release of corpus ", config.name(), " is under way (iteration ", charge.iteration(),
        " of plan ", charge.plan_id(), ") that was charged for ", otherwise,
        ": nothing else computes it, and it stays paid. Put that back until it is read; see "
        "\"Upgrade\" in the runbook."));
  }
  return absl::OkStatus();
}

// Every block is unsealed once, so that damage is found before anybody pays for it.
absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> OpenToServe(
    const v1::WallConfig& config, absl::string_view corpus, const sealing::CustodianKey& key,
    absl::Span<const ledger::CorpusStatus> budgets) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusConfig served, FindCorpusConfig(config, corpus));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<corpus::CorpusStore> store,
                      corpus::CorpusStore::Open(CorpusFile(config, corpus), key));
  const corpus::CorpusVersion& version = store->description().version;
  TW_RETURN_IF_ERROR(RequireOwnName(budgets, std::string(version.begin(), version.end()), corpus));
  TW_RETURN_IF_ERROR(store->VerifyAll());
  TW_RETURN_IF_ERROR(RequireWithinLimits(*store, served));
  TW_RETURN_IF_ERROR(RequireStorable(store->description(), config, served));
  TW_RETURN_IF_ERROR(RequireOrderable(store->description(), config, served));
  return store;
}

// Any other error, a disk that fails or a machine without memory, would meet the next corpus as
// well.
bool IsOfOneCorpus(const absl::Status& not_ready) {
  return absl::IsNotFound(not_ready) || absl::IsDataLoss(not_ready) ||
         absl::IsFailedPrecondition(not_ready);
}

}  // namespace topicwall::server
