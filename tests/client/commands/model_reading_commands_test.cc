// client/commands/topics/: `topicwall` as a script runs it, on a model whose truth is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/client/program.h"
#include "tests/client/topics/made_up_gaussians.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using ModelReadingCommandsTest = ProgramFrame;

TEST_F(ModelReadingCommandsTest, TopicsSayHowSureTheirWordsAreAndWhetherTheyComeAgain) {
  WriteFolder("made.model", MadeUpModel(1, 30));
  const Finished run = Run({"topics", Path("made.model"), "--top", "12"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, StartsWith("topic  share"));
  EXPECT_THAT(run.output, ContainsRegex("[0-9.]+ ± [0-9.]+ %  +9[0-9] %"));
  // At this noise the sixth word of a topic is one that the noise has put there.
  EXPECT_THAT(run.output, HasSubstr("? 0.0"));
  EXPECT_THAT(run.errors, AllOf(HasSubstr("probability below 90 %"),
                                HasSubstr("none is called weak"), Not(HasSubstr("of 3 are"))));
  const Finished json = Run({"topics", Path("made.model"), "--json"});
  EXPECT_THAT(json.output,
              AllOf(HasSubstr("\"comes_again\":0.9"), Not(HasSubstr("is_weak")),
                    HasSubstr("\"typical_words\":5"), HasSubstr("\"share_margin\":0.0"),
                    HasSubstr("\"probability_above\":1"), HasSubstr("\"low\":0.0"),
                    HasSubstr("\"lift\":2."), HasSubstr("\"z\":")));
}

// All words together are a quarter of the noise of their sum.
TEST_F(ModelReadingCommandsTest, SharesOfWhatAddsUpToNoiseAreNotTold) {
  WriteFolder("noise.model", MadeUpModel(1, 10000));
  const Finished run = Run({"topics", Path("noise.model")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, AllOf(HasSubstr("not known"), Not(HasSubstr("%"))));
  EXPECT_THAT(run.errors, AllOf(HasSubstr("no more than noise"), Not(HasSubstr("again"))));
  const Finished json = Run({"topics", Path("noise.model"), "--json"});
  EXPECT_THAT(json.output, AllOf(HasSubstr("\"share\":null"), Not(HasSubstr("share_margin")),
                                 Not(HasSubstr("comes_again")), HasSubstr("\"typical_words\":")));
}

TEST_F(ModelReadingCommandsTest, OfThePapersAlgorithmItIsSaidThatNoWordIsMarked) {
  v1::ModelFile paper = MadeUpModel(1, 30);
  paper.set_algorithm("paper");
  paper.clear_noisy_statistics();
  paper.clear_noise_deviations();
  paper.clear_term_probabilities();
  WriteFolder("paper.model", paper);
  const Finished run = Run({"topics", Path("paper.model")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("says nothing of its noise: no word is marked"));
}

TEST_F(ModelReadingCommandsTest, OfAnOnlyTopicNothingIsToldOfComingAgain) {
  WriteFolder("one.model", OfOneTopic(MadeUpModel(1, 30)));
  const Finished run = Run({"topics", Path("one.model")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output + run.errors, AllOf(HasSubstr("100.0 ± 0.0 %"), Not(HasSubstr("?")),
                                             Not(HasSubstr("again")), Not(HasSubstr("weak"))));
}

TEST_F(ModelReadingCommandsTest, ComponentsOfCountsThatAreNoMoreThanNoiseHaveNoShare) {
  v1::ModelFile model = MadeUpGaussians();
  model.mutable_gaussian()->set_count_deviation(0.24);
  WriteFolder("noise.model", model);
  EXPECT_THAT(Run({"topics", Path("noise.model")}).output,
              AllOf(HasSubstr("not known"), HasSubstr("no more than noise"), Not(HasSubstr("±"))));
  EXPECT_THAT(Run({"topics", Path("noise.model"), "--json"}).output,
              AllOf(HasSubstr("\"share\":null"), Not(HasSubstr("share_margin"))));
  model.mutable_gaussian()->set_count_deviation(0.23);
  WriteFolder("more.model", model);
  EXPECT_THAT(Run({"topics", Path("more.model")}).output, HasSubstr("75.0 ± "));
}

// An only component is the whole of every fit.
TEST_F(ModelReadingCommandsTest, OfComponentsSharesItIsSaidThatTheNoiseAloneIsInTheirIntervals) {
  const std::string legend =
      "± 95 %, by the noise alone; another fit may divide the vectors otherwise.\n";
  v1::ModelFile model = MadeUpGaussians();
  WriteFolder("two.model", model);
  EXPECT_THAT(Run({"topics", Path("two.model")}).output, HasSubstr("\n" + legend));
  model.set_num_topics(1);
  model.mutable_component_weights()->Truncate(1);
  model.set_component_weights(0, 1);
  model.mutable_gaussian()->mutable_means()->Truncate(3);
  model.mutable_gaussian()->mutable_variances()->Truncate(3);
  WriteFolder("one.model", model);
  EXPECT_THAT(Run({"topics", Path("one.model")}).output,
              AllOf(HasSubstr("100.0 ± 0.0 %"), Not(HasSubstr("noise"))));
}

TEST_F(ModelReadingCommandsTest, ComponentsThatNoiseMadeOneHaveNoShare) {
  v1::ModelFile model = MadeUpGaussians();
  google::protobuf::RepeatedField<double>& means = *model.mutable_gaussian()->mutable_means();
  for (int j = 0; j < 3; ++j) means.Set(3 + j, means.Get(j) + 1e-17);
  WriteFolder("one.model", model);
  EXPECT_THAT(Run({"topics", Path("one.model")}).output,
              AllOf(HasSubstr("not known"), HasSubstr("\nNoise hides"), HasSubstr("all are one"),
                    Not(HasSubstr("±"))));
  // Components may have one mean, and differ in how far their vectors are from it.
  model.mutable_gaussian()->mutable_variances()->Set(0, 0.02);
  WriteFolder("wider.model", model);
  EXPECT_THAT(Run({"topics", Path("wider.model")}).output, HasSubstr("75.0 ± "));
}

TEST_F(ModelReadingCommandsTest, TheOrderOfWordsIsWhatIsAskedFor) {
  WriteFolder("made.model", MadeUpModel(1, 30));
  const auto first = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"topics", Path("made.model"), "--top", "40"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments).output;
  };
  EXPECT_EQ(first({"--by", "probability"}), first({"--relevance", "1"}));
  EXPECT_EQ(first({}), first({"--relevance", "0.6"}));
}

TEST_F(ModelReadingCommandsTest, AWordIsFoundInItsTopicAndNoOther) {
  WriteFolder("made.model", MadeUpModel(1, 10));
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
  WriteFolder("a.model", MadeUpModel(1, 10));
  WriteFolder("b.model", MadeUpModel(2, 10));
  const Finished run = Run({"match", Path("a.model"), Path("b.model"), "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const char* pair : {"\"first\":1,\"second\":1,", "\"first\":2,\"second\":2,",
                           "\"first\":3,\"second\":3,", "\"only_in_first\":[]"}) {
    EXPECT_THAT(run.output, HasSubstr(pair));
  }
  EXPECT_THAT(Run({"match", Path("a.model"), Path("b.model")}).errors, HasSubstr("3 pairs"));
}

TEST_F(ModelReadingCommandsTest, AnExportIsAFileAndReplacesOne) {
  WriteFolder("made.model", MadeUpModel(1, 10));
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

TEST_F(ModelReadingCommandsTest, AFormatThatOnlyPythonCanWriteSaysWhatPythonDoes) {
  WriteFolder("made.model", MadeUpModel(1, 10));
  for (const char* format : {"gensim", "sklearn"}) {
    const Finished run =
        Run({"export", Path("made.model"), "--to", format, "--output", Path("made.pickle")});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.errors, AllOf(HasSubstr("format must be one of npz, csv, mm, pyldavis; got \""),
                                  HasSubstr("to_gensim() and to_sklearn()")));
    EXPECT_FALSE(std::filesystem::exists(Path("made.pickle")));
  }
}

// Five words of topic 2 and none of the others; an unknown word; nothing known.
TEST_F(ModelReadingCommandsTest, OfAMocksModelEverythingSaysSo) {
  v1::ModelFile model = MadeUpModel(1, 10);
  WriteFolder("real.model", model);
  model.set_custodian_id("MOCK");
  WriteFolder("mock.model", model);
  testing::WriteWholeFile(Path("mine.jsonl"), "{\"text\": \"wordag wordah\"}\n");
  for (std::vector<std::string> command : std::vector<std::vector<std::string>>{
           {"topics", Path("mock.model")},
           {"tree", Path("mock.model")},
           {"find", Path("mock.model"), "wordag"},
           {"match", Path("mock.model"), Path("real.model")},
           {"transform", Path("mock.model"), "--documents", Path("mine.jsonl")},
           {"perplexity", Path("mock.model"), "--documents", Path("mine.jsonl")},
           {"prevalence", Path("mock.model")},
           {"report", Path("mock.model"), "--output", Path("a.html")}}) {
    EXPECT_THAT(Run(command).errors, HasSubstr("MOCK: of documents")) << command[0];
    std::replace(command.begin(), command.end(), Path("mock.model"), Path("real.model"));
    EXPECT_THAT(Run(command).errors, Not(HasSubstr("MOCK"))) << command[0];
  }
  EXPECT_THAT(Run({"topics", Path("mock.model"), "--json"}).output, StartsWith("{\"mock\":true,"));
}

TEST_F(ModelReadingCommandsTest, TransformTellsTheTopicsOfEachDocument) {
  WriteFolder("made.model", MadeUpModel(1, 10));
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
  WriteFolder("mixture.model", mixture);
  const Finished one_each =
      Run({"transform", Path("mixture.model"), "--documents", Path("mine.jsonl")});
  EXPECT_EQ(one_each.exit_code, 0) << one_each.errors;
  const std::vector<std::string> lines = absl::StrSplit(one_each.output, "\r\n");
  const std::vector<std::string> shares = absl::StrSplit(lines[1], ',');
  EXPECT_GT(std::stod(shares[3]), 0.99);
  EXPECT_THAT(lines[2], StartsWith("2,0,0.333"));
  EXPECT_NE(lines[1], rows[1]) << "not as topics";
}

TEST_F(ModelReadingCommandsTest, LabelsAreShownWhereverTopicsAreUntilTheyAreRemoved) {
  const std::string model = Path("made.model");
  WriteFolder("made.model", MadeUpModel(1, 10));
  EXPECT_THAT(Run({"label", model}).output, StartsWith("no topic has a label"));
  const Finished set = Run({"label", model, "2", "hearts, mostly"});
  EXPECT_EQ(set.exit_code, 0) << set.errors;
  EXPECT_EQ(set.output, "2  hearts, mostly\n");
  EXPECT_THAT(Run({"topics", model}).output, ContainsRegex("\n2 .*  hearts, mostly: word"));
  EXPECT_THAT(Run({"topics", model, "--json"}).output,
              HasSubstr("{\"topic\":2,\"label\":\"hearts, mostly\","));
  EXPECT_THAT(Run({"tree", model}).output, HasSubstr("  2 hearts, mostly\n"));
  EXPECT_EQ(Run({"label", model, "--json"}).output,
            "{\"labels\":[{\"topic\":2,\"label\":\"hearts, mostly\"}]}\n");
  EXPECT_EQ(Run({"report", model, "--output", Path("page.html")}).exit_code, 0);
  EXPECT_THAT(testing::ReadWholeFile(Path("page.html")), HasSubstr("2 hearts, mostly"));
  EXPECT_EQ(Run({"label", model, "2", "--remove"}).exit_code, 0);
  EXPECT_THAT(Run({"topics", model}).output, Not(HasSubstr("hearts")));
  // The model itself is what was released.
  EXPECT_EQ(ReadModel(model)->SerializeAsString(), MadeUpModel(1, 10).SerializeAsString());
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"4", "x"}, {"0", "x"}, {"2", "two\nlines"}}) {
    std::vector<std::string> arguments = {"label", model};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Run(arguments).exit_code, 1) << wrong[1];
  }
  EXPECT_EQ(Run({"label", model, "2"}).exit_code, 2);
  EXPECT_EQ(Run({"label", model, "2", "x", "--remove"}).exit_code, 2);
}

TEST_F(ModelReadingCommandsTest, TopicsOfAnchorsAreCalledByTheirNamesAndMergedWithThem) {
  const std::string model = Path("made.model");
  v1::ModelFile anchored = MadeUpModel(1, 10);
  for (const char* name : {"hearts", "lungs"}) {
    v1::Anchor& anchor = *anchored.mutable_spec()->add_anchors();
    anchor.set_name(name);
    anchor.add_words("wordah");
  }
  WriteFolder("made.model", anchored);
  EXPECT_EQ(Run({"label", model}).output, "1  hearts\n2  lungs\n");
  EXPECT_THAT(Run({"topics", model}).output, ContainsRegex("\n2 .*  lungs: word"));
  ASSERT_EQ(Run({"label", model, "1", "valves"}).exit_code, 0);
  EXPECT_EQ(Run({"report", model, "--output", Path("page.html")}).exit_code, 0);
  EXPECT_THAT(testing::ReadWholeFile(Path("page.html")),
              AllOf(HasSubstr("1 valves"), HasSubstr("2 lungs"),
                    HasSubstr("hearts: wordah; lungs: wordah")));
  ASSERT_EQ(Run({"merge", model, "--topics", "1,3", "--out", Path("two.model")}).exit_code, 0);
  EXPECT_EQ(Run({"label", Path("two.model")}).output, "1  valves\n2  lungs\n");
  EXPECT_EQ(Run({"label", model, "1", "--remove"}).output, "1  hearts\n2  lungs\n");
}

TEST_F(ModelReadingCommandsTest, MergedTopicsAreOneAndLabelsMoveAlong) {
  WriteFolder("made.model", MadeUpModel(1, 10));
  ASSERT_EQ(Run({"label", Path("made.model"), "2", "second"}).exit_code, 0);
  ASSERT_EQ(Run({"label", Path("made.model"), "3", "third"}).exit_code, 0);
  const Finished run =
      Run({"merge", Path("made.model"), "--topics", "2,1", "--out", Path("two.model")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, AllOf(HasSubstr("two.model: 2 topics of the 3 there were."),
                                // "the" is as frequent in both as in the corpus, to a rounding.
                                ContainsRegex("\n  2 and 1 are now 1: (the )?word")));
  EXPECT_EQ(Run({"label", Path("two.model")}).output, "1  second\n2  third\n");
  EXPECT_EQ(ReadModel(Path("two.model"))->num_topics(), 2);
  const Finished json =
      Run({"merge", Path("made.model"), "--topics", "3,1", "--out", Path("json.model"), "--json"});
  EXPECT_THAT(json.output,
              AllOf(HasSubstr("\"topics\":2,\"merged\":[{\"topics\":[3,1],\"topic\":1,"),
                    HasSubstr("\"new_numbers\":[1,2,1]")));
  // What is there is not overwritten, and what is no merge writes nothing.
  EXPECT_EQ(
      Run({"merge", Path("made.model"), "--topics", "1,2", "--out", Path("two.model")}).exit_code,
      1);
  for (const auto& [topics, code] : {std::pair("1", 1), {"1,4", 1}, {"1,,2", 2}, {"one,2", 2}}) {
    EXPECT_EQ(
        Run({"merge", Path("made.model"), "--topics", topics, "--out", Path("no.model")}).exit_code,
        code)
        << topics;
    EXPECT_FALSE(std::filesystem::exists(Path("no.model"))) << topics;
  }
}

TEST_F(ModelReadingCommandsTest, MergedTopicsAreToldWithTheSharesAndMarginsThatTheyHad) {
  WriteFolder("made.model", MadeUpModel(1, 10));
  ASSERT_EQ(
      Run({"merge", Path("made.model"), "--topics", "1,2", "--out", Path("two.model")}).exit_code,
      0);
  const auto told = [this](const char* model) {
    std::map<int, nlohmann::json> topics;
    const nlohmann::json json =
        nlohmann::json::parse(Run({"topics", Path(model), "--json"}).output);
    for (const nlohmann::json& topic : json["topics"]) topics[topic["topic"]] = topic;
    return topics;
  };
  const auto before = told("made.model"), after = told("two.model");
  const auto number = [](const nlohmann::json& topic, const char* name) {
    return topic[name].get<double>();
  };
  ASSERT_EQ(after.size(), 2U);
  for (const char* name : {"share", "share_margin"}) {
    EXPECT_NEAR(number(after.at(2), name), number(before.at(3), name), 1e-12);
  }
  EXPECT_NEAR(number(after.at(1), "share"),
              number(before.at(1), "share") + number(before.at(2), "share"), 1e-12);
  const Finished text = Run({"topics", Path("two.model")});
  EXPECT_THAT(text.output, ContainsRegex("[0-9.]+ ± [0-9.]+ %"));
  EXPECT_THAT(text.errors, AllOf(HasSubstr("± 95 %"), HasSubstr("no word is marked")));
  EXPECT_EQ(
      Run({"export", Path("two.model"), "--to", "npz", "--output", Path("two.npz")}).exit_code, 0);
  EXPECT_THAT(testing::ReadWholeFile(Path("two.npz")),
              AllOf(HasSubstr("share_margins.npy"), Not(HasSubstr("z.npy"))));
  ASSERT_EQ(Run({"report", Path("two.model"), "--output", Path("two.html")}).exit_code, 0);
  EXPECT_THAT(testing::ReadWholeFile(Path("two.html")),
              AllOf(HasSubstr("of its noise this model says no more than how far shares may be "
                              "off"),
                    Not(HasSubstr("says nothing of its noise"))));
  const nlohmann::json match =
      nlohmann::json::parse(Run({"match", Path("made.model"), Path("two.model"), "--json"}).output);
  EXPECT_EQ(match["pairs"][0]["first"], 3);
  EXPECT_EQ(match["pairs"][0]["second"], 2);
  EXPECT_NEAR(number(match["pairs"][0], "likeness"), 1, 1e-12);
}

TEST_F(ModelReadingCommandsTest, ATreeHasEveryTopicAndItsJointsAreNumberedBehindThem) {
  WriteFolder("made.model", MadeUpModel(1, 10));
  const Finished run = Run({"tree", Path("made.model")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 5) << run.output;
  for (const char* name : {"1 word", "2 word", "3 word"}) EXPECT_THAT(run.output, HasSubstr(name));
  EXPECT_THAT(Run({"tree", Path("made.model"), "--json"}).output,
              AllOf(HasSubstr("\"joints\":[{\"node\":4,"), HasSubstr("{\"node\":5,"),
                    HasSubstr("\"right\":4,")));
}

// A model of counted documents, whose words no tokenizer need make.
TEST_F(ModelReadingCommandsTest, CountedTextGoesWhereCountsAreAskedFor) {
  v1::ModelFile counted = MadeUpModel(1, 10);
  counted.set_tokenizer("counts");
  counted.set_terms(39, "Heart attack");
  WriteFolder("counted.model", counted);
  testing::WriteWholeFile(Path("mine.jsonl"),
                          "{\"text\": \"wordag wordah wordah unheard\"}\n"
                          "{\"text\": \"unheard\"}\n{\"text\": \"Heart attack WORDAI\"}\n");
  const Finished run = Run({"count", Path("counted.model"), "--documents", Path("mine.jsonl")});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  // wordag is the seventh word of the list, numbered from 1.
  EXPECT_EQ(run.output, "3\n40\n3\n1 7 1\n1 8 2\n3 9 1\n");
  EXPECT_THAT(run.errors, HasSubstr("1 of the 40 words are never found in text"));
  EXPECT_THAT(run.errors, HasSubstr("Heart attack"));
  testing::WriteWholeFile(Path("mine.uci"), run.output);
  const Finished rows =
      Run({"transform", Path("counted.model"), "--documents", Path("mine.uci"), "--format", "uci"});
  EXPECT_EQ(rows.exit_code, 0) << rows.errors;
  EXPECT_THAT(rows.output,
              AllOf(HasSubstr("\r\n1,3,"), HasSubstr("\r\n2,0,"), HasSubstr("\r\n3,1,")));
  // A table or a folder of the same texts, and the counts themselves, are the same documents.
  testing::WriteWholeFile(Path("mine.csv"),
                          "id,text\n1,wordag wordah wordah unheard\n2,unheard\n"
                          "3,\"Heart attack WORDAI\"\n");
  std::filesystem::create_directory(Path("mine.text-folder"));
  testing::WriteWholeFile(Path("mine.text-folder/1.txt"), "wordag wordah wordah unheard");
  testing::WriteWholeFile(Path("mine.text-folder/2.txt"), "unheard");
  testing::WriteWholeFile(Path("mine.text-folder/3.txt"), "Heart attack WORDAI");
  for (const char* format : {"csv", "uci", "text-folder"}) {
    EXPECT_EQ(Run({"count", Path("counted.model"), "--documents",
                   Path(absl::StrCat("mine.", format)), "--format", format})
                  .output,
              run.output)
        << format;
  }
  testing::WriteWholeFile(Path("words.txt"), "the\nwordah\n");
  EXPECT_EQ(Run({"count", Path("words.txt"), "--documents", Path("mine.jsonl"), "--json"}).output,
            "{\"documents\":[{\"document\":1,\"counts\":[{\"word\":\"wordah\",\"count\":2}]},"
            "{\"document\":2,\"counts\":[]},{\"document\":3,\"counts\":[]}]}\n");
}

}  // namespace
}  // namespace topicwall::client
