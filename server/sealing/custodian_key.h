// The custodian's key file: the one secret that opens a wall's corpora and ledger.
//
//   TW_ASSIGN_OR_RETURN(CustodianKey key, CustodianKey::Generate());
//   TW_RETURN_IF_ERROR(key.WriteNew("corpus.key"));
//   TW_ASSIGN_OR_RETURN(CustodianKey again, CustodianKey::Read("corpus.key"));
//
// The file is text, mode 0600, kept apart from the data and from its backups:
//
//   topicwall-custodian-key 1
//   sealing <64 hexadecimal digits>
//   identity <64 hexadecimal digits>
//   id <16 hexadecimal digits>
//
// Two independent 256-bit secrets:
//   sealing   encrypts corpus blocks, manifests and what the ledger must hide. A rekey
//             draws a new one.
//   identity  names privacy units (HMAC of a document's or owner's id) and the content
//             of a corpus, and signs. A rekey keeps it, or the units shared by two corpora
//             could no longer be recognised and their budgets would not be added up, and
//             those who hold receipts would meet a stranger.
// The last line is key_id(), so that a damaged key file is told apart from a wrong one.
// Losing the key loses every corpus and ledger sealed under it: that is its purpose.
//
// Everything but key_id() and identity_id() is secret; nothing here prints it. Derived
// keys are independent of each other: HKDF with one purpose tag each.
//
// Threads: const methods may be called from many threads at once.
#ifndef TOPICWALL_SERVER_SEALING_CUSTODIAN_KEY_H_
#define TOPICWALL_SERVER_SEALING_CUSTODIAN_KEY_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ed25519.h"
#include "server/random/secret_key.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::sealing {

class CustodianKey {
 public:
  // Two fresh secrets from the operating system. INTERNAL if it has no randomness.
  static absl::StatusOr<CustodianKey> Generate();

  // A fresh sealing secret beside the identity secret of `old`: what a rekey needs.
  static absl::StatusOr<CustodianKey> GenerateWithIdentityOf(const CustodianKey& old);

  // NOT_FOUND if there is no such file. FAILED_PRECONDITION if group or others have any
  // permission on it (the message names the chmod to run) or it is no regular file.
  // INVALID_ARGUMENT if it is not what WriteNew writes, to the letter; the message never
  // repeats what is in it.
  static absl::StatusOr<CustodianKey> Read(absl::string_view path);

  CustodianKey(CustodianKey&&) = default;
  CustodianKey& operator=(CustodianKey&&) = default;

  // Creates the file with mode 0600 and makes it durable before returning.
  // ALREADY_EXISTS if anything has that name: a key is never written over. After any
  // other error the name is left unused.
  absl::Status WriteNew(absl::string_view path) const;

  // PUBLIC: 16 hexadecimal digits that tell keys apart and reveal nothing else (HMAC of a
  // constant under both secrets).
  const std::string& key_id() const { return key_id_; }

  // PUBLIC: the same for the identity secret alone, unchanged by a rekey. Unit ids of two
  // corpora can be compared if and only if their identity ids are equal.
  const std::string& identity_id() const { return identity_id_; }

  // For corpus files and for the ledger's hidden columns; neither opens the other's.
  absl::StatusOr<SealingKey> CorpusSealingKey() const;
  absl::StatusOr<SealingKey> LedgerSealingKey() const;

  // For receipts and statements; from the identity secret, so that its public half is the
  // custodian's name for good.
  absl::StatusOr<base::SigningKey> IdentitySigningKey() const;

  // For what only the custodian can have written into a ledger; from the identity secret, since
  // what was written stays.
  absl::StatusOr<random::SecretKey> LedgerSealsKey() const;

  // For random::UnitId, for content keys and for which units are held out; from the identity
  // secret.
  absl::StatusOr<random::SecretKey> UnitIdKey() const;
  absl::StatusOr<random::SecretKey> ContentKey() const;
  absl::StatusOr<random::SecretKey> HeldOutKey() const;

 private:
  static absl::StatusOr<CustodianKey> Create(random::SecretKey sealing, random::SecretKey identity);
  CustodianKey(random::SecretKey sealing, random::SecretKey identity)
      : sealing_(std::move(sealing)), identity_(std::move(identity)) {}

  random::SecretKey sealing_;
  random::SecretKey identity_;
  std::string key_id_;
  std::string identity_id_;
};

}  // namespace topicwall::sealing

#endif  // TOPICWALL_SERVER_SEALING_CUSTODIAN_KEY_H_
