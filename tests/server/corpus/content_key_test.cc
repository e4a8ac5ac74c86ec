#include "server/corpus/content_key.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "tests/server/corpus/small_corpus.h"

namespace topicwall::corpus {
namespace {

random::SecretKey SecretOf(uint8_t first_byte) {
  std::array<uint8_t, random::SecretKey::kSize> bytes = {first_byte};
  return random::SecretKey(bytes);
}

CorpusDescription Description() {
  CorpusDescription description = {{.privacy_unit = v1::PRIVACY_UNIT_OWNER,
                                    .tokenizer = "words-1",
                                    .vocabulary = Words({"apple", "pear"})},
                                   /*version=*/{9, 9},
                                   /*vocabulary_sha256=*/{}};
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
  other.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
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

UnitBlock BlockOfVector(const std::vector<float>& vector) {
  UnitBlock block;
  block.AddUnit({1});
  block.AddDocument({}, {}, vector);
  return block;
}

CorpusDescription OfVectors(const model::VectorSpace& space) {
  CorpusDescription description = Description();
  description.tokenizer = "vectors";
  description.vocabulary_sha256 = VocabularySha256(*lda::Vocabulary::CreateOpaque({"x1", "x2"}));
  description.vectors = space;
  return description;
}

// As above:
//   content = (b"topicwall corpus content 3" + u64(2) + u64(7) + b"vectors" + sha(b"x1\nx2\n")
//              + u64(2) + struct.pack("<d", 1.5) + u64(0) + bytes([1] + 15 * [0]) + u64(1) + u64(0)
//              + struct.pack("<2f", 0.5, -0.25))
TEST(ContentKey, OfVectorsIsThatOfAnIndependentImplementation) {
  const base::Digest key =
      KeyOf(OfVectors({.dimension = 2, .norm_bound = 1.5}), {BlockOfVector({0.5, -0.25})});
  EXPECT_EQ(absl::BytesToHexString(std::string(key.begin(), key.end())),
            "475be5bf0227f0131384c9b56d1abf2d89c617590628919545de207ffc847848");
  EXPECT_NE(KeyOf(OfVectors({.dimension = 2, .norm_bound = 1.5}), {BlockOfVector({0.5, 0.25})}),
            key);
  EXPECT_NE(KeyOf(OfVectors({.dimension = 2, .norm_bound = 2}), {BlockOfVector({0.5, -0.25})}),
            key);
}

// Unit 1 with a document of the one entry {0, 5}.
UnitBlock BlockWith(const std::vector<uint16_t>& values) {
  UnitBlock block;
  block.AddUnit({1});
  block.AddDocument(std::vector<lda::TermCount>{{0, 5}}, values);
  return block;
}

CorpusDescription WithAttributes(std::vector<model::Attribute> attributes) {
  CorpusDescription description = Description();
  description.attributes = std::move(attributes);
  return description;
}

TEST(ContentKey, DependsOnAttributesAndValues) {
  const std::vector<model::Attribute> attributes = WardAndMonth();
  std::set<base::Digest> keys = {KeyOf(Description(), {BlockWith({})})};
  for (const std::vector<uint16_t>& values : {std::vector<uint16_t>{2, 1}, {1, 2}, {2, 0}}) {
    keys.insert(KeyOf(WithAttributes(attributes), {BlockWith(values)}));
  }
  const auto insert_changed =
      [&](const std::function<void(std::vector<model::Attribute>&)>& change) {
        std::vector<model::Attribute> changed = attributes;
        change(changed);
        keys.insert(KeyOf(WithAttributes(changed), {BlockWith({2, 1})}));
      };
  insert_changed([](auto& a) { std::swap(a[0], a[1]); });
  insert_changed([](auto& a) { a[0].name = "site"; });
  insert_changed([](auto& a) { a[0].values[1] = "west"; });
  insert_changed([](auto& a) { a[0].values.push_back("west"); });
  insert_changed([](auto& a) { a[1].is_date = false; });
  EXPECT_EQ(keys.size(), 1u + 3 + 5);
}

// As above, with lengths before texts (s), under the second tag:
//   s = lambda b: u64(len(b)) + b
//   content = (b"topicwall corpus content 2" + u64(2) + s(b"words-1") + sha(b"apple\npear\n") +
//   u64(2)
//              + s(b"ward") + u64(0) + u64(2) + s(b"north") + s(b"south")
//              + s(b"month") + u64(1) + u64(3) + s(b"2024-01-01") + s(b"2024-02-01") +
//              s(b"2024-03-01")
//              + bytes([1] + 15 * [0]) + u64(1) + u64(1) + bytes([0, 0, 0, 0, 5, 0, 0, 0])
//              + bytes([2, 0, 1, 0]))
TEST(ContentKey, OfAttributesIsThatOfAnIndependentImplementation) {
  const base::Digest key = KeyOf(WithAttributes(WardAndMonth()), {BlockWith({2, 1})});
  EXPECT_EQ(absl::BytesToHexString(std::string(key.begin(), key.end())),
            "5f43e22885987b1203716a5f6feddae959a449fa1ce9445ca962b4ae3692eca5");
}

}  // namespace
}  // namespace topicwall::corpus
