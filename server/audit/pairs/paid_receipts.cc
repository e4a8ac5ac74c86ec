#include "server/audit/pairs/paid_receipts.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "accountant/filters/budget_filter.h"
#include "base/status_macros.h"
#include "proto/matrix_codec.h"
#include "server/ledger/ledger_keys.h"
#include "server/random/secure_random.h"
#include "server/store/data_directory_lock.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "audited";
constexpr char kPrincipal[] = "audit";
constexpr int64_t kNowMs = 1;

absl::StatusOr<std::string> Random16() {
  TW_ASSIGN_OR_RETURN(const auto bytes, random::Random128());
  return std::string(bytes.begin(), bytes.end());
}

ledger::Purse NoLimits() {
  return {.principal = kPrincipal,
          .epsilon_cap = std::nullopt,
          .max_releases = std::numeric_limits<int64_t>::max()};
}

v1::ReleaseSpec PlanOf(const ledger::PaidMechanism& mechanism, const std::string& corpus_version) {
  v1::ReleaseSpec plan;
  plan.set_corpus(kCorpus);
  plan.set_corpus_version(corpus_version);
  plan.set_sampling_rate(mechanism.sampling_rate);
  plan.mutable_gaussian()->set_noise_multiplier(mechanism.noise_multiplier);
  if (mechanism.histogram_noise_multiplier.has_value()) {
    plan.mutable_gaussian()->set_histogram_noise_multiplier(*mechanism.histogram_noise_multiplier);
  }
  plan.set_iterations(1);
  plan.set_max_tokens(mechanism.max_words);
  plan.set_weights(proto::FloatsToLittleEndian(mechanism.weights));
  plan.set_held_out_share(mechanism.held_out_share);
  plan.set_held_out_only(mechanism.held_out_only);
  plan.set_model("lda");  // neither price nor receipt depends on it
  return plan;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PaidReceipts>> PaidReceipts::Open(ScratchFolder& folder,
                                                                 const sealing::CustodianKey& key) {
  TW_ASSIGN_OR_RETURN(const std::string directory, folder.NewFolder("receipts"));
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, store::DataDirectoryLock::Acquire(directory));
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(key));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<ledger::FoldedLedger> ledger,
                      ledger::FoldedLedger::Create(std::move(lock), std::move(keys)));
  std::unique_ptr<PaidReceipts> paid(new PaidReceipts(std::move(ledger)));
  TW_RETURN_IF_ERROR(paid->OpenBudget());
  return paid;
}

absl::Status PaidReceipts::OpenBudget() {
  TW_ASSIGN_OR_RETURN(corpus_version_, Random16());
  TW_ASSIGN_OR_RETURN(accountant::FilterSpec filter,
                      accountant::BudgetFilter::DefaultSpec({.epsilon = 0x1p20, .delta = 1e-6}));
  return ledger_
      ->OpenBudget({.custodian_id = "audit",
                    .policy = std::move(filter),
                    .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                    .corpus = kCorpus,
                    .corpus_version = corpus_version_,
                    .now_ms = kNowMs})
      .status();
}

absl::StatusOr<v1::PlanState> PaidReceipts::Reserve(const ledger::PaidMechanism& mechanism) {
  TW_ASSIGN_OR_RETURN(const std::string request_id, Random16());
  return ledger_->Reserve({.purse = NoLimits(),
                           .request_id = request_id,
                           .plan = PlanOf(mechanism, corpus_version_),
                           .now_ms = kNowMs});
}

absl::StatusOr<std::vector<ledger::ChargeReceipt>> PaidReceipts::Pay(
    const ledger::PaidMechanism& mechanism, int count) {
  absl::StatusOr<v1::PlanState> plan = Reserve(mechanism);
  if (absl::IsFailedPrecondition(plan.status())) {  // spent
    TW_RETURN_IF_ERROR(OpenBudget());
    plan = Reserve(mechanism);
  }
  if (!plan.ok()) return plan.status();
  TW_ASSIGN_OR_RETURN(const auto digest, random::Random256());
  std::vector<ledger::ChargeReceipt> receipts;
  while (receipts.size() < static_cast<std::size_t>(count)) {
    TW_ASSIGN_OR_RETURN(ledger::ChargeOutcome outcome, ledger_->Charge({.principal = kPrincipal,
                                                                        .plan_id = plan->plan_id(),
                                                                        .iteration = 1,
                                                                        .request_digest = digest,
                                                                        .now_ms = kNowMs}));
    auto* receipt = std::get_if<ledger::ChargeReceipt>(&outcome);
    if (receipt == nullptr) return absl::InternalError("a charge gave no receipt");
    receipts.push_back(std::move(*receipt));
  }
  return receipts;
}

}  // namespace topicwall::audit
