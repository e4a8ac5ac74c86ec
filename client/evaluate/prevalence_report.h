// What releases say of topics in groups of documents, with all that people want to read beside it:
// names of groups, all documents together, changes.
//
//   TW_ASSIGN_OR_RETURN(const PrevalenceReport report, ReportOf(file, {.by = {"year"}}));
//   report.groups[g].topics[k].share     // of the group that report.labels[g] names, and of
//   report.topics[k]                     // the model's topics that were taken together as one
//
// Changes are told along the one attribute that is a date (the first, of several), from each period
// to the next within the same values of all others, "other" not among them. PUBLIC: released
// numbers. Pure. Cost: that of model/prevalence/prevalence_estimate.h.
#ifndef TOPICWALL_CLIENT_EVALUATE_PREVALENCE_REPORT_H_
#define TOPICWALL_CLIENT_EVALUATE_PREVALENCE_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
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
  // Of each topic here, the numbers it has in the model, from 0; several if they were merged.
  std::vector<std::vector<int>> topics;
};

// What is wanted of what was paid for; all of it is free.
struct PrevalenceView {
  std::vector<std::string> by;                // attributes
  std::vector<std::vector<int>> merged = {};  // topics to take together, from 0
};

// INVALID_ARGUMENT for an attribute that is named twice, and for a topic that there is not, or that
// is to be merged twice: all that can be wrong before anything is paid for.
absl::Status CheckView(const PrevalenceView& view, int num_topics);

// INVALID_ARGUMENT for an attribute that the file has not; CheckView's.
absl::StatusOr<PrevalenceReport> ReportOf(const v1::PrevalenceFile& file,
                                          const PrevalenceView& view);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_PREVALENCE_REPORT_H_
