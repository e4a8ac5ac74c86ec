#include "server/corpus/ingest/unit_naming.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/little_endian.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "server/random/key_derivation.h"

namespace topicwall::corpus {
namespace {

absl::StatusOr<random::UnitId> Name(const random::SecretKey& key, absl::string_view kind,
                                    absl::string_view name) {
  TW_ASSIGN_OR_RETURN(const base::Digest digest,
                      random::HmacSha256(key, random::AsBytes(absl::StrCat(kind, name))));
  random::UnitId id;
  // Half of it: names are kept for every unit of a corpus, and 128 bits keep two of them apart.
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

}  // namespace

// No kind begins another, so no name of one is ever a name of another.
absl::StatusOr<random::UnitId> UnitNaming::OfDocument(absl::string_view document_id) const {
  return Name(key_, "document", document_id);
}

absl::StatusOr<random::UnitId> UnitNaming::OfOwner(absl::string_view owner) const {
  return Name(key_, "owner", owner);
}

// With its length in front, an owner ends where it ends and not where an id says.
absl::StatusOr<random::UnitId> UnitNaming::OfOwnedDocument(absl::string_view owner,
                                                           absl::string_view document_id) const {
  std::string name;
  for (const absl::string_view part : {owner, document_id}) {
    base::AppendLittleEndian(uint64_t{part.size()}, &name);
    absl::StrAppend(&name, part);
  }
  return Name(key_, "owned document", name);
}

}  // namespace topicwall::corpus
