// Attributes, and the space of vectors, as messages: as a corpus's manifest keeps them, as the
// custodian types them and as analysts are told them.
//
//   *message.mutable_attributes() = RecordsOf(description.attributes);
//   TW_ASSIGN_OR_RETURN(std::vector<model::Attribute> again, AttributesOf(message.attributes()));
//
// PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_SERVER_CORPUS_ATTRIBUTE_RECORD_H_
#define TOPICWALL_SERVER_CORPUS_ATTRIBUTE_RECORD_H_

#include <google/protobuf/repeated_field.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/attributes.h"
#include "model/data/bounded_vector.h"
#include "proto/wall.pb.h"

namespace topicwall::corpus {

using AttributeRecords = google::protobuf::RepeatedPtrField<v1::Attribute>;

AttributeRecords RecordsOf(absl::Span<const model::Attribute> attributes);

// INVALID_ARGUMENT as of CheckAttributes (model/data/attributes.h).
absl::StatusOr<std::vector<model::Attribute>> AttributesOf(const AttributeRecords& records);

v1::VectorSpace RecordOf(const model::VectorSpace& space);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_ATTRIBUTE_RECORD_H_
