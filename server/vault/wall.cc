#include "server/vault/wall.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/processes.h"
#include "server/sealing/custodian_key.h"
#include "server/store/data_directory_lock.h"
#include "server/vault/start_checks.h"
#include "server/wall_config.h"

namespace topicwall::server {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

release::ReleaseSchedule ScheduleOf(const v1::CorpusConfig& config) {
  return config.timing_protection() == v1::TIMING_PROTECTION_NONE
             ? release::ReleaseSchedule::Unprotected()
             : release::ReleaseSchedule::Every(config.release_interval_ms(),
                                               config.has_store_ms_per_mebibyte()
                                                   ? config.store_ms_per_mebibyte()
                                                   : release::kStoreMsPerMebibyte);
}

}  // namespace

Wall::Wall(const v1::WallConfig& config, release::Clock& clock)
    : config_(config),
      authorizer_(config),
      clock_(clock),
      processors_(release::Processors::OfThisProcess()),
      uploads_(kMatricesReceived * config.max_matrix_bytes()),
      job_(config.has_executor() ? std::make_unique<cluster::SumJob>() : nullptr),
      computing_(std::make_unique<ComputingThread>(processors_)) {}

// The queue first: nobody gets a turn now who would be sent away in the next moment.
void Wall::Interrupt() {
  queue_.Close();
  computing_->Interrupt();
  clock_.Interrupt();
}

// One corpus that is damaged must not take the others down; a server without any would only look as
// if it ran.
absl::Status Wall::OpenCorpora(const sealing::CustodianKey& key) {
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> budgets, ledger_->Corpora());
  absl::Status first_not_ready;
  for (const v1::CorpusConfig& config : config_.corpora()) {
    const absl::Status opened = OpenCorpus(config, key, budgets);
    if (opened.ok()) continue;
    if (!IsOfOneCorpus(opened)) return opened;
    first_not_ready.Update(opened);
    not_ready_.insert(config.name());
  }
  return corpora_.empty() ? first_not_ready : absl::OkStatus();
}

absl::Status Wall::OpenCorpus(const v1::CorpusConfig& config, const sealing::CustodianKey& key,
                              absl::Span<const ledger::CorpusStatus> budgets) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<corpus::CorpusStore> store,
                      OpenToServe(config_, config.name(), key, budgets));
  TW_ASSIGN_OR_RETURN(
      corpus::DecodedBlocks decoded,
      corpus::DecodedBlocks::Fill(*store, config.decoded_cache_mebibytes() * kMebibyte));
  const corpus::CorpusVersion& version = store->description().version;
  corpora_.push_back({.config = config,
                      .store = std::move(store),
                      .decoded = std::move(decoded),
                      .version = std::string(version.begin(), version.end()),
                      .schedule = ScheduleOf(config)});
  return absl::OkStatus();
}

// The log first, so that what fails can be told. Then the lock, before the ledger is read: two
// servers on one budget would each spend it. Then the clock, before anything is dated; corpora
// last, since unsealing them takes longest.
absl::StatusOr<std::unique_ptr<Wall>> Wall::Open(const v1::WallConfig& config,
                                                 release::Clock& clock,
                                                 std::unique_ptr<EventLog> log,
                                                 std::unique_ptr<store::EventStore> shared) {
  std::unique_ptr<Wall> wall(new Wall(config, clock));
  wall->log_ = std::move(log);
  if (wall->log_ == nullptr) {
    TW_ASSIGN_OR_RETURN(wall->log_, EventLog::Open(config.event_log()));
  }
  wall->storage_ = std::make_unique<StorageWatch>(config.data_directory(), wall->log_.get());
  wall->storage_->Look();
  TW_RETURN_IF_ERROR(CheckDataDirectory(config));
  TW_ASSIGN_OR_RETURN(sealing::CustodianKey key, sealing::CustodianKey::Read(config.key_file()));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock,
                      store::DataDirectoryLock::Acquire(config.data_directory()));
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(key));
  if (config.has_ledger() != (shared != nullptr)) {
    return absl::InternalError("the ledger's store is there if and only if it is configured.");
  }
  auto opened = shared == nullptr ? ledger::FoldedLedger::Open(std::move(lock), std::move(keys))
                                  : ledger::FoldedLedger::OpenShared(
                                        std::move(lock), std::move(shared), std::move(keys));
  wall->storage_->Saw(opened.status());
  TW_ASSIGN_OR_RETURN(wall->ledger_, std::move(opened));
  TW_ASSIGN_OR_RETURN(const int64_t last_ms, wall->ledger_->LastTimeMs());
  if (!RequireLastEventBefore(absl::FromUnixMillis(clock.NowMs()), *wall->ledger_).ok()) {
    wall->log_->Alarm(kAlarmLedgerAhead, "");
  }
  // A clock that was set back meanwhile would date new events before those of the chain.
  clock.NeverBefore(last_ms);
  TW_RETURN_IF_ERROR(wall->OpenCorpora(key));
  return wall;
}

absl::Status Wall::BeginServing() {
  for (const std::string& name : not_ready_) log_->Alarm(kAlarmCorpusNotReady, name);
  for (const ServedCorpus& corpus : corpora_) {
    ProtectionOf(corpus);  // for the alarm
    const auto budget = ledger_->StateOf(corpus.version);
    if (!budget.ok() && !absl::IsNotFound(budget.status())) return budget.status();
    if (budget.ok() && !RequireCustodianOf(budget->opening(), config_).ok()) {
      log_->Alarm(kAlarmCustodianId, corpus.config.name());
    }
    const auto under_way = ledger_->UnderWay(corpus.version);
    if (under_way.ok() && !RequireComputable(*under_way, corpus.config).ok()) {
      log_->Alarm(kAlarmComputedOtherwise, corpus.config.name());
    }
  }
  // What expired while no server ran is given back before anybody is told what is left.
  return CancelExpired();
}

absl::StatusOr<ServedCorpus*> Wall::Find(absl::string_view corpus) {
  for (ServedCorpus& candidate : corpora_) {
    if (candidate.config.name() == corpus) return &candidate;
  }
  if (not_ready_.contains(corpus)) {
    return absl::UnavailableError(
        absl::StrCat("corpus ", corpus, " is not ready; ask the custodian"));
  }
  return UnknownOrForeign();
}

ServedCorpus* Wall::FindVersion(absl::string_view version) {
  for (ServedCorpus& candidate : corpora_) {
    if (candidate.version == version) return &candidate;
  }
  return nullptr;
}

absl::Status Wall::CancelExpired() {
  std::map<std::string, int> reservation_days;
  for (const v1::CorpusConfig& corpus : config_.corpora()) {
    reservation_days[corpus.name()] = ReservationDays(corpus.limits());
  }
  return ledger_->CancelExpired(reservation_days, clock_.NowMs());
}

// Told once, until there are as many again: whoever describes a corpus asks, too.
int Wall::FreeProcessors() {
  const int free = processors_.NumFreeNow();
  const bool has_fewer = free < processors_.num_free();
  if (has_fewer_free_.exchange(has_fewer) != has_fewer && has_fewer) {
    log_->Alarm(kAlarmProcessorsNotFree, "");
  }
  return free;
}

v1::Protection Wall::ProtectionOf(const ServedCorpus& corpus) {
  v1::Protection protection;
  protection.set_release_interval_ms(corpus.schedule.interval_ms());
  // Without a schedule a computation takes them all.
  protection.set_free_processors(corpus.schedule.is_protected() ? FreeProcessors() : 0);
  protection.set_users_separated(AreSeparated(config_));
  protection.set_sandbox_required(RequiresSandbox(config_));
  return protection;
}

// What took some milliseconds more or less, a lock or a sync of the disk, does not show as such.
absl::Status Wall::AnswerAct(const ServedCorpus& corpus, absl::Status answer) {
  clock_.SleepUntilMs(corpus.schedule.AnsweredAt(clock_.NowMs()));
  return answer;
}

ledger::Purse Wall::PurseOf(const CorpusGrant& grant, const ServedCorpus& corpus) const {
  const v1::Limits& limits = corpus.config.limits();
  std::optional<int64_t> share;
  if (!grant.caller.is_auditor) {
    share = ShareOfReleases(config_, grant.corpus, grant.caller.principal, limits.max_releases());
  }
  return {.principal = grant.caller.principal,
          .epsilon_cap = grant.epsilon_cap,
          .max_releases = limits.max_releases(),
          .own_max_releases = share,
          .max_open_plans = MaxOpenPlans(limits),
          .reservation_days = ReservationDays(limits)};
}

}  // namespace topicwall::server
