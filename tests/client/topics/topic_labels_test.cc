#include "client/topics/topic_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace topic_labels_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::ModelFile OfThree() {
  v1::ModelFile model;
  model.set_num_topics(3);
  return model;
}

TEST(TopicLabelsTest, AreReadAsTheyWereWritten) {
  const testing::TemporaryDirectory folder;
  EXPECT_THAT(*ReadLabels(folder.path(), OfThree()), ElementsAre("", "", ""));
  ASSERT_OK(WriteLabels(folder.path(), {"", "cœur et valves", "12 monkeys"}));
  EXPECT_THAT(*ReadLabels(folder.path(), OfThree()),
              ElementsAre("", "cœur et valves", "12 monkeys"));
  // As a hand writes it, in any order.
  testing::WriteWholeFile(folder.path() + "/labels.txt", "3 last\r\n\n1 first");
  EXPECT_THAT(*ReadLabels(folder.path(), OfThree()), ElementsAre("first", "", "last"));
}

TEST(TopicLabelsTest, WithoutAnyThereIsNoFile) {
  const testing::TemporaryDirectory folder;
  ASSERT_OK(WriteLabels(folder.path(), {"one"}));
  ASSERT_OK(WriteLabels(folder.path(), {""}));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/labels.txt"));
}

TEST(TopicLabelsTest, ABrokenLineIsNamedAndNothingIsRead) {
  const testing::TemporaryDirectory folder;
  const auto refused = [&folder](const std::string& text, const char* why) {
    testing::WriteWholeFile(folder.path() + "/labels.txt", text);
    EXPECT_THAT(ReadLabels(folder.path(), OfThree()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)))
        << text;
  };
  refused("1 one\n4 four\n", "line 2: topics must be in 1 to 3; got 4.");
  refused("0 none\n", "line 1: topics must be in 1 to 3; got 0.");
  refused("heart\n", "line 1: must be the number of a topic");
  refused("heart disease\n", "line 1: must be the number of a topic");
  refused("1 one\n1 two\n", "line 2: topic 1 has a label already.");
  refused("1 \n", "1 to 100 bytes");
  refused("1 tab\there\n", "one line");
  refused("1 \xff\n", "valid UTF-8");
  refused("1 " + std::string(101, 'x') + "\n", "got 101 bytes");
}

TEST(TopicLabelsTest, ATopicIsCalledAsItsAnchorUntilItHasALabel) {
  const testing::TemporaryDirectory folder;
  v1::ModelFile model = OfThree();
  model.mutable_spec()->add_anchors()->set_name("heart");
  model.mutable_spec()->add_anchors()->set_name("lungs");
  EXPECT_THAT(*ReadLabels(folder.path(), model), ElementsAre("heart", "lungs", ""));
  ASSERT_OK(WriteLabels(folder.path(), {"", "asthma", "others"}));
  EXPECT_THAT(*ReadLabels(folder.path(), model), ElementsAre("heart", "asthma", "others"));
}

}  // namespace topic_labels_test
}  // namespace topicwall::client
