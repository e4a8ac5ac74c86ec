// topicwall-admin as it is deployed: help, exit codes, and the custodian's commands of the
// README in their order.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/server/admin/custodian_world.h"
#include "tests/support/json_page.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

google::protobuf::Struct ParseJson(const std::string& text) {
  google::protobuf::Struct parsed;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text, &parsed).ok()) << text;
  return parsed;
}

class CommandTest : public ::testing::TestWithParam<const char*> {
 protected:
  const CustodianWorld world_;
};

TEST_P(CommandTest, HelpShowsAnExampleAndJson) {
  const std::string command = GetParam();
  const Finished help = world_.Run(command + " --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("Example:\n  topicwall-admin " + command),
                                 HasSubstr("--json"), Not(HasSubstr("Positionals:"))))
      << "everything has a flag, --config in every command";
  EXPECT_THAT(help.errors, IsEmpty());
}

TEST_P(CommandTest, WithoutItsArgumentsIsAMistakeOfUsage) {
  const Finished finished = world_.Run(GetParam());
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.output, IsEmpty());
  EXPECT_THAT(finished.errors, HasSubstr("required"));
}

TEST_P(CommandTest, AnUnknownFlagIsAMistakeOfUsage) {
  EXPECT_EQ(world_.Run(std::string(GetParam()) + " --config wall.textproto --sudo").exit_code, 2);
}

// The arguments that each needs, with a configuration that is not there.
TEST_P(CommandTest, AnErrorIsOneLineOnStandardError) {
  const std::map<std::string, std::string> arguments = {
      {"keys", "--output missing/corpus.key"},
      {"ingest",
       "--config none --corpus notes --documents a --vocabulary b --privacy-unit document"},
      {"open-budget", "--config none --corpus notes --epsilon 1 --delta 1e-6"},
      {"status", "--config none"},
      {"verify-ledger", "--config none"},
      {"check-config", "--config none"},
      {"cancel-plan", "--config none --plan 00"},
      {"backup", "--config none --output backup"},
      {"restore", "--config none --input backup"},
      {"thaw", "--config none --head 00"},
      {"rekey", "--config none --output new.key"}};
  const std::string command = GetParam();
  const Finished finished = world_.Run(command + " " + arguments.at(command));
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  EXPECT_THAT(finished.output, IsEmpty());
  EXPECT_THAT(finished.errors, ::testing::StartsWith("topicwall-admin: "));
}

std::string TestName(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, CommandTest,
                         ::testing::Values("keys", "ingest", "open-budget", "status",
                                           "verify-ledger", "check-config", "cancel-plan", "backup",
                                           "restore", "thaw", "rekey"),
                         TestName);

TEST(Main, WithoutACommandPrintsHelpAsAMistakeOfUsage) {
  const CustodianWorld world;
  const Finished finished = world.Run("");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, AllOf(HasSubstr("open-budget"), HasSubstr("Example:")));
  EXPECT_EQ(world.Run("--help").exit_code, 0);
  EXPECT_EQ(world.Run("--json").exit_code, 2);
  EXPECT_EQ(world.Run("frobnicate").exit_code, 2);
}

TEST(Main, FlagsThatContradictEachOtherAreMistakesOfUsage) {
  const CustodianWorld world;
  const std::string open = "open-budget --config wall.textproto --corpus notes";
  for (const std::string& contradiction :
       {open, open + " --epsilon 1", open + " --delta 1e-6",
        open + " --join letters --epsilon 1 --delta 1e-6",
        open + " --join letters --disjoint notes=why", open + " --epsilon one --delta 1e-6",
        std::string("thaw --config wall.textproto"),
        std::string("thaw --config wall.textproto --forfeit"),
        std::string("thaw --config wall.textproto --head 00 --events file"),
        std::string("thaw --config wall.textproto --head 00 --corpus notes"),
        std::string("ingest --config wall.textproto --corpus notes --documents a --vocabulary b "
                    "--privacy-unit person"),
        std::string("ingest --config wall.textproto --corpus notes --documents a --privacy-unit "
                    "document --vectors 3"),
        std::string("ingest --config wall.textproto --corpus notes --documents a --privacy-unit "
                    "document")}) {
    EXPECT_EQ(world.Run(contradiction).exit_code, 2) << contradiction;
  }
}

TEST(Main, IngestSaysThatItsCountsArePrivate) {
  const CustodianWorld world;
  EXPECT_THAT(world.Run("ingest --help").output, HasSubstr("PRIVATE"));
}

TEST(Main, IngestIsToldWhatAttributesThereAre) {
  const CustodianWorld world;
  world.WriteDocuments({"ann", "bob"}, "notes");
  world.Write("attributes.textproto", "attributes { name: \"ward\" values: [\"a\", \"b\"] }");
  const Finished finished = world.Run(
      "ingest --config wall.textproto --corpus notes --documents notes.jsonl --vocabulary "
      "words.txt --privacy-unit owner --attributes attributes.textproto --json");
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("\"attributes\":[\"ward\"]"));
  EXPECT_THAT(world.Run("ingest --help").output,
              AllOf(HasSubstr("--attributes"), HasSubstr("never counted from the documents")));
}

TEST(Main, IngestTakesVectorsWithoutAWordList) {
  const CustodianWorld world;
  world.Write("vectors.jsonl", "{\"id\": \"1\", \"vector\": [0.5, 9]}\n");
  const Finished finished = world.Run(
      "ingest --config wall.textproto --corpus notes --documents vectors.jsonl --privacy-unit "
      "document --vectors 2 --norm-bound 1 --json");
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("\"vector_dimension\":2"));
}

TEST(Main, WhereALedgerIsToBeIsOneOfTwoPlacesWhateverIsConfigured) {
  const CustodianWorld world;
  const Finished finished = world.Run("migrate-ledger --config wall.textproto --to mysql");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors,
              AllOf(HasSubstr("--to"), HasSubstr("must be one of file, postgresql; got mysql")));
}

TEST(Main, IngestOfANumPyFileIsToldItsFormatBeforeAnythingIsRead) {
  const CustodianWorld world;
  const Finished refused = world.Run(
      "ingest --config wall.textproto --corpus notes --documents notes.npy --privacy-unit document "
      "--vectors 2 --norm-bound 1");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("Add --format npy"));
}

TEST(Main, IngestIsToldWhatLinesOfOneNameAreToBe) {
  const CustodianWorld world;
  const std::string line = "{\"id\": \"1\", \"owner\": \"ann\", \"text\": \"apple bread\"}\n";
  world.Write("twice.jsonl", line + line);
  const std::string ingest =
      "ingest --config wall.textproto --corpus notes --documents twice.jsonl --vocabulary "
      "words.txt --privacy-unit owner --json ";
  const Finished refused = world.Run(ingest);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("line 2 repeats line 1"));
  EXPECT_EQ(world.Run(ingest + "--merge-duplicates --leave-out").exit_code, 2);
  EXPECT_FALSE(world.Exists("data/notes.corpus"));
  const Finished taken = world.Run(ingest + "--leave-out");
  EXPECT_EQ(taken.exit_code, 0) << taken.errors;
  EXPECT_THAT(taken.output, HasSubstr("\"repeated_lines\":1"));
}

TEST(Main, ACorpusWithABudgetIsReplacedByAScriptOnlyIfItSaysYes) {
  const CustodianWorld world;
  ASSERT_TRUE(world.Ingest("notes", {"ann"}).ok());
  ASSERT_TRUE(world.Open("notes").ok());
  const std::string ingest =
      "ingest --config wall.textproto --corpus notes --documents notes.jsonl --vocabulary "
      "words.txt --privacy-unit owner --replace";
  const std::string before = world.Read("data/notes.corpus");
  const Finished refused = world.Run(ingest);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("has budget"), HasSubstr("--yes")));
  EXPECT_EQ(world.Read("data/notes.corpus"), before);
  EXPECT_EQ(world.Run(ingest + " --yes").exit_code, 0);
  EXPECT_NE(world.Read("data/notes.corpus"), before);
}

TEST(Main, WarningsGoToStandardErrorAndIntoTheObject) {
  const CustodianWorld world;
  ASSERT_TRUE(world.Ingest("notes", {"ann"}).ok());
  const std::string ingest =
      "ingest --config wall.textproto --corpus notes --documents notes.jsonl --vocabulary "
      "words.txt --privacy-unit owner --replace --json";
  const Finished finished = world.Run(ingest);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.errors, HasSubstr("topicwall-admin: warning: version"));
  EXPECT_EQ(ParseJson(finished.output).fields().at("warnings").list_value().values_size(), 1);
}

TEST(Main, ASecondWriterIsToldWhoIsInTheWay) {
  const CustodianWorld world;
  ASSERT_TRUE(world.Ingest("notes", {"ann"}).ok());
  ASSERT_TRUE(world.Open("notes").ok());
  const auto server = world.Ledger();
  const Finished finished = world.Run("rekey --config wall.textproto --output new.key");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, AllOf(HasSubstr("another process holds the data directory"),
                                     HasSubstr("stop the server")));
}

// Every command of the README's custodian, each with --json, on one wall, held against
// server/admin/JSON.md.
class StoryTest : public ::testing::Test {
 protected:
  google::protobuf::Struct Run(const std::string& arguments) {
    const std::string command = arguments.substr(0, arguments.find(' '));
    const Finished finished = world_.Run(arguments + " --json");
    EXPECT_EQ(finished.exit_code, 0) << arguments << ": " << finished.errors;
    EXPECT_EQ(page_.Mismatch(command, finished.output), "") << command << ": " << finished.output;
    said_.insert(command);
    return ParseJson(finished.output);
  }

  const CustodianWorld world_;
  const testing::JsonPage page_{"server/admin/JSON.md"};
  std::set<std::string> said_ = {"migrate-ledger"};  // tests/e2e/shared/shared_servers_test.cc
};

TEST_F(StoryTest, ACustodiansCommandsPrintWhatThePageSays) {
  world_.MakeCertificates();
  std::filesystem::remove(world_.Path("corpus.key"));
  Run("keys --output corpus.key");
  EXPECT_EQ(Run("status --config wall.textproto").fields().at("corpora").list_value().values_size(),
            3);
  world_.WriteDocuments({"ann", "bob"}, "notes");
  const std::string ingest =
      "ingest --config wall.textproto --corpus notes --documents notes.jsonl --vocabulary "
      "words.txt --privacy-unit owner";
  Run(ingest);
  Run(ingest + " --replace");
  Run("open-budget --config wall.textproto --corpus notes --epsilon 2.44 --delta 1e-6");
  ASSERT_OK(world_.Ingest("letters", {"ann"}));
  Run("open-budget --config wall.textproto --corpus letters --epsilon 2.44 --delta 1e-6 --policy "
      "inventory --voucher 6.3,1,10 --yes");
  EXPECT_TRUE(Run("check-config --config wall.textproto").fields().at("ledger").bool_value());
  Run("statement --config wall.textproto --corpus notes");
  const auto notes = Run("status --config wall.textproto").fields().at("corpora");
  const auto& corpus_status = notes.list_value().values(0).struct_value().fields();
  EXPECT_EQ(corpus_status.at("state").string_value(), "open");
  const std::string head = corpus_status.at("head").string_value();
  Run("verify-ledger --config wall.textproto");
  Run("backup --config wall.textproto --output backup");
  std::filesystem::remove_all(world_.Path("data"));
  std::filesystem::create_directory(world_.Path("data"));
  Run("restore --config wall.textproto --input backup");
  Run("thaw --config wall.textproto --head " + head);
  const std::string plan = world_.ReserveAndChargeOne("notes", 2);
  Run("status --config wall.textproto");
  Run("cancel-plan --config wall.textproto --plan " + plan);
  Run("rekey --config wall.textproto --output new.key");
  std::filesystem::rename(world_.Path("new.key"), world_.Path("corpus.key"));
  Run("check-config --config wall.textproto");
  EXPECT_EQ(said_, page_.names());
}

}  // namespace
}  // namespace topicwall::admin
