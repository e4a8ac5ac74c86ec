#include "server/corpus/ingest/attribute_file.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "proto/corpus.pb.h"
#include "proto/strict_parse.h"
#include "server/corpus/attribute_record.h"

namespace topicwall::corpus {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{16} << 20;

}  // namespace

absl::StatusOr<std::vector<model::Attribute>> ReadAttributeFile(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string text, base::ReadWholeFile(path, kMaxFileBytes));
  v1::AttributeList list;
  TW_RETURN_IF_ERROR(proto::ParseText(text, path, &list));
  if (list.attributes().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": there must be at least one attribute. Add one, or leave the file out."));
  }
  absl::StatusOr<std::vector<model::Attribute>> attributes = AttributesOf(list.attributes());
  if (attributes.ok()) return attributes;
  return absl::Status(attributes.status().code(),
                      absl::StrCat(path, ": ", attributes.status().message()));
}

}  // namespace topicwall::corpus
