#include "server/corpus/corpus_manifest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proto/corpus.pb.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {
namespace {

CorpusManifest Manifest() {
  return {{.privacy_unit = v1::PRIVACY_UNIT_OWNER,
           .tokenizer = "words-1",
           .vocabulary = Words({"apple", "pear"}),
           .duplicates = v1::DUPLICATE_RULE_REFUSE,
           .unjoinable = false},
          /*num_units=*/300,
          /*num_blocks=*/2,
          /*content_key=*/{1, 2, 3},
          /*max_units=*/1000};
}

// The manifest's message with one change.
template <typename Change>
std::string Changed(Change change) {
  v1::CorpusManifest message;
  EXPECT_TRUE(message.ParseFromString(SerializeManifest(Manifest())));
  change(message);
  return message.SerializeAsString();
}

TEST(CorpusManifest, ParsesWhatItSerialized) {
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    CorpusManifest manifest = Manifest();
    manifest.privacy_unit = unit;
    const std::optional<CorpusManifest> again = ParseManifest(SerializeManifest(manifest));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->privacy_unit, unit);
    EXPECT_EQ(again->tokenizer, manifest.tokenizer);
    EXPECT_EQ(again->vocabulary->terms(), manifest.vocabulary->terms());
    EXPECT_EQ(again->num_units, manifest.num_units);
    EXPECT_EQ(again->max_units, manifest.max_units);
    EXPECT_EQ(again->num_blocks, manifest.num_blocks);
    EXPECT_EQ(again->content_key, manifest.content_key);
    EXPECT_EQ(again->duplicates, v1::DUPLICATE_RULE_REFUSE);
    EXPECT_FALSE(again->unjoinable);
  }
}

TEST(CorpusManifest, TellsWhatBecameOfDuplicatesAndWhetherIdsSayAnything) {
  for (const v1::DuplicateRule rule :
       {v1::DUPLICATE_RULE_REFUSE, v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    CorpusManifest manifest = Manifest();
    manifest.duplicates = rule;
    manifest.unjoinable = true;
    const std::optional<CorpusManifest> again = ParseManifest(SerializeManifest(manifest));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->duplicates, rule);
    EXPECT_TRUE(again->unjoinable);
  }
}

TEST(CorpusManifest, ThatOfTheFirstFormatIsReadAndSaysThatNamesHadNoOwners) {
  const auto first = [](v1::CorpusManifest& m) {
    m.set_format_version(1);
    m.clear_duplicates();
  };
  const std::optional<CorpusManifest> manifest = ParseManifest(Changed(first));
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(manifest->duplicates, v1::DUPLICATE_RULE_UNSPECIFIED);
  EXPECT_FALSE(manifest->unjoinable);
  const std::optional<CorpusManifest> counts = ParseManifest(Changed([&](v1::CorpusManifest& m) {
    first(m);
    m.set_tokenizer("counts");
  }));
  ASSERT_TRUE(counts.has_value());
  EXPECT_TRUE(counts->unjoinable);
}

TEST(CorpusManifest, LabelsOfCountsNeedNotBeTokens) {
  CorpusManifest manifest = Manifest();
  manifest.tokenizer = "counts";
  manifest.vocabulary = std::make_shared<const lda::Vocabulary>(
      *lda::Vocabulary::CreateOpaque({"New York", "R2-D2"}));
  const std::optional<CorpusManifest> again = ParseManifest(SerializeManifest(manifest));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->vocabulary->terms(), manifest.vocabulary->terms());
}

TEST(CorpusManifest, WithAttributesIsOfTheThirdFormatAndWithoutOfTheSecond) {
  v1::CorpusManifest message;
  ASSERT_TRUE(message.ParseFromString(SerializeManifest(Manifest())));
  EXPECT_EQ(message.format_version(), 2);
  EXPECT_EQ(message.attributes_size(), 0);
  CorpusManifest manifest = Manifest();
  manifest.attributes = WardAndMonth();
  ASSERT_TRUE(message.ParseFromString(SerializeManifest(manifest)));
  EXPECT_EQ(message.format_version(), 3);
  const std::optional<CorpusManifest> again = ParseManifest(SerializeManifest(manifest));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->attributes, manifest.attributes);
  EXPECT_EQ(again->duplicates, v1::DUPLICATE_RULE_REFUSE);
  EXPECT_TRUE(ParseManifest(SerializeManifest(Manifest()))->attributes.empty());
}

TEST(CorpusManifest, AttributesThatBreakARuleOrTheirFormatAreRefused) {
  using Message = v1::CorpusManifest;
  const auto add_ward = [](Message& m) {
    v1::Attribute& ward = *m.add_attributes();
    ward.set_name("ward");
    ward.add_values("north");
  };
  const auto third = [&](Message& m) {
    m.set_format_version(3);
    add_ward(m);
  };
  EXPECT_TRUE(ParseManifest(Changed(third)).has_value());
  const std::vector<std::string> bad = {
      Changed([&](Message& m) { add_ward(m); }),  // of the second format
      Changed([&](Message& m) {
        add_ward(m);
        m.set_format_version(1);
        m.clear_duplicates();
      }),
      Changed([](Message& m) { m.set_format_version(3); }),
      Changed([&](Message& m) {
        third(m);
        m.clear_duplicates();
      }),
      Changed([&](Message& m) {
        third(m);
        add_ward(m);
      }),
      Changed([&](Message& m) {
        third(m);
        m.mutable_attributes(0)->set_name("owner");
      }),
      Changed([&](Message& m) {
        third(m);
        m.mutable_attributes(0)->clear_values();
      }),
      Changed([&](Message& m) {
        third(m);
        m.mutable_attributes(0)->set_is_date(true);
      }),
      Changed([&](Message& m) {
        third(m);
        m.set_format_version(4);
      })};
  for (size_t i = 0; i < bad.size(); ++i) EXPECT_FALSE(ParseManifest(bad[i]).has_value()) << i;
}

CorpusManifest ManifestOfVectors() {
  CorpusManifest manifest = Manifest();
  manifest.tokenizer = "vectors";
  manifest.vocabulary =
      std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::CreateOpaque({"x1", "x2"}));
  manifest.vectors = {.dimension = 2, .norm_bound = 1.5};
  return manifest;
}

TEST(CorpusManifest, OfVectorsIsOfTheFourthFormatWithAttributesOrWithout) {
  for (const bool with_attributes : {false, true}) {
    CorpusManifest manifest = ManifestOfVectors();
    if (with_attributes) manifest.attributes = WardAndMonth();
    v1::CorpusManifest message;
    ASSERT_TRUE(message.ParseFromString(SerializeManifest(manifest)));
    EXPECT_EQ(message.format_version(), 4);
    const std::optional<CorpusManifest> again = ParseManifest(SerializeManifest(manifest));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->vectors, manifest.vectors);
    EXPECT_EQ(again->attributes, manifest.attributes);
    EXPECT_EQ(again->vocabulary->terms(), manifest.vocabulary->terms());
  }
  EXPECT_FALSE(ParseManifest(SerializeManifest(Manifest()))->vectors.has_value());
}

TEST(CorpusManifest, VectorsThatBreakARuleOrTheirFormatAreRefused) {
  using Message = v1::CorpusManifest;
  const auto changed = [](const std::function<void(Message&)>& change) {
    Message message;
    EXPECT_TRUE(message.ParseFromString(SerializeManifest(ManifestOfVectors())));
    change(message);
    return message.SerializeAsString();
  };
  EXPECT_TRUE(ParseManifest(changed([](Message&) {})).has_value());
  const std::vector<std::string> bad = {
      changed([](Message& m) { m.set_format_version(2); }),
      changed([](Message& m) { m.set_format_version(3); }),
      changed([](Message& m) { m.set_format_version(5); }),
      changed([](Message& m) { m.clear_vectors(); }),
      changed([](Message& m) {  // of text, with the tokenizer of vectors
        m.clear_vectors();
        m.set_format_version(2);
      }),
      changed([](Message& m) { m.set_tokenizer("counts"); }),
      changed([](Message& m) { m.add_vocabulary("x3"); }),
      changed([](Message& m) { m.set_vocabulary(1, "x1"); }),
      changed([](Message& m) { m.mutable_vectors()->set_dimension(3); }),
      changed([](Message& m) {
        m.mutable_vectors()->set_dimension(0);
        m.clear_vocabulary();
      }),
      changed([](Message& m) {
        m.mutable_vectors()->set_dimension(1025);
        for (int i = 3; i <= 1025; ++i) m.add_vocabulary(absl::StrCat("x", i));
      }),
      changed([](Message& m) { m.mutable_vectors()->set_norm_bound(0); }),
      changed([](Message& m) { m.mutable_vectors()->set_norm_bound(-1); }),
      changed([](Message& m) { m.mutable_vectors()->set_norm_bound(std::nan("")); }),
      changed([](Message& m) { m.set_duplicates(v1::DUPLICATE_RULE_MERGE); }),
      changed([](Message& m) { m.set_duplicates(v1::DUPLICATE_RULE_LEAVE_OUT); }),
      changed([](Message& m) { m.clear_duplicates(); }),
  };
  for (size_t i = 0; i < bad.size(); ++i) EXPECT_FALSE(ParseManifest(bad[i]).has_value()) << i;
}

TEST(CorpusManifest, AnOlderFileThatNotesNoLimitIsHeldToWhatItHolds) {
  const auto manifest = ParseManifest(Changed([](v1::CorpusManifest& m) { m.clear_max_units(); }));
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(manifest->max_units, 300);
}

TEST(CorpusManifest, RefusesWhatBreaksARule) {
  using Message = v1::CorpusManifest;
  EXPECT_TRUE(ParseManifest(Changed([](Message&) {})).has_value());
  const std::vector<std::string> bad = {
      std::string(),
      "not a message",
      Changed([](Message& m) { m.set_format_version(0); }),
      Changed([](Message& m) { m.set_format_version(1); }),  // with a rule, which it had not
      Changed([](Message& m) { m.set_format_version(3); }),
      Changed([](Message& m) { m.clear_duplicates(); }),
      Changed([](Message& m) { m.set_duplicates(static_cast<v1::DuplicateRule>(9)); }),
      Changed([](Message& m) { m.clear_privacy_unit(); }),
      Changed([](Message& m) { m.set_privacy_unit(static_cast<v1::PrivacyUnit>(9)); }),
      Changed([](Message& m) { m.set_tokenizer("words-2"); }),
      Changed([](Message& m) { m.clear_vocabulary(); }),
      Changed([](Message& m) { m.add_vocabulary("pear"); }),
      Changed([](Message& m) { m.add_vocabulary("two words"); }),
      Changed([](Message& m) { m.set_num_units(0); }),
      Changed([](Message& m) { m.set_num_units(1001); }),
      Changed([](Message& m) { m.set_max_units(299); }),
      Changed([](Message& m) { m.set_max_units(-1); }),
      Changed([](Message& m) { m.set_max_units(kMaxUnits + 1); }),
      Changed([](Message& m) {
        m.clear_max_units();
        m.set_num_units(kMaxUnits + 1);
      }),
      Changed([](Message& m) { m.set_num_blocks(0); }),
      Changed([](Message& m) { m.set_num_blocks(301); }),
      Changed([](Message& m) {
        m.set_max_units(int64_t{1} << 31);
        m.set_num_units(int64_t{1} << 31);
        m.set_num_blocks(int64_t{1} << 31);
      }),
      Changed([](Message& m) { m.set_content_key("short"); }),
  };
  for (size_t i = 0; i < bad.size(); ++i) EXPECT_FALSE(ParseManifest(bad[i]).has_value()) << i;
}

}  // namespace
}  // namespace topicwall::corpus
