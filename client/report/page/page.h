// A report as one file of HTML that asks nothing of a network: readable without scripts, better
// with them, and made to be printed on A4.
//
// A pure function: the same report gives the same bytes, anywhere. The report stands at the end as
// JSON. A policy in the page lets browsers run its one script and its one style sheet, by their
// SHA-256, and load nothing (Content Security Policy, level 2).
//
// ReportInPage: INVALID_ARGUMENT if the text is no such page, or of another format version.
// PUBLIC. Cost: some 10 ms and 1 MB for 50 topics.
#ifndef TOPICWALL_CLIENT_REPORT_PAGE_PAGE_H_
#define TOPICWALL_CLIENT_REPORT_PAGE_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/report.pb.h"

namespace topicwall::client {

inline constexpr int kReportFormatVersion = 1;

std::string RenderPage(const v1::Report& report);

absl::StatusOr<v1::Report> ReportInPage(absl::string_view html);

// The JSON that stands in a page: fields by their names in report.proto, without those at their
// defaults, and without any "<".
std::string PageJson(const v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_PAGE_PAGE_H_
