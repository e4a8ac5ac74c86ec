// What a report says of the files beside a model: labels, evaluations and prevalences that are
// done, and of another model to compare it with.
//
//   TW_RETURN_IF_ERROR(AddLabels("notes.model", model, report));        // labels.txt
//   TW_RETURN_IF_ERROR(AddEvaluations("notes.model", model, plans, report));  // evaluation-….pb
//   TW_RETURN_IF_ERROR(AddPrevalence(file, plans, report));  // by each attribute alone, or of all
//   TW_RETURN_IF_ERROR(AddComparison(model, {other, sha256}, report));
//
// Prevalence by one attribute is had for nothing from one by several. Topics of two models are
// paired as `topicwall match` pairs them (client/topics/model_match.h).
//
// Errors: those of the files; FAILED_PRECONDITION for models without a common word. PUBLIC.
// Threads: one.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_FOLDER_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_FOLDER_FACTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/model.pb.h"
#include "proto/report.pb.h"

namespace topicwall::client {

// To topics that are there (client/topics/topic_labels.h).
absl::Status AddLabels(const std::string& folder, const v1::ModelFile& model, v1::Report& report);

// A plan from whose releases numbers of the report are.
struct PlanOfReport {
  std::string id;
  std::string what;                 // they say, in words
  std::string corpus = {};          // of what lies beside the model
  std::string corpus_version = {};  // 16 bytes
};

// Those of the model's own topics: another model may have been in its place. Both append to
// `plans`.
absl::Status AddEvaluations(const std::string& folder, const v1::ModelFile& model,
                            std::vector<PlanOfReport>& plans, v1::Report& report);

absl::Status AddPrevalence(const v1::PrevalenceFile& file, std::vector<PlanOfReport>& plans,
                           v1::Report& report);

struct OtherModel {
  v1::ModelFile file;
  std::string sha256;  // of its file, hexadecimal
  bool is_checkpoint = false;
};
absl::Status AddComparison(const v1::ModelFile& model, const OtherModel& other, v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_FOLDER_FACTS_H_
