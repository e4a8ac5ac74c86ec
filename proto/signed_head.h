// Signed heads: the custodian's word that a budget's chain had this head at this length.
//
//   absl::StatusOr<v1::HeadStatement> noted = OpenSignedHead(signed_head, custodians_key);
//   noted->sequence(), noted->head()      // what a chain must have there, or it was rolled back
//
// Two signed heads of one budget and one length with different heads prove that its custodian
// showed two histories. A chain that is shorter than a head somebody holds was cut. What it does
// not say: that the chain is no longer than that.
//
// PUBLIC. Pure functions, any thread. Cost: about 100 µs.
#ifndef TOPICWALL_PROTO_SIGNED_HEAD_H_
#define TOPICWALL_PROTO_SIGNED_HEAD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ed25519.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

// The bytes that are signed, always the same for the same statement.
std::string BytesOf(const v1::HeadStatement& statement);

// What was signed with the key that the reader expects, not merely by the one it carries.
// DATA_LOSS, saying what is wrong with it: another key, a signature that does not hold, bytes that
// are no statement, no budget, a length below 1, a head that is not 32 bytes. `public_key`: 32
// bytes. FAILED_PRECONDITION (IsWrittenByNewer, strict_parse.h) if it says more than is known.
absl::StatusOr<v1::HeadStatement> OpenSignedHead(const v1::SignedHead& signed_head,
                                                 absl::string_view public_key);

// INTERNAL if OpenSSL fails.
absl::StatusOr<v1::SignedHead> SignHead(const base::SigningKey& key,
                                        const v1::HeadStatement& statement);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_SIGNED_HEAD_H_
