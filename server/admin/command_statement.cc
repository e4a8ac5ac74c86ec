#include "server/admin/command_statement.h"

#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "accountant/attack_bounds.h"
#include "accountant/status_macros.h"
#include "proto/ledger.pb.h"
#include "proto/signature.h"
#include "proto/signed_statement.h"
#include "server/admin/custody.h"
#include "server/admin/durable_file.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

using Lines = std::vector<proto::StatementLine>;

void Add(Lines& lines, absl::string_view name, absl::string_view value) {
  lines.emplace_back(std::string(name), std::string(value));
}

// The shortest digits that read back as this double: nothing is rounded down.
std::string Exact(double value) {
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
  return std::string(digits, end.ptr);
}

std::string Pair(const accountant::PrivacyParams& params) {
  return absl::StrCat("epsilon ", Exact(params.epsilon), ", delta ", Exact(params.delta));
}

absl::StatusOr<v1::BudgetOpened> OpeningOf(ledger::SqliteLedger& ledger,
                                           const ledger::CorpusStanding& standing) {
  v1::LedgerEvent first;
  TW_RETURN_IF_ERROR(ledger.ReadEvents(standing.corpus_version,
                                       {.principal = "", .is_auditor = true}, 1,
                                       [&](const v1::LedgerEntry& entry) {
                                         if (entry.sequence() == 1) {
                                           first.ParseFromString(entry.event());
                                         }
                                         return absl::OkStatus();
                                       }));
  return first.budget_opened();
}

void AddSubject(const ledger::CorpusStanding& standing, const v1::BudgetOpened& opening,
                Lines& lines) {
  Add(lines, "custodian", opening.custodian_id());
  Add(lines, "corpus", standing.corpus);
  Add(lines, "corpus version", Hex(standing.corpus_version));
  Add(lines, "budget", standing.budget_id);
}

void AddUnit(v1::PrivacyUnit unit, Lines& lines) {
  const bool owner = unit == v1::PRIVACY_UNIT_OWNER;
  Add(lines, "privacy unit", owner ? "all documents of one owner" : "one document");
  Add(lines, "owners",
      owner ? "protected: an owner is the unit, however many documents are theirs"
            : "not protected as such: an owner of g documents is a group of g units, see below");
  Add(lines, "adjacency", "one unit added or removed (include/exclude)");
}

absl::Status AddGuarantee(const accountant::AdmissionPolicy& policy,
                          const accountant::CostVector& spent, Lines& lines) {
  const accountant::PrivacyParams& budget = policy.budget();
  Add(lines, "epsilon", Exact(budget.epsilon));
  Add(lines, "delta", Exact(budget.delta));
  Add(lines, "guarantee",
      "everything that all analysts together ever learn from this budget is (epsilon, delta)-"
      "differentially private, however they choose their requests");
  Add(lines, "policy",
      policy.filter() != nullptr
          ? absl::StrCat("adaptive: a filter over plans chosen as one goes, planned for ",
                         NameOf(PlannedUseOf(policy.filter()->spec())), " releases")
          : std::string("inventory: releases drawn from vouchers that were fixed beforehand"));
  Add(lines, "odometer epsilon",
      absl::StrCat(Exact(policy.OdometerUpperBound(spent)),
                   ", at the same delta, of what was charged or reserved up to this chain head; "
                   "valid at every moment at once"));
  TW_ASSIGN_OR_RETURN(const accountant::PrivacyParams replaced, accountant::ReplaceOne(budget));
  Add(lines, "one unit replaced by another", Pair(replaced));
  for (const int units : {2, 5, 10}) {
    TW_ASSIGN_OR_RETURN(const accountant::PrivacyParams group, accountant::GroupOf(budget, units));
    Add(lines, absl::StrCat("group of ", units, " units"), Pair(group));
  }
  return absl::OkStatus();
}

absl::Status AddAttacks(const accountant::AdmissionPolicy& policy, Lines& lines) {
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds, accountant::BoundAttacks(policy));
  Add(lines, "attacker",
      "knows everything but one unit's presence, and sees the whole budget spent");
  Add(lines, "attacker's best guess at even odds", Exact(bounds.guess_at_even_odds));
  Add(lines, "attacker's true positives at 0.1 % false positives",
      Exact(bounds.true_positives_at_fpr_0_1_percent));
  Add(lines, "attacker's true positives at 1 % false positives",
      Exact(bounds.true_positives_at_fpr_1_percent));
  Add(lines, "attacker's true positives at 10 % false positives",
      Exact(bounds.true_positives_at_fpr_10_percent));
  return absl::OkStatus();
}

void AddOtherBudgets(const v1::BudgetOpened& opening, Lines& lines) {
  if (opening.added_budget_ids().empty()) {
    Add(lines, "budgets to add", "none: no unit of this corpus is known to be in another budget");
    return;
  }
  Add(lines, "budgets to add", absl::StrJoin(opening.added_budget_ids(), " "));
  Add(lines, "epsilon with them", Exact(opening.added_epsilon()));
  Add(lines, "delta with them", Exact(opening.added_delta()));
}

void AddMechanism(Lines& lines) {
  Add(lines, "sampling", "Poisson: every unit by its own coin, never with more than the rate paid");
  Add(lines, "statistic",
      "of each unit alone, rounded to integers and clipped to an L2 norm; then summed");
  Add(lines, "noise",
      "Gaussian, rounded, sampled exactly, on every entry: at least the multiplier that was paid");
  Add(lines, "arithmetic",
      "sensitivity and sums are of integers, so no floating-point error adds to them; accountants "
      "round against the budget");
  Add(lines, "assumption",
      "a block cipher (AES-256 in counter mode) stands in for coins and noise: analysts are "
      "computationally bounded");
}

void AddTiming(const absl::StatusOr<v1::CorpusConfig>& config, int64_t overruns, Lines& lines) {
  if (!config.ok()) {
    Add(lines, "timing", "the corpus is not served at present");
  } else if (config->timing_protection() == v1::TIMING_PROTECTION_NONE) {
    Add(lines, "timing", "not protected: when a release comes depends on the documents");
  } else {
    Add(lines, "timing",
        absl::StrCat("protected: releases are readable at multiples of ",
                     config->release_interval_ms(), " ms after their charge only"));
  }
  Add(lines, "overruns",
      absl::StrCat(overruns,
                   " releases missed their first instant, which may depend on documents; "
                   "three that nobody looked at stop the corpus"));
}

void AddLimits(Lines& lines) {
  for (const char* what :
       {"observers on the same machine: caches, power, disk access",
        "people mentioned in others' documents", "the existence and the date of the corpus version",
        "groups larger than stated above", "the custodian's own staff",
        "what vocabulary, limits and nominal size say, which the custodian typed"}) {
    Add(lines, "not protected", what);
  }
}

void AddProvenance(const ledger::CorpusStanding& standing, Lines& lines) {
  Add(lines, "version", TOPICWALL_VERSION);
  Add(lines, "build", absl::StrCat(TOPICWALL_BUILD, ", compiler ", __VERSION__));
  Add(lines, "chain entries", absl::StrCat(standing.events));
  Add(lines, "chain head", Hex(standing.head));
}

absl::StatusOr<Lines> LinesOf(const Custody& custody, ledger::SqliteLedger& ledger,
                              const ledger::CorpusStanding& standing) {
  TW_ASSIGN_OR_RETURN(const v1::BudgetOpened opening, OpeningOf(ledger, standing));
  Lines lines;
  AddSubject(standing, opening, lines);
  AddUnit(opening.privacy_unit(), lines);
  TW_RETURN_IF_ERROR(AddGuarantee(*standing.policy, standing.spent, lines));
  AddOtherBudgets(opening, lines);
  TW_RETURN_IF_ERROR(AddAttacks(*standing.policy, lines));
  AddMechanism(lines);
  AddTiming(server::FindCorpusConfig(custody.config, standing.corpus), standing.overruns, lines);
  AddLimits(lines);
  AddProvenance(standing, lines);
  return lines;
}

}  // namespace

absl::StatusOr<Outcome> MakeStatement(const StatementFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::SqliteLedger> ledger,
                      OpenLedgerToRead(custody.config));
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStanding> standings, ledger->Corpora());
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing,
                      FindBudgeted(custody.config, standings, flags.corpus));
  TW_ASSIGN_OR_RETURN(const sealing::SigningKey key, custody.key.IdentitySigningKey());
  if (key.public_key() != standing.signing_key) {
    return absl::FailedPreconditionError(
        absl::StrCat("budget ", standing.budget_id,
                     " is signed for by another custodian's key: check key_file."));
  }
  TW_ASSIGN_OR_RETURN(const Lines lines, LinesOf(custody, *ledger, standing));
  const std::string text = proto::StatementText(lines);
  TW_ASSIGN_OR_RETURN(const std::string signature,
                      key.Sign(proto::TextToSign(proto::SignedMatter::kStatement, text)));
  const std::string file = proto::StatementFile(text, key.public_key(), signature);
  Outcome outcome;
  outcome.text = file;
  if (!flags.out.empty()) {
    TW_RETURN_IF_ERROR(WriteDurably(flags.out, file));
    outcome.text = absl::StrCat(
        "Statement of ", standing.corpus, " at chain entry ", standing.events, " written to ",
        flags.out,
        ".\nGive it to analysts with your key, by separate ways: ", Hex(key.public_key()), "\n");
  }
  outcome.json.Text("corpus", standing.corpus)
      .Text("statement", file)
      .Text("custodian_key", Hex(key.public_key()))
      .Text("head", Hex(standing.head));
  return outcome;
}

}  // namespace topicwall::admin
