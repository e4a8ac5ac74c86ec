#include "server/ledger/ledger_seals.h"

#include <openssl/crypto.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "server/random/key_derivation.h"

namespace topicwall::ledger {
namespace {

// Both kinds of message under one key begin differently; what follows has one way to be read.
constexpr absl::string_view kOfEvents("topicwall.v1.salt\0", 18);
constexpr absl::string_view kOfReleases("topicwall.v1.stored\0", 20);

absl::StatusOr<std::string> Named(const random::SecretKey& key, absl::string_view message) {
  TW_ASSIGN_OR_RETURN(const base::Digest name, random::HmacSha256(key, random::AsBytes(message)));
  return std::string(reinterpret_cast<const char*>(name.data()), name.size());
}

// In constant time: who may write into the store must not find a seal byte by byte.
bool Equal(absl::string_view one, absl::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

constexpr absl::string_view kNotTheCustodians = "the ledger is not its custodian's: ";

}  // namespace

absl::Status NotTheCustodians(absl::string_view what) {
  absl::ConsumePrefix(&what, kNotTheCustodians);
  return absl::DataLossError(absl::StrCat(kNotTheCustodians, what));
}

absl::StatusOr<LedgerSeals> LedgerSeals::Of(const random::SecretKey& key,
                                            absl::string_view ledger_id) {
  TW_ASSIGN_OR_RETURN(random::SecretKey its,
                      random::Derive(key, "seals of one ledger", random::AsBytes(ledger_id)));
  return LedgerSeals(std::move(its));
}

absl::StatusOr<std::string> LedgerSeals::SaltOf(absl::string_view previous_head,
                                                absl::string_view event) const {
  TW_ASSIGN_OR_RETURN(std::string salt, Named(key_, absl::StrCat(kOfEvents, previous_head, event)));
  salt.resize(proto::kEventSaltSize);
  return salt;
}

absl::Status LedgerSeals::CheckSalt(absl::string_view previous_head,
                                    const v1::LedgerEntry& entry) const {
  TW_ASSIGN_OR_RETURN(const std::string salt, SaltOf(previous_head, entry.event()));
  if (Equal(salt, entry.salt())) return absl::OkStatus();
  return NotTheCustodians(
      absl::StrCat("event ", entry.sequence(),
                   " of a budget was not written under this custodian's key: somebody else put it "
                   "into the ledger. Nothing is spent from it; see the runbook."));
}

absl::StatusOr<std::string> LedgerSeals::SealOf(const v1::IterationCharged& charge,
                                                const store::OpenCharge& row) const {
  return Named(key_, absl::StrCat(kOfReleases, charge.request_digest(), row.header_sha256,
                                  row.release_sha256, charge.iteration(), " ", charge.plan_id()));
}

absl::Status LedgerSeals::CheckSeal(const v1::IterationCharged& charge,
                                    const store::OpenCharge& row) const {
  TW_ASSIGN_OR_RETURN(const std::string seal, SealOf(charge, row));
  if (Equal(seal, row.sealed_key)) return absl::OkStatus();
  return NotTheCustodians(
      "a stored release is not the one that was stored under this custodian's key: somebody else "
      "put it into the ledger. It is not published; see the runbook.");
}

}  // namespace topicwall::ledger
