#include "proto/told_numbers.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace topicwall::proto {
namespace {

constexpr int kEpsilonDigits = 4;
constexpr double kOfAddingDoubles = 1e-12;

// What a text of ours says. Not strtod, which takes the point for the end of the number where a
// program has chosen another locale, as one in Python may.
double NumberOf(const std::string& text) {
  double value = 0;
  return absl::SimpleAtod(text, &value) ? value : std::nan("");
}

// Whether a text says less than the value, or more, by more than what adding doubles makes of it.
bool SaysLess(const std::string& text, double value) {
  return NumberOf(text) < value * (1 - kOfAddingDoubles);
}
bool SaysMore(const std::string& text, double value) {
  return NumberOf(text) > value * (1 + kOfAddingDoubles);
}

// One of the last of so many digits that count. Of a number that is rounded across a power of ten,
// as 0.996 is, those are its own and not the text's.
double LastDigit(double value, int digits) {
  return std::pow(10, std::floor(std::log10(value)) - digits + 1);
}

// From where "%.2g" has an exponent, or a step up would give it one.
bool IsToldWhole(double value) { return value > 99; }

}  // namespace

std::string Fixed(double value, int digits) {
  std::string text = absl::StrFormat("%.*f", digits, value);
  // What rounds to nothing has no sign.
  if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

// The text itself is compared. Half of the last digit more is, to the nearest, the next one up.
std::string RoundedUp(double value, int digits) {
  const std::string text = Fixed(value, digits);
  return SaysLess(text, value) ? Fixed(value + 0.5 * std::pow(10, -digits), digits) : text;
}

std::string RoundedDown(double value, int digits) {
  const std::string text = Fixed(value, digits);
  return SaysMore(text, value) ? Fixed(value - 0.5 * std::pow(10, -digits), digits) : text;
}

std::string TwoDigitsUp(double value) {
  if (IsToldWhole(value)) return RoundedUp(value, 0);
  const std::string text = absl::StrFormat("%.2g", value);
  return SaysLess(text, value) ? absl::StrFormat("%.2g", NumberOf(text) + LastDigit(value, 2))
                               : text;
}

std::string TwoDigitsDown(double value) {
  if (IsToldWhole(value)) return RoundedDown(value, 0);
  const std::string text = absl::StrFormat("%.2g", value);
  return SaysMore(text, value) ? absl::StrFormat("%.2g", NumberOf(text) - LastDigit(value, 2))
                               : text;
}

std::string EpsilonText(double epsilon) { return RoundedUp(epsilon, kEpsilonDigits); }

double Told(double epsilon) { return NumberOf(EpsilonText(epsilon)); }

std::string TakenText(double before, double after) {
  return Fixed(Told(after) - Told(before), kEpsilonDigits);
}

std::string LeftText(double left) { return RoundedDown(std::max(0.0, left), kEpsilonDigits); }

std::string LeftText(double total, double spent) {
  return Fixed(std::max(0.0, NumberOf(RoundedDown(total, kEpsilonDigits)) - Told(spent)),
               kEpsilonDigits);
}

std::string TakenOfLeftText(double total, double before, double after) {
  const std::string taken = TakenText(before, after), left = LeftText(total, before);
  // A total of more than four digits: up it is what is spent at last, down what is left at first.
  const bool is_all = after <= total * (1 + kOfAddingDoubles) && NumberOf(taken) > NumberOf(left);
  return absl::StrCat(!std::isfinite(after) ? "more than all"
                      : is_all              ? "all"
                                            : taken,
                      " of the ", left, " left");
}

std::string DeltaText(double delta) {
  const std::string text = absl::StrFormat("%.3g", delta);
  return SaysLess(text, delta) ? absl::StrFormat("%.3g", NumberOf(text) + LastDigit(delta, 3))
                               : text;
}

}  // namespace topicwall::proto
