#include "proto/signature.h"

#include "absl/strings/str_cat.h"
#include "base/ed25519.h"

namespace topicwall::proto {
namespace {

absl::string_view TagOf(SignedMatter matter) {
  switch (matter) {
    case SignedMatter::kReceipt:
      return "topicwall.v1.receipt";
    case SignedMatter::kStatement:
      return "topicwall.v1.statement";
    case SignedMatter::kHead:
      return "topicwall.v1.head-statement";
  }
  return "";
}

}  // namespace

// No tag holds a zero byte, so tag and bytes cannot be divided in another place.
std::string TextToSign(SignedMatter matter, absl::string_view bytes) {
  return absl::StrCat(TagOf(matter), absl::string_view("\0", 1), bytes);
}

bool IsSignedBy(absl::string_view public_key, SignedMatter matter, absl::string_view bytes,
                absl::string_view signature) {
  return base::IsSignature(public_key, TextToSign(matter, bytes), signature);
}

absl::Status ProvesNothing(absl::string_view what, absl::string_view why) {
  return absl::DataLossError(
      absl::StrCat("the ", what, " proves nothing: ", why, ". Keep it, and ask the custodian."));
}

}  // namespace topicwall::proto
