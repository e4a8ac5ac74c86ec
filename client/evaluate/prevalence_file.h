// prevalence-….pb: what a wall said of topics in groups of documents, or is saying, beside their
// model.
//
//   const std::string path = PrevalencePath(directory.path(), wish, model);
//   absl::StatusOr<std::optional<v1::PrevalenceFile>> begun = ReadPrevalence(path);
//   absl::Status status = WritePaid(*file, path);
//   FindPaid(directory.path(), {.corpus = "notes", .by = {"year"}}, model);   // free
//
// Named and kept as paid_plan.h says. What was paid for by several attributes is had by fewer of
// them for nothing: sums of sums. PUBLIC: released numbers. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_PREVALENCE_FILE_H_
#define TOPICWALL_CLIENT_EVALUATE_PREVALENCE_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/spend.h"
#include "model/data/attributes.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kPrevalenceFormatVersion = 1;

// b; the columns of topics have weight 1.
// Small, as counts are far above their noise: it costs the topics 3 % of the clip norm.
inline constexpr float kDocumentColumnWeight = 0.25F;

// What the analyst asks.
struct PrevalenceWish {
  std::string corpus;
  std::vector<std::string> by;  // names of attributes; none: all documents are one group
  PlanNoise noise = {};
  std::optional<int> releases = {};          // J >= 1; 1 if not given
  std::optional<double> sampling_rate = {};  // ν in (0, 1]; 1 if not given
  // Documents of a typical unit: one of more counts as if it had so many. Needed where the unit is
  // an owner, and 1 where it is a document.
  std::optional<double> typical_documents = {};
  std::optional<int64_t> max_words = {};  // N; the wall's limit if not given
};

std::string PrevalencePath(const std::string& directory, const PrevalenceWish& wish,
                           const v1::ModelFile& model);

absl::StatusOr<std::optional<v1::PrevalenceFile>> ReadPrevalence(const std::string& path);

// Whether all of its releases are in it.
bool IsFinished(const v1::PrevalenceFile& file);

// Of the finished files of these topics and this corpus that know all attributes of `wish.by`, the
// one whose sums by them have the least noise; nothing if there is none. What the wish leaves open
// may be any, and its price is not looked at. Errors as of ReadPrevalence.
absl::StatusOr<std::optional<v1::PrevalenceFile>> FindPaid(const std::string& directory,
                                                           const PrevalenceWish& wish,
                                                           const v1::ModelFile& model);

// Of a file's attributes, or a corpus's.
std::vector<model::Attribute> AttributesOf(
    const google::protobuf::RepeatedPtrField<v1::Attribute>& attributes);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_PREVALENCE_FILE_H_
