#include "client/report/verification.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/report/page/page.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {
namespace {

using google::protobuf::util::MessageDifferencer;

constexpr size_t kMostLines = 20;
constexpr size_t kExcerpt = 90;
constexpr size_t kBefore = 40;  // of an excerpt, before what differs

// Of two lines that differ, what is around the first difference.
std::string Around(absl::string_view line, size_t place) {
  const size_t begin = place > kBefore ? place - kBefore : 0;
  return absl::StrCat(begin > 0 ? "…" : "", line.substr(std::min(begin, line.size()), kExcerpt),
                      begin + kExcerpt < line.size() ? "…" : "");
}

std::string DifferenceText(size_t number, absl::string_view told, absl::string_view drawn) {
  const auto place = static_cast<size_t>(
      std::mismatch(told.begin(), told.end(), drawn.begin(), drawn.end()).first - told.begin());
  return absl::StrCat("page, line ", number, ": it says “", Around(told, place),
                      "”, its numbers say “", Around(drawn, place), "”");
}

}  // namespace

std::vector<std::string> DifferencesOfPage(absl::string_view html, const v1::Report& told,
                                           absl::string_view program_version) {
  const std::string drawn = RenderPage(told);
  // What follows only finds words for a difference that is certain.
  if (html == drawn) return {};
  std::vector<std::string> found;
  if (told.program_version() != program_version) {
    found.push_back(absl::StrCat("the report was written by topicwall ", told.program_version(),
                                 ", this is ", program_version,
                                 ": pages may look otherwise. Verify it with that version."));
  }
  const std::vector<absl::string_view> lines = absl::StrSplit(html, '\n');
  const std::vector<absl::string_view> expected = absl::StrSplit(drawn, '\n');
  for (size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
    if (found.size() == kMostLines) {
      found.emplace_back("and more");
      break;
    }
    const absl::string_view line = i < lines.size() ? lines[i] : "";
    const absl::string_view other = i < expected.size() ? expected[i] : "";
    if (line != other) found.push_back(DifferenceText(i + 1, line, other));
  }
  if (found.empty()) found.emplace_back("page: its end differs from what its numbers say");
  return found;
}

std::vector<std::string> DifferencesOfNumbers(const v1::Report& told, const v1::Report& found) {
  MessageDifferencer differencer;
  // Otherwise the version, which is passed over, would stand among the differences.
  differencer.set_report_ignores(false);
  differencer.IgnoreField(v1::Report::descriptor()->FindFieldByName("program_version"));
  std::string text;
  differencer.ReportDifferencesToString(&text);
  // Its verdict is in the text: without a difference there is no line.
  differencer.Compare(told, found);
  // "modified: topics[0].share: 0.2 -> 0.1", and the like.
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

absl::StatusOr<std::vector<v1::LedgerEntry>> BeginningOf(std::vector<v1::LedgerEntry> chain,
                                                         const v1::ReportedLedger& told) {
  // The number comes from a page that anybody may have altered.
  if (!(told.entries() >= 0) || chain.size() < static_cast<size_t>(told.entries())) {
    return absl::FailedPreconditionError(
        absl::StrCat("the ledger has ", chain.size(), " entries and the report is of ",
                     told.entries(), ": either the report is wrong, or the ledger was put back."));
  }
  // A ledger grows: what came after the report was written is none of it.
  chain.resize(static_cast<size_t>(told.entries()));
  return chain;
}

std::vector<std::string> PlansBehind(const std::vector<v1::LedgerEntry>& chain,
                                     const v1::ReportedLedger& told) {
  std::vector<std::string> plans;
  for (auto i = static_cast<size_t>(std::max<int64_t>(0, told.entries())); i < chain.size(); ++i) {
    v1::LedgerEvent event;
    if (event.ParseFromString(chain[i].event()) && event.has_plan_reserved()) {
      plans.push_back(event.plan_reserved().plan_id());
    }
  }
  return plans;
}

}  // namespace topicwall::client
