#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CatalogueToJsonl : public FolderTest {
 protected:
  Outcome Convert(const std::string& packages, const std::string& translations) {
    WriteWholeFile(Path("Packages"), packages);
    WriteWholeFile(Path("Translation-en"), translations);
    const Outcome outcome =
        RunShell(Deployed("catalogue-to-jsonl") + " " + Path("Packages") + " " +
                 Path("Translation-en") + " " + Path("kept.jsonl") + " " + Path("heldout.jsonl"));
    kept_ = ReadWholeFile(Path("kept.jsonl"));
    held_out_ = ReadWholeFile(Path("heldout.jsonl"));
    return outcome;
  }
  std::string kept_;
  std::string held_out_;
};

std::string Package(const std::string& name, const std::string& source) {
  return "Package: " + name + "\nSource: " + source +
         " (1.0-1)\nMaintainer: Someone <s@example.org>\n\n";
}

std::string Description(const std::string& name, const std::string& md5, const std::string& text) {
  return "Package: " + name + "\nDescription-md5: " + md5 + "\nDescription-en: " + text + "\n\n";
}

TEST_F(CatalogueToJsonl, WritesIdTextOwnerAndSection) {
  ASSERT_EQ(Convert("Package: tool\nMaintainer: A \"B\" <a@example.org>\nSection: utils\n",
                    Description("tool", "1", "a tool\n that\ttools\n .\n  * back\\slash"))
                .exit_code,
            0);
  EXPECT_EQ(kept_ + held_out_,
            "{\"id\": \"tool\", \"text\": \"a tool\\nthat\\ttools\\n\\n* back\\\\slash\", "
            "\"owner\": \"A \\\"B\\\" <a@example.org>\", \"section\": \"utils\"}\n");
}

TEST_F(CatalogueToJsonl, MergesPackagesOfOneDescription) {
  ASSERT_EQ(Convert(Package("b", "s") + Package("a", "s") + Package("c", "s"),
                    Description("b", "1", "same") + Description("a", "1", "same") +
                        Description("c", "2", "other"))
                .exit_code,
            0);
  const std::string all = kept_ + held_out_;
  EXPECT_THAT(all, HasSubstr("{\"id\": \"a\", \"text\": \"same\""));
  EXPECT_THAT(all, Not(HasSubstr("\"id\": \"b\"")));
  EXPECT_THAT(all, HasSubstr("{\"id\": \"c\", \"text\": \"other\""));
}

TEST_F(CatalogueToJsonl, LeavesOutPackagesWithoutAMaintainer) {
  ASSERT_EQ(Convert(Package("a", "s"),
                    Description("a", "1", "known") + Description("x", "2", "elsewhere"))
                .exit_code,
            0);
  EXPECT_THAT(kept_ + held_out_, Not(HasSubstr("elsewhere")));
}

// About one source in twenty. The hash is fixed, so nothing here is left to chance.
TEST_F(CatalogueToJsonl, HoldsOutWholeSources) {
  std::string packages;
  std::string translations;
  for (int source = 0; source < 2000; ++source) {
    for (const char* part : {"-bin", "-doc"}) {
      const std::string name = "p" + std::to_string(source) + part;
      packages += Package(name, "source" + std::to_string(source));
      translations += Description(name, name, "text of " + name);
    }
  }
  ASSERT_EQ(Convert(packages, translations).exit_code, 0);
  int held_out = 0;
  for (int source = 0; source < 2000; ++source) {
    const std::string name = "\"id\": \"p" + std::to_string(source);
    const bool bin = held_out_.find(name + "-bin\"") != std::string::npos;
    const bool doc = held_out_.find(name + "-doc\"") != std::string::npos;
    EXPECT_EQ(bin, doc) << name;
    EXPECT_EQ(bin, kept_.find(name + "-bin\"") == std::string::npos) << name;
    held_out += bin ? 1 : 0;
  }
  EXPECT_GE(held_out, 60);
  EXPECT_LE(held_out, 140);
}

TEST_F(CatalogueToJsonl, RefusesAnEmptyCatalogue) {
  const Outcome outcome = Convert("", "");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("no descriptions"));
}

}  // namespace
}  // namespace topicwall::deploy
