// An ingestion that is refused, whatever for, leaves the data directory as it was; what one that is
// killed leaves there goes with the next command that writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "server/admin/commands/command_ingest.h"
#include "server/sealing/custodian_key.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/in_child.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace command_ingest_refusals_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kGood[] = R"({"id": "1", "owner": "ann", "text": "apple"})";

struct Refusal {
  std::string name;
  std::string says;
  std::function<void(const CustodianWorld&, IngestFlags&)> prepare;
};
void PrintTo(const Refusal& refusal, std::ostream* stream) { *stream << refusal.name; }

std::function<void(const CustodianWorld&, IngestFlags&)> Of(const std::string& lines) {
  return [lines](const CustodianWorld& world, IngestFlags& flags) {
    world.Write("refused", lines);
    flags.documents.documents = world.Path("refused");
  };
}

std::vector<Refusal> RefusedDocuments() {
  using corpus::DocumentFormat;
  const std::string good = absl::StrCat(kGood, "\n");
  return {
      {"NoDocuments", "refused",
       [](const CustodianWorld& world, IngestFlags& flags) {
         flags.documents.documents = world.Path("refused");
       }},
      {"NoUsableDocument", "at least one usable document", Of("\n\n")},
      {"SameNameTwice", "line 2", Of(good + good)},
      {"NoOwner", "owner", Of(good + R"({"id": "2", "text": "apple"})")},
      {"TooManyUnits", "more than 2",
       [](const CustodianWorld& world, IngestFlags& flags) {
         std::string config = world.Read("wall.textproto");
         for (size_t at = 0; (at = config.find("queue_length:", at)) != std::string::npos;) {
           config.insert(at, "max_units: 2 ");
           at += 20;
         }
         world.Write("wall.textproto", config);
         flags.documents.documents = world.WriteDocuments({"ann", "bob", "cy"}, "three");
       }},
      {"StrictlyALineTooLong", "line 2",
       [good](const CustodianWorld& world, IngestFlags& flags) {
         Of(good + std::string(size_t{65} << 20, 'x') + "\n")(world, flags);
         flags.documents.strict = true;
       }},
      {"StrictlyALineThatIsNone", "line 2",
       [good](const CustodianWorld& world, IngestFlags& flags) {
         Of(good + "apple\n")(world, flags);
         flags.documents.strict = true;
       }},
      {"OwnersOfAFormatWithout", "owner",
       [](const CustodianWorld& world, IngestFlags& flags) {
         Of("1\n3\n1\n1 1 1\n")(world, flags);
         flags.documents.format = DocumentFormat::kBagOfWords;
       }},
      {"ABagOfWordsCutShort", "refused",
       [](const CustodianWorld& world, IngestFlags& flags) {
         Of("2\n3\n2\n1 1 1\n")(world, flags);
         flags.documents.format = DocumentFormat::kBagOfWords;
         flags.documents.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
       }},
      {"VectorsOfWhichNoneIs", "at least one usable document",
       [](const CustodianWorld&, IngestFlags& flags) {
         flags.documents.vocabulary.clear();
         flags.dimension = 2;
         flags.norm_bound = 1;
       }},
  };
}

std::vector<Refusal> RefusedSettings() {
  return {
      {"AnAttributeListThatIsNone", "attributes",
       [](const CustodianWorld& world, IngestFlags& flags) {
         world.Write("attributes", "attributes { name: \"ward\" values: \"other\" }");
         flags.attributes = world.Path("attributes");
       }},
      {"AnAttributeOfThatNameTwice", "ward",
       [](const CustodianWorld& world, IngestFlags& flags) {
         const std::string ward = "attributes { name: \"ward\" values: \"north\" }\n";
         world.Write("attributes", ward + ward);
         flags.attributes = world.Path("attributes");
       }},
      {"NoWords", "words",
       [](const CustodianWorld& world, IngestFlags& flags) {
         world.Write("words", "");
         flags.documents.vocabulary = world.Path("words");
       }},
      {"AWordTwice", "words",
       [](const CustodianWorld& world, IngestFlags& flags) {
         world.Write("words", "apple\nbread\napple\n");
         flags.documents.vocabulary = world.Path("words");
       }},
      {"AWordWithANul", "words",
       [](const CustodianWorld& world, IngestFlags& flags) {
         world.Write("words", std::string("apple\nbr\0ead\n", 13));
         flags.documents.vocabulary = world.Path("words");
       }},
      {"VectorsWithoutABound", "norm bound",
       [](const CustodianWorld&, IngestFlags& flags) { flags.dimension = 2; }},
      {"ACorpusThatTheConfigurationDoesNotName", "other",
       [](const CustodianWorld&, IngestFlags& flags) { flags.corpus = "other"; }},
      {"NoKey", "corpus.key",
       [](const CustodianWorld& world, IngestFlags&) { fs::remove(world.Path("corpus.key")); }},
      {"AKeyThatOthersMayRead", "corpus.key",
       [](const CustodianWorld& world, IngestFlags&) {
         fs::permissions(world.Path("corpus.key"), fs::perms{0644});
       }},
      {"AKeyThatIsNone", "corpus.key",
       [](const CustodianWorld& world, IngestFlags&) { world.Write("corpus.key", "rubbish"); }},
  };
}

// Their digests: what differs is no text.
std::map<std::string, std::string> FilesOf(const CustodianWorld& world) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(world.Path("data"))) {
    const std::string name = entry.path().filename().string();
    files[name] = base::Hex(base::Sha256Of(world.Read("data/" + name)));
  }
  return files;
}

class IngestRefusedTest : public ::testing::TestWithParam<Refusal> {
 protected:
  const CustodianWorld world_;
};

TEST_P(IngestRefusedTest, LeavesNoFile) {
  IngestFlags flags = world_.FlagsFor("notes", world_.WriteDocuments({"ann"}, "one"));
  GetParam().prepare(world_, flags);
  const absl::Status refused = IngestCorpus(flags, nullptr).status();
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.message()), HasSubstr(GetParam().says));
  EXPECT_THAT(FilesOf(world_), IsEmpty());
}

TEST_P(IngestRefusedTest, LeavesTheCorpusThatItWasToReplace) {
  ASSERT_OK(world_.Ingest("notes", {"bob"}));
  const auto before = FilesOf(world_);
  IngestFlags flags = world_.FlagsFor("notes", world_.WriteDocuments({"ann"}, "one"));
  flags.replace = true;
  GetParam().prepare(world_, flags);
  EXPECT_FALSE(IngestCorpus(flags, nullptr).ok());
  EXPECT_EQ(FilesOf(world_), before);
}

std::string NameOf(const ::testing::TestParamInfo<Refusal>& refusal) { return refusal.param.name; }
INSTANTIATE_TEST_SUITE_P(Documents, IngestRefusedTest, ::testing::ValuesIn(RefusedDocuments()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Settings, IngestRefusedTest, ::testing::ValuesIn(RefusedSettings()),
                         NameOf);

// Enough documents to be written to the disk in pieces.
std::string WriteManyDocuments(const CustodianWorld& world) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) {
    absl::StrAppend(&lines, R"({"id": ")", i, R"(", "owner": ")", i, R"(", "text": "apple"})",
                    "\n");
  }
  world.Write("many.jsonl", lines);
  return "many.jsonl";
}

constexpr char kIngest[] =
    "topicwall-admin ingest --config wall.textproto --corpus notes --vocabulary words.txt "
    "--privacy-unit owner --documents ";

// The program itself: a limit on file sizes is a signal, which ends a program that does not mind.
TEST(IngestOnAFullDisk, IsRefusedAndLeavesNoFile) {
  const CustodianWorld world;
  const std::string documents = WriteManyDocuments(world);
  const Finished full = world.Run(absl::StrCat("--version >/dev/null; ulimit -f 64; ",
                                               TOPICWALL_BINARY_DIR, "/", kIngest, documents));
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.errors, HasSubstr("Check the folder and the room on its disk, and that its file "
                                     "system has POSIX locks"));
  EXPECT_THAT(FilesOf(world), IsEmpty());
}

// Killed where it is told how far it is. What it leaves is sealed, but under a key that may be
// given up, and it is as large as a corpus.
TEST(IngestThatIsKilled, LeavesNothingOnceTheCustodianWritesAgain) {
  const CustodianWorld world;
  const IngestFlags flags = world.FlagsFor("notes", world.WriteDocuments({"ann"}, "one"));
  for (int times = 0; times < 2; ++times) {
    const int ended = testing::InChild([&flags] {
      IngestCorpus(flags, [](double, int64_t) { raise(SIGKILL); }).IgnoreError();
      return 1;
    });
    ASSERT_EQ(ended, 128 + SIGKILL);
    const auto left = FilesOf(world);
    ASSERT_EQ(left.size(), 1u) << "and not what the first left";
    EXPECT_TRUE(absl::EndsWith(left.begin()->first, ".unfinished"));
  }
  EXPECT_OK(IngestCorpus(flags, nullptr));
  EXPECT_EQ(FilesOf(world).size(), 1u);
  EXPECT_TRUE(world.Exists("data/notes.corpus"));
}

}  // namespace command_ingest_refusals_test
}  // namespace topicwall::admin
