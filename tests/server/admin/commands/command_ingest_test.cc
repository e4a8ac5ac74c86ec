#include "server/admin/commands/command_ingest.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/hex.h"
#include "server/admin/custody.h"
#include "server/corpus/corpus_store.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

std::vector<std::string> FilesOf(const CustodianWorld& world) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(world.Path("data"))) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A good line, one whose words are unknown, one that is no JSON.
std::string WriteMixedDocuments(const CustodianWorld& world) {
  world.Write("mixed.jsonl",
              "{\"id\": \"1\", \"owner\": \"ann\", \"text\": \"apple\"}\n"
              "{\"id\": \"2\", \"owner\": \"bob\", \"text\": \"confidential\"}\n"
              "secret rubbish\n");
  return world.Path("mixed.jsonl");
}

TEST(Ingest, SealsACorpusThatOnlyTheOwnerMayRead) {
  const CustodianWorld world;
  ASSERT_OK(world.Ingest("notes", {"ann", "bob"}));
  EXPECT_EQ(world.Mode("data/notes.corpus"), 0600);
  EXPECT_THAT(FilesOf(world), ElementsAre("notes.corpus"));
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world.config()));
  ASSERT_OK_AND_ASSIGN(const auto store,
                       corpus::CorpusStore::Open(world.CorpusPath("notes"), custody.key));
  EXPECT_OK(store->VerifyAll());
  EXPECT_EQ(store->num_units(), 2);
}

TEST(Ingest, ReportsBadDocumentsByLineAndNeverByContent) {
  const CustodianWorld world;
  ASSERT_OK_AND_ASSIGN(const auto outcome,
                       IngestCorpus(world.FlagsFor("notes", WriteMixedDocuments(world)), nullptr));
  EXPECT_THAT(outcome.text, HasSubstr("line 2"));
  EXPECT_THAT(outcome.text, HasSubstr("line 3"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("confidential")));
  EXPECT_THAT(outcome.text, Not(HasSubstr("secret")));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"accepted\":1,\"units\":1,\"repeated_lines\":0,"
                                             "\"cut_units\":0,\"rejected\":2"));
}

TEST(Ingest, ReadsAttributesAndNamesThem) {
  const CustodianWorld world;
  world.Write("wards.jsonl",
              "{\"id\": \"1\", \"owner\": \"ann\", \"text\": \"apple\", \"ward\": \"south\"}\n"
              "{\"id\": \"2\", \"owner\": \"bob\", \"text\": \"bread\", \"ward\": \"attic\"}\n");
  world.Write(
      "attributes.textproto",
      "attributes { name: \"ward\" values: [\"north\", \"south\"] }\n"
      "attributes { name: \"day\" is_date: true values: [\"2024-01-01\", \"2025-01-01\"] }\n");
  IngestFlags flags = world.FlagsFor("notes", world.Path("wards.jsonl"));
  flags.attributes = world.Path("attributes.textproto");
  ASSERT_OK_AND_ASSIGN(const auto outcome, IngestCorpus(flags, nullptr));
  EXPECT_THAT(outcome.text, HasSubstr("Attributes: ward, day\n"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("attic")));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"attributes\":[\"ward\",\"day\"]"));
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world.config()));
  ASSERT_OK_AND_ASSIGN(const auto store,
                       corpus::CorpusStore::Open(world.CorpusPath("notes"), custody.key));
  EXPECT_OK(store->VerifyAll());
  ASSERT_EQ(store->description().attributes.size(), 2u);
  EXPECT_THAT(store->description().attributes[0].values, ElementsAre("north", "south"));
  EXPECT_TRUE(store->description().attributes[1].is_date);
}

TEST(Ingest, AnAttributesFileThatIsNoneIsRefusedBeforeAnythingIsReadOrAsked) {
  const CustodianWorld world;
  ASSERT_OK(world.IngestAndOpen("notes", {"ann"}));
  IngestFlags flags = world.FlagsFor("notes", world.Path("absent.jsonl"));
  flags.replace = true;
  flags.attributes = world.Path("attributes.textproto");
  EXPECT_THAT(IngestCorpus(flags, nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("attributes.textproto")));
  world.Write("attributes.textproto", "attributes { name: \"ward\" values: \"other\" }");
  EXPECT_THAT(IngestCorpus(flags, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr("attributes.textproto"), HasSubstr("ward"))));
  world.Write("attributes.textproto", "north south");
  EXPECT_THAT(IngestCorpus(flags, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("attributes.textproto:1:")));
}

TEST(Ingest, VectorsNeedADimensionAndABoundBeforeAnythingIsReadOrAsked) {
  const CustodianWorld world;
  world.Write("vectors.jsonl",
              "{\"id\": \"1\", \"owner\": \"ann\", \"vector\": [0.5, 9]}\n"
              "{\"id\": \"2\", \"owner\": \"bob\", \"vector\": [0.5]}\n");
  IngestFlags flags = world.FlagsFor("notes", world.Path("vectors.jsonl"));
  flags.documents.vocabulary.clear();
  flags.dimension = 2;
  EXPECT_THAT(IngestCorpus(flags, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("norm bound")));
  flags.norm_bound = 1.5;
  flags.dimension.reset();
  EXPECT_THAT(IngestCorpus(flags, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("dimension")));
  EXPECT_THAT(FilesOf(world), ::testing::IsEmpty());
  flags.dimension = 2;
  ASSERT_OK_AND_ASSIGN(const auto outcome, IngestCorpus(flags, nullptr));
  EXPECT_THAT(outcome.text, HasSubstr("Vectors: 2 dimensions, norm bound 1.5\n"));
  EXPECT_THAT(outcome.text, HasSubstr("line 2 has no vector"));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"vector_dimension\":2,\"vector_norm_bound\":1.5"));
}

TEST(Ingest, StrictlyLeavesNothingBehindOfDocumentsOneOfWhichIsBad) {
  const CustodianWorld world;
  IngestFlags flags = world.FlagsFor("notes", WriteMixedDocuments(world));
  flags.documents.strict = true;
  EXPECT_THAT(IngestCorpus(flags, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 2")));
  EXPECT_THAT(FilesOf(world), ::testing::IsEmpty());
}

TEST(Ingest, KeepsACorpusThatIsThere) {
  const CustodianWorld world;
  ASSERT_OK(world.Ingest("notes", {"ann"}));
  const auto before = VersionOfFile(world.CorpusPath("notes"));
  EXPECT_THAT(world.Ingest("notes", {"bob"}),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("--replace")));
  EXPECT_EQ(*VersionOfFile(world.CorpusPath("notes")), *before);
}

TEST(Ingest, ReplacingGivesANewVersionAndSaysWhatBecomesOfTheBudget) {
  const CustodianWorld world;
  ASSERT_OK(world.Ingest("notes", {"ann"}));
  const auto before = VersionOfFile(world.CorpusPath("notes"));
  IngestFlags flags = world.FlagsFor("notes", world.WriteDocuments({"bob"}, "more"));
  flags.replace = true;
  world.Write("data/notes.corpus.replacement", "left by an interrupted attempt");
  ASSERT_OK_AND_ASSIGN(const auto outcome, IngestCorpus(flags, nullptr));
  EXPECT_NE(*VersionOfFile(world.CorpusPath("notes")), *before);
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_THAT(outcome.warnings[0], HasSubstr(base::Hex(**before)));
  EXPECT_THAT(outcome.warnings[0], HasSubstr("stays in the ledger"));
  EXPECT_THAT(FilesOf(world), ElementsAre("notes.corpus"));
}

// A corpus with a budget, and other documents to put in its place.
class ReplaceTest : public ::testing::Test {
 protected:
  ReplaceTest() {
    EXPECT_OK(world_.Ingest("notes", {"ann"}));
    EXPECT_OK(world_.Open("notes"));
    flags_ = world_.FlagsFor("notes", world_.WriteDocuments({"bob"}, "more"));
    flags_.replace = true;
    before_ = **VersionOfFile(world_.CorpusPath("notes"));
  }
  bool WasReplaced() const { return **VersionOfFile(world_.CorpusPath("notes")) != before_; }

  const CustodianWorld world_;
  IngestFlags flags_;
  std::string before_;
};

TEST_F(ReplaceTest, ACorpusWithABudgetIsNotReplacedUnasked) {
  EXPECT_THAT(IngestCorpus(flags_, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       ::testing::AllOf(HasSubstr("has budget"), HasSubstr("--join notes"),
                                        HasSubstr("--yes"))));
  std::istringstream answers("n\n");
  std::ostringstream questions;
  flags_.dialogue = {.answers = &answers, .questions = &questions};
  EXPECT_THAT(IngestCorpus(flags_, nullptr), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(questions.str(), HasSubstr("Replace it? [y/N]"));
  EXPECT_FALSE(WasReplaced());
  answers = std::istringstream("y\n");
  EXPECT_OK(IngestCorpus(flags_, nullptr));
  EXPECT_TRUE(WasReplaced());
}

// Afterwards nobody can compute them.
TEST_F(ReplaceTest, WhatIsPaidAndReservedOfTheVersionIsSaidBeforeItIsTooLate) {
  EXPECT_THAT(IngestCorpus(flags_, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       ::testing::AllOf(Not(HasSubstr("reservation")), Not(HasSubstr("paid")))));
  world_.ReserveAndChargeOne("notes", 2);
  world_.ReserveAndChargeOne("notes", 1);
  EXPECT_THAT(
      IngestCorpus(flags_, nullptr),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               ::testing::AllOf(HasSubstr("paid and not computed: 2. Nobody can"),
                                HasSubstr("still hold a reservation: 1. What they have not used"),
                                HasSubstr("cancel-plan"))));
  EXPECT_FALSE(WasReplaced());
}

TEST_F(ReplaceTest, ThatItsBudgetCannotBeJoinedIsSaidBeforeItIsTooLate) {
  flags_.documents.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  EXPECT_THAT(IngestCorpus(flags_, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       ::testing::AllOf(HasSubstr("CANNOT join"), HasSubstr("is the owner"),
                                        HasSubstr("the two have no sum"))));
  EXPECT_FALSE(WasReplaced());
  flags_.yes = true;
  EXPECT_OK(IngestCorpus(flags_, nullptr));
  EXPECT_TRUE(WasReplaced());
}

TEST_F(ReplaceTest, OfADamagedFileAnyVersionOfItsNameMayBeTheOne) {
  world_.Write("data/notes.corpus", "not a corpus");
  EXPECT_THAT(IngestCorpus(flags_, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has budget")));
  flags_.yes = true;
  EXPECT_OK(IngestCorpus(flags_, nullptr));
}

TEST(Ingest, NoMoreUnitsAreTakenThanTheConfigurationAllows) {
  const CustodianWorld world;
  const std::string config = world.Read("wall.textproto");
  world.Write("wall.textproto",
              absl::StrReplaceAll(config, {{"queue_length:", "max_units: 2 queue_length:"}}));
  EXPECT_THAT(world.Ingest("notes", {"ann", "bob", "cy"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 2")));
  EXPECT_OK(world.Ingest("notes", {"ann", "bob"}));
}

TEST(Ingest, AFailedReplacementLeavesTheOldCorpus) {
  const CustodianWorld world;
  ASSERT_OK(world.Ingest("notes", {"ann"}));
  const auto before = VersionOfFile(world.CorpusPath("notes"));
  IngestFlags flags = world.FlagsFor("notes", world.Path("missing.jsonl"));
  flags.replace = true;
  EXPECT_THAT(IngestCorpus(flags, nullptr), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(*VersionOfFile(world.CorpusPath("notes")), *before);
  EXPECT_THAT(FilesOf(world), ElementsAre("notes.corpus"));
}

TEST(Ingest, ADamagedCorpusMayBeReplaced) {
  const CustodianWorld world;
  world.Write("data/notes.corpus", "not a corpus");
  IngestFlags flags = world.FlagsFor("notes", world.WriteDocuments({"bob"}, "more"));
  flags.replace = true;
  EXPECT_OK(IngestCorpus(flags, nullptr));
}

TEST(Ingest, WantsACorpusThatTheConfigurationNames) {
  const CustodianWorld world;
  EXPECT_THAT(world.Ingest("other", {"ann"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("other")));
}

TEST(Ingest, WaitsForNobodyWhoHoldsTheDirectory) {
  const CustodianWorld world;
  ASSERT_OK_AND_ASSIGN(const auto custody, OpenCustody(world.config()));
  ASSERT_OK_AND_ASSIGN(const auto lock, Lock(custody.config));
  EXPECT_THAT(world.Ingest("notes", {"ann"}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process holds")));
}

TEST(Ingest, TellsHowFarItIs) {
  const CustodianWorld world;
  double last = -1;
  ASSERT_OK(IngestCorpus(world.FlagsFor("notes", world.WriteDocuments({"ann"}, "more")),
                         [&](double fraction_read, int64_t) { last = fraction_read; }));
  EXPECT_EQ(last, 1);
}

}  // namespace
}  // namespace topicwall::admin
