#include "server/corpus/unit_naming.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/random/key_derivation.h"
#include "server/random/sha256.h"

namespace topicwall::corpus {
namespace {

absl::StatusOr<random::UnitId> Name(const random::SecretKey& key, absl::string_view kind,
                                    absl::string_view name) {
  const absl::StatusOr<random::Sha256Digest> digest =
      random::HmacSha256(key, random::AsBytes(absl::StrCat(kind, name)));
  if (!digest.ok()) return digest.status();
  random::UnitId id;
  std::copy_n(digest->begin(), id.size(), id.begin());
  return id;
}

}  // namespace

// The kinds differ in their first byte, so no document is ever named like an owner.
absl::StatusOr<random::UnitId> UnitNaming::OfDocument(absl::string_view document_id) const {
  return Name(key_, "document", document_id);
}

absl::StatusOr<random::UnitId> UnitNaming::OfOwner(absl::string_view owner) const {
  return Name(key_, "owner", owner);
}

}  // namespace topicwall::corpus
