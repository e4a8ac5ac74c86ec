// The standard JSON form of a message: replies of the wall are printed in it, and what is no
// message with base/json.h. PUBLIC. Threads: any.
#ifndef TOPICWALL_CLIENT_JSON_H_
#define TOPICWALL_CLIENT_JSON_H_

#include <google/protobuf/message.h>

#include <string>

namespace topicwall::client {

// With the field names of the .proto and fields at their defaults shown: int64 as strings, bytes
// in base64.
std::string JsonOf(const google::protobuf::Message& message);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_JSON_H_
