#include "client/commands/audit/noted_prices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/chain_replay.h"
#include "client/audit/enforced_price.h"
#include "client/audit/spend.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/lengths_file.h"
#include "client/evaluate/prevalence_file.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"

namespace topicwall::client {
namespace {

// What was agreed to, of one file.
struct Agreed {
  NotedPrice price;
  std::pair<std::string, std::string> corpus;  // name and version
  double before;                               // ε of the budget, spent by everybody
  double taken;
};

template <typename File>
absl::Status AddPrices(const std::string& folder, const std::string& name,
                       absl::StatusOr<std::optional<File>> (*read)(const std::string& path),
                       std::vector<Agreed>& agreed) {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBeside(folder, name));
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(const std::optional<File> file, read(path));
    // Without a plan nothing was paid yet.
    if (!file.has_value() || file->plan().plan_id().empty()) continue;
    const v1::ReleaseSpec& plan = file->plan().plan();
    agreed.push_back({.price = {.what = path,
                                .plan_ids = {file->plan().plan_id()},
                                .epsilon = file->epsilon(),
                                .delta = file->delta(),
                                .sum = file->sum()},
                      .corpus = {plan.corpus(), plan.corpus_version()},
                      .before = file->epsilon_before(),
                      .taken = file->epsilon_taken()});
  }
  return absl::OkStatus();
}

// The chain, and what everybody had spent at every moment at which a quote may have been made.
class Moments {
 public:
  absl::Status Take(const v1::LedgerEntry& entry) {
    TW_RETURN_IF_ERROR(replay_.Take(entry));
    const v1::LedgerEvent* event = replay_.event();
    if (event != nullptr && event->has_plan_reserved()) {
      before_.emplace(event->plan_reserved().plan_id(), spent_.size());
    }
    if (event != nullptr && event->has_corpus_joined()) {
      corpora_.emplace(event->corpus_joined().corpus(), event->corpus_joined().corpus_version());
    }
    is_restored_ = is_restored_ || (event != nullptr && event->has_budget_restored());
    const accountant::CostVector& spent = replay_.replay().spent();
    if (spent_.empty() || spent_.back() != spent) spent_.push_back(spent);
    return absl::OkStatus();
  }

  // In words; "" for none.
  std::string DifferenceTo(const Agreed& agreed) const {
    std::string difference = DifferenceOf(agreed.price, replay_);
    if (!difference.empty() || replay_.unseen() > 0) return difference;
    difference = MissingOf(agreed);
    return difference.empty() ? DifferenceOfTaking(agreed) : difference;
  }

 private:
  std::string MissingOf(const Agreed& agreed) const {
    if (corpora_.count(agreed.corpus) == 0) return "";  // of another ledger
    for (const std::string& id : agreed.price.plan_ids) {
      if (before_.count(id) > 0) continue;
      return absl::StrCat(agreed.price.what, " was paid by plan \"", id,
                          "\", as it says; the ledger of its corpus, ", agreed.corpus.first,
                          ", has no such plan.");
    }
    return "";
  }

  std::string DifferenceOfTaking(const Agreed& agreed) const {
    const LedgerReplay& replay = replay_.replay();
    std::vector<v1::ReleaseSpec> plans;
    size_t moments = spent_.size();
    for (const v1::PlanReserved& plan : replay.TermsOf(agreed.price.plan_ids)) {
      plans.push_back(plan.spec());
      moments = std::min(moments, before_.at(plan.plan_id()));
    }
    // A restored ledger has forgotten moments of before.
    if (plans.empty() || plans.size() != agreed.price.plan_ids.size() || is_restored_) return "";
    const accountant::AdmissionPolicy& policy = replay.policy();
    // Others may have spent between the quote and the plan, so the last moment is only the
    // likeliest.
    for (size_t i = moments; i > 0; --i) {
      const Account account = {.policy = policy, .spent = spent_[i - 1]};
      // An earlier version noted no `before`, as if there had been nothing.
      const double before = agreed.before > 0 ? agreed.before : account.epsilon_spent();
      if (!IsSameEpsilon(policy, account.epsilon_spent(), before)) continue;
      const absl::StatusOr<Taking> taking = TakingOf(account, plans);
      if (!taking.ok()) return "";  // a finding of the replay
      if (IsSameEpsilon(policy, taking->after, before + agreed.taken)) return "";
    }
    const absl::StatusOr<Taking> taking =
        TakingOf({.policy = policy, .spent = spent_[moments - 1]}, plans);
    if (!taking.ok()) return "";
    return absl::StrCat(agreed.price.what, " says that it took epsilon ", agreed.taken,
                        " of the budget, with ", agreed.before,
                        " spent before; by the ledger its plans took ", taking->taken(), ", with ",
                        taking->before, " spent before.");
  }

  ChainReplay replay_;
  std::vector<accountant::CostVector> spent_;  // where it changed
  std::map<std::string, size_t> before_;       // of plans, how many of these are before it
  std::set<std::pair<std::string, std::string>> corpora_;
  bool is_restored_ = false;
};

// A model that is finished was paid, whatever it says.
Agreed AgreedOf(const v1::ModelFile& model) {
  Agreed agreed = {.price = NotedPriceOf(model),
                   .corpus = {model.corpus(), model.corpus_version()},
                   .before = model.epsilon_before(),
                   .taken = model.epsilon_taken()};
  if (!model.has_unfinished() && agreed.price.plan_ids.empty()) {
    agreed.price.plan_ids.emplace_back();
  }
  return agreed;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> PriceFindings(const std::string& folder,
                                                       absl::Span<const v1::LedgerEntry> chain) {
  std::vector<Agreed> agreed;
  const absl::StatusOr<v1::ModelFile> model = ReadModelSoFar(folder);
  // A fit that has said nothing yet, and a folder of other questions, have receipts all the same.
  if (!absl::IsNotFound(model.status()) && !absl::IsFailedPrecondition(model.status())) {
    TW_RETURN_IF_ERROR(model.status());
    agreed.push_back(AgreedOf(*model));
  }
  TW_RETURN_IF_ERROR(AddPrices(folder, "evaluation", ReadEvaluation, agreed));
  TW_RETURN_IF_ERROR(AddPrices(folder, "prevalence", ReadPrevalence, agreed));
  TW_RETURN_IF_ERROR(AddPrices(folder, "lengths", ReadLengths, agreed));
  Moments moments;
  for (const v1::LedgerEntry& entry : chain) TW_RETURN_IF_ERROR(moments.Take(entry));
  std::vector<std::string> findings;
  for (const Agreed& one : agreed) {
    if (chain.empty()) break;
    std::string difference = moments.DifferenceTo(one);
    if (!difference.empty()) findings.push_back(std::move(difference));
  }
  return findings;
}

}  // namespace topicwall::client
