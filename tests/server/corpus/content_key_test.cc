#include "server/corpus/content_key.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {
namespace {

random::SecretKey SecretOf(uint8_t first_byte) {
  std::array<uint8_t, random::SecretKey::kSize> bytes = {first_byte};
  return random::SecretKey(bytes);
}

CorpusDescription Description() {
  CorpusDescription description = {.version = {9, 9},
                                   .privacy_unit = PrivacyUnit::kOwner,
                                   .tokenizer = "words-1",
                                   .vocabulary = Words({"apple", "pear"}),
                                   .vocabulary_sha256 = {}};
  description.vocabulary_sha256 = VocabularySha256(*description.vocabulary);
  return description;
}

// Unit i with a document of the one entry {0, count}.
UnitBlock Block(const std::vector<std::pair<uint8_t, uint32_t>>& units) {
  UnitBlock block;
  for (const auto& unit : units) {
    block.AddUnit({unit.first});
    block.AddDocument(std::vector<lda::TermCount>{{0, unit.second}});
  }
  return block;
}

base::Digest KeyOf(const CorpusDescription& description, const std::vector<UnitBlock>& blocks,
                   uint8_t secret = 1) {
  ContentKeyBuilder builder(description);
  for (const UnitBlock& block : blocks) builder.Add(block);
  return *std::move(builder).Finish(SecretOf(secret));
}

TEST(ContentKey, DoesNotDependOnBlocksOrVersion) {
  CorpusDescription other = Description();
  other.version = {1, 2, 3};
  EXPECT_EQ(KeyOf(Description(), {Block({{1, 5}, {2, 6}, {3, 7}})}),
            KeyOf(other, {Block({{1, 5}}), Block({{2, 6}, {3, 7}})}));
}

TEST(ContentKey, DependsOnEverythingElse) {
  const std::vector<UnitBlock> blocks = {Block({{1, 5}, {2, 6}})};
  const base::Digest key = KeyOf(Description(), blocks);
  EXPECT_NE(KeyOf(Description(), blocks, /*secret=*/2), key);
  EXPECT_NE(KeyOf(Description(), {Block({{1, 5}})}), key);
  EXPECT_NE(KeyOf(Description(), {Block({{1, 5}, {2, 7}})}), key);
  EXPECT_NE(KeyOf(Description(), {Block({{1, 5}, {3, 6}})}), key);

  CorpusDescription other = Description();
  other.privacy_unit = PrivacyUnit::kDocument;
  EXPECT_NE(KeyOf(other, blocks), key);
  other = Description();
  other.tokenizer = "counts";
  EXPECT_NE(KeyOf(other, blocks), key);
  other = Description();
  other.vocabulary_sha256[31] ^= 1;
  EXPECT_NE(KeyOf(other, blocks), key);
}

TEST(ContentKey, TellsWhereADocumentEnds) {
  UnitBlock together;
  together.AddUnit({1});
  together.AddDocument(std::vector<lda::TermCount>{{0, 1}, {1, 1}});
  UnitBlock apart;
  apart.AddUnit({1});
  apart.AddDocument(std::vector<lda::TermCount>{{0, 1}});
  apart.AddDocument(std::vector<lda::TermCount>{{1, 1}});
  EXPECT_NE(KeyOf(Description(), {together}), KeyOf(Description(), {apart}));
}

// It is stored, so its definition must not drift. By an independent method, in Python:
//   u64 = lambda n: n.to_bytes(8, "little"); sha = lambda b: hashlib.sha256(b).digest()
//   content = (b"topicwall corpus content 1" + u64(2) + u64(7) + b"words-1"
//              + sha(b"apple\npear\n") + bytes([1] + 15 * [0]) + u64(1) + u64(1)
//              + bytes([0, 0, 0, 0, 5, 0, 0, 0]))
//   hmac.new(bytes([1] + 31 * [0]), sha(content), "sha256").hexdigest()
TEST(ContentKey, IsThatOfAnIndependentImplementation) {
  const base::Digest key = KeyOf(Description(), {Block({{1, 5}})});
  EXPECT_EQ(absl::BytesToHexString(std::string(key.begin(), key.end())),
            "45a2a48d1c88768251e7f62856436f22996fade3ab792011e618c282f868926d");
}

}  // namespace
}  // namespace topicwall::corpus
