// A ledger of nothing but its chains: acts are decided, appended and folded, in memory.
//
//   FoldForTests fold;
//   fold.Open("b", "notes");
//   ASSERT_OK(fold.Do(ReserveOf("alice", "p", "notes", 3)));
//   fold.state().budgets()[0].spent() …
#ifndef TOPICWALL_TESTS_ACCOUNTANT_LEDGER_FOLD_FOR_TESTS_H_
#define TOPICWALL_TESTS_ACCOUNTANT_LEDGER_FOLD_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "accountant/ledger/charge_acts.h"
#include "accountant/ledger/custodian_acts.h"
#include "accountant/ledger/plan_acts.h"
#include "accountant/ledger/thaw_acts.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "tests/support/describe_state.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant::ledger {

inline std::string VersionOf(const std::string& corpus) {
  std::string version = corpus;
  version.resize(kCorpusVersionSize, '.');
  return version;
}

inline FilterSpec NotesFilter() {
  return *BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6});
}
inline InventorySpec SixVouchers() {
  return *MakeInventorySpec({.epsilon = 2.44, .delta = 1e-6}, {{40, 1, 6}});
}

inline OpenAct OpenOf(const std::string& budget_id, const std::string& corpus) {
  return {{.custodian_id = "library",
           .policy = NotesFilter(),
           .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
           .corpus = corpus,
           .corpus_version = VersionOf(corpus),
           .now_ms = 1000},
          budget_id,
          /*signing_key=*/std::string(32, 'k'),
          /*after_restore=*/false};
}

inline ReserveAct ReserveOf(const std::string& principal, const std::string& plan_id,
                            const std::string& corpus, int iterations, double sigma = 40) {
  v1::ReleaseSpec plan;
  plan.set_corpus(corpus);
  plan.set_corpus_version(VersionOf(corpus));
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(sigma);
  plan.set_iterations(iterations);
  plan.set_max_tokens(500);
  plan.set_model("lda");
  return {.purse = {.principal = principal, .epsilon_cap = {}, .max_releases = 100000},
          .plan = plan,
          .plan_id = plan_id,
          .now_ms = 2000};
}

inline v1::Protection ProtectionOf(int64_t interval_ms, int free_processors = 1) {
  v1::Protection protection;
  protection.set_release_interval_ms(interval_ms);
  protection.set_free_processors(free_processors);
  return protection;
}

inline v1::ComputedWith ComputedWithForTests() {
  v1::ComputedWith with;
  with.set_kernel_name("portable");
  with.set_build("a build");
  with.set_max_documents_per_unit(3);
  return with;
}

inline ChargeAct ChargeOf(const std::string& principal, const std::string& plan_id, int iteration,
                          OpenCharge open = {}) {
  return {.principal = principal,
          .plan_id = plan_id,
          .iteration = iteration,
          .request_digest = std::string(32, 'd'),
          .now_ms = 3000,
          .protection = ProtectionOf(60000),
          .computed_with = ComputedWithForTests(),
          .release_key_sha256 = std::string(32, 'k'),
          .open = open};
}

inline constexpr OpenCharge kKeyKept = {.kept = OpenCharge::Kept::kKey};
inline constexpr OpenCharge kStored = {.kept = OpenCharge::Kept::kRelease};

inline PublishAct PublishOf(const std::string& plan_id, int iteration, int waited = 1) {
  return {{.plan_id = plan_id,
           .iteration = iteration,
           .readable_at_ms = 63000,
           .intervals_waited = waited},
          kStored,
          /*release_sha256=*/std::string(32, 'r'),
          /*header_sha256=*/std::string(32, 'h')};
}

class FoldForTests {
 public:
  const LedgerState& state() const { return state_; }
  const BudgetState& budget(const std::string& id) const { return **state_.Find(id); }
  const Plan& plan(const std::string& id) const { return *state_.WithPlan(id)->FindPlan(id); }
  const std::vector<v1::LedgerEntry>& chain(const std::string& id) { return chains_[id]; }
  absl::StatusOr<std::vector<std::string>> HeadsTo(absl::string_view id, int64_t length) {
    std::vector<std::string> heads;
    for (const v1::LedgerEntry& entry : chains_[std::string(id)]) {
      if (entry.sequence() <= length) heads.push_back(entry.head());
    }
    return heads;
  }

  void Open(const std::string& budget_id, const std::string& corpus) {
    EXPECT_OK(Do(OpenOf(budget_id, corpus)));
  }

  // Decides and appends. The status of the decision.
  template <typename Act>
  absl::Status Do(const Act& act) {
    const absl::StatusOr<Events> decided = Decide(state_, act);
    if (decided.ok()) Append(*decided);
    return decided.status();
  }
  absl::Status Do(const ReserveAct& act) {
    const absl::StatusOr<ReserveDecision> decided = Decide(state_, act);
    TW_RETURN_IF_ERROR(decided.status());
    Append(decided->events);
    if (decided->refused_by == Limit::kNone) return absl::OkStatus();
    return RefusalOf({.plan = act.plan, .purse = act.purse, .accounts = *decided->accounts},
                     decided->refused_by);
  }
  absl::Status Do(const ChargeAct& act) {
    const absl::StatusOr<ChargeDecision> decided = Decide(state_, act);
    if (decided.ok()) Append(decided->events);
    return decided.status();
  }

  void Append(const Events& events) {
    for (const v1::LedgerEvent& event : events) {
      std::vector<v1::LedgerEntry>& chain = chains_[event.budget_id()];
      chain.push_back(EntryBehind(chain, event));
      EXPECT_OK(state_.Apply(event.budget_id(), chain.back()));
    }
  }

  // The next entry of a chain that was made elsewhere.
  absl::Status Take(const std::string& budget_id, v1::LedgerEntry entry) {
    entry.clear_signed_head();
    TW_RETURN_IF_ERROR(state_.Apply(budget_id, entry));
    chains_[budget_id].push_back(std::move(entry));
    return absl::OkStatus();
  }

  // The entry that this event would be, with the next number unless it has one.
  v1::LedgerEntry Next(const std::string& budget_id, v1::LedgerEvent event) {
    const std::vector<v1::LedgerEntry>& chain = chains_[budget_id];
    if (event.sequence() == 0) event.set_sequence(static_cast<int64_t>(chain.size()) + 1);
    if (event.budget_id().empty()) event.set_budget_id(budget_id);
    return EntryBehind(chain, event);
  }

  BudgetState Prefix(const std::string& budget_id, int64_t length) {
    BudgetState state;
    for (int64_t i = 0; i < length; ++i) EXPECT_OK(state.Apply(chains_[budget_id].at(i)));
    return state;
  }

 private:
  static v1::LedgerEntry EntryBehind(const std::vector<v1::LedgerEntry>& chain,
                                     const v1::LedgerEvent& event) {
    return EntryOf(event, std::string(proto::kEventSaltSize, 's'),
                   chain.empty() ? proto::GenesisHead() : chain.back().head());
  }

  LedgerState state_;
  std::map<std::string, std::vector<v1::LedgerEntry>> chains_;
};

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_TESTS_ACCOUNTANT_LEDGER_FOLD_FOR_TESTS_H_
