#include "deploy/study/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Files of one test, gone with it.
class ExperimentTest : public ::testing::Test {
 protected:
  ExperimentTest() {
    Write("words", "ape\nbee\ncat\n");
    Write("train.txt", "4\n3\n4\n1 1 2\n2 2 1\n3 3 1\n4 3 4\n");
    Write("held.txt", "2\n3\n3\n1 1 4\n1 2 2\n2 3 6\n");
  }
  ~ExperimentTest() override {
    for (const std::string& path : written_) std::remove(path.c_str());
  }

  std::string Path(const std::string& name) const {
    return ::testing::TempDir() + "experiment_" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name;
  }
  void Write(const std::string& name, const std::string& text) {
    written_.push_back(Path(name));
    std::ofstream(Path(name)) << text;
  }
  ExperimentFiles Files() const {
    return {
        .documents = Path("train.txt"), .held_out = Path("held.txt"), .vocabulary = Path("words")};
  }

 private:
  std::vector<std::string> written_;
};

TEST_F(ExperimentTest, ReadsCountsAndTheirUnigram) {
  ASSERT_OK_AND_ASSIGN(const auto experiment, ReadExperiment(Files()));
  EXPECT_EQ(experiment.documents.size(), 4);
  EXPECT_EQ(experiment.vocabulary_size(), 3);
  EXPECT_EQ(lda::TokenCount(experiment.split.observed) + lda::TokenCount(experiment.split.scored),
            12);
  ASSERT_EQ(experiment.unigram.size(), 3);
  EXPECT_NEAR(experiment.unigram[2], 5.1 / 8.3, 1e-12);
}

TEST_F(ExperimentTest, ReadsTextsByTheirName) {
  Write("train.jsonl", "{\"text\": \"Bee bee, dog\"}\n");
  Write("held.jsonl", "{\"text\": \"cat\"}\n");
  ASSERT_OK_AND_ASSIGN(const auto experiment, ReadExperiment({.documents = Path("train.jsonl"),
                                                              .held_out = Path("held.jsonl"),
                                                              .vocabulary = Path("words")}));
  EXPECT_EQ(lda::TokenCount(experiment.documents), 2);
}

TEST_F(ExperimentTest, TakesSomeAtEvenDistances) {
  ExperimentFiles files = Files();
  files.most_documents = 2;
  ASSERT_OK_AND_ASSIGN(const auto experiment, ReadExperiment(files));
  ASSERT_EQ(experiment.documents.size(), 2);
  EXPECT_EQ(experiment.documents[0][0].term, 0);
  EXPECT_EQ(experiment.documents[1][0].term, 2);
}

TEST_F(ExperimentTest, OwnersHaveTheirDocumentsTogether) {
  Write("train.jsonl",
        "{\"text\": \"bee\", \"owner\": \"B\"}\n{\"text\": \"ape\", \"owner\": \"A\"}\n"
        "{\"text\": \"cat\", \"owner\": \"B\"}\n");
  Write("held.jsonl", "{\"text\": \"cat\"}\n");
  const ExperimentFiles files{.documents = Path("train.jsonl"),
                              .held_out = Path("held.jsonl"),
                              .vocabulary = Path("words"),
                              .by_owner = true};
  ASSERT_OK_AND_ASSIGN(const auto experiment, ReadExperiment(files));
  EXPECT_THAT(experiment.units, ElementsAre(0, 1));
  ASSERT_EQ(experiment.documents.size(), 3);
  EXPECT_EQ(experiment.documents[0][0].term, 0);
  EXPECT_EQ(experiment.documents[1][0].term, 1);
  EXPECT_EQ(experiment.documents[2][0].term, 2);

  Write("train.jsonl", "{\"text\": \"bee\", \"owner\": \"B\"}\n{\"text\": \"ape\"}\n");
  EXPECT_THAT(ReadExperiment(files), StatusIs(absl::StatusCode::kInvalidArgument,
                                              HasSubstr("line 2: must have a string \"owner\"")));
}

TEST_F(ExperimentTest, NamesAFileThatIsNotThere) {
  ExperimentFiles files = Files();
  files.held_out = Path("nothing");
  EXPECT_THAT(ReadExperiment(files), StatusIs(absl::StatusCode::kNotFound, HasSubstr("nothing")));
}

}  // namespace
}  // namespace topicwall::study
