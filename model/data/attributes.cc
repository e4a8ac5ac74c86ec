// Days are compared as text: of two checked YYYY-MM-DD the earlier one is the smaller string.
#include "model/data/attributes.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/utf8.h"

namespace topicwall::model {
namespace {

constexpr size_t kMaxNameBytes = 64;
constexpr size_t kMaxValueBytes = 256;
constexpr size_t kDayBytes = 10;  // YYYY-MM-DD

// Of the Gregorian calendar. 1 <= month <= 12.
int DaysOf(int month, int year) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool IsDay(absl::string_view text) {
  if (text.size() != kDayBytes || text[4] != '-' || text[7] != '-') return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i != 4 && i != 7 && !absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) return false;
  }
  int year = 0;
  int month = 0;
  int day = 0;
  if (!absl::SimpleAtoi(text.substr(0, 4), &year) || !absl::SimpleAtoi(text.substr(5, 2), &month) ||
      !absl::SimpleAtoi(text.substr(8, 2), &day)) {
    return false;
  }
  return month >= 1 && month <= 12 && day >= 1 && day <= DaysOf(month, year);
}

bool IsName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return false;
  }
  // Those are what a line of documents has of its own.
  return name != "id" && name != "owner" && name != "text";
}

absl::Status Refuse(const Attribute& attribute, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("attribute ", attribute.name, ": ", rule));
}

absl::Status CheckBoundaries(const Attribute& attribute) {
  if (attribute.values.size() < 2) {
    return Refuse(attribute,
                  "a date needs at least two boundaries: one period's first day, and the "
                  "day after its last. Add them.");
  }
  for (size_t i = 0; i < attribute.values.size(); ++i) {
    const std::string& day = attribute.values[i];
    if (!IsDay(day)) {
      return Refuse(attribute,
                    absl::StrCat("boundaries must be days, YYYY-MM-DD; got \"", day, "\"."));
    }
    if (i > 0 && !(attribute.values[i - 1] < day)) {
      return Refuse(attribute, absl::StrCat("boundaries must ascend; ", day, " follows ",
                                            attribute.values[i - 1], "."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const Attribute& attribute) {
  absl::flat_hash_set<absl::string_view> seen;
  for (const std::string& value : attribute.values) {
    if (value.empty() || value.size() > kMaxValueBytes || !lda::IsValidUtf8(value)) {
      return Refuse(attribute, absl::StrCat("values must have 1 to ", kMaxValueBytes,
                                            " bytes of UTF-8; one does not."));
    }
    if (value == kOtherLabel) {
      return Refuse(attribute, "\"other\" is always a value, and is not listed. Leave it out.");
    }
    if (!seen.insert(value).second) {
      return Refuse(attribute, absl::StrCat("values must differ; \"", value, "\" is there twice."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAttribute(const Attribute& attribute) {
  if (!IsName(attribute.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("an attribute's name must have 1 to ", kMaxNameBytes,
                     " letters, digits, '_' and '-', and be none of id, owner, text; got \"",
                     attribute.name, "\"."));
  }
  // One less than there may be: "other" is a value, too.
  if (attribute.values.empty() || attribute.values.size() >= kMaxAttributeValues) {
    return Refuse(attribute, absl::StrCat("it must have 1 to ", kMaxAttributeValues - 1,
                                          " values; got ", attribute.values.size(), "."));
  }
  return attribute.is_date ? CheckBoundaries(attribute) : CheckValues(attribute);
}

}  // namespace

absl::Status CheckAttributes(absl::Span<const Attribute> attributes) {
  if (attributes.size() > kMaxAttributes) {
    return absl::InvalidArgumentError(absl::StrCat("there must be at most ", kMaxAttributes,
                                                   " attributes; got ", attributes.size(), "."));
  }
  absl::flat_hash_set<absl::string_view> names;
  size_t bytes = 0;
  for (const Attribute& attribute : attributes) {
    TW_RETURN_IF_ERROR(CheckAttribute(attribute));
    if (!names.insert(attribute.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("attributes must have different names; ", attribute.name, " is one twice."));
    }
    bytes += attribute.name.size();
    for (const std::string& value : attribute.values) bytes += value.size();
  }
  if (bytes > kMaxAttributeBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("names and values of all attributes must have at most ", kMaxAttributeBytes,
                     " bytes; they have ", bytes, ". Take fewer or shorter values."));
  }
  return absl::OkStatus();
}

int NumValues(const Attribute& attribute) {
  return static_cast<int>(attribute.values.size()) + (attribute.is_date ? 0 : 1);
}

int ValueOf(const Attribute& attribute, absl::string_view text) {
  const std::vector<std::string>& values = attribute.values;
  if (!attribute.is_date) {
    // "other" is what comes of not being found.
    return static_cast<int>(std::find(values.begin(), values.end(), text) - values.begin());
  }
  // Of a day with its time the day counts; anything longer is no date.
  const bool has_time =
      text.size() > kDayBytes && (text[kDayBytes] == 'T' || text[kDayBytes] == ' ');
  const absl::string_view day = has_time ? text.substr(0, kDayBytes) : text;
  if (!IsDay(day) || day < values.front() || !(day < values.back())) return OtherOf(attribute);
  return static_cast<int>(std::upper_bound(values.begin(), values.end(), day) - values.begin()) - 1;
}

std::string LabelOf(const Attribute& attribute, int value) {
  return value == OtherOf(attribute) ? kOtherLabel : attribute.values[static_cast<size_t>(value)];
}

std::vector<int> SizesOf(absl::Span<const Attribute> attributes) {
  std::vector<int> sizes;
  for (const Attribute& attribute : attributes) sizes.push_back(NumValues(attribute));
  return sizes;
}

}  // namespace topicwall::model
