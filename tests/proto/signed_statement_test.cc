#include "proto/signed_statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/ed25519.h"
#include "proto/signature.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace signed_statement_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::topicwall::testing::StatusIs;

const std::vector<StatementLine>& Lines() {
  static const auto& lines = *new std::vector<StatementLine>{
      {"corpus", "notes"}, {"note", "a: b"}, {"not protected", "x"}, {"not protected", "y"}};
  return lines;
}

// Made by an independent implementation: Ed25519 of the Python package "cryptography" 48, seed
// 00 01 … 1f, over "topicwall.v1.statement" ‖ 00 ‖ StatementText(Lines()).
std::string Key() {
  return absl::HexStringToBytes("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8");
}
std::string File() {
  return StatementFile(
      StatementText(Lines()), Key(),
      absl::HexStringToBytes("033a4c244fe967cc288488c980f74ba3affe04c3ac8979fa638c2a6d0c9fe1ab"
                             "3c6e680f82c36d4b72bcd84ca31c3e440192928d21116c92373cbb90b320500c"));
}

TEST(SignedStatementTest, ReadsBackWhatWasSigned) {
  EXPECT_EQ(StatementText(Lines()),
            "topicwall privacy statement 1\ncorpus: notes\nnote: a: b\nnot protected: x\n"
            "not protected: y\n");
  ASSERT_OK_AND_ASSIGN(const auto opened, OpenStatement(File(), Key()));
  EXPECT_EQ(opened.text, StatementText(Lines()));
  EXPECT_EQ(opened.public_key, Key());
  EXPECT_THAT(opened.lines, ElementsAre(Pair("corpus", "notes"), Pair("note", "a: b"),
                                        Pair("not protected", "x"), Pair("not protected", "y")));
  EXPECT_OK(OpenStatement(File(), ""));
}

TEST(SignedStatementTest, AFlippedBitAnywhereIsRefused) {
  const std::string intact = File();
  for (size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    std::string flipped = intact;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(OpenStatement(flipped, "").ok()) << "bit " << bit;
  }
}

TEST(SignedStatementTest, AnythingCutOrAddedIsRefused) {
  for (size_t size = 0; size < File().size(); ++size) {
    EXPECT_FALSE(OpenStatement(File().substr(0, size), "").ok()) << size;
  }
  EXPECT_FALSE(OpenStatement(File() + "\n", "").ok());
  EXPECT_FALSE(OpenStatement(absl::StrCat("\n", File()), "").ok());
}

TEST(SignedStatementTest, AnotherKeyThanTheExpectedOneIsRefused) {
  EXPECT_THAT(OpenStatement(File(), std::string(base::kSigningKeySize, 'k')),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

// Asked again, the custodian would give the same.
TEST(SignedStatementTest, AStatementOfAnotherVersionIsSignedAndIsLeftToTheProgramOfThatVersion) {
  ASSERT_OK_AND_ASSIGN(const auto key, base::SigningKey::Create(std::vector<uint8_t>(32, 7)));
  const auto signed_file = [&key](const std::string& text) {
    return StatementFile(text, key.public_key(),
                         *key.Sign(TextToSign(SignedMatter::kStatement, text)));
  };
  const std::string later = "topicwall privacy statement 2\ncorpus: notes\n";
  EXPECT_THAT(OpenStatement(signed_file(later), key.public_key()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("another version of statements"),
                             HasSubstr("Verify it with the topicwall of that version"),
                             Not(HasSubstr("proves nothing")), Not(HasSubstr("again")))));
  EXPECT_THAT(OpenStatement(signed_file(later) + "x", ""), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(OpenStatement(signed_file("something else of the same length\n"), ""),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no statement")));
}

TEST(SignedStatementTest, NoValueCanForgeALine) {
  EXPECT_EQ(StatementText({{"corpus", "notes\nepsilon: 0"}}),
            "topicwall privacy statement 1\ncorpus: notes epsilon: 0\n");
}

}  // namespace signed_statement_test
}  // namespace topicwall::proto
