#include "server/audit/walls/audited_wall.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/filters/budget_filter.h"
#include "base/status_macros.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/ledger_keys.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/sealing/custodian_key.h"
#include "server/store/data_directory_lock.h"
#include "server/wall_config.h"

namespace topicwall::audit {
namespace {

constexpr char kAlice[] = "spiffe://topicwall/audit/alice";
constexpr char kBob[] = "spiffe://topicwall/audit/bob";
constexpr char kAnn[] = "spiffe://topicwall/audit/ann";

void AddPrincipal(const std::string& name, v1::Principal::Role role, double epsilon_cap,
                  const AuditedWall::Params& params, v1::WallConfig* config) {
  v1::Principal* principal = config->add_principals();
  principal->set_name(name);
  principal->set_role(role);
  for (const auto& corpus : params.corpora) {
    v1::CorpusAccess* access = principal->add_access();
    access->set_corpus(corpus.name);
    if (epsilon_cap < AuditedWall::kAnyEpsilon) access->set_epsilon_cap(epsilon_cap);
  }
}

void AddCorpus(const std::string& name, const AuditedWall::Params& params, v1::WallConfig* config) {
  v1::CorpusConfig* corpus = config->add_corpora();
  corpus->set_name(name);
  v1::Limits* limits = corpus->mutable_limits();
  // Wider than any custodian sets them: what holds here holds within narrower ones.
  limits->set_max_tokens(std::numeric_limits<int64_t>::max());
  limits->set_max_documents_per_unit(AuditedWall::kMostDocuments);
  limits->set_max_parameters_per_term(100);
  limits->set_max_iterations(1'000'000);
  limits->set_max_model_iterations(100);
  limits->set_min_noise_multiplier(mechanism::kMinNoiseMultiplier);
  limits->set_max_releases(10'000'000);
  limits->set_queue_length(4);
  limits->set_max_open_plans(1000);
  const bool scheduled = params.interval_ms > 0;
  corpus->set_timing_protection(scheduled ? v1::TIMING_PROTECTION_SCHEDULE
                                          : v1::TIMING_PROTECTION_NONE);
  if (!scheduled) return;
  corpus->set_release_interval_ms(params.interval_ms);
  // So long before its instant that whoever looks at a stored release has the time for it.
  corpus->set_store_ms_per_mebibyte(params.interval_ms / 6);
}

v1::WallConfig ConfigOf(const AuditedWall::Params& params, const std::string& folder) {
  v1::WallConfig config;
  config.set_custodian_id("audit");
  config.set_data_directory(folder + "/data");
  config.set_key_file(folder + "/corpus.key");
  config.set_event_log(folder + "/events.jsonl");
  config.set_e_step_threads(params.e_step_threads);
  config.set_max_matrix_bytes(1 << 28);
  AddPrincipal(kAlice, v1::Principal::ANALYST, AuditedWall::kAnyEpsilon, params, &config);
  AddPrincipal(kBob, v1::Principal::ANALYST, params.bob_epsilon_cap, params, &config);
  AddPrincipal(kAnn, v1::Principal::AUDITOR, AuditedWall::kAnyEpsilon, params, &config);
  for (const auto& corpus : params.corpora) AddCorpus(corpus.name, params, &config);
  return config;
}

template <typename Clock>
int64_t Milliseconds() {
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch());
  return now.count();
}

}  // namespace

absl::Status AuditedWall::WriteData(const Params& params) {
  const std::string data = config_.data_directory();
  std::error_code error;
  std::filesystem::create_directories(data, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot make the folder ", data));
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
  TW_RETURN_IF_ERROR(key.WriteNew(config_.key_file()));
  // Made as topicwall-admin makes it, and let go of before the wall opens it.
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, store::DataDirectoryLock::Acquire(data));
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(key));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      ledger::FoldedLedger::Create(std::move(lock), std::move(keys)));
  for (const auto& [name, planted] : params.corpora) {
    TW_ASSIGN_OR_RETURN(const corpus::WrittenCorpus written,
                        WritePlanted(planted, server::CorpusFile(config_, name), key));
    TW_ASSIGN_OR_RETURN(
        accountant::FilterSpec filter,
        accountant::BudgetFilter::DefaultSpec({.epsilon = params.epsilon, .delta = 1e-6}));
    TW_RETURN_IF_ERROR(
        ledger
            ->OpenBudget({.custodian_id = "audit",
                          .policy = std::move(filter),
                          .privacy_unit = planted.privacy_unit,
                          .corpus = name,
                          .corpus_version = {written.version.begin(), written.version.end()},
                          .now_ms = clock_->NowMs()})
            .status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<AuditedWall>> AuditedWall::Start(const std::string& folder,
                                                                const Params& params) {
  std::unique_ptr<AuditedWall> audited(new AuditedWall);
  audited->config_ = ConfigOf(params, folder);
  // Not the process's: a vault that goes interrupts its clock for good, and the next wall would
  // wait for no instant.
  audited->clock_ = release::MakeClock({.wall_ms = Milliseconds<std::chrono::system_clock>,
                                        .steady_ms = Milliseconds<std::chrono::steady_clock>});
  TW_RETURN_IF_ERROR(audited->WriteData(params));
  TW_ASSIGN_OR_RETURN(audited->wall_, server::Wall::Open(audited->config_, *audited->clock_));
  audited->vault_ = std::make_unique<server::Vault>(audited->wall_.get());
  audited->alice_ = std::make_unique<Principal>(audited->vault_.get(), kAlice);
  audited->bob_ = std::make_unique<Principal>(audited->vault_.get(), kBob);
  audited->ann_ = std::make_unique<Principal>(audited->vault_.get(), kAnn);
  return audited;
}

absl::StatusOr<std::string> AuditedWall::EventLog() const {
  std::ifstream file(config_.event_log(), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return absl::UnavailableError("the event log cannot be read");
  return text;
}

v1::ReleaseSpec AuditedWall::PlanOf(const std::string& corpus) const {
  v1::ReleaseSpec plan;
  plan.set_corpus(corpus);
  const auto served = wall_->Find(corpus);
  if (served.ok()) plan.set_corpus_version((*served)->version);
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(1);
  plan.set_iterations(1);
  // No document is cut, unless a part means to have it cut.
  plan.set_max_tokens(1'000'000'000);
  plan.set_model("lda");
  plan.set_options(OptionsOfTopics(1));
  return plan;
}

}  // namespace topicwall::audit
