#include "server/corpus/ingest/json_lines_reader.h"

#include <google/protobuf/struct.pb.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "model/data/utf8.h"
#include "model/data/vocabulary.h"
#include "proto/json_line.h"

namespace topicwall::corpus {
namespace {

using google::protobuf::Struct;

// The string in field `name`; null if there is none or it is something else.
// No conversions: whether the id 7 is that of "7" is not for a reader to decide, and a wrong guess
// would put two people's documents into one unit.
const std::string* StringField(const Struct& object, const char* name) {
  const auto field = object.fields().find(name);
  if (field == object.fields().end()) return nullptr;
  return field->second.has_string_value() ? &field->second.string_value() : nullptr;
}

// What the line says of an attribute.
int ValueIn(const Struct& object, const model::Attribute& attribute) {
  // Of smaller numbers every one has a text of its own: larger ones were rounded when they were
  // read, and two of them may have become one.
  constexpr double kFirstRounded = 0x1p53;
  const auto field = object.fields().find(attribute.name);
  if (field == object.fields().end()) return model::OtherOf(attribute);
  if (field->second.has_string_value()) {
    return model::ValueOf(attribute, field->second.string_value());
  }
  // Of what is no number this is 0.
  const double number = field->second.number_value();
  if (!field->second.has_number_value() || !(std::abs(number) < kFirstRounded) ||
      std::trunc(number) != number) {
    return model::OtherOf(attribute);
  }
  return model::ValueOf(attribute, absl::StrCat(static_cast<int64_t>(number)));
}

Problem ReadText(const Struct& object, const lda::Vocabulary& vocabulary,
                 SourceDocument* document) {
  const std::string* text = StringField(object, "text");
  return text == nullptr ? Problem::kNoText : CountText(*text, vocabulary, document);
}

Problem ReadVector(const Struct& object, const model::VectorSpace& space,
                   SourceDocument* document) {
  std::vector<double> numbers(static_cast<size_t>(space.dimension));
  document->vector.resize(numbers.size());
  return proto::TakeVector(object, absl::MakeSpan(numbers)) &&
                 model::ScaleToBound(numbers, space.norm_bound, absl::MakeSpan(document->vector))
             ? Problem::kNone
             : Problem::kBadVector;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DocumentReader>> JsonLinesReader::Open(
    absl::string_view path, v1::PrivacyUnit privacy_unit, const lda::Vocabulary& vocabulary,
    std::vector<model::Attribute> attributes, std::optional<model::VectorSpace> vectors) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<LineReader> lines, LineReader::Open(path, kMaxDocumentBytes));
  return std::unique_ptr<DocumentReader>(
      new JsonLinesReader(std::move(lines), privacy_unit == v1::PRIVACY_UNIT_OWNER, vocabulary,
                          std::move(attributes), vectors));
}

absl::StatusOr<bool> JsonLinesReader::Next(SourceDocument* document) {
  absl::string_view line;
  LineReader::Found found = LineReader::Found::kEnd;
  do {
    TW_ASSIGN_OR_RETURN(found, lines_->Next(&line));
    // An empty line is no document and no problem: many programs end a file with one.
  } while (found == LineReader::Found::kLine && absl::StripAsciiWhitespace(line).empty());
  if (found == LineReader::Found::kEnd) return false;

  document->line = lines_->line_number();
  document->name.clear();
  document->problem =
      found == LineReader::Found::kTooLong ? Problem::kTooLong : ReadLine(line, document);
  return true;
}

Problem JsonLinesReader::ReadLine(absl::string_view line, SourceDocument* document) const {
  if (!lda::IsValidUtf8(line)) return Problem::kNotUtf8;
  const std::optional<Struct> object = proto::JsonObjectOf(line);
  if (!object.has_value()) return Problem::kNotJson;
  // Before all else that may be wrong: a document without an owner refuses the whole.
  const std::string* owner = StringField(*object, "owner");
  if (owner_required_ && (owner == nullptr || owner->empty())) return Problem::kNoOwner;
  const std::string* id = StringField(*object, "id");
  if (id == nullptr || id->empty()) return Problem::kNoId;
  document->id = *id;
  document->owner = owner == nullptr ? "" : *owner;
  document->attributes.clear();
  for (const model::Attribute& attribute : attributes_) {
    document->attributes.push_back(static_cast<uint16_t>(ValueIn(*object, attribute)));
  }
  return vectors_.has_value() ? ReadVector(*object, *vectors_, document)
                              : ReadText(*object, vocabulary_, document);
}

}  // namespace topicwall::corpus
