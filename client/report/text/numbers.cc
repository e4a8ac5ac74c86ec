#include "client/report/text/numbers.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

constexpr const char* kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

}  // namespace

std::string Percent(double share, int digits) {
  return absl::StrCat(Fixed(100 * share, digits), " %");
}

std::string ShortPercent(double share) {
  const double percent = 100 * share;
  if (!(percent > 0)) return "0 %";
  const auto magnitude = static_cast<int>(std::clamp(std::floor(std::log10(percent)), -9.0, 9.0));
  return Percent(share, std::clamp(1 - magnitude, 0, 5));
}

std::string Rounded(double value) {
  if (!(value > 0)) return "0";
  const auto magnitude = static_cast<int>(std::clamp(std::floor(std::log10(value)), -6.0, 15.0));
  if (magnitude < 2) return Fixed(value, 2 - magnitude);
  // Of the third digit that counts.
  const double unit = std::pow(10, magnitude - 2);
  return Thousands(std::llround(std::round(value / unit) * unit));
}

std::string TwoDigits(double value) {
  // From where %g would have an exponent.
  return std::abs(value) < 99.5 ? absl::StrFormat("%.2g", value) : Fixed(value, 0);
}

std::string PercentAtMost(double share) {
  return absl::StrCat(proto::RoundedUp(100 * share, 1), " %");
}

std::string PercentAtLeast(double share) {
  return absl::StrCat(proto::RoundedDown(100 * share, 0), " %");
}

std::string DeltaText(double delta) {
  const std::string text = proto::DeltaText(delta);
  const size_t mark = text.find('e');
  if (mark == std::string::npos) return text;
  const std::string factor = text.substr(0, mark);
  std::string exponent;
  bool is_leading = true;
  for (const char c : text.substr(mark + 1)) {
    if (c == '-') exponent += "⁻";
    // printf writes two digits of an exponent or more: 1e-06 is 10⁻⁶.
    if (c < '0' || c > '9' || (is_leading && c == '0')) continue;
    is_leading = false;
    exponent += kSuperscripts[c - '0'];
  }
  return absl::StrCat(factor == "1" ? "" : absl::StrCat(factor, "·"), "10", exponent);
}

std::string PairText(double epsilon, double delta) {
  return absl::StrCat("ε ", proto::EpsilonText(epsilon), ", δ ", DeltaText(delta));
}

std::string Thousands(int64_t count) {
  std::string digits = absl::StrCat(count < 0 ? -count : count);
  for (auto place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<size_t>(place), 1, ',');
  }
  return absl::StrCat(count < 0 ? "-" : "", digits);
}

std::string TimeText(int64_t time_ms) {
  if (time_ms == 0) return "";
  return absl::FormatTime("%Y-%m-%d %H:%M UTC", absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

std::string ShortId(absl::string_view id) { return std::string(id.substr(0, 8)); }

std::string Counted(int64_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat(Thousands(count), " ", count == 1 ? one : many);
}

}  // namespace topicwall::client
