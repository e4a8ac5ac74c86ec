#include "server/admin/shared_units.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/wall_config.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;

// What FindSharedUnits says of "letters", given that "notes" holds ann and bob. That "letters"
// has a budget is made up: only its name and version count.
class SharedUnitsTest : public ::testing::Test {
 protected:
  Sharing SharingWithLetters() {
    auto custody = OpenCustody(world_.config());
    EXPECT_OK(custody);
    auto notes = corpus::CorpusStore::Open(world_.CorpusPath("notes"), custody->key);
    EXPECT_OK(notes);
    const auto found = FindSharedUnits(*custody, **notes, {letters_});
    EXPECT_OK(found);
    EXPECT_EQ(found->size(), 1u);
    description_ = Describe(found->front());
    return found->front().sharing;
  }

  void IngestBoth(const std::vector<std::string>& owners_of_letters) {
    ASSERT_OK(world_.Ingest("notes", {"ann", "bob"}));
    ASSERT_OK(world_.Ingest("letters", owners_of_letters));
    letters_.corpus = "letters";
    letters_.corpus_version = **VersionOfFile(world_.CorpusPath("letters"));
  }

  const CustodianWorld world_;
  ledger::CorpusStatus letters_{};
  std::string description_;
};

TEST_F(SharedUnitsTest, DifferentOwnersShareNothing) {
  IngestBoth({"cy", "dan", "eve"});
  EXPECT_EQ(SharingWithLetters(), Sharing::kNone);
}

TEST_F(SharedUnitsTest, OneCommonOwnerIsFoundThoughTheDocumentsAreOthers) {
  IngestBoth({"cy", "dan", "bob", "eve"});
  EXPECT_EQ(SharingWithLetters(), Sharing::kShared);
  EXPECT_THAT(description_, HasSubstr("letters"));
  EXPECT_THAT(description_, HasSubstr("shares privacy units"));
  EXPECT_THAT(description_, ::testing::Not(HasSubstr("bob")));
}

TEST_F(SharedUnitsTest, AMissingFileCannotBeRuledOut) {
  IngestBoth({"cy"});
  std::filesystem::remove(world_.CorpusPath("letters"));
  EXPECT_EQ(SharingWithLetters(), Sharing::kUnreadable);
}

TEST_F(SharedUnitsTest, AnotherVersionInItsPlaceCannotBeRuledOut) {
  IngestBoth({"cy"});
  std::filesystem::remove(world_.CorpusPath("letters"));
  ASSERT_OK(world_.Ingest("letters", {"cy"}));
  EXPECT_EQ(SharingWithLetters(), Sharing::kUnreadable);
}

TEST_F(SharedUnitsTest, ADamagedFileCannotBeRuledOut) {
  IngestBoth({"cy"});
  world_.DamageLastBlock("letters");
  EXPECT_EQ(SharingWithLetters(), Sharing::kUnreadable);
}

TEST_F(SharedUnitsTest, AnotherPrivacyUnitCannotBeRuledOut) {
  IngestBoth({"cy"});
  IngestFlags flags = world_.FlagsFor("letters", world_.WriteDocuments({"cy"}, "letters"));
  flags.documents.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  flags.replace = true;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  letters_.corpus_version = **VersionOfFile(world_.CorpusPath("letters"));
  EXPECT_EQ(SharingWithLetters(), Sharing::kOtherUnit);
  EXPECT_THAT(description_, HasSubstr("cannot be compared"));
}

// Their documents are called 1, 2, … in every such file: equal ids are nobody's.
TEST_F(SharedUnitsTest, BagsOfWordsCannotBeComparedWithAnythingNorAnythingWithThem) {
  IngestFlags flags = world_.FlagsFor("notes", world_.WriteDocuments({"ann"}, "notes"));
  flags.documents.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  world_.Write("bags", "1\n2\n1\n1 1 3\n");
  world_.Write("labels", "apple\nbread\n");
  flags = world_.FlagsFor("letters", world_.Path("bags"));
  flags.documents.format = corpus::DocumentFormat::kBagOfWords;
  flags.documents.vocabulary = world_.Path("labels");
  flags.documents.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  ASSERT_OK(IngestCorpus(flags, nullptr));
  letters_.corpus = "letters";
  letters_.corpus_version = **VersionOfFile(world_.CorpusPath("letters"));
  EXPECT_EQ(SharingWithLetters(), Sharing::kUnjoinable);
  EXPECT_THAT(description_, HasSubstr("cannot be compared"));

  ASSERT_OK_AND_ASSIGN(auto custody, OpenCustody(world_.config()));
  ASSERT_OK_AND_ASSIGN(auto letters,
                       corpus::CorpusStore::Open(world_.CorpusPath("letters"), custody.key));
  ledger::CorpusStatus notes{};
  notes.corpus = "notes";
  notes.corpus_version = **VersionOfFile(world_.CorpusPath("notes"));
  ASSERT_OK_AND_ASSIGN(const auto found, FindSharedUnits(custody, *letters, {notes}));
  EXPECT_EQ(found.front().sharing, Sharing::kUnjoinable);
}

TEST_F(SharedUnitsTest, EveryCorpusGetsItsAnswerInOrder) {
  IngestBoth({"bob"});
  ledger::CorpusStatus gone{};
  gone.corpus = "cards";
  gone.corpus_version = "version number 1";
  ASSERT_OK_AND_ASSIGN(auto custody, OpenCustody(world_.config()));
  ASSERT_OK_AND_ASSIGN(auto notes,
                       corpus::CorpusStore::Open(world_.CorpusPath("notes"), custody.key));
  const std::vector<ledger::CorpusStatus> statuses = {gone, letters_};
  ASSERT_OK_AND_ASSIGN(const auto found, FindSharedUnits(custody, *notes, statuses));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].sharing, Sharing::kUnreadable);
  EXPECT_EQ(found[1].sharing, Sharing::kShared);
}

}  // namespace
}  // namespace topicwall::admin
