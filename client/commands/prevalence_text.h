// What a prevalence report says (client/evaluate/prevalence_report.h): as a table for the eye, as
// JSON, and as CSV, one row for each topic of each group. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_PREVALENCE_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_PREVALENCE_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "client/evaluate/prevalence_report.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// What the report's topics are called where they are shown, as `topics` and the report of a model
// have them: by the label of the first that has one, in the model's folder, else by the words that
// say most of the first.
absl::StatusOr<std::vector<std::string>> NamesOf(const std::string& folder,
                                                 const v1::ModelFile& model,
                                                 const PrevalenceReport& report);
// The `top` largest topics, with a name of each.
std::string TextOf(const PrevalenceReport& report, const std::vector<std::string>& names, int top);
base::JsonObject JsonOf(const PrevalenceReport& report);
// RFC 4180; what cannot be told is an empty field.
std::string CsvOf(const PrevalenceReport& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_PREVALENCE_TEXT_H_
