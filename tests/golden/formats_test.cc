// proto/FORMATS.md says what is: every example on the page is read from it and held to the code.
// The bytes were made with Python's hashlib, hmac and struct, and the sealed value as
// tests/server/sealing/sealing_key_test.cc says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/audit/head_book.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/lengths_file.h"
#include "client/evaluate/prevalence_file.h"
#include "client/fit/checkpoint.h"
#include "client/fit/model_file.h"
#include "proto/ledger_chain.h"
#include "proto/matrix_codec.h"
#include "proto/receipt.h"
#include "proto/signature.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/unit_block.h"
#include "server/ledger/ledger_seals.h"
#include "server/random/key_derivation.h"
#include "server/sealing/custodian_key.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/stores.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall {
namespace {

using testing::TemporaryDirectory;

// Its fenced blocks by what stands behind the fence; each is used by a test.
std::map<std::string, std::string> Examples() {
  const std::string page = testing::ReadWholeFile(TOPICWALL_SOURCE_DIR "/proto/FORMATS.md");
  const std::vector<std::string> parts = absl::StrSplit(page, "```");
  std::map<std::string, std::string> examples;
  for (size_t i = 1; i < parts.size(); i += 2) {
    const std::pair<std::string, std::string> example =
        absl::StrSplit(parts[i], absl::MaxSplits('\n', 1));
    EXPECT_TRUE(examples.insert(example).second) << example.first << " is there twice";
  }
  return examples;
}

std::string Example(const std::string& name) {
  const std::map<std::string, std::string> all = Examples();
  const auto found = all.find(name);
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? "" : found->second;
}

std::string Bytes(const std::string& name) {
  return absl::HexStringToBytes(
      absl::StrReplaceAll(Example("hex " + name), {{" ", ""}, {"\n", ""}}));
}

TEST(FormatsPage, ShowsAMatrix) {
  EXPECT_EQ(proto::FloatsToLittleEndian({-1.5F, -2.25F, -0.125F, -3, -4.5F, -0.75F}),
            Bytes("matrix"));
}

TEST(FormatsPage, ShowsACommitmentAndAHead) {
  std::string salt(16, '\0');
  std::iota(salt.begin(), salt.end(), 0);
  const std::string commitment =
      proto::EventCommitment(salt, "any bytes: a serialized LedgerEvent, as it was written");
  EXPECT_EQ(commitment, Bytes("commitment"));
  EXPECT_EQ(proto::NextHead(proto::GenesisHead(), commitment), Bytes("head"));
}

TEST(FormatsPage, ShowsASalt) {
  const random::SecretKey identity(std::array<uint8_t, 32>{1});
  ASSERT_OK_AND_ASSIGN(const auto of_all, random::Derive(identity, "ledger seals", {}));
  ASSERT_OK_AND_ASSIGN(const auto seals,
                       ledger::LedgerSeals::Of(of_all, "0123456789abcdef0123456789abcdef"));
  ASSERT_OK_AND_ASSIGN(
      const std::string salt,
      seals.SaltOf(proto::GenesisHead(), "any bytes: a serialized LedgerEvent, as it was written"));
  EXPECT_EQ(salt, Bytes("salt"));
}

TEST(FormatsPage, ShowsWhatIsSigned) {
  EXPECT_EQ(proto::TextToSign(proto::SignedMatter::kReceipt, "any"), Bytes("signed receipt"));
  EXPECT_EQ(proto::TextToSign(proto::SignedMatter::kStatement, "any"), Bytes("signed statement"));
  EXPECT_EQ(proto::TextToSign(proto::SignedMatter::kHead, "any"), Bytes("signed head"));
}

TEST(FormatsPage, ShowsASealedValue) {
  std::array<uint8_t, 32> secret = {1};
  ASSERT_OK_AND_ASSIGN(const auto key, sealing::SealingKey::Create(random::SecretKey(secret)));
  ASSERT_OK_AND_ASSIGN(const auto opened, key.Open(Bytes("sealed"), "block 1 of 3"));
  EXPECT_EQ(opened, "a private sentence");
}

// The page's block, with each document's values of `num_attributes` attributes.
corpus::UnitBlock BlockOfThePage(size_t num_attributes) {
  random::UnitId first, second;
  std::iota(first.begin(), first.end(), 0);
  std::iota(second.begin(), second.end(), 16);
  corpus::UnitBlock block;
  const auto add = [&](const std::vector<lda::TermCount>& counts, std::vector<uint16_t> values) {
    values.resize(num_attributes);
    block.AddDocument(counts, values);
  };
  block.AddUnit(first);
  add({{3, 2}, {17, 1}}, {0, 2});
  block.AddUnit(second);
  add({{0, 1}}, {1, 299});
  add({{5, 9}}, {2, 0});
  return block;
}

TEST(FormatsPage, ShowsABlockOfACorpus) {
  EXPECT_EQ(BlockOfThePage(0).Serialize(), Bytes("block"));
}

TEST(FormatsPage, ShowsABlockOfVectors) {
  random::UnitId unit;
  std::iota(unit.begin(), unit.end(), 0);
  corpus::UnitBlock block;
  block.AddUnit(unit);
  block.AddDocument({}, {}, std::vector<float>{0.5, -0.5, 0.125});
  block.AddDocument({}, {}, std::vector<float>{0, 0, 1});
  EXPECT_EQ(block.Serialize(), Bytes("block of vectors"));
}

TEST(FormatsPage, ShowsTheValuesOfABlocksAttributes) {
  EXPECT_EQ(BlockOfThePage(2).Serialize(), Bytes("block") + Bytes("values of a block"));
}

TEST(FormatsPage, ShowsAKeyFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("key");
  testing::WriteWholeFile(path, Example("text key"));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_OK(sealing::CustodianKey::Read(path));
}

// "table: column, column" a line, in the order of making; the application id in four bytes.
struct Shape {
  std::string tables;
  std::string application_id;
};

Shape ShapeOf(const std::string& path) {
  Shape shape;
  auto connection = store::SqliteConnection::Open(path, store::SqliteConnection::Mode::kReadOnly);
  EXPECT_OK(connection);
  auto tables = connection->Prepare(
      "SELECT name, (SELECT group_concat(name, ', ') FROM pragma_table_info(m.name)) "
      "FROM sqlite_master m WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid");
  EXPECT_OK(tables);
  while (*tables->Step()) {
    absl::StrAppend(&shape.tables, tables->Bytes(0), ": ", tables->Bytes(1), "\n");
  }
  auto id = connection->Prepare("PRAGMA application_id");
  EXPECT_TRUE(*id->Step());
  for (const int shift : {24, 16, 8, 0}) {
    shape.application_id.push_back(static_cast<char>(id->Int64(0) >> shift & 0xFF));
  }
  return shape;
}

TEST(FormatsPage, ShowsTheTablesOfALedger) {
  const TemporaryDirectory directory;
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(directory.path()));
  ASSERT_OK(store::CreateStore(std::move(lock), {.ledger_id = "l"}));
  const Shape shape = ShapeOf(store::DatabasePath(directory.path()));
  EXPECT_EQ(shape.tables, Example("tables ledger"));
  EXPECT_EQ(shape.application_id, Bytes("ledger application id"));
}

TEST(FormatsPage, ShowsTheTablesOfACorpus) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("corpus");
  ASSERT_OK_AND_ASSIGN(auto writer,
                       corpus::CorpusFileWriter::Create(path, base::IfExists::kRefuse));
  ASSERT_OK(writer->Finish(corpus::CorpusVersion{}, "manifest"));
  ASSERT_OK(writer->Commit());
  const Shape shape = ShapeOf(path);
  EXPECT_EQ(shape.tables, Example("tables corpus"));
  EXPECT_EQ(shape.application_id, Bytes("corpus application id"));
}

TEST(FormatsPage, ShowsTheVersionsOfAnAnalystsFiles) {
  EXPECT_EQ(absl::StrCat("ModelFile: ", client::kModelFormatVersion,
                         "\nCheckpointFile: ", client::kCheckpointFormatVersion,
                         "\nEvaluationFile: ", client::kEvaluationFormatVersion,
                         "\nPrevalenceFile: ", client::kPrevalenceFormatVersion,
                         "\nLengthsFile: ", client::kLengthsFormatVersion,
                         "\nReceiptFile: ", proto::kReceiptFileFormat,
                         "\nHeadBook: ", client::kHeadBookFormatVersion, "\n"),
            Example("versions"));
}

TEST(FormatsPage, ShowsAModel) {
  v1::ModelFile model;
  ASSERT_TRUE(model.ParseFromString(Bytes("model")));
  EXPECT_EQ(model.format_version(), client::kModelFormatVersion);
  EXPECT_EQ(model.num_topics(), 2);
  EXPECT_EQ(model.vocabulary_size(), 2);
  EXPECT_EQ(model.topic_parameters(), proto::FloatsToLittleEndian({3, 1, 1, 4}));
  EXPECT_EQ(model.topic_word_prior(), 0.5);
  EXPECT_THAT(model.document_topic_prior(), ::testing::ElementsAre(0.125));
  EXPECT_THAT(model.terms(), ::testing::ElementsAre("apple", "pear"));
  EXPECT_EQ(model.tokenizer(), "words-1");
  EXPECT_EQ(model.SerializeAsString(), Bytes("model")) << "it has other fields as well";
}

// As anybody reads it who has the page and a compiler of messages.
TEST(FormatsPage, SaysHowAModelIsReadWithoutThisProgram) {
  const TemporaryDirectory folder;
  testing::WriteWholeFile(folder.path() + "/model.pb", Bytes("model"));
  const std::string command =
      absl::StrReplaceAll(Example("sh decode"), {{"notes.model", folder.path()}, {"\n", ""}});
  const std::string out = folder.path() + "/out";
  ASSERT_EQ(
      std::system(absl::StrCat("cd ", TOPICWALL_SOURCE_DIR, " && ", command, " > ", out).c_str()),
      0);
  EXPECT_THAT(testing::ReadWholeFile(out), ::testing::HasSubstr("terms: \"apple\""));
}

TEST(FormatsPage, HasNoExampleThatNothingChecks) {
  std::vector<std::string> names;
  for (const auto& [name, example] : Examples()) names.push_back(name);
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre(
                  "hex matrix", "hex commitment", "hex head", "hex salt", "hex signed receipt",
                  "hex signed statement", "hex signed head", "hex ledger application id",
                  "tables ledger", "hex sealed", "hex corpus application id", "tables corpus",
                  "hex block", "hex block of vectors", "hex values of a block", "text key",
                  "versions", "hex model", "sh decode"));
}

}  // namespace
}  // namespace topicwall
