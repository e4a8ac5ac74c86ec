// What releases say of topics in groups of documents, with all that people want to read beside it:
// names of groups, words of topics, all documents together, changes.
//
//   TW_ASSIGN_OR_RETURN(const PrevalenceReport report, ReportOf(file, model, {"year"}));
//   report.groups[g].topics[k].share     // of the group that report.labels[g] names
//
// Changes are told along the one attribute that is a date (the first, of several), from each period
// to the next within the same values of all others, "other" not among them. PUBLIC: released
// numbers. Pure. Cost: that of model/prevalence/prevalence_estimate.h.
#ifndef TOPICWALL_CLIENT_EVALUATE_PREVALENCE_REPORT_H_
#define TOPICWALL_CLIENT_EVALUATE_PREVALENCE_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/attributes.h"
#include "model/prevalence/prevalence_difference.h"
#include "model/prevalence/prevalence_estimate.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct PrevalenceReport {
  v1::PrevalenceFile file;
  std::vector<model::Attribute> by;              // in the order asked for
  std::vector<std::vector<std::string>> labels;  // of each group, one for each of `by`
  std::vector<prevalence::GroupPrevalence> groups;
  prevalence::GroupPrevalence all;  // of all documents together
  std::vector<prevalence::PrevalenceDifference> changes;
  std::vector<std::string> words;  // of each topic, the most probable ones
};

// INVALID_ARGUMENT for an attribute that the file has not.
absl::StatusOr<PrevalenceReport> ReportOf(const v1::PrevalenceFile& file,
                                          const v1::ModelFile& model,
                                          const std::vector<std::string>& by);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_PREVALENCE_REPORT_H_
