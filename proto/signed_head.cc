#include "proto/signed_head.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "proto/signature.h"
#include "proto/strict_parse.h"

namespace topicwall::proto {

std::string BytesOf(const v1::HeadStatement& statement) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    statement.SerializeToCodedStream(&output);
  }
  return bytes;
}

absl::StatusOr<v1::SignedHead> SignHead(const base::SigningKey& key,
                                        const v1::HeadStatement& statement) {
  v1::SignedHead head;
  head.set_statement(BytesOf(statement));
  TW_ASSIGN_OR_RETURN(*head.mutable_signature(),
                      key.Sign(TextToSign(SignedMatter::kHead, head.statement())));
  head.set_public_key(key.public_key());
  return head;
}

absl::StatusOr<v1::HeadStatement> OpenSignedHead(const v1::SignedHead& signed_head,
                                                 absl::string_view public_key) {
  if (signed_head.public_key() != public_key) {
    return ProvesNothing("signed head", "it is signed with another key than the custodian's");
  }
  if (!IsSignedBy(public_key, SignedMatter::kHead, signed_head.statement(),
                  signed_head.signature())) {
    return ProvesNothing("signed head", "its signature does not hold");
  }
  v1::HeadStatement statement;
  // A field that this program does not know might take back what it does know.
  const Reading reading = ReadStrictly(signed_head.statement(), &statement);
  if (reading == Reading::kUnreadable) return ProvesNothing("signed head", "it cannot be read");
  if (statement.budget_id().empty() || statement.sequence() < 1 ||
      statement.head().size() != kHashSize) {
    return ProvesNothing("signed head", "it names no place in a chain");
  }
  if (reading == Reading::kSaysMore) return WrittenByNewer("the signed head");
  return statement;
}

}  // namespace topicwall::proto
