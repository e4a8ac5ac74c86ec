#include "server/corpus/ingest/unit_naming.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/random/secret_key.h"

namespace topicwall::corpus {
namespace {

UnitNaming NamingOf(uint8_t first_byte) {
  std::array<uint8_t, random::SecretKey::kSize> bytes = {first_byte};
  return UnitNaming(random::SecretKey(bytes));
}

TEST(UnitNaming, OneNameHasOneIdUnderOneKey) {
  EXPECT_EQ(*NamingOf(1).OfDocument("note-1"), *NamingOf(1).OfDocument("note-1"));
  EXPECT_EQ(*NamingOf(1).OfOwner("ann"), *NamingOf(1).OfOwner("ann"));
}

TEST(UnitNaming, AnotherKeyAnotherId) {
  EXPECT_NE(*NamingOf(1).OfDocument("note-1"), *NamingOf(2).OfDocument("note-1"));
}

TEST(UnitNaming, DocumentsAndOwnersNeverShareAnId) {
  EXPECT_NE(*NamingOf(1).OfDocument("ann"), *NamingOf(1).OfOwner("ann"));
}

TEST(UnitNaming, ADocumentOfOneOwnerIsNeverNamedLikeAnothersWhateverIdsTheyChoose) {
  const UnitNaming naming = NamingOf(1);
  std::set<random::UnitId> ids = {*naming.OfDocument("c"), *naming.OfOwner("ab")};
  const auto length = [](char n) { return std::string(1, n) + std::string(7, '\0'); };
  const std::vector<std::pair<std::string, std::string>> names = {
      {"ann", "1"},
      {"bob", "1"},
      {"ann", "2"},
      {"ab", "c"},
      {"a", "bc"},
      {"abc", ""},
      {"", "abc"},
      // Trying to look like owner "ab" with the id "c".
      {"a", absl::StrCat("b", length(1), "c")},
      {"ab" + length(1), "c"}};
  for (const auto& name : names) ids.insert(*naming.OfOwnedDocument(name.first, name.second));
  ids.insert(*naming.OfDocument(absl::StrCat("owned document", length(2), "ab", length(1), "c")));
  EXPECT_EQ(ids.size(), names.size() + 3);
}

TEST(UnitNaming, EveryByteOfANameCounts) {
  std::set<random::UnitId> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(*NamingOf(1).OfDocument(absl::StrCat("doc-", i)));
  ids.insert(*NamingOf(1).OfDocument(std::string("doc-1\0", 6)));
  ids.insert(*NamingOf(1).OfDocument("doc-1 "));
  ids.insert(*NamingOf(1).OfDocument("Doc-1"));
  EXPECT_EQ(ids.size(), 1003u);
}

// Ids must be the same for ever, or shared units would no longer be recognised. By an
// independent method: Python's hmac.new(bytes([1] + 31 * [0]), b"documentnote-1", "sha256")
// and b"ownerann", first 16 bytes; for the last b"owned document" + b"\3" + 7*b"\0" + b"ann" +
// b"\6" + 7*b"\0" + b"note-1".
TEST(UnitNaming, IdsAreThoseOfAnIndependentImplementation) {
  const auto hex = [](const random::UnitId& id) {
    return absl::BytesToHexString(std::string(id.begin(), id.end()));
  };
  EXPECT_EQ(hex(*NamingOf(1).OfDocument("note-1")), "31e4ef90964819aded0805e4ed6e8c21");
  EXPECT_EQ(hex(*NamingOf(1).OfOwner("ann")), "7bf0eb9b6673c9ea6376646fc4231389");
  EXPECT_EQ(hex(*NamingOf(1).OfOwnedDocument("ann", "note-1")), "ffe846ba7c4c0613c58cc3f449bd5961");
}

}  // namespace
}  // namespace topicwall::corpus
