// Ed25519 signatures of the custodian, as everyone can check them.
//
//   if (!IsSignedBy(key, SignedMatter::kReceipt, bytes, signature)) ...
//
// Ed25519 (RFC 8032) over
//
//   tag of the matter ‖ zero byte ‖ bytes
//
// so that a signature under one kind of thing is never one under another kind. What is signed
// is bytes, never a message: a reader checks exactly what was written, whatever its own
// serializer would make of it. Signing (base/ed25519.h) is deterministic.
//
// What a signature is worth depends on where the public key comes from: from the custodian
// itself, by another way than the one the signature came, or from a first contact that nobody
// stood in the middle of. PUBLIC. Pure functions, any thread. Cost: about 100 µs.
#ifndef TOPICWALL_PROTO_SIGNATURE_H_
#define TOPICWALL_PROTO_SIGNATURE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::proto {

enum class SignedMatter {
  kReceipt,    // a serialized Receipt of ledger.proto
  kStatement,  // the text of a privacy statement
  kHead,       // a serialized HeadStatement of ledger.proto
};

// What the signature is computed over.
std::string TextToSign(SignedMatter matter, absl::string_view bytes);

// False for a key or signature of another size, too. As operator new does, throws
// std::bad_alloc when OpenSSL has no memory.
bool IsSignedBy(absl::string_view public_key, SignedMatter matter, absl::string_view bytes,
                absl::string_view signature);

// DATA_LOSS: the <what> proves nothing: <why>, and what to do with it.
absl::Status ProvesNothing(absl::string_view what, absl::string_view why);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_SIGNATURE_H_
