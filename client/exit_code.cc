#include "client/exit_code.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/budget_refusal.h"

namespace topicwall::client {
namespace {

constexpr absl::string_view kUsageTypeUrl = "topicwall/usage";
constexpr absl::string_view kNoteTypeUrl = "topicwall/note";
// The ε of what is drawn would not say why.
constexpr char kVouchersRefuse[] =
    "refused: the corpus's vouchers do not hold this plan (`topicwall budget` lists them).\n";

std::string ExplainRefusal(const v1::PrivacyBudgetExhausted& detail) {
  std::string text = detail.vouchers()
                         ? std::string(kVouchersRefuse)
                         : absl::StrFormat(
                               "refused: the %s's privacy budget does not hold this plan.\n"
                               "  asked  epsilon %.4f (delta %g)\n"
                               "  spent  %.4f of %.4f; %.4f left\n",
                               detail.limit() == "analyst" ? "analyst" : "corpus",
                               detail.epsilon_asked(), detail.delta(), detail.epsilon_spent(),
                               detail.epsilon_total(), detail.epsilon_left());
  if (detail.most_iterations() > 0) {
    absl::StrAppend(&text, "  what fits: at most ", detail.most_iterations(),
                    " iterations of this kind, or more noise (a smaller --epsilon).");
  } else {
    absl::StrAppend(&text, "  not one iteration of this kind fits; with more noise one may.");
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

std::string Explain(const absl::Status& status) {
  const absl::optional<absl::Cord> note = status.GetPayload(kNoteTypeUrl);
  const std::string more = note.has_value() ? absl::StrCat("\n  ", std::string(*note)) : "";
  const std::optional<v1::PrivacyBudgetExhausted> refusal = proto::BudgetExhaustedOf(status);
  if (refusal.has_value()) return ExplainRefusal(*refusal) + more;
  std::string text(status.message());
  if (text.empty()) text = absl::StatusCodeToString(status.code());
  if (absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status)) {
    absl::StrAppend(&text, " (as the caller that the profile's certificate names)");
  }
  if (ExitCodeOf(status) == ExitCode::kUnavailable) {
    // TLS does not let a caller tell a refused certificate from an absent server.
    absl::StrAppend(&text,
                    "\nNothing is lost: try again. If it stays so, check the profile's server, CA "
                    "and certificate.");
  }
  return text + more;
}

}  // namespace topicwall::client
