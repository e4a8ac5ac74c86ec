// Attributes as the custodian types them: an AttributeList (proto/corpus.proto) in protobuf's text
// format.
//
//   attributes { name: "ward" values: ["north", "south"] }
//   attributes { name: "month" is_date: true values: ["2024-01-01", "2024-02-01", "2024-03-01"] }
//
// PUBLIC: names and values are told to everybody, so they come from public knowledge and are never
// counted from the documents. Errors name the file and the rule.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_ATTRIBUTE_FILE_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_ATTRIBUTE_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/attributes.h"

namespace topicwall::corpus {

// INVALID_ARGUMENT for a text that is no such list, with the place; for one that CheckAttributes
// (model/data/attributes.h) refuses, or that names none; and for a file of more than 16 MiB.
// NOT_FOUND if there is none.
absl::StatusOr<std::vector<model::Attribute>> ReadAttributeFile(const std::string& path);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_ATTRIBUTE_FILE_H_
