#include "client/commands/expectation_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/table.h"
#include "client/fit/fit_expectation.h"

namespace topicwall::client {

std::string ExpectationLine(const lda::ExpectedSignal& expected) {
  return absl::StrFormat("a word of rank %d has about %.2g deviations of the noise in its topics",
                         expected.judged.rank, expected.judged.signal_to_noise);
}

std::string AssumptionOf(const PlanOffer& offer) {
  const bool of_owners = offer.description.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
  const bool is_guess = offer.guess.num_documents.has_value();
  return absl::StrCat("for ", offer.guess.num_documents.value_or(offer.description.nominal_size()),
                      of_owners ? " owners (" : " documents (",
                      is_guess ? "your assumption" : "nominal, says the custodian", ") of ",
                      offer.guess.words_per_document, " known words each",
                      of_owners ? ", in all documents of one together" : "",
                      " (assumed: --words-per-unit)");
}

std::string ExpectationTable(const lda::ExpectedSignal& expected) {
  base::Table table;
  table.AddRow({"word rank", "words in its topics", "noise", "signal to noise"});
  for (const lda::ExpectedTerm& term : expected.terms) {
    table.AddRow({absl::StrCat(term.rank), absl::StrFormat("%.4g", term.signal),
                  absl::StrFormat("%.4g", term.noise),
                  absl::StrFormat("%.2g", term.signal_to_noise)});
  }
  return table.Text(2);
}

std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected) {
  if (!expected.has_value()) return "null";
  std::vector<std::string> terms;
  for (const lda::ExpectedTerm& term : expected->terms) {
    terms.push_back(base::JsonObject()
                        .SetInteger("rank", term.rank)
                        .SetNumber("signal", term.signal)
                        .SetNumber("noise", term.noise)
                        .SetNumber("signal_to_noise", term.signal_to_noise)
                        .Text());
  }
  return base::JsonObject()
      .SetBool("junk", expected->IsJunk())
      .SetInteger("judged_rank", expected->judged.rank)
      .SetNumber("signal_to_noise", expected->judged.signal_to_noise)
      .SetNumber("least_signal_to_noise", lda::kLeastSignal)
      .SetNumber("counts_signal", expected->counts_signal)
      .SetNumber("clip_norm", expected->clip_norm)
      .SetNumber("noise", expected->noise)
      .SetRaw("terms", base::JsonArray(terms))
      .Text();
}

std::string WarningOf(const PlanOffer& offer) {
  if (!offer.expected.has_value()) return "";
  const std::string warning = WarningOf(*offer.expected, offer.price.epsilon_alone());
  return warning.empty() ? "" : absl::StrCat(warning, " This is ", AssumptionOf(offer), ".");
}

}  // namespace topicwall::client
