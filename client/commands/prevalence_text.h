// What a prevalence report says (client/evaluate/prevalence_report.h): as a table for the eye, as
// JSON, and as CSV, one row for each topic of each group. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_PREVALENCE_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_PREVALENCE_TEXT_H_

#include <string>

#include "base/json.h"
#include "client/evaluate/prevalence_report.h"

namespace topicwall::client {

// The `top` largest topics.
std::string TextOf(const PrevalenceReport& report, int top);
base::JsonObject JsonOf(const PrevalenceReport& report);
// RFC 4180; what cannot be told is an empty field.
std::string CsvOf(const PrevalenceReport& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_PREVALENCE_TEXT_H_
