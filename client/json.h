// The JSON form of a message: what the wall says is printed in it, and what is no message with
// base/json.h, in the same spelling. PUBLIC. Threads: any.
//
//   JsonOf(description);   // {"corpus":"notes","corpus_version":"00f1…","nominal_size":300,…}
//
// Members have the names of the .proto, in its order. All numbers are numbers (NaN and infinity are
// null), bytes are hexadecimal digits, values of an enum their names. Members at their defaults are
// shown; an optional one or a message that is not there is left out.
#ifndef TOPICWALL_CLIENT_JSON_H_
#define TOPICWALL_CLIENT_JSON_H_

#include <google/protobuf/message.h>

#include <string>

namespace topicwall::client {

std::string JsonOf(const google::protobuf::Message& message);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_JSON_H_
