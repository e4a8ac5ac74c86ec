#include "client/commands/questions/lengths_text.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/hex.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/spending.h"
#include "client/fit/fit_spec.h"

namespace topicwall::client {
namespace {

using lengths::LengthRange;

// So much wider than its lower end, a range says nothing that a plan could use.
constexpr double kWidestRange = 10;

// Whole where it is large, and never by powers of ten.
std::string RoundedLength(double number) {
  return number < 100 ? absl::StrFormat("%.3g", number) : absl::StrFormat("%.0f", number);
}

std::string EndsText(const LengthRange& range) {
  return absl::StrCat(RoundedLength(range.low), " to ", RoundedLength(range.high));
}

// `if_wide`: what is said of a range that is too wide to say more.
void AddRange(const std::string& name, const std::optional<LengthRange>& range,
              absl::string_view if_wide, base::Table& table) {
  if (!range.has_value()) {
    table.AddRow({name, "none can be told: the noise is as large as what was counted"});
    return;
  }
  table.AddRow({name, range->high > kWidestRange * range->low
                          ? absl::StrCat(EndsText(*range), if_wide)
                          : absl::StrCat(RoundedLength(range->value), ", ", EndsText(*range))});
}

// What a fit or an evaluation takes without a measurement: of a unit no more than counts.
double Otherwise(const v1::LengthsFile& file) {
  const auto most = static_cast<double>(file.most_words());
  return most > 0 ? std::min(kWordsPerUnit, most) : kWordsPerUnit;
}

// Of what the wall counts of a unit: what is longer counts as so long in each of the numbers, and
// of an owner no further document counts. Of limits that are not known their product alone is told.
std::string CountedText(v1::PrivacyUnit unit, int64_t most_words, int64_t most_of_document) {
  if (most_words < 1) return "";
  if (unit != v1::PRIVACY_UNIT_OWNER || most_of_document < 1 || most_words % most_of_document > 0) {
    return absl::StrCat("counted up to ", most_words);
  }
  const int64_t documents = most_words / most_of_document;
  return absl::StrCat("of at most ", documents, documents == 1 ? " document" : " documents",
                      " of an owner and ", most_of_document, " words of each");
}

// What to make of it.
std::string PlansText(const v1::LengthsFile& file, const lengths::LengthEstimate& told,
                      const std::string& folder) {
  const std::optional<LengthRange> typical = TypicalLength(file, told);
  if (!typical.has_value()) {
    return absl::StrFormat(
        "go on with an assumption, %g if you make none; a larger --spend tells more",
        Otherwise(file));
  }
  const bool owners = file.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
  return absl::StrFormat(
      "take %.0f words, %s, by --words-per-unit %s; without it %g are assumed", typical->value,
      owners ? "what three of four owners have at least" : "the median", folder, Otherwise(file));
}

void SetRange(const char* name, const std::optional<LengthRange>& range, base::JsonObject& object) {
  constexpr double kNull = std::numeric_limits<double>::quiet_NaN();
  const LengthRange told = range.value_or(LengthRange{kNull, kNull, kNull});
  object.SetNumber(name, told.value)
      .SetNumber(absl::StrCat(name, "_low"), told.low)
      .SetNumber(absl::StrCat(name, "_high"), told.high);
}

}  // namespace

std::string ExpectedLengthsText(double error) {
  if (!(error <= lengths::kMostRankError)) {
    return "nothing but the number of units, if the stated size is right: NOISE WILL DROWN IT. "
           "Spend more";
  }
  return absl::StrFormat(
      "the median to within ±%.2g %% of the units, and what is told is a quarter of itself wide or "
      "less, if the stated size is right",
      100 * error);
}

std::string QuoteText(const LengthsQuote& quote) {
  const v1::ReleaseSpec& plan = quote.plan;
  base::Table table;
  table.AddRow(
      {"lengths",
       absl::StrFormat("of the units of %s, in known words, %s; one release of %d numbers; noise "
                       "multiplier %g",
                       plan.corpus(),
                       CountedText(quote.description.privacy_unit(), quote.most_words,
                                   quote.description.limits().max_tokens()),
                       quote.edges.size() + 1, plan.gaussian().noise_multiplier())});
  AddTakingRows(quote, table);
  AddSumRow(quote.description.sum(), table);
  const std::optional<double> error = ExpectedError(quote);
  if (error.has_value()) table.AddRow({"expected", ExpectedLengthsText(*error)});
  return table.Text();
}

std::string TextOf(const v1::LengthsFile& file, const lengths::LengthEstimate& told,
                   const std::string& folder) {
  base::Table table;
  AddRange("units", told.units, "", table);
  AddRange("lower quartile", told.lower_quartile, "", table);
  AddRange("median", told.median, "", table);
  AddRange("upper quartile", told.upper_quartile, "", table);
  // Of it alone: a unit counts once in the others, however long it is.
  AddRange("mean", told.mean, ": a few very long units would be as much", table);
  table.AddRow({"plans", PlansText(file, told, folder)});
  const std::string counted =
      CountedText(file.privacy_unit(), file.most_words(), file.plan().plan().max_tokens());
  return absl::StrCat("known words of the units of ", file.plan().plan().corpus(),
                      counted.empty() ? "" : ", ", counted, ", with 95 % intervals\n",
                      table.Text(2));
}

base::JsonObject LengthsJson(const v1::LengthsFile& file, const lengths::LengthEstimate& told) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  base::JsonObject object;
  object.SetString("corpus", plan.corpus())
      .SetString("corpus_version", base::Hex(plan.corpus_version()))
      .SetString("plan_id", file.plan().plan_id())
      .SetBool("of_owners", file.privacy_unit() == v1::PRIVACY_UNIT_OWNER);
  SetRange("units", told.units, object);
  SetRange("lower_quartile", told.lower_quartile, object);
  SetRange("median", told.median, object);
  SetRange("upper_quartile", told.upper_quartile, object);
  SetRange("mean", told.mean, object);
  const std::optional<LengthRange> typical = TypicalLength(file, told);
  object.SetNumber("words_per_unit",
                   typical.has_value() ? typical->value : std::numeric_limits<double>::quiet_NaN());
  std::vector<base::JsonObject> bins;
  for (int b = 0; b < file.counts_size(); ++b) {
    const double last =
        b < file.edges_size() ? double{file.edges(b)} - 1 : static_cast<double>(file.most_words());
    bins.push_back(base::JsonObject()
                       .SetNumber("from", b == 0 ? 1 : double{file.edges(b - 1)})
                       .SetNumber("to", last)
                       .SetNumber("units", double{file.counts(b)}));
  }
  return std::move(object.SetObjects("bins", bins)
                       .SetNumber("noise_standard_deviation", file.noise_standard_deviation())
                       .SetNumber("noise_multiplier", plan.gaussian().noise_multiplier()));
}

}  // namespace topicwall::client
