// A fit, as JSON. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_COMMANDS_JSON_FIT_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_JSON_FIT_JSON_H_

#include <string>

#include "client/fit/fit.h"

namespace topicwall::client {

// {"model":…,"was_finished":…,"corpus":…,…,"taken":…,…}: `directory` is the model's folder.
std::string FitJson(const FitResult& result, const std::string& directory);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_JSON_FIT_JSON_H_
