#include "server/corpus/unit_naming.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/random/secret_key.h"
#include "tests/support/status_matchers.h"

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
// and b"ownerann", first 16 bytes.
TEST(UnitNaming, IdsAreThoseOfAnIndependentImplementation) {
  const auto hex = [](const random::UnitId& id) {
    return absl::BytesToHexString(std::string(id.begin(), id.end()));
  };
  EXPECT_EQ(hex(*NamingOf(1).OfDocument("note-1")), "31e4ef90964819aded0805e4ed6e8c21");
  EXPECT_EQ(hex(*NamingOf(1).OfOwner("ann")), "7bf0eb9b6673c9ea6376646fc4231389");
}

}  // namespace
}  // namespace topicwall::corpus
