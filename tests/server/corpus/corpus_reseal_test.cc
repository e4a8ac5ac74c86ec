#include "server/corpus/corpus_reseal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "proto/strict_parse.h"
#include "server/corpus/corpus_file.h"
#include "tests/server/corpus/old_corpus.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::ElementsAre;
using ::topicwall::testing::StatusIs;

class ResealTest : public ::testing::Test {
 protected:
  ResealTest() : path_(folder_.Path("a.corpus")) {
    EXPECT_OK(WriteCorpus(path_, ParamsOf(v1::PRIVACY_UNIT_OWNER), PlainDocuments(600), old_key_));
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey old_key_ = NewKey();
  const sealing::CustodianKey new_key_ = *sealing::CustodianKey::GenerateWithIdentityOf(old_key_);
  const std::string path_;
};

TEST_F(ResealTest, KeepsVersionUnitsAndContentUnderTheNewKey) {
  ASSERT_OK_AND_ASSIGN(const auto before, CorpusStore::Open(path_, old_key_));
  const PlainUnits units = *ReadUnits(*before);
  ASSERT_OK(Reseal(path_, old_key_, new_key_));
  ASSERT_OK_AND_ASSIGN(const auto after, CorpusStore::Open(path_, new_key_));
  EXPECT_EQ(after->description().version, before->description().version);
  EXPECT_EQ(after->num_units(), before->num_units());
  EXPECT_EQ(*ReadUnits(*after), units);
  EXPECT_OK(after->VerifyAll());
  EXPECT_EQ(CorpusStore::Open(path_, old_key_).status(), UnsealableCorpus(path_));
  EXPECT_THAT(folder_.Names(), ElementsAre("a.corpus"));
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(ResealTest, LeavesAManifestOfANewerVersionToTheProgramThatWroteIt) {
  ChangeManifest(path_, old_key_, [](v1::CorpusManifest& m) { m.set_format_version(5); });
  EXPECT_TRUE(proto::IsWrittenByNewer(Reseal(path_, old_key_, new_key_)));
  EXPECT_THAT(folder_.Names(), ElementsAre("a.corpus"));
}

TEST_F(ResealTest, KeepsAttributesAndTheirValues) {
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_OWNER);
  params.attributes = WardAndMonth();
  std::vector<PlainDocument> documents = PlainDocuments(600);
  for (size_t i = 0; i < documents.size(); ++i) {
    documents[i].attributes = {static_cast<uint16_t>(i % 3), static_cast<uint16_t>(i / 7 % 3)};
  }
  const std::string path = folder_.Path("b.corpus");
  ASSERT_OK(WriteCorpus(path, params, documents, old_key_));
  const PlainValues values = *ReadValues(**CorpusStore::Open(path, old_key_));
  ASSERT_OK(Reseal(path, old_key_, new_key_));
  ASSERT_OK_AND_ASSIGN(const auto after, CorpusStore::Open(path, new_key_));
  EXPECT_EQ(after->description().attributes, WardAndMonth());
  EXPECT_EQ(*ReadValues(*after), values);
  EXPECT_OK(after->VerifyAll());
}

TEST_F(ResealTest, MayBeRepeated) {
  ASSERT_OK(Reseal(path_, old_key_, new_key_));
  const std::string once = folder_.Content("a.corpus");
  ASSERT_OK(Reseal(path_, old_key_, new_key_));
  EXPECT_EQ(folder_.Content("a.corpus"), once);
}

TEST_F(ResealTest, AKeyOfAnotherIdentityIsRefused) {
  const std::string before = folder_.Content("a.corpus");
  EXPECT_THAT(Reseal(path_, old_key_, NewKey()), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(folder_.Content("a.corpus"), before);
}

TEST_F(ResealTest, ADamagedOrForeignFileIsLeftAsItIs) {
  const auto third = *sealing::CustodianKey::GenerateWithIdentityOf(old_key_);
  std::string content = folder_.Content("a.corpus");
  EXPECT_EQ(Reseal(path_, third, new_key_), UnsealableCorpus(path_));
  EXPECT_EQ(folder_.Content("a.corpus"), content);
  content[content.size() - 100] = static_cast<char>(content[content.size() - 100] ^ 1);
  folder_.Write("a.corpus", content);
  EXPECT_EQ(Reseal(path_, old_key_, new_key_), UnsealableCorpus(path_));
  EXPECT_EQ(folder_.Content("a.corpus"), content);
  EXPECT_THAT(folder_.Names(), ElementsAre("a.corpus"));
}

TEST_F(ResealTest, AnAbsentFileIsNotFound) {
  EXPECT_THAT(Reseal(folder_.Path("absent"), old_key_, new_key_),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::corpus
