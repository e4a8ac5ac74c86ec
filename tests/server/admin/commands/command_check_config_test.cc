#include "server/admin/commands/command_check_config.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "server/corpus/corpus_reseal.h"
#include "server/sealing/custodian_key.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

class TimedCheckConfigTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.MakeCertificates(); }
  absl::StatusOr<Outcome> Check() const { return CheckConfig({.config = world_.config()}); }
  void Edit(const std::string& from, const std::string& to) const {
    const std::string before = world_.Read("wall.textproto");
    const std::string after = absl::StrReplaceAll(before, {{from, to}});
    ASSERT_NE(after, before);
    world_.Write("wall.textproto", after);
  }

  const CustodianWorld world_;
};

// Without a size nothing is timed, which takes seconds of all processors.
class CheckConfigTest : public TimedCheckConfigTest {
 protected:
  void SetUp() override {
    TimedCheckConfigTest::SetUp();
    Edit("nominal_size: 10", "");
  }
};

TEST_F(CheckConfigTest, WhatIsNotThereYetIsNoError) {
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("Ledger: not there yet"),
                                  HasSubstr("Corpus notes: not ingested yet")));
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto ingested, Check());
  EXPECT_THAT(ingested.text, AllOf(HasSubstr("Corpus notes: opens"), HasSubstr("no budget yet")));
}

TEST_F(CheckConfigTest, AFolderThatIsEmptyOrGoneIsNotTakenForOneThatNeverHadABudget) {
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.warnings, Contains(AllOf(HasSubstr("its disk is not mounted"),
                                               HasSubstr("topicwall-admin restore"))));
  std::filesystem::remove_all(world_.Path("data"));
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("mount its disk")));
}

TEST_F(CheckConfigTest, StrictMakesBadNewsOfWarnings) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto lenient, Check());
  EXPECT_FALSE(lenient.warnings.empty()) << "letters and cards are not ingested";
  EXPECT_FALSE(lenient.bad_news);
  ASSERT_OK_AND_ASSIGN(const auto strict, CheckConfig({.config = world_.config(), .strict = true}));
  EXPECT_TRUE(strict.bad_news);
}

TEST_F(CheckConfigTest, ACorpusUnderTheNameOfAnotherWouldNotBeServed) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  ASSERT_OK(world_.Ingest("cards", {"cy"}));
  std::filesystem::rename(world_.CorpusPath("notes"), world_.CorpusPath("letters"));
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.text, HasSubstr("Corpus letters: cannot be served"));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("is that of notes")));
}

// As a rekey leaves it that comes to its end at the ledger: the corpora open under the new key.
TEST_F(CheckConfigTest, ALedgerThatIsSealedUnderAnotherKeyIsAnError) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  const auto old_key = sealing::CustodianKey::Read(world_.Path("corpus.key"));
  const auto new_key = sealing::CustodianKey::GenerateWithIdentityOf(*old_key);
  ASSERT_OK(corpus::Reseal(world_.CorpusPath("notes"), *old_key, *new_key));
  ASSERT_OK(new_key->WriteNew(world_.Path("new.key")));
  std::filesystem::rename(world_.Path("new.key"), world_.Path("corpus.key"));
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("ledger is sealed under another custodian key")));
}

TEST_F(CheckConfigTest, WarnsOfACustodiansIdThatTheLedgerDoesNotHave) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  EXPECT_THAT(Check()->warnings, Not(Contains(HasSubstr("custodian_id"))));
  Edit("custodian_id: \"library\"", "custodian_id: \"archive\"");
  EXPECT_THAT(Check()->warnings,
              Contains(HasSubstr("custodian_id must be that of the ledger, \"library\"")));
}

// Before the server is started, which would have it void.
TEST_F(CheckConfigTest, WarnsOfAReleaseUnderWayThatThisProgramWouldNotCompute) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  EXPECT_THAT(Check()->warnings, Not(Contains(HasSubstr("under way"))));
  const std::string plan = world_.ReserveAndChargeOne("notes", 3);
  EXPECT_THAT(Check()->warnings,
              Contains(AllOf(HasSubstr("iteration 1 of plan " + plan), HasSubstr("(now 2)"))));
}

TEST_F(CheckConfigTest, SaysWhetherGateAndVaultAreSeparated) {
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.text, HasSubstr("Processes: gate and vault not separated"));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"separated\":false"));
  Edit("e_step_threads: 2", "e_step_threads: 2 processes { gate: \"nobody-yet\" vault: \"x-y\" }");
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("nobody-yet")));
}

TEST_F(CheckConfigTest, WarnsOfACertificateThatSoonEnds) {
  EXPECT_THAT(Check()->warnings, Not(Contains(HasSubstr("tls.certificate ends on"))));
  std::filesystem::remove_all(world_.Path("tls"));
  world_.MakeCertificates("--days 29");
  EXPECT_THAT(Check()->warnings, Contains(HasSubstr("tls.certificate ends on")));
}

TEST_F(CheckConfigTest, ADataDirectoryThatIsNotThereIsAnError) {
  std::filesystem::remove_all(world_.Path("data"));
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("data_directory")));
}

TEST_F(CheckConfigTest, ADataDirectoryInWhichEverybodyMayWriteIsAnError) {
  std::filesystem::permissions(world_.Path("data"), std::filesystem::perms{0777});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod o-w")));
}

TEST_F(CheckConfigTest, OneFlippedBitIsFoundBesideAGoodCorpusAndWithoutOne) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK(world_.Ingest("letters", {"bob"}));
  world_.DamageLastBlock("notes");
  ASSERT_OK_AND_ASSIGN(const auto beside, Check());
  EXPECT_THAT(beside.warnings, Contains(HasSubstr("corpus notes would not be served")));
  std::filesystem::remove(world_.CorpusPath("letters"));
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("notes.corpus")));
}

// An hour is enough for ten documents on any machine, fifty milliseconds are not for 2^31.
TEST_F(TimedCheckConfigTest,
       TellsWhatADocumentOfEveryModelTakesAndWarnsIfTheIntervalIsShorterThanTheWorstRelease) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto long_enough, Check());
  EXPECT_THAT(long_enough.warnings, Not(Contains(HasSubstr("release_interval_ms"))));
  EXPECT_THAT(long_enough.text, ContainsRegex("lda: all topics [0-9.e-]+ ms, document_completion"));
  EXPECT_THAT(long_enough.json.Text(), HasSubstr("worst_case_ms"));
  Edit("release_interval_ms: 3600000", "release_interval_ms: 50");
  Edit("nominal_size: 10", "nominal_size: 2147483648");
  ASSERT_OK_AND_ASSIGN(const auto too_short, Check());
  // No interval is as long as that: it would be no help to ask for one.
  EXPECT_THAT(too_short.warnings,
              Contains(AllOf(HasSubstr("corpora[notes].release_interval_ms"),
                             HasSubstr("longer than 3600000: lower nominal_size"),
                             Not(HasSubstr("Lengthen")))));
}

// Would wait for ever: a command that neither ends nor connects, as mpirun with a host that is
// down.
TEST_F(CheckConfigTest, AJobThatHangsAtItsStartIsGivenUpAndEnded) {
  Edit("e_step_threads: 2", "e_step_threads: 2 executor { mpi { launch: \"/bin/sleep 86400\" } }");
  ASSERT_OK_AND_ASSIGN(const auto outcome, CheckConfig({.config = world_.config(),
                                                        .job_start = absl::Milliseconds(200)}));
  EXPECT_THAT(outcome.warnings,
              Contains(AllOf(HasSubstr("executor.mpi.launch must have all its ranks ready within "),
                             HasSubstr("Run the command by hand"))));
  EXPECT_EQ(wait(nullptr), -1) << "the job still runs";
}

TEST_F(CheckConfigTest, WithoutASizeThereIsNothingToTime) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.text, HasSubstr("no nominal_size is stated"));
}

// What is left of it would tell of the documents, and to be refused costs nothing.
TEST_F(CheckConfigTest, WarnsWhereMemoryMayEnd) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  Edit("name: \"notes\"\n", "name: \"notes\"\n  decoded_cache_mebibytes: 1048576\n");
  const auto warnings = [this] {
    const auto outcome = Check();
    EXPECT_OK(outcome);
    return outcome.ok() ? outcome->warnings : std::vector<std::string>();
  };
  const auto warns = Contains(AllOf(HasSubstr("corpora[notes]: the server may need"),
                                    HasSubstr("decoded_cache_mebibytes")));
  EXPECT_THAT(warnings(), warns);
  Edit("decoded_cache_mebibytes: 1048576", "decoded_cache_mebibytes: 1");
  EXPECT_THAT(warnings(), Not(warns));
}

TEST_F(CheckConfigTest, WarnsOfReleasesWithoutTimingProtection) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  Edit("timing_protection: TIMING_PROTECTION_SCHEDULE\n  release_interval_ms: 3600000",
       "timing_protection: TIMING_PROTECTION_NONE");
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("timing_protection is NONE")));
}

TEST_F(CheckConfigTest, WorksBesideAServer) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  const auto server = world_.Ledger();
  ASSERT_OK_AND_ASSIGN(const auto outcome, Check());
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("Ledger: verifies"), HasSubstr("has a budget")));
}

TEST_F(CheckConfigTest, NamesFieldLineAndRuleOfABadConfiguration) {
  Edit("e_step_threads: 2", "e_step_threads: 0");
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                AllOf(HasSubstr("e_step_threads"), HasSubstr("got 0"))));
  Edit("e_step_threads: 0", "e_step_treads: 2");
  EXPECT_THAT(Check(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wall.textproto:6:")));
}

TEST_F(CheckConfigTest, FindsACertificateWithoutItsKey) {
  std::filesystem::copy_file(world_.Path("tls/alice.key"), world_.Path("tls/server.key"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("server")));
}

TEST_F(CheckConfigTest, FindsAKeyThatOthersMayRead) {
  std::filesystem::permissions(world_.Path("corpus.key"), std::filesystem::perms{0640});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod")));
}

TEST_F(CheckConfigTest, FindsAKeyThatDoesNotOpenTheCorpus) {
  ASSERT_OK(world_.Ingest("notes", {"ann"}));
  std::filesystem::remove(world_.Path("corpus.key"));
  ASSERT_OK_AND_ASSIGN(const auto other, sealing::CustodianKey::Generate());
  ASSERT_OK(other.WriteNew(world_.Path("corpus.key")));
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("notes.corpus")));
}

TEST_F(CheckConfigTest, FindsALostLedger) {
  ASSERT_OK(world_.IngestAndOpen("notes", {"ann"}));
  std::filesystem::remove(world_.Path("data/ledger.db"));
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace topicwall::admin
