// What goes together is said to the parser where it has words for it (Needs, Excludes), and in
// CheckTogether where it has none. ε and δ have no default: nobody should promise something for
// ever by leaving a word out.
#include "server/admin/open_budget_options.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace topicwall::admin {
namespace {

void AddPolicyOptions(base::Command command, OpenBudgetOptions& options, base::Option epsilon) {
  base::Option policy =
      command
          .Add("--policy", options.policy,
               "How it decides, for ever. adaptive (default): any releases, by a filter; "
               "inventory: the vouchers given here and nothing else, priced exactly all "
               "together")
          .OneOf({"adaptive", "inventory"})
          .Needs(epsilon);
  command
      .Add("--planned", options.planned,
           "What analysts will mostly ask for, for ever. full-batch (default): releases of "
           "all units; sampled: releases that take units by coins, as the paper's. Either "
           "admits both; what it was not planned for costs more")
      .OneOf({"full-batch", "sampled"})
      .Needs(epsilon);
  command
      .Add("--voucher", options.vouchers,
           "SIGMA,NU,COUNT: so many releases of at least that noise multiplier and at "
           "most that sampling rate; may be repeated")
      .Needs(policy);
  command.Add("--vouchers-file", options.vouchers_file, "The same from a file, one kind a line")
      .Needs(policy);
}

absl::Status CheckTogether(const OpenBudgetOptions& options, bool has_budget) {
  if (!has_budget && options.flags.join.empty()) {
    return absl::InvalidArgumentError("--epsilon and --delta, or --join is required");
  }
  const bool has_vouchers = !options.vouchers.empty() || !options.vouchers_file.empty();
  if (options.policy == "inventory" && !has_vouchers) {
    return absl::InvalidArgumentError(
        "--voucher or --vouchers-file with --policy inventory is required");
  }
  if (options.policy == "adaptive" && has_vouchers) {
    return absl::InvalidArgumentError("vouchers: are for --policy inventory");
  }
  if (options.policy == "inventory" && !options.planned.empty()) {
    return absl::InvalidArgumentError("--planned: is for --policy adaptive");
  }
  return absl::OkStatus();
}

// What the numbers may be is MakeInventorySpec's to say.
absl::StatusOr<accountant::VoucherKind> ParseVoucher(absl::string_view text) {
  const std::vector<absl::string_view> fields = absl::StrSplit(text, ',');
  accountant::VoucherKind kind{};
  // SimpleAto* pass over blanks around a number.
  if (fields.size() != 3 || !absl::SimpleAtod(fields[0], &kind.noise_multiplier) ||
      !absl::SimpleAtod(fields[1], &kind.sampling_rate) ||
      !absl::SimpleAtoi(fields[2], &kind.count)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a voucher must be SIGMA,NU,COUNT: noise multiplier, sampling rate, how many; got \"", text,
        "\"."));
  }
  return kind;
}

// One kind a line; empty lines and what follows a # are passed over.
absl::StatusOr<std::vector<accountant::VoucherKind>> ReadVouchers(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path, "."));
  // The order of the lines does not matter: the inventory has its own, in which vouchers are drawn.
  std::vector<accountant::VoucherKind> kinds;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const absl::string_view text =
        absl::StripAsciiWhitespace(absl::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    const absl::StatusOr<accountant::VoucherKind> kind = ParseVoucher(text);
    if (!kind.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ", line ", number, ": ", kind.status().message()));
    }
    kinds.push_back(*kind);
  }
  if (file.bad()) return absl::NotFoundError(absl::StrCat("cannot read ", path, " to its end."));
  return kinds;
}

}  // namespace

void AddOptions(base::Command command, OpenBudgetOptions& options) {
  command.Add("--corpus", options.flags.corpus, "Its name in the configuration").Required();
  base::Option epsilon =
      command.Add("--epsilon", options.budget.epsilon, "Of the whole budget, in nats");
  base::Option delta =
      command.Add("--delta", options.budget.delta, "Probability that epsilon may fail")
          .Needs(epsilon);
  epsilon.Needs(delta);
  AddPolicyOptions(command, options, epsilon);
  base::Option join = command
                          .Add("--join", options.flags.join,
                               "Spend from the budget of this corpus (its name, or the "
                               "32 digits of a version), whose people it shares")
                          .Excludes(epsilon)
                          .Excludes(delta);
  command
      .Add("--disjoint", options.disjoint,
           "CORPUS=REASON: nobody can be in this corpus and in that budget, and why, which "
           "every analyst is told. Without it the budgets count as a sum. May be repeated")
      .Excludes(join);
  command.AddFlag("--not-opened-before", options.flags.not_opened_before,
                  "Of a ledger that was restored: these documents had no budget that was opened "
                  "after the backup. Every analyst is told that it is your word");
  command.AddFlag("--yes", options.flags.yes, "Do not ask; for scripts");
  command.Check([&options, epsilon] { return CheckTogether(options, epsilon.given()); });
}

absl::StatusOr<OpenBudgetFlags> FlagsOf(const OpenBudgetOptions& options) {
  OpenBudgetFlags flags = options.flags;
  if (!flags.join.empty()) return flags;
  flags.budget = options.budget;
  // OneOf has let nothing else through.
  if (!options.planned.empty()) flags.planned = *accountant::PlannedUseOfName(options.planned);
  for (const std::string& disjoint : options.disjoint) {
    TW_ASSIGN_OR_RETURN(DisjointFlag flag, ParseDisjoint(disjoint));
    flags.disjoint.push_back(std::move(flag));
  }
  for (const std::string& voucher : options.vouchers) {
    TW_ASSIGN_OR_RETURN(const accountant::VoucherKind kind, ParseVoucher(voucher));
    flags.vouchers.push_back(kind);
  }
  if (!options.vouchers_file.empty()) {
    TW_ASSIGN_OR_RETURN(const std::vector<accountant::VoucherKind> kinds,
                        ReadVouchers(options.vouchers_file));
    flags.vouchers.insert(flags.vouchers.end(), kinds.begin(), kinds.end());
  }
  if (options.policy == "inventory" && flags.vouchers.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(options.vouchers_file, " holds no voucher."));
  }
  return flags;
}

}  // namespace topicwall::admin
