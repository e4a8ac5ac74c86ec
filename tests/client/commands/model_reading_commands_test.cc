// client/commands/topics/: `topicwall` as a script runs it, on a model whose truth is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/fit/model_directory.h"
#include "tests/client/program.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ModelReadingCommandsTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) { return folder_.path() + "/" + name; }
  Finished Run(const std::vector<std::string>& arguments) {
    return RunProgram(arguments, folder_.path());
  }
  void Write(const std::string& name, const v1::ModelFile& model) {
    auto directory = ModelDirectory::Open(Path(name));
    ASSERT_OK(directory);
    ASSERT_OK((*directory)->Finish(model));
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(ModelReadingCommandsTest, TopicsSayHowSureTheirWordsAreAndWhetherTheyComeAgain) {
  Write("made.model", MadeUpModel(1, 30));
  const Finished run = Run({"topics", Path("made.model"), "--top", "12"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, StartsWith("topic  share"));
  EXPECT_THAT(run.output, ContainsRegex("[0-9.]+ ± [0-9.]+ %  +9[0-9] %"));
  // At this noise the sixth word of a topic is one that the noise has put there.
  EXPECT_THAT(run.output, HasSubstr("? 0.0"));
  EXPECT_THAT(run.errors, AllOf(HasSubstr("probability below 90 %"), HasSubstr("as 0 of 3 are")));
  const Finished json = Run({"topics", Path("made.model"), "--json"});
  EXPECT_THAT(json.output,
              AllOf(HasSubstr("\"comes_again\":0.9"), HasSubstr("\"is_weak\":false"),
                    HasSubstr("\"typical_words\":5"), HasSubstr("\"share_margin\":0.0"),
                    HasSubstr("\"probability_above\":1"), HasSubstr("\"low\":0.0"),
                    HasSubstr("\"lift\":2."), HasSubstr("\"z\":")));
}

TEST_F(ModelReadingCommandsTest, TheOrderOfWordsIsWhatIsAskedFor) {
  Write("made.model", MadeUpModel(1, 30));
  const auto first = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"topics", Path("made.model"), "--top", "40"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments).output;
  };
  EXPECT_EQ(first({"--by", "probability"}), first({"--relevance", "1"}));
  EXPECT_EQ(first({}), first({"--relevance", "0.6"}));
}

TEST_F(ModelReadingCommandsTest, AWordIsFoundInItsTopicAndNoOther) {
  Write("made.model", MadeUpModel(1, 10));
  // Word 7 is of the second topic.
  const Finished run = Run({"find", Path("made.model"), "wordah"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const std::vector<std::string> lines = absl::StrSplit(run.output, '\n');
  EXPECT_EQ(lines.size(), 3U) << run.output;
  EXPECT_THAT(lines[0], StartsWith("topic  probability  lift  z"));
  EXPECT_THAT(lines[1], AllOf(StartsWith("2 "), HasSubstr("100 %")));
  const Finished json = Run({"find", Path("made.model"), "wordah", "--json"});
  EXPECT_THAT(json.output, StartsWith("{\"word\":\"wordah\",\"topics\":[{\"topic\":2,\"word\":{"));
  const Finished none = Run({"find", Path("made.model"), "unheard"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("not among the 40 words"));
}

TEST_F(ModelReadingCommandsTest, ModelsAreMatchedTopicByTopic) {
  Write("a.model", MadeUpModel(1, 10));
  Write("b.model", MadeUpModel(2, 10));
  const Finished run = Run({"match", Path("a.model"), Path("b.model"), "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const char* pair : {"\"first\":1,\"second\":1,", "\"first\":2,\"second\":2,",
                           "\"first\":3,\"second\":3,", "\"only_in_first\":[]"}) {
    EXPECT_THAT(run.output, HasSubstr(pair));
  }
  EXPECT_THAT(Run({"match", Path("a.model"), Path("b.model")}).errors, HasSubstr("3 pairs"));
}

TEST_F(ModelReadingCommandsTest, AnExportIsAFileAndReplacesOne) {
  Write("made.model", MadeUpModel(1, 10));
  for (int i = 0; i < 2; ++i) {
    const Finished run =
        Run({"export", Path("made.model"), "--to", "npz", "--output", Path("made.npz")});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("3 topics over 40 words as npz"));
  }
  EXPECT_THAT(testing::ReadWholeFile(Path("made.npz")), StartsWith("PK"));
  EXPECT_EQ(
      Run({"export", Path("made.model"), "--to", "csv", "--output", Path("no/such/f")}).exit_code,
      1);
}

// Five words of topic 2 and none of the others; an unknown word; nothing known.
TEST_F(ModelReadingCommandsTest, TransformTellsTheTopicsOfEachDocument) {
  Write("made.model", MadeUpModel(1, 10));
  testing::WriteWholeFile(Path("mine.jsonl"),
                          "{\"text\": \"wordag wordah wordai wordaj wordak unheard\"}\n"
                          "{\"text\": \"unheard\"}\n");
  const Finished run = Run({"transform", Path("made.model"), "--documents", Path("mine.jsonl")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const std::vector<std::string> rows = absl::StrSplit(run.output, "\r\n");
  ASSERT_EQ(rows.size(), 3U) << run.output;
  EXPECT_EQ(rows[0], "document,known_words,topic_1,topic_2,topic_3");
  const std::vector<std::string> fields = absl::StrSplit(rows[1], ',');
  EXPECT_EQ(fields[1], "5");
  EXPECT_GT(std::stod(fields[3]), 0.8);
  EXPECT_THAT(rows[2], StartsWith("2,0,0.333"));
  const Finished json =
      Run({"transform", Path("made.model"), "--documents", Path("mine.jsonl"), "--json"});
  EXPECT_THAT(json.output, StartsWith("{\"documents\":[{\"document\":1,\"known_words\":5,"));
  v1::ModelFile mixture = MadeUpModel(1, 10);
  for (int k = 0; k < kMadeUpTopics; ++k) mixture.add_component_weights(1.0 / kMadeUpTopics);
  Write("mixture.model", mixture);
  const Finished refused =
      Run({"transform", Path("mixture.model"), "--documents", Path("mine.jsonl")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("is a mixture"));
}

}  // namespace
}  // namespace topicwall::client
