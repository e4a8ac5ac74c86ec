#include "server/corpus/attribute_record.h"

#include <string>

#include "base/status_macros.h"

namespace topicwall::corpus {

AttributeRecords RecordsOf(absl::Span<const model::Attribute> attributes) {
  AttributeRecords records;
  for (const model::Attribute& attribute : attributes) {
    v1::Attribute& record = *records.Add();
    record.set_name(attribute.name);
    for (const std::string& value : attribute.values) record.add_values(value);
    record.set_is_date(attribute.is_date);
  }
  return records;
}

absl::StatusOr<std::vector<model::Attribute>> AttributesOf(const AttributeRecords& records) {
  std::vector<model::Attribute> attributes;
  for (const v1::Attribute& record : records) {
    attributes.push_back({.name = record.name(),
                          .values = {record.values().begin(), record.values().end()},
                          .is_date = record.is_date()});
  }
  TW_RETURN_IF_ERROR(model::CheckAttributes(attributes));
  return attributes;
}

v1::VectorSpace RecordOf(const model::VectorSpace& space) {
  v1::VectorSpace record;
  record.set_dimension(space.dimension);
  record.set_norm_bound(space.norm_bound);
  return record;
}

}  // namespace topicwall::corpus
