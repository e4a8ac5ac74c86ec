#include "client/exit_code.h"

#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/budget_refusal.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

constexpr absl::string_view kUsageTypeUrl = "topicwall/usage";
constexpr absl::string_view kNoteTypeUrl = "topicwall/note";
constexpr absl::string_view kTakenTypeUrl = "topicwall/taken";
constexpr absl::string_view kReasonTypeUrl = "topicwall/reason";
constexpr absl::string_view kDetailTypeUrl = "topicwall/detail";
// The ε of what is drawn would not say why.
constexpr char kVouchersRefuse[] =
    "refused: the corpus's vouchers do not hold this plan (`topicwall budget` lists them).\n";

// Less is told as 0.0000, and no plan of use fits into it.
constexpr double kLeastShown = 1e-4;

// The wall does not say; this side may have counted it (WithTaken).
std::optional<double> TakenOf(const absl::Status& status) {
  const absl::optional<absl::Cord> text = status.GetPayload(kTakenTypeUrl);
  double taken = 0;
  if (!text.has_value() || !absl::SimpleAtod(std::string(*text), &taken)) return std::nullopt;
  return taken;
}

// "0.7500 of the 0.4400", with so many digits that what is more shows as more.
std::string TakenOfLeft(double taken, double left) {
  constexpr int kDigits = 4, kMostDigits = 12;
  std::string text;
  for (int digits = kDigits; digits <= kMostDigits; ++digits) {
    text =
        absl::StrCat(proto::RoundedUp(taken, digits), " of the ", proto::RoundedDown(left, digits));
    if (!(taken > left) ||
        absl::StrFormat("%.*f", digits, taken) != absl::StrFormat("%.*f", digits, left)) {
      break;
    }
  }
  return text;
}

std::string ExplainNumbers(const v1::PrivacyBudgetExhausted& detail,
                           const std::optional<double>& taken) {
  std::string text = absl::StrFormat(
      "refused: the %s's privacy budget does not hold this plan.\n"
      "  takes  %s left (%s in all, at delta %s)\n",
      detail.limit() == "analyst" ? "analyst" : "corpus",
      taken.has_value()
          ? TakenOfLeft(*taken, detail.epsilon_left())
          : absl::StrCat("more than all of the ", proto::LeftText(detail.epsilon_left())),
      proto::EpsilonText(detail.epsilon_total()), proto::DeltaText(detail.delta()));
  if (detail.epsilon_asked() > 0) {
    absl::StrAppend(&text, "  alone it would be epsilon ",
                    proto::EpsilonText(detail.epsilon_asked()), "\n");
  }
  return text;
}

std::string ExplainRefusal(const v1::PrivacyBudgetExhausted& detail,
                           const std::optional<double>& taken,
                           const absl::optional<absl::Cord>& reason) {
  std::string text =
      detail.vouchers() ? std::string(kVouchersRefuse) : ExplainNumbers(detail, taken);
  if (reason.has_value()) return absl::StrCat(text, "  ", std::string(*reason));
  if (detail.most_iterations() > 0) {
    absl::StrAppend(&text, "  what fits: at most ", detail.most_iterations(),
                    " releases of this kind, or more noise (--spend all, or less).");
  } else if (detail.vouchers()) {
    absl::StrAppend(&text, "  not one release of this kind fits; with more noise one may.");
  } else {
    absl::StrAppend(&text, "  not one release of this kind fits; ",
                    detail.epsilon_left() >= kLeastShown
                        ? "with more noise one may (--spend all, or less)."
                        : "nothing is left.");
  }
  return text;
}

}  // namespace

absl::Status UsageError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUsageTypeUrl, absl::Cord());
  return status;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return ExitCode::kDone;
  if (status.GetPayload(kUsageTypeUrl).has_value()) return ExitCode::kUsage;
  if (proto::BudgetExhaustedOf(status).has_value()) return ExitCode::kBudgetRefused;
  const bool passes =
      absl::IsUnavailable(status) || absl::IsAborted(status) || absl::IsDeadlineExceeded(status);
  return passes ? ExitCode::kUnavailable : ExitCode::kError;
}

absl::Status WithNote(absl::Status error, absl::string_view note) {
  if (!error.ok()) error.SetPayload(kNoteTypeUrl, absl::Cord(note));
  return error;
}

absl::Status WithTaken(absl::Status refusal, double taken) {
  if (!refusal.ok()) refusal.SetPayload(kTakenTypeUrl, absl::Cord(absl::StrFormat("%.17g", taken)));
  return refusal;
}

absl::Status WithReason(absl::Status refusal, absl::string_view reason) {
  if (!refusal.ok()) refusal.SetPayload(kReasonTypeUrl, absl::Cord(reason));
  return refusal;
}

absl::Status WithDetail(absl::Status error, const base::JsonObject& detail) {
  if (!error.ok()) error.SetPayload(kDetailTypeUrl, absl::Cord(detail.Text()));
  return error;
}

std::string ErrorJson(const absl::Status& status) {
  static constexpr const char* kNames[] = {"done", "error", "usage", "budget_refused",
                                           "unavailable"};
  base::JsonObject error;
  error.SetString("code", kNames[static_cast<int>(ExitCodeOf(status))])
      .SetString("message", Explain(status));
  const std::optional<v1::PrivacyBudgetExhausted> refusal = proto::BudgetExhaustedOf(status);
  if (refusal.has_value()) {
    const std::optional<double> taken = TakenOf(status);
    if (taken.has_value()) error.SetNumber("taken", *taken);
    error.SetNumber("left", refusal->epsilon_left())
        .SetNumber("total", refusal->epsilon_total())
        .SetNumber("delta", refusal->delta())
        .SetString("limit", refusal->limit())
        .SetInteger("fits", refusal->most_iterations());
    if (refusal->epsilon_asked() > 0) error.SetNumber("epsilon_alone", refusal->epsilon_asked());
  }
  const absl::optional<absl::Cord> detail = status.GetPayload(kDetailTypeUrl);
  if (detail.has_value()) error.SetRaw("detail", std::string(*detail));
  return base::JsonObject().SetObject("error", error).Text();
}

std::string Explain(const absl::Status& status) {
  const absl::optional<absl::Cord> note = status.GetPayload(kNoteTypeUrl);
  const std::string more = note.has_value() ? absl::StrCat("\n  ", std::string(*note)) : "";
  const std::optional<v1::PrivacyBudgetExhausted> refusal = proto::BudgetExhaustedOf(status);
  if (refusal.has_value()) {
    return ExplainRefusal(*refusal, TakenOf(status), status.GetPayload(kReasonTypeUrl)) + more;
  }
  std::string text(status.message());
  if (text.empty()) text = absl::StatusCodeToString(status.code());
  if (ExitCodeOf(status) == ExitCode::kUnavailable) {
    absl::StrAppend(&text, "\nNothing is lost: try again.");
  }
  return text + more;
}

}  // namespace topicwall::client
