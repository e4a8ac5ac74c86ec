#include "client/evaluate/ask_paid.h"

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"

namespace topicwall::client {

absl::Status CheckVersion(WallPort& wall, const v1::ReleaseSpec& plan) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(plan.corpus()));
  if (description.corpus_version() == plan.corpus_version()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the plan was begun on another version of corpus ", plan.corpus(),
                   ", which is no longer served. Change a flag to begin another one."));
}

absl::Status WriteIn(const ModelDirectory& directory, const google::protobuf::MessageLite& file,
                     const std::string& path) {
  TW_RETURN_IF_ERROR(directory.CheckInPlace());
  return WritePaid(file, path);
}

absl::Status RemoveFrom(const ModelDirectory& directory, const std::string& path) {
  TW_RETURN_IF_ERROR(directory.CheckInPlace());
  return base::RemoveFileDurably(path);
}

}  // namespace topicwall::client
