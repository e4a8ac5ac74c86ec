// What a measurement of lengths says (client/evaluate/lengths_file.h): as a table for the eye and
// as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_QUESTIONS_LENGTHS_TEXT_H_
#define TOPICWALL_CLIENT_COMMANDS_QUESTIONS_LENGTHS_TEXT_H_

#include <string>

#include "base/json.h"
#include "client/evaluate/lengths_file.h"
#include "client/evaluate/wall_lengths.h"
#include "model/lengths/length_estimate.h"
#include "proto/model.pb.h"

namespace topicwall::client {

std::string QuoteText(const LengthsQuote& quote);
// "the median to within ±3.9 % of the units, and a quarter of itself"; `error`: ExpectedError.
std::string ExpectedLengthsText(double error);

// Of a finished file in `folder`, each line indented by two spaces.
std::string TextOf(const v1::LengthsFile& file, const lengths::LengthEstimate& told,
                   const std::string& folder);
base::JsonObject LengthsJson(const v1::LengthsFile& file, const lengths::LengthEstimate& told);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_QUESTIONS_LENGTHS_TEXT_H_
