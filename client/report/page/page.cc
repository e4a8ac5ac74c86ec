#include "client/report/page/page.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/sha256.h"
#include "client/report/facts/rounded_numbers.h"
#include "client/report/page/assets.h"
#include "client/report/page/sections.h"
#include "client/report/text/html.h"
#include "proto/model.pb.h"

namespace topicwall::client {
namespace {

constexpr absl::string_view kDataBegins = "<script type=\"application/json\" id=\"report\">";
constexpr absl::string_view kDataEnds = "</script>";

std::string HashSource(absl::string_view text) {
  const base::Digest digest = base::Sha256Of(text);
  return absl::StrCat("'sha256-",
                      absl::Base64Escape(absl::string_view(
                          reinterpret_cast<const char*>(digest.data()), digest.size())),
                      "'");
}

// No page may load anything: style and script are named by their digests, and whoever alters one of
// them has a page that no browser runs.
std::string Policy() {
  // So no element may have a style attribute either: colours of the pictures are `fill`.
  return absl::StrCat("default-src 'none'; style-src ", HashSource(kReportStyle), "; script-src ",
                      HashSource(kReportScript), "; base-uri 'none'; form-action 'none'");
}

void AddHtmlHead(const v1::Report& report, Html& html) {
  html.Open("head");
  html.Open("meta", {{"charset", "utf-8"}}).CloseVoid().Raw("\n");
  html.Open("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", Policy()}})
      .CloseVoid()
      .Raw("\n");
  html.Open("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}})
      .CloseVoid()
      .Raw("\n");
  html.Open("meta", {{"name", "referrer"}, {"content", "no-referrer"}}).CloseVoid().Raw("\n");
  html.Add("title", TitleOf(report));
  html.Raw("\n").Open("style").Raw(kReportStyle).Close();
  html.Close();
}

bool IsTopic(int number, const v1::Report& report) {
  return number >= 1 && number <= report.topics_size();
}

// Whoever altered a page may have altered what other numbers are looked up by. On a copy, since
// RoundNumbers, which here only says whether every number is finite, changes it.
bool CanBeDrawn(v1::Report report) {
  if (!RoundNumbers(report)) return false;
  for (int i = 0; i < report.topics_size(); ++i) {
    if (report.topics(i).number() != i + 1) return false;
    if (report.topics(i).has_component() != report.model().has_vectors()) return false;
    for (const v1::ReportedNeighbour& neighbour : report.topics(i).neighbours()) {
      if (!IsTopic(neighbour.number(), report)) return false;
    }
  }
  for (const v1::ReportedPrevalence& prevalence : report.prevalences()) {
    for (const v1::ReportedGroup& group : prevalence.groups()) {
      if (group.topics_size() != (group.none() ? 0 : report.topics_size())) return false;
    }
  }
  for (const v1::ReportedMatch& match : report.comparison().matches()) {
    if (!IsTopic(match.number(), report)) return false;
  }
  return true;
}

absl::Status NoReport(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("this is no report, or not a whole one: ", why,
                                                 ". `topicwall report` writes one."));
}

}  // namespace

std::string PageJson(const v1::Report& report) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails only for an Any, of which there is none.
  if (!google::protobuf::util::MessageToJsonString(report, &json, options).ok()) return "null";
  // A word of the vocabulary may hold "</script>", which would end the numbers there.
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}});
}

std::string RenderPage(const v1::Report& report) {
  Html html;
  html.Raw("<!doctype html>\n").Open("html", {{"lang", "en"}}).Raw("\n");
  AddHtmlHead(report, html);
  html.Open("body").Raw("\n").Open("main").Raw("\n");
  AddHead(report, html);
  AddMap(report, html);
  if (report.model().has_vectors()) {
    AddComponents(report, html);
  } else {
    AddTopicCards(report, html);
    AddWords(report, html);
  }
  AddQuality(report, html);
  AddPrevalences(report, html);
  AddComparison(report, html);
  AddPrivacySheet(report, html);
  AddMethod(report, html);
  html.Close();
  // The script reads the numbers and the elements before it, and so is the last.
  html.Raw(kDataBegins).Raw(PageJson(report)).Raw(kDataEnds).Raw("\n");
  html.Open("script").Raw(kReportScript).Close();
  html.Close().Close();
  return std::move(html).Take();
}

absl::StatusOr<v1::Report> ReportInPage(absl::string_view html) {
  // In a page that RenderPage wrote the first is the only one: no text before it has an unescaped
  // "<".
  const size_t begin = html.find(kDataBegins);
  if (begin == absl::string_view::npos) return NoReport("it holds no numbers");
  const absl::string_view rest = html.substr(begin + kDataBegins.size());
  const size_t size = rest.find(kDataEnds);
  if (size == absl::string_view::npos) return NoReport("its numbers have no end");
  const google::protobuf::StringPiece numbers(rest.data(), size);
  // The version by itself first: of another format's other fields nothing is known.
  google::protobuf::util::JsonParseOptions of_any_format;
  of_any_format.ignore_unknown_fields = true;
  v1::FormatVersion version;
  const auto has_version =
      google::protobuf::util::JsonStringToMessage(numbers, &version, of_any_format);
  if (!has_version.ok()) return NoReport("its numbers cannot be read");
  v1::Report report;
  if (version.format_version() != kReportFormatVersion) {
    // As far as it goes: by then who wrote it is known, or nobody says.
    (void)google::protobuf::util::JsonStringToMessage(numbers, &report, of_any_format);
    return absl::InvalidArgumentError(absl::StrCat(
        "the report has format ", version.format_version(), " and was written by topicwall ",
        report.program_version().empty() ? "of another version" : report.program_version(),
        "; this program reads format ", kReportFormatVersion, ". Verify it with that version."));
  }
  const auto parsed = google::protobuf::util::JsonStringToMessage(numbers, &report);
  if (!parsed.ok()) return NoReport("its numbers cannot be read");
  if (!CanBeDrawn(report)) return NoReport("its numbers do not belong together");
  return report;
}

}  // namespace topicwall::client
