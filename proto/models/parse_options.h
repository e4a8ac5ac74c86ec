// A model's options out of the bytes that a plan has of them.
//
//   v1::LdaOptions options;
//   TW_RETURN_IF_ERROR(proto::ParseOptions(serialised, &options));
//
// The bytes stand in the ledger for ever and are shown with every list of plans, so none may be
// there that says nothing: a field that the model does not have, or one that is given again.
// PUBLIC. Pure function, any thread.
#ifndef TOPICWALL_PROTO_MODELS_PARSE_OPTIONS_H_
#define TOPICWALL_PROTO_MODELS_PARSE_OPTIONS_H_

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace topicwall::proto {

// INVALID_ARGUMENT if they are no such message, or longer than what it says.
inline absl::Status ParseOptions(absl::string_view serialised, google::protobuf::Message* options) {
  if (options->ParseFromArray(serialised.data(), static_cast<int>(serialised.size()))) {
    options->DiscardUnknownFields();  // also of messages within
    if (options->ByteSizeLong() == serialised.size()) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("the model's options must be a serialised ",
                                                 options->GetDescriptor()->name(),
                                                 " and nothing besides; they are not. Send them "
                                                 "again."));
}

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_MODELS_PARSE_OPTIONS_H_
