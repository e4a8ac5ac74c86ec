// Attributes: what documents may differ in beside their words, such as a ward or the month of a
// date. Their values are typed by the custodian from public knowledge, never counted from
// documents.
//
//   const Attribute ward = {.name = "ward", .values = {"north", "south"}};
//   const Attribute month = {.name = "month", .values = {"2024-01-01", "2024-02-01", "2024-03-01"},
//                            .is_date = true};
//   ValueOf(month, "2024-02-17")   // 1: from February's first day to before March's
//   ValueOf(ward, "west")          // OtherOf(ward), 2
//   LabelOf(month, 1)              // "2024-02-01"
//
// A category has the values of its list, numbered from 0, compared byte by byte. A date has the
// periods between its boundaries, each from its own day to the day before the next one's: one fewer
// than there are boundaries. Behind them stands one value more, "other": of a document that has
// none, one that is not listed, or several that differ. So every document has exactly one value of
// every attribute, by its own lines alone.
//
// The attributes and their names are PUBLIC; a document's value is PRIVATE. Pure functions, any
// thread. Cost: a date's boundaries are halved, a category's list is gone through.
#ifndef TOPICWALL_MODEL_DATA_ATTRIBUTES_H_
#define TOPICWALL_MODEL_DATA_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::model {

inline constexpr int kMaxAttributes = 9;
inline constexpr int kMaxAttributeValues = 65535;   // "other" included: a value has 16 bits
inline constexpr int kMaxAttributeBytes = 1 << 20;  // of all names and values: they are told whole
inline constexpr char kOtherLabel[] = "other";

struct Attribute {
  std::string name;                 // of the field that it is read from
  std::vector<std::string> values;  // of a category; of a date the boundaries, YYYY-MM-DD
  bool is_date = false;

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// INVALID_ARGUMENT unless there are at most kMaxAttributes, each with a name of its own of 1 to 64
// letters, digits, '_' and '-', none of "id", "owner" and "text"; and with 1 to
// kMaxAttributeValues - 1 different values of 1 to 256 bytes of UTF-8, none of them "other", or at
// least two dates of the calendar, ascending. All names and values together have at most
// kMaxAttributeBytes.
absl::Status CheckAttributes(absl::Span<const Attribute> attributes);

// Values with "other", which is the last.
int NumValues(const Attribute& attribute);
inline int OtherOf(const Attribute& attribute) { return NumValues(attribute) - 1; }

// The value that `text` is; "other" if it is none. Of a date the first ten bytes count, if there
// are no more or a 'T' or a space follows them: what tells the time of the day is read over.
// Precondition of this and LabelOf: the attribute was checked.
int ValueOf(const Attribute& attribute, absl::string_view text);

// What to call a value: of a period its first day. 0 <= value < NumValues.
std::string LabelOf(const Attribute& attribute, int value);

// Of each attribute NumValues: CorpusShape::attribute_sizes.
std::vector<int> SizesOf(absl::Span<const Attribute> attributes);

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_DATA_ATTRIBUTES_H_
