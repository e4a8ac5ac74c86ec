#include "server/admin/commands/command_rekey.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "server/admin/custody.h"
#include "server/corpus/corpus_reseal.h"
#include "server/corpus/corpus_store.h"
#include "server/sealing/custodian_key.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

// "notes" with a budget and a charged release, whose key the ledger hides; "letters" without.
class RekeyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(world_.Ingest("notes", {"ann"}));
    ASSERT_OK(world_.Ingest("letters", {"bob"}));
    ASSERT_OK(world_.Open("notes"));
    world_.ReserveAndChargeOne("notes", 3);
    version_ = **VersionOfFile(world_.CorpusPath("notes"));
  }
  absl::StatusOr<Outcome> RekeyToNew() const {
    return Rekey({.config = world_.config(), .output = world_.Path("new.key")});
  }
  void PointConfigurationAtNewKey() const {
    world_.Write("wall.textproto",
                 absl::StrReplaceAll(world_.Read("wall.textproto"), {{"corpus.key", "new.key"}}));
  }
  // Everything opens under the configured key, and is what it was.
  void ExpectAllGood() const {
    ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world_.config()));
    for (const char* corpus : {"notes", "letters"}) {
      ASSERT_OK_AND_ASSIGN(const auto store,
                           corpus::CorpusStore::Open(world_.CorpusPath(corpus), custody.key));
      EXPECT_OK(store->VerifyAll());
    }
    EXPECT_EQ(**VersionOfFile(world_.CorpusPath("notes")), version_);
    EXPECT_NE(world_.Ledger(), nullptr);
  }
  sealing::CustodianKey MakeNewKey() const {
    const auto old_key = sealing::CustodianKey::Read(world_.Path("corpus.key"));
    auto key = sealing::CustodianKey::GenerateWithIdentityOf(*old_key);
    EXPECT_OK(key->WriteNew(world_.Path("new.key")));
    return *std::move(key);
  }

  const CustodianWorld world_;
  std::string version_;
};

TEST_F(RekeyTest, PutsEverythingUnderTheNewKeyAndKeepsTheIdentity) {
  ASSERT_OK_AND_ASSIGN(const auto outcome, RekeyToNew());
  EXPECT_THAT(outcome.text, HasSubstr("key_file"));
  EXPECT_EQ(world_.Mode("new.key"), 0600);
  EXPECT_EQ(world_.Mode("data/notes.corpus"), 0600);
  const auto old_key = sealing::CustodianKey::Read(world_.Path("corpus.key"));
  ASSERT_OK_AND_ASSIGN(const auto new_key, sealing::CustodianKey::Read(world_.Path("new.key")));
  EXPECT_NE(new_key.key_id(), old_key->key_id());
  EXPECT_EQ(new_key.identity_id(), old_key->identity_id());
  PointConfigurationAtNewKey();
  ExpectAllGood();
}

TEST_F(RekeyTest, TheOldKeyOpensNothingAnyMore) {
  ASSERT_OK(RekeyToNew());
  ASSERT_OK_AND_ASSIGN(auto custody, OpenCustody(world_.config()));
  EXPECT_THAT(corpus::CorpusStore::Open(world_.CorpusPath("notes"), custody.key),
              StatusIs(absl::StatusCode::kDataLoss));
  ASSERT_OK_AND_ASSIGN(auto lock, Lock(custody.config));
  EXPECT_THAT(OpenLedgerToWrite(custody, std::move(lock)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(RekeyTest, AfterAnInterruptionTheSameCommandFinishesTheWork) {
  const sealing::CustodianKey new_key = MakeNewKey();  // and nothing else happened
  ASSERT_OK(RekeyToNew());
  PointConfigurationAtNewKey();
  ExpectAllGood();
  EXPECT_EQ(sealing::CustodianKey::Read(world_.Path("new.key"))->key_id(), new_key.key_id());
}

TEST_F(RekeyTest, InterruptedBetweenTwoCorporaItGoesOnWithTheSecond) {
  const sealing::CustodianKey new_key = MakeNewKey();
  const auto old_key = sealing::CustodianKey::Read(world_.Path("corpus.key"));
  ASSERT_OK(corpus::Reseal(world_.CorpusPath("letters"), *old_key, new_key));
  ASSERT_OK(RekeyToNew());
  PointConfigurationAtNewKey();
  ExpectAllGood();
}

TEST_F(RekeyTest, AgainAfterItIsDoneIsNoHarm) {
  ASSERT_OK(RekeyToNew());
  ASSERT_OK(RekeyToNew());
  PointConfigurationAtNewKey();
  ExpectAllGood();
}

TEST_F(RekeyTest, WithoutALedgerTheCorporaAreEnough) {
  const CustodianWorld fresh;
  ASSERT_OK(fresh.Ingest("notes", {"ann"}));
  EXPECT_OK(Rekey({.config = fresh.config(), .output = fresh.Path("new.key")}));
}

TEST_F(RekeyTest, TheConfiguredKeyOrAForeignOneIsRefused) {
  EXPECT_THAT(Rekey({.config = world_.config(), .output = world_.Path("corpus.key")}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another key")));
  ASSERT_OK_AND_ASSIGN(const auto foreign, sealing::CustodianKey::Generate());
  ASSERT_OK(foreign.WriteNew(world_.Path("new.key")));
  EXPECT_THAT(RekeyToNew(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another identity")));
  ExpectAllGood();
}

TEST_F(RekeyTest, ACorpusThatNeitherKeyOpensStopsItBeforeAnythingIsChanged) {
  const std::string before = world_.Read("data/letters.corpus");
  world_.Write("data/notes.corpus", "rubbish");
  EXPECT_THAT(RekeyToNew(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("notes.corpus")));
  EXPECT_EQ(world_.Read("data/letters.corpus"), before);
}

// Corpora under the new key and the ledger under the old one, whichever of them is configured.
TEST_F(RekeyTest, BetweenTwoKeysAThirdIsNotMadeAndNothingIsSealed) {
  const sealing::CustodianKey new_key = MakeNewKey();
  const auto old_key = sealing::CustodianKey::Read(world_.Path("corpus.key"));
  for (const char* corpus : {"notes", "letters"}) {
    ASSERT_OK(corpus::Reseal(world_.CorpusPath(corpus), *old_key, new_key));
  }
  const std::string before = world_.Read("data/notes.corpus") + world_.Read("data/letters.corpus");
  for (const char* configured : {"corpus.key", "new.key"}) {
    const auto third = Rekey({.config = world_.config(), .output = world_.Path("third.key")});
    EXPECT_THAT(third.status().ToString(), HasSubstr("--output the one that it made"))
        << configured;
    EXPECT_FALSE(world_.Exists("third.key"));
    PointConfigurationAtNewKey();
  }
  EXPECT_EQ(world_.Read("data/notes.corpus") + world_.Read("data/letters.corpus"), before);
  // And what it says finishes.
  world_.Write("wall.textproto",
               absl::StrReplaceAll(world_.Read("wall.textproto"), {{"new.key", "corpus.key"}}));
  ASSERT_OK(RekeyToNew());
  PointConfigurationAtNewKey();
  ExpectAllGood();
}

TEST_F(RekeyTest, ALedgerThatNeitherKeyOpensIsNoSuccess) {
  ASSERT_OK(RekeyToNew());
  for (const char* corpus : {"notes", "letters"}) {
    std::filesystem::remove(world_.CorpusPath(corpus));
  }
  EXPECT_THAT(Rekey({.config = world_.config(), .output = world_.Path("third.key")}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_FALSE(world_.Exists("third.key"));
}

TEST_F(RekeyTest, NeedsTheDirectoryToItself) {
  const auto server = world_.Ledger();
  EXPECT_THAT(RekeyToNew(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_FALSE(world_.Exists("new.key"));
}

}  // namespace
}  // namespace topicwall::admin
