// A statement is lines of names and values (proto/signed_statement.h), in the order in which
// somebody asks: of whom and of what, what is promised, what an attacker can make of it, what other
// budgets add, how it is done, what time tells, what is not protected, and where it comes from.
// When it was written is not among them: it speaks of a place in the chain, and is as true of that
// place later.
//
// Every line is signed. One that reads well and rests on nothing would be signed like the others.
#include "server/admin/commands/command_statement.h"

#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/filters/attack_bounds.h"
#include "accountant/ledger/price_record.h"
#include "base/durable_file.h"
#include "base/ed25519.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "proto/ledger.pb.h"
#include "proto/signature.h"
#include "proto/signed_statement.h"
#include "server/admin/custody.h"
#include "server/admin/life_text.h"
#include "server/vault/guarantee.h"
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

// Of another unit than the budget's, which may come to nothing.
std::string PromiseText(const accountant::PrivacyParams& pair) {
  return accountant::ledger::IsAPromise(pair) ? Pair(pair) : "no promise (delta would be 1)";
}

void AddSubject(const ledger::CorpusStatus& corpus_status, const v1::BudgetOpened& opening,
                Lines& lines) {
  Add(lines, "custodian", opening.custodian_id());
  Add(lines, "corpus", corpus_status.corpus);
  Add(lines, "corpus version", base::Hex(corpus_status.corpus_version));
  Add(lines, "budget", corpus_status.budget_id);
}

// What an owner may expect is the first thing that is misread where the unit is a document.
void AddUnit(v1::PrivacyUnit unit, Lines& lines) {
  const bool owner = unit == v1::PRIVACY_UNIT_OWNER;
  Add(lines, "privacy unit", owner ? "all documents of one owner" : "one document");
  Add(lines, "owners",
      owner ? "protected: an owner is the unit, however many documents are theirs"
            : "not protected as such: an owner of g documents is a group of g units, see below");
  Add(lines, "adjacency", "one unit added or removed (include/exclude)");
}

absl::Status AddOtherUnits(const accountant::PrivacyParams& promise, absl::string_view who,
                           Lines& lines) {
  TW_ASSIGN_OR_RETURN(const accountant::ledger::OtherUnits units,
                      accountant::ledger::OtherUnitsOf(promise));
  Add(lines, absl::StrCat(who, "one unit replaced by another"), PromiseText(units.replace_one));
  for (const v1::GroupGuarantee& group : units.groups) {
    Add(lines, absl::StrCat(who, "group of ", group.units(), " units"),
        PromiseText({.epsilon = group.epsilon(), .delta = group.delta()}));
  }
  return absl::OkStatus();
}

// Of the whole budget, whatever is spent of it so far: only that has a proof for analysts who
// choose what they ask by what they were told. The odometer is the one number of the present that
// has one, too.
absl::Status AddGuarantee(const ledger::CorpusStatus& corpus_status, Lines& lines) {
  const accountant::AdmissionPolicy& policy = *corpus_status.policy;
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
  // What the lost ledger charged after the backup is in no number that this one has.
  Add(lines, "odometer epsilon",
      corpus_status.state == v1::CORPUS_STATE_FROZEN
          ? std::string("not known: the ledger was restored from a backup and is not thawed")
          : absl::StrCat(Exact(policy.OdometerUpperBound(corpus_status.spent)),
                         ", at the same delta, of what was charged or reserved up to this chain "
                         "head: a looser bound, valid at every moment at once; where it is larger, "
                         "epsilon is what is promised"));
  return AddOtherUnits(budget, "", lines);
}

void AddAttacks(const accountant::AttackBounds& bounds, absl::string_view who, Lines& lines) {
  Add(lines, absl::StrCat(who, "attacker's best guess at even odds"),
      Exact(bounds.guess_at_even_odds));
  Add(lines, absl::StrCat(who, "attacker's true positives at 0.1 % false positives"),
      Exact(bounds.true_positives_at_fpr_0_1_percent));
  Add(lines, absl::StrCat(who, "attacker's true positives at 1 % false positives"),
      Exact(bounds.true_positives_at_fpr_1_percent));
  Add(lines, absl::StrCat(who, "attacker's true positives at 10 % false positives"),
      Exact(bounds.true_positives_at_fpr_10_percent));
}

// What the budget and all that may concern the same people promise together, and what follows.
absl::Status AddSum(const v1::BudgetSum& sum, Lines& lines) {
  if (sum.budgets().empty()) {
    Add(lines, "budgets to add", "none: the custodian has no other that may concern these people");
    return absl::OkStatus();
  }
  for (const v1::SharedBudget& other : sum.budgets()) {
    Add(lines, "budgets to add",
        absl::StrCat(other.budget_id(), ", which may concern the same people: ",
                     Pair({.epsilon = other.epsilon(), .delta = other.delta()})));
  }
  const accountant::PrivacyParams params = server::ParamsOf(sum);
  Add(lines, "epsilon with them", Exact(params.epsilon));
  Add(lines, "delta with them", Exact(params.delta));
  Add(lines, "sum",
      "for whoever is in all of these, with one privacy unit of each; where units differ, each "
      "guarantee is for its own");
  // Adding up δ may leave nothing to promise; then there is nothing to derive from it either.
  if (!accountant::Validate(params).ok()) {
    Add(lines, "sum", "with a delta of 1 or more they promise nothing together");
    return absl::OkStatus();
  }
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds, accountant::BoundAttacks(params));
  AddAttacks(bounds, "with them, ", lines);
  return AddOtherUnits(params, "with them, ", lines);
}

void AddDisjoint(const v1::BudgetOpened& opening, Lines& lines) {
  for (const v1::DisjointBudget& other : opening.disjoint()) {
    Add(lines, "budget of other people",
        absl::StrCat(other.budget_id(), ", as the custodian declares: ", other.reason()));
  }
}

void AddRestorations(const ledger::CorpusStatus& corpus_status, Lines& lines) {
  for (const std::string& sentence : server::RestorationSentences(corpus_status)) {
    Add(lines, "restored", sentence);
  }
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

// Only of the next charge; what was charged says itself under what.
std::optional<int64_t> IntervalNow(const absl::StatusOr<v1::CorpusConfig>& config) {
  if (!config.ok()) return std::nullopt;
  return config->timing_protection() == v1::TIMING_PROTECTION_NONE ? 0
                                                                   : config->release_interval_ms();
}

// Of the budget's whole life: no configuration and no acknowledgement makes it better.
void AddTiming(const accountant::ledger::BudgetLife& life,
               const absl::StatusOr<v1::CorpusConfig>& config, Lines& lines) {
  Add(lines, "timing", TimingText(life, IntervalNow(config)));
  Add(lines, "overruns",
      absl::StrCat(life.overruns,
                   " releases missed their first instant, which may depend on documents; "
                   "three that nobody looked at stop the corpus"));
  Add(lines, "restarts",
      absl::StrCat(life.restarts, " releases waited longer because the server was started again"));
  Add(lines, "voided", absl::StrCat(life.voided, " releases were charged and never came"));
  Add(lines, "free processors",
      life.fewest_free_processors.has_value()
          ? absl::StrCat("at least ", *life.fewest_free_processors,
                         " were kept free of computing; 0 protects nobody who can measure other "
                         "requests")
          : std::string("not recorded"));
}

void AddLimits(const accountant::ledger::BudgetLife& life, const v1::WallConfig& config,
               Lines& lines) {
  // What the wall does not do is part of what is signed, so that nobody can say later that it was
  // not told.
  Add(lines, "processes", ProcessesText(life, config));
  for (const char* what :
       {"observers on the same machine: caches, power, disk access",
        "when documents are computed on, against whoever has taken over the gate",
        "people mentioned in others' documents", "the existence and the date of the corpus version",
        "groups larger than stated above", "the custodian's own staff",
        "what vocabulary, limits and nominal size say, which the custodian typed"}) {
    Add(lines, "not protected", what);
  }
}

void AddProvenance(const ledger::CorpusStatus& corpus_status, Lines& lines) {
  Add(lines, "version", TOPICWALL_VERSION);
  Add(lines, "build", absl::StrCat(TOPICWALL_BUILD, ", compiler ", __VERSION__));
  Add(lines, "chain entries", absl::StrCat(corpus_status.events));
  Add(lines, "chain head", base::Hex(corpus_status.head));
}

absl::StatusOr<Lines> LinesOf(const Custody& custody, ledger::FoldedLedger& ledger,
                              const ledger::CorpusStatus& corpus_status) {
  TW_ASSIGN_OR_RETURN(const accountant::ledger::BudgetState budget,
                      ledger.StateOf(corpus_status.corpus_version));
  Lines lines;
  AddSubject(corpus_status, budget.opening(), lines);
  AddUnit(budget.opening().privacy_unit(), lines);
  TW_RETURN_IF_ERROR(AddGuarantee(corpus_status, lines));
  AddRestorations(corpus_status, lines);
  Add(lines, "attacker",
      "knows everything but one unit's presence, and sees the whole budget spent");
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds,
                      accountant::BoundAttacks(*corpus_status.policy));
  AddAttacks(bounds, "", lines);
  TW_RETURN_IF_ERROR(AddSum(corpus_status.sum, lines));
  AddDisjoint(budget.opening(), lines);
  AddMechanism(lines);
  AddTiming(budget.life(), server::FindCorpusConfig(custody.config, corpus_status.corpus), lines);
  AddLimits(budget.life(), custody.config, lines);
  AddProvenance(corpus_status, lines);
  return lines;
}

}  // namespace

absl::StatusOr<Outcome> MakeStatement(const StatementFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ledger::FoldedLedger> ledger,
                      OpenLedgerToRead(custody.config, std::move(keys)));
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, ledger->Corpora());
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      FindBudgeted(custody.config, statuses, flags.corpus));
  TW_ASSIGN_OR_RETURN(const base::SigningKey key, custody.key.IdentitySigningKey());
  // Analysts know one key, which a rekey keeps. A statement under another would look like a
  // forgery.
  if (key.public_key() != corpus_status.signing_key) {
    return absl::FailedPreconditionError(
        absl::StrCat("budget ", corpus_status.budget_id,
                     " is signed for by another custodian's key: check key_file."));
  }
  TW_ASSIGN_OR_RETURN(const Lines lines, LinesOf(custody, *ledger, corpus_status));
  const std::string text = proto::StatementText(lines);
  TW_ASSIGN_OR_RETURN(const std::string signature,
                      key.Sign(proto::TextToSign(proto::SignedMatter::kStatement, text)));
  const std::string file = proto::StatementFile(text, key.public_key(), signature);
  Outcome outcome;
  outcome.text = file;
  if (!flags.out.empty()) {
    // Never over another: an older statement is what somebody was once promised.
    TW_RETURN_IF_ERROR(base::WriteNewFileDurably(flags.out, file));
    outcome.text = absl::StrCat("Statement of ", corpus_status.corpus, " at chain entry ",
                                corpus_status.events, " written to ", flags.out,
                                ".\nGive it to analysts with your key, by separate ways: ",
                                base::Hex(key.public_key()), "\n");
  }
  outcome.json.SetString("corpus", corpus_status.corpus)
      .SetString("statement", file)
      .SetString("custodian_key", base::Hex(key.public_key()))
      .SetString("head", base::Hex(corpus_status.head));
  return outcome;
}

}  // namespace topicwall::admin
