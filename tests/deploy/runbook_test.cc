// The runbook's blocks, pasted by a custodian of a wall.
#include "tests/support/runbook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::HasSubstr;

constexpr char kMakeWall[] = R"sh(set -e
cat >wall.textproto <<'END'
custodian_id: "library"
listen_address: "127.0.0.1:0"
tls { certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }
data_directory: "data"
key_file: "corpus.key"
principals { name: "alice" role: ANALYST access { corpus: "notes" } }
corpora {
  name: "notes"
  limits { max_tokens: 100 max_documents_per_unit: 1 max_parameters_per_term: 2 max_iterations: 10
           max_model_iterations: 10 min_noise_multiplier: 0.5 max_releases: 10 queue_length: 2 }
  timing_protection: TIMING_PROTECTION_NONE
}
e_step_threads: 1
max_matrix_bytes: 1048576
END
mkdir -m 0700 data backup
"$source"/deploy/make-certificates --output tls --server wall.example.org --analyst alice
topicwall-admin keys --output corpus.key
echo '{"id": "1", "text": "apple bread"}' >notes.jsonl
printf 'apple\nbread\n' >words.txt
topicwall-admin ingest --config wall.textproto --corpus notes --documents notes.jsonl \
  --vocabulary words.txt --privacy-unit document
topicwall-admin open-budget --config wall.textproto --corpus notes --epsilon 1 --delta 1e-6
)sh";

class RunbookTest : public FolderTest {
 protected:
  void SetUp() override {
    const Outcome made = Run(absl::StrCat("cd ", Path(""), "\nPATH=", TOPICWALL_BINARY_DIR,
                                          ":$PATH source=", TOPICWALL_SOURCE_DIR, "\n", kMakeWall));
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }
  // A script of bash.
  Outcome Run(const std::string& script) const {
    WriteWholeFile(Path("script"), script);
    return RunShell("bash " + Path("script"));
  }
  Outcome Paste(const std::string& part, const std::string& moment,
                const std::string& before = "") const {
    return Run(before + runbook_.Script(part, moment));
  }
  std::string File(const std::string& name) const { return ReadWholeFile(Path(name)); }
  bool Exists(const std::string& name) const { return std::filesystem::exists(Path(name)); }

 private:
  const testing::RunbookIn runbook_{Path("."), TOPICWALL_BINARY_DIR, TOPICWALL_SOURCE_DIR};
};

constexpr char kRekey[] = "before-rekey";
constexpr char kPutInPlace[] = "mv $key.new $key";

// Certificates and keys of every year, an upgrade, and a ledger that is lost twice.
TEST_F(RunbookTest, WhatIsPastedOneYearWorksTheNextAndOverwritesNothing) {
  for (const std::string year : {"2027", "2028"}) {
    for (const char* part :
         {"mkdir $old", kRekey, kPutInPlace, "before-upgrade", "--output /backup/wall-$(date",
          "--out /backup/notes-$(date", "admin restore --config $config --input"}) {
      const Outcome pasted = Paste(part, year);
      EXPECT_EQ(pasted.exit_code, 0) << part << ": " << pasted.output;
    }
    for (const std::string kept :
         {"old-%/server.pem", "corpus.key.until-%", "data/damaged-%/ledger.db",
          "backup/before-upgrade-%/ledger.db"}) {
      EXPECT_TRUE(Exists(absl::StrReplaceAll(kept, {{"%", year}}))) << kept << " of " << year;
    }
  }
}

// A machine may stop at any line: what is removed stands somewhere else, and is on the disk there.
TEST_F(RunbookTest, ARekeyRemovesNoKeyBeforeAnotherFileOfItIsSynced) {
  const std::string old_key = File("corpus.key");
  ASSERT_EQ(Paste(kRekey, "2027").exit_code, 0);
  const std::string new_key = File("data/corpus-new.key");
  const Outcome pasted = Paste(kPutInPlace, "2027", "set -x\n");
  ASSERT_EQ(pasted.exit_code, 0) << pasted.output;
  size_t at = 0;
  for (const char* step : {"\n+ install ", "\n+ ln ", "\n+ sync ", "\n+ mv ", "\n+ sync ",
                           "\n+ topicwall-admin check-config ", "\n+ rm "}) {
    at = pasted.output.find(step, at);
    ASSERT_NE(at, std::string::npos) << step << " is not where it was in\n" << pasted.output;
    ++at;
  }
  EXPECT_EQ(File("corpus.key"), new_key);
  EXPECT_EQ(File("corpus.key.until-2027"), old_key);
  EXPECT_FALSE(Exists("data/corpus-new.key"));
}

TEST_F(RunbookTest, ARekeyThatWasNotMadeChangesNoKey) {
  const std::string old_key = File("corpus.key");
  std::filesystem::create_directory(Path("backup/before-rekey-2027"));
  EXPECT_NE(Paste(kRekey, "2027").exit_code, 0);
  EXPECT_FALSE(Exists("data/corpus-new.key")) << "without a backup";
  EXPECT_NE(Paste(kPutInPlace, "2027").exit_code, 0);
  EXPECT_EQ(File("corpus.key"), old_key);
}

TEST_F(RunbookTest, OfAKeyThatDoesNotOpenTheLedgerBothFilesStay) {
  const std::string old_key = File("corpus.key");
  ASSERT_EQ(Run("cd " + Path("") +
                " && " TOPICWALL_BINARY_DIR "/topicwall-admin keys --output data/corpus-new.key")
                .exit_code,
            0);
  const std::string other_key = File("data/corpus-new.key");
  const Outcome pasted = Paste(kPutInPlace, "2027");
  EXPECT_EQ(pasted.exit_code, 1);
  EXPECT_THAT(pasted.output, HasSubstr("sealed under another custodian key"));
  EXPECT_EQ(File("data/corpus-new.key"), other_key);
  EXPECT_EQ(File("corpus.key.until-2027"), old_key);
}

}  // namespace
}  // namespace topicwall::deploy
