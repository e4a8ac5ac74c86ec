// How a report writes numbers: always the same digits for the same number. ε is written as
// everywhere (proto/told_numbers.h). PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_REPORT_TEXT_NUMBERS_H_
#define TOPICWALL_CLIENT_REPORT_TEXT_NUMBERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/told_numbers.h"

namespace topicwall::client {

using proto::Fixed;
// "4.8 %" of 0.0481: `digits` behind the point.
std::string Percent(double share, int digits = 1);
// With as many digits as leave two that count: "0.013 %", "2.1 %", "14 %".
std::string ShortPercent(double share);
// "72.9 %" of 0.728304: of what is a bound no text says less than it is.
std::string PercentAtMost(double share);
// "49 %" of 0.497: of how sure something is no text says more. What is called weak below one half
// is told as less than that.
std::string PercentAtLeast(double share);
// As proto::DeltaText, which no line is broken in: "0.01", "10⁻⁶" and "1.3·10⁻⁶".
std::string DeltaText(double delta);
// "ε 2.4400, δ 10⁻⁶".
std::string PairText(double epsilon, double delta);
// With three digits that count: "0.0312", "4.81", "12,300".
std::string Rounded(double value);
// With two digits that count, and above one never by powers of ten: "0.031", "4.8", "620".
std::string TwoDigits(double value);
// "58,087".
std::string Thousands(int64_t count);
// "2026-11-23 01:36 UTC"; "" of 0.
std::string TimeText(int64_t time_ms);
// The first eight digits of an id.
std::string ShortId(absl::string_view id);
// "3 topics", "1 topic".
std::string Counted(int64_t count, absl::string_view one, absl::string_view many);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_TEXT_NUMBERS_H_
