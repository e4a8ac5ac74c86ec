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
#include "proto/models/lda_options.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/ledger_keys.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/sealing/custodian_key.h"
#include "server/store/data_directory_lock.h"
#include "server/wall_config.h"

namespace topicwall::audit {
namespace {

constexpr char kBob[] = "spiffe://topicwall/audit/bob";
constexpr char kAnn[] = "spiffe://topicwall/audit/ann";

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

void AddPrincipal(const std::string& name, v1::Principal::Role role,
                  const AuditedWall::Params& params, double epsilon_cap, v1::WallConfig* config) {
  v1::Principal* principal = config->add_principals();
  principal->set_name(name);
  principal->set_role(role);
  for (const NamedCorpus& corpus : params.corpora) {
    v1::CorpusAccess* access = principal->add_access();
    access->set_corpus(corpus.name);
    if (epsilon_cap > 0) access->set_epsilon_cap(epsilon_cap);
  }
}

void AddCorpus(const std::string& name, const AuditedWall::Params& params, v1::WallConfig* config) {
  v1::CorpusConfig* corpus = config->add_corpora();
  corpus->set_name(name);
  v1::Limits* limits = corpus->mutable_limits();
  limits->set_max_tokens(std::numeric_limits<int64_t>::max());
  limits->set_max_documents_per_unit(AuditedWall::kMostDocuments);
  limits->set_max_parameters_per_term(100);
  limits->set_max_iterations(1'000'000);
  limits->set_max_model_iterations(100);
  limits->set_min_noise_multiplier(mechanism::kMinNoiseMultiplier);
  limits->set_max_releases(10'000'000);
  limits->set_queue_length(4);
  limits->set_max_open_plans(1000);
  if (!params.timing_protection) {
    corpus->set_timing_protection(v1::TIMING_PROTECTION_NONE);
    return;
  }
  corpus->set_timing_protection(v1::TIMING_PROTECTION_SCHEDULE);
  const bool real = params.real_interval_ms > 0;
  corpus->set_release_interval_ms(real ? params.real_interval_ms : AuditedWall::kReleaseIntervalMs);
  // So long before its instant that whoever looks at a stored release has the time for it.
  if (!real) corpus->set_store_ms_per_mebibyte(AuditedWall::kReleaseIntervalMs / 6);
}

v1::WallConfig ConfigOf(const AuditedWall::Params& params, const std::string& directory) {
  v1::WallConfig config;
  config.set_custodian_id("audit");
  config.set_listen_address("127.0.0.1:0");
  config.mutable_tls()->set_certificate(directory + "/server.pem");
  config.mutable_tls()->set_private_key(directory + "/server.key");
  config.mutable_tls()->set_client_ca(directory + "/ca.pem");
  config.set_data_directory(directory + "/data");
  config.set_key_file(directory + "/corpus.key");
  config.set_event_log(directory + "/events.jsonl");
  config.set_e_step_threads(params.e_step_threads);
  config.set_max_matrix_bytes(1 << 28);
  AddPrincipal(AuditedWall::kAlice, v1::Principal::ANALYST, params, 0, &config);
  AddPrincipal(kBob, v1::Principal::ANALYST, params, params.bob_epsilon_cap, &config);
  AddPrincipal(kAnn, v1::Principal::AUDITOR, params, 0, &config);
  for (const NamedCorpus& corpus : params.corpora) AddCorpus(corpus.name, params, &config);
  return config;
}

absl::Status OpenBudget(const NamedCorpus& corpus, const corpus::WrittenCorpus& written,
                        const accountant::PrivacyParams& budget, ledger::FoldedLedger& ledger) {
  TW_ASSIGN_OR_RETURN(accountant::FilterSpec filter, accountant::BudgetFilter::DefaultSpec(budget));
  const bool owner = corpus.planted.privacy_unit == corpus::PrivacyUnit::kOwner;
  return ledger
      .OpenBudget({.custodian_id = "audit",
                   .policy = std::move(filter),
                   .privacy_unit = owner ? v1::PRIVACY_UNIT_OWNER : v1::PRIVACY_UNIT_DOCUMENT,
                   .corpus = corpus.name,
                   .corpus_version = {written.version.begin(), written.version.end()},
                   .now_ms = SimulatedClock::kStartMs})
      .status();
}

// Of one wall: unlike release::SystemClock() it may be interrupted.
std::unique_ptr<release::Clock> MachinesClock() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return release::MakeClock({.wall_ms =
                                 [] {
                                   const auto now =
                                       std::chrono::system_clock::now().time_since_epoch();
                                   return int64_t{duration_cast<milliseconds>(now).count()};
                                 },
                             .steady_ms =
                                 [] {
                                   const auto now =
                                       std::chrono::steady_clock::now().time_since_epoch();
                                   return int64_t{duration_cast<milliseconds>(now).count()};
                                 }});
}

}  // namespace

absl::Status AuditedWall::WriteTlsFiles(const std::string& directory) {
  TW_ASSIGN_OR_RETURN(authority_, ThrowawayAuthority::Create());
  TW_ASSIGN_OR_RETURN(const PemPair pair, authority_->IssueServer());
  TW_RETURN_IF_ERROR(WriteFile(directory + "/ca.pem", authority_->certificate()));
  TW_RETURN_IF_ERROR(WriteFile(directory + "/server.pem", pair.certificate));
  return WriteFile(directory + "/server.key", pair.private_key);
}

absl::Status AuditedWall::WriteData(const Params& params, const sealing::CustodianKey& key) {
  const std::string data = server::LedgerDirectory(config_);
  std::error_code error;
  std::filesystem::create_directories(data, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot make the folder ", data));
  TW_RETURN_IF_ERROR(key.WriteNew(config_.key_file()));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, store::DataDirectoryLock::Acquire(data));
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(key));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      ledger::FoldedLedger::Create(std::move(lock), std::move(keys)));
  for (const NamedCorpus& corpus : params.corpora) {
    TW_ASSIGN_OR_RETURN(
        const corpus::WrittenCorpus written,
        WritePlanted(corpus.planted, server::CorpusFile(config_, corpus.name), key));
    TW_RETURN_IF_ERROR(OpenBudget(corpus, written, params.budget, *ledger));
  }
  return absl::OkStatus();
}

absl::Status AuditedWall::Connect() {
  const auto connect = [&](const char* uri) -> absl::StatusOr<std::unique_ptr<WallProbe>> {
    TW_ASSIGN_OR_RETURN(const PemPair pair, authority_->IssueClient(uri));
    return std::make_unique<WallProbe>(server_->address(), authority_->certificate(), pair);
  };
  TW_ASSIGN_OR_RETURN(alice_, connect(AuditedWall::kAlice));
  TW_ASSIGN_OR_RETURN(bob_, connect(kBob));
  TW_ASSIGN_OR_RETURN(ann_, connect(kAnn));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<AuditedWall>> AuditedWall::Start(ScratchFolder* folder,
                                                                const Params& params) {
  TW_ASSIGN_OR_RETURN(const std::string directory, folder->NewFolder("wall"));
  std::unique_ptr<AuditedWall> audited(new AuditedWall);
  audited->config_ = ConfigOf(params, directory);
  TW_RETURN_IF_ERROR(audited->WriteTlsFiles(directory));
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
  TW_RETURN_IF_ERROR(audited->WriteData(params, key));
  if (params.real_interval_ms > 0) audited->real_clock_ = MachinesClock();
  release::Clock* real = audited->real_clock_.get();
  TW_ASSIGN_OR_RETURN(
      audited->wall_,
      server::Wall::Open(audited->config_, real == nullptr ? audited->clock_ : *real));
  if (!params.serves) return audited;
  audited->vault_ = std::make_unique<server::Vault>(audited->wall_.get());
  TW_ASSIGN_OR_RETURN(
      audited->server_,
      server::WallServer::Start(audited->config_, *audited->vault_, audited->wall_->log()));
  TW_RETURN_IF_ERROR(audited->Connect());
  return audited;
}

AuditedWall::~AuditedWall() { clock_.LetSleepersJump(); }

absl::StatusOr<std::string> AuditedWall::EventLog() const {
  std::ifstream file(config_.event_log(), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return absl::UnavailableError("the event log cannot be read");
  return text;
}

absl::StatusOr<v1::ReleaseSpec> AuditedWall::PlanOf(const std::string& corpus) const {
  TW_ASSIGN_OR_RETURN(const server::ServedCorpus* served, wall_->Find(corpus));
  v1::ReleaseSpec plan;
  plan.set_corpus(corpus);
  plan.set_corpus_version(served->version);
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(1);
  plan.set_iterations(1);
  plan.set_max_tokens(1'000'000'000);
  plan.set_model("lda");
  plan.set_options(OptionsOfTopics(1));
  return plan;
}

}  // namespace topicwall::audit
