// page/: what stands in the page, whatever the words are.
#include "client/report/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/report/page/sections.h"
#include "client/report/text/html.h"
#include "client/report/text/numbers.h"
#include "tests/client/report/crowded_report.h"
#include "tests/client/report/made_up_report.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

int Occurrences(const std::string& text, const std::string& of) {
  int count = 0;
  for (size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

using PageTest = MadeUpReport;

// A word list is written by somebody else, and so is a corpus's name.
TEST_F(PageTest, NoTextIsEverATag) {
  const std::string hostile = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
  v1::Report report = Gather();
  report.mutable_model()->set_corpus(hostile);
  report.mutable_model()->set_sha256(hostile);
  report.mutable_model()->add_anchors()->set_name(hostile);
  report.mutable_topics(0)->mutable_words(0)->set_term(hostile);
  report.mutable_common_words(0)->set_term(hostile);
  report.mutable_prevalences(0)->set_attribute(hostile);
  report.mutable_prevalences(0)->mutable_groups(0)->set_label(hostile);
  report.mutable_comparison()->mutable_matches(0)->set_other_words(0, hostile);
  report.mutable_ledger()->mutable_plans(5)->set_principal(hostile);
  report.mutable_ledger()->add_restores(hostile);
  const std::string html = RenderPage(report);
  // The data and the program's own.
  EXPECT_EQ(Occurrences(html, "<script"), 2);
  EXPECT_EQ(Occurrences(html, "</script>"), 2);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("\"'>")));
  ASSERT_OK_AND_ASSIGN(const auto same, ReportInPage(html));
  EXPECT_EQ(same.SerializeAsString(), report.SerializeAsString());
}

// What a committee reads and signs.
TEST_F(PageTest, TheSheetSaysWhatTheLedgerSays) {
  v1::Report report = Gather();
  v1::ReportedLedger& ledger = *report.mutable_ledger();
  ledger.set_epsilon(2.44);
  ledger.mutable_sum()->set_epsilon(15.12);
  ledger.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  ledger.set_knows_timing(true);
  ledger.set_shortest_interval_ms(0);
  ledger.mutable_attack()->set_best_posterior_at_even_odds(0.911);
  ledger.mutable_attack()->set_true_positive_rate_at_fpr_1_percent(0.113);
  EXPECT_THAT(GuaranteeSentence(report),
              AllOf(HasSubstr("15.1200"), Not(HasSubstr("2.44")),
                    HasSubstr("whether or not all documents of any one owner are in it")));
  std::string html = RenderPage(report);
  for (const char* said :
       {"all documents of one owner, however many", "no protection: how long a release took",
        "with all releases of at most 92 (", "with all releases at most 12 ("}) {
    EXPECT_THAT(html, HasSubstr(said));
  }
  ledger.clear_sum();
  ledger.set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  ledger.set_shortest_interval_ms(1500);
  EXPECT_THAT(GuaranteeSentence(report),
              AllOf(HasSubstr("2.4400"), HasSubstr("whether or not any one document is in it")));
  html = RenderPage(report);
  for (const char* said : {"one document; whoever wrote", "1.5 s apart or more",
                           "none that may concern the same people"}) {
    EXPECT_THAT(html, HasSubstr(said));
  }
  EXPECT_THAT(html, Not(HasSubstr("no protection")));
  ledger.set_knows_timing(false);
  EXPECT_THAT(RenderPage(report), HasSubstr("not recorded for every release"));
}

TEST_F(PageTest, NothingInItAsksANetwork) {
  const std::string html = RenderPage(Gather());
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  for (const char* asks : {" src=", "url(", "@import", "<link", "<iframe", "http://", "https://",
                           "fetch(", "XMLHttpRequest"}) {
    EXPECT_THAT(html, Not(HasSubstr(asks)));
  }
}

TEST_F(PageTest, NumbersThatDoNotBelongTogetherAreRefusedBeforeTheyAreDrawn) {
  const auto refuses = [](const v1::Report& report) {
    // Drawn without the page's own parts, which would look the number up.
    const std::string page = absl::StrReplaceAll(
        "<script type=\"application/json\" id=\"report\">J</script>", {{"J", PageJson(report)}});
    return ReportInPage(page).status();
  };
  const v1::Report report = Gather();
  EXPECT_OK(refuses(report));
  for (const int number : {-1, 0, kMadeUpTopics + 1, 1000000}) {
    v1::Report altered = report;
    altered.mutable_topics(0)->mutable_neighbours(0)->set_number(number);
    EXPECT_THAT(refuses(altered), StatusIs(absl::StatusCode::kInvalidArgument));
    altered = report;
    altered.mutable_comparison()->mutable_matches(0)->set_number(number);
    EXPECT_THAT(refuses(altered), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  v1::Report altered = report;
  altered.mutable_prevalences(0)->mutable_groups(0)->mutable_topics()->RemoveLast();
  EXPECT_THAT(refuses(altered), StatusIs(absl::StatusCode::kInvalidArgument));
  altered = report;
  altered.set_format_version(2);
  EXPECT_THAT(refuses(altered), StatusIs(absl::StatusCode::kInvalidArgument));
}

// Whatever else it has by then: a newer page is told from a damaged one, and who can read it.
TEST_F(PageTest, OfAnotherFormatThePageIsLeftToTheVersionThatWroteIt) {
  const auto status_of = [](const std::string& numbers) {
    return ReportInPage(absl::StrCat("<script type=\"application/json\" id=\"report\">", numbers,
                                     "</script>"))
        .status();
  };
  for (const char* numbers :
       {R"({"format_version":2,"program_version":"9.8","news":{"of":[1]}})",
        R"({"news":1,"format_version":2,"program_version":"9.8","topics":[]})"}) {
    EXPECT_THAT(status_of(numbers),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("format 2 and was written by topicwall 9.8"),
                               HasSubstr("Verify it with that version"))));
  }
  EXPECT_THAT(status_of(R"({"format_version":2,"model":7})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("format 2")));
  EXPECT_THAT(status_of(R"({"format_version":1,"news":1})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("this is no report")));
}

TEST(HtmlTest, TextIsEscapedAndBytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Escaped("a<b>&\"ä€😀"), "a&lt;b&gt;&amp;&quot;ä€😀");
  // A control character, half a character, an overlong "/", a surrogate.
  EXPECT_EQ(Escaped("\x01"), "\uFFFD");
  EXPECT_EQ(Escaped("a\u0085\u009Bb\u00A0"), "a\uFFFD\uFFFDb\u00A0");  // C1
  EXPECT_EQ(Escaped("\xE2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(Escaped("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(Escaped("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  Html html;
  html.Open("p", {{"title", "\"x"}, {"hidden", ""}}).Text("a < b").Add("b", "!").Close();
  EXPECT_EQ(std::move(html).Take(), "<p title=\"&quot;x\" hidden>a &lt; b<b>!</b></p>\n");
}

TEST(NumbersTest, WhatIsPromisedIsNeverToldAsLessThanItIs) {
  EXPECT_EQ(DeltaText(1.0049e-6), "1.01·10⁻⁶");
  EXPECT_EQ(DeltaText(9.991e-7), "10⁻⁶");
  EXPECT_EQ(DeltaText(0.01901), "0.0191");
  EXPECT_EQ(DeltaText(1e-6 * (1 + 1e-15)), "10⁻⁶");
}

TEST(NumbersTest, OfTwoDigitsNoneIsAPowerOfTen) {
  EXPECT_EQ(TwoDigits(0.0312), "0.031");
  EXPECT_EQ(TwoDigits(4.81), "4.8");
  EXPECT_EQ(TwoDigits(99.6), "100");
  EXPECT_EQ(TwoDigits(-617.4), "-617");
}

TEST_F(PageTest, WhatAnAttackerGainsIsAtMostWhatTheSheetSays) {
  v1::Report report = Gather();
  v1::AttackBounds& attack = *report.mutable_ledger()->mutable_attack();
  attack.set_best_posterior_at_even_odds(0.728304);
  attack.set_true_positive_rate_at_fpr_1_percent(0.04101);
  const std::string html = RenderPage(report);
  EXPECT_THAT(html, HasSubstr("at most 73 (72.9 %)"));
  EXPECT_THAT(html, HasSubstr("at most 5 (4.2 %)"));
}

// What a topic's coming again was measured of is 50 topics; of three it says too little.
TEST_F(PageTest, HowManyTopicsComeAgainIsNotCountedWhereThatWasNotMeasured) {
  const std::string count = "topics that another fit would find again";
  const std::string caution = "more come again than is said";
  v1::Report report = Gather();
  ASSERT_TRUE(report.model().knows_recurrence());
  EXPECT_THAT(RenderPage(report), AllOf(HasSubstr(caution), Not(HasSubstr(count))));
  report.mutable_model()->set_num_topics(50);
  EXPECT_THAT(RenderPage(report), AllOf(HasSubstr(count), Not(HasSubstr(caution))));
}

// Without the other model's folder its numbers would go unchecked.
TEST_F(PageTest, TheMethodNamesTheCommandThatChecksAllOfThePage) {
  v1::Report report = Gather();
  const std::string html = RenderPage(report);
  EXPECT_THAT(html,
              HasSubstr("topicwall report --verify FILE --model FOLDER --corpus NAME --compare "
                        "OTHER</pre>"));
  EXPECT_THAT(html, HasSubstr("9 releases of plan plan-9-of-the-topics"));
  EXPECT_THAT(html, HasSubstr("1 release of plan plan-7-of-the-perplexity"));
  report.clear_comparison();
  report.clear_ledger();
  EXPECT_THAT(RenderPage(report), HasSubstr("topicwall report --verify FILE --model FOLDER</pre>"));
}

TEST_F(PageTest, TheMethodIsThatOfTheAlgorithm) {
  v1::Report report = Gather();
  EXPECT_THAT(RenderPage(report), HasSubstr("Latent Dirichlet allocation across a wall"));
  report.mutable_model()->set_is_mixture(true);
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("A mixture across a wall"), HasSubstr("Gaussian noise"),
                    Not(HasSubstr("Latent Dirichlet")), Not(HasSubstr("Park, Mijung"))));
}

TEST_F(PageTest, OfAModelWithoutAPlanThePageSaysThatNothingIsPromised) {
  v1::Report report = Gather();
  report.clear_ledger();
  report.clear_evaluations();
  report.clear_prevalences();
  report.mutable_model()->clear_plan_id();
  report.mutable_model()->clear_unigram_plan_id();
  const std::string html = RenderPage(report);
  EXPECT_THAT(html, AllOf(HasSubstr("nothing is promised to the people in them"),
                          HasSubstr("no clip and no noise"), Not(HasSubstr("Gaussian noise"))));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("across a wall")), Not(HasSubstr("Park, Mijung"))));
}

TEST_F(PageTest, TheMethodSaysWithWhatTheTopicsBegan) {
  v1::Report report = Gather();
  EXPECT_THAT(RenderPage(report), Not(HasSubstr("--anchors")));
  EXPECT_THAT(RenderPage(report), Not(HasSubstr("--init")));
  v1::Anchor& anchor = *report.mutable_model()->add_anchors();
  anchor.set_name("hearts");
  anchor.add_words("cardiac");
  anchor.add_words("ecg");
  EXPECT_THAT(RenderPage(report), HasSubstr("hearts: cardiac, ecg"));
  EXPECT_THAT(RenderPage(report), HasSubstr(" --anchors anchors.json --model"));
  report.mutable_model()->clear_anchors();
  report.mutable_model()->set_has_initial_model(true);
  EXPECT_THAT(RenderPage(report), HasSubstr(" --init earlier.model --model"));
}

// The last one's too, though what was given back came after it.
TEST_F(PageTest, EveryPlansStepHasAWidth) {
  const std::string html = RenderPage(Gather());
  const size_t begin = html.find("<path class=\"step\" d=\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string path = html.substr(begin, html.find("\">", begin) - begin);
  double last = 0;
  for (size_t at = path.find('H'); at != std::string::npos; at = path.find('H', at + 1)) {
    const double to = std::strtod(path.c_str() + at + 1, nullptr);
    EXPECT_GT(to, last) << path;
    last = to;
  }
  EXPECT_GT(last, 0);
}

// What was left to the algorithm is not typed again.
TEST_F(PageTest, TheCommandThatFitsItAgainSaysWhatWasChosen) {
  const auto page_of = [this](const std::string& folder) {
    WriteFolder(folder, model_);
    ReportSources sources = Sources();
    sources.model = Path(folder);
    sources.ledger.reset();
    const auto report = GatherReport(sources);
    EXPECT_OK(report);
    return report.ok() ? RenderPage(*report) : "";
  };
  v1::FitSpec& spec = *model_.mutable_spec();
  spec.set_algorithm("denoised");
  spec.set_sampling_rate(1);
  spec.set_clip_norm(0.7);
  spec.set_seed(1);
  const std::string usual = page_of("usual.model");
  for (const char* flag : {"--sampling-rate", "--clip-norm", "--seed"}) {
    EXPECT_THAT(usual, Not(HasSubstr(flag)));
  }
  EXPECT_THAT(usual, HasSubstr("--epsilon-alone"));
  model_.set_epsilon(0.00003);  // to four digits it would be none
  EXPECT_THAT(page_of("cheap.model"), HasSubstr("--epsilon-alone 3e-05 "));
  spec.set_sampling_rate(0.25);
  spec.set_clip_norm(1.5);
  spec.set_seed(7);
  model_.set_held_out_share(0.1);
  EXPECT_THAT(
      page_of("chosen.model"),
      HasSubstr(" --sampling-rate 0.25 --clip-norm 1.5 --held-out-share 0.1 --seed 7 --model"));
  // What counted of a document is part of what was fitted, whoever chose it.
  spec.set_max_words(500);
  EXPECT_THAT(page_of("long.model"), HasSubstr(" --clip-norm 1.5 --max-words 500 --held-out"));
  EXPECT_THAT(usual, Not(HasSubstr("merged from")));
  spec.set_num_topics(kMadeUpTopics + 2);
  EXPECT_THAT(page_of("merged.model"),
              AllOf(HasSubstr(absl::StrCat(" --topics ", kMadeUpTopics + 2, " ")),
                    HasSubstr(absl::StrCat("merged from ", kMadeUpTopics + 2))));
  // Of 41 releases, one of word frequencies, 12 are in: what is bought again is all of them.
  v1::Report report = Gather();
  report.mutable_model()->set_iterations(11);
  report.mutable_model()->mutable_unfinished()->set_releases_done(12);
  report.mutable_model()->mutable_unfinished()->set_releases(41);
  const std::string unfinished = RenderPage(report);
  EXPECT_THAT(unfinished, HasSubstr(" --iterations 40 "));
  EXPECT_THAT(unfinished, HasSubstr("11 releases of plan plan-9-of-the-topics"));
}

// Whoever counts 25 rows must not take them for all topics.
TEST_F(PageTest, APrevalenceSaysWhichTopicsItLeavesOut) {
  const auto page_of = [this](int topics) {
    v1::Report report = CrowdedReport(Gather());
    report.clear_comparison();
    report.mutable_topics()->DeleteSubrange(topics, kCrowd - topics);
    for (v1::ReportedTopic& topic : *report.mutable_topics()) topic.clear_neighbours();
    report.mutable_prevalences()->RemoveLast();
    for (v1::ReportedGroup& group : *report.mutable_prevalences(0)->mutable_groups()) {
      group.mutable_topics()->DeleteSubrange(topics, kCrowd - topics);
      for (v1::ReportedShare& share : *group.mutable_topics()) share.set_share(0.03F);
      group.mutable_topics(topics - 1)->set_share(0.0123F);
    }
    return RenderPage(report);
  };
  const std::string more = page_of(26);
  EXPECT_THAT(more, HasSubstr("the 25 topics with the largest share in any group, of 26"));
  EXPECT_THAT(more, HasSubstr("the 12 topics with the largest share in any group, of 26"));
  EXPECT_THAT(more, HasSubstr("all others</th><td>1.2</td>"));
  const std::string all = page_of(25);
  EXPECT_THAT(all, AllOf(Not(HasSubstr("the 25 topics with")), Not(HasSubstr("all others")),
                         HasSubstr("the 12 topics with the largest share in any group, of 25")));
  EXPECT_THAT(page_of(12), Not(HasSubstr("topics with the largest share")));
}

// One model may be asked about by several corpora.
TEST_F(PageTest, APrevalenceSaysOfWhichCorpusItIs) {
  v1::Report report = Gather();
  report.mutable_prevalences(0)->set_corpus("mail");
  EXPECT_THAT(RenderPage(report), HasSubstr("<h3>By <i>year</i>, of <i>mail</i></h3>"));
}

// Axes without a point look like a share of zero.
TEST_F(PageTest, OfAPrevalenceOfWhichNothingIsKnownNothingIsDrawn) {
  v1::Report report = Gather();
  EXPECT_THAT(RenderPage(report), HasSubstr("<div class=\"charts\">"));
  v1::ReportedPrevalence& prevalence = *report.mutable_prevalences(0);
  for (int g = 0; g + 1 < prevalence.groups_size(); ++g) {
    prevalence.mutable_groups(g)->set_none(true);
    prevalence.mutable_groups(g)->clear_topics();
  }
  v1::ReportedGroup& other = *prevalence.mutable_groups(prevalence.groups_size() - 1);
  other.set_none(false);
  while (other.topics_size() < kMadeUpTopics) other.add_topics()->set_share(0.25F);
  EXPECT_THAT(RenderPage(report),
              AllOf(Not(HasSubstr("class=\"charts\"")), HasSubstr("class=\"heat\"")));
  other.set_none(true);
  other.clear_topics();
  EXPECT_THAT(RenderPage(report),
              AllOf(Not(HasSubstr("class=\"charts\"")), Not(HasSubstr("class=\"heat\"")),
                    HasSubstr("no share can be told")));
}

// Words that are known to a fifth do not make a perplexity that is known. Two of √(200² + 1000/2).
TEST_F(PageTest, APerplexityThatNoiseHasDrownedIsNotToldAsANumber) {
  const std::string path = Path("notes.model/evaluation-1.pb");
  ASSERT_OK_AND_ASSIGN(auto file, ReadEvaluation(path));
  file->set_noise_standard_deviation(20);
  file->set_words(0, 1000);
  file->set_negative_log_likelihoods(0, 7000);
  ASSERT_OK(WritePaid(*file, path));
  EXPECT_THAT(
      RenderPage(Gather()),
      AllOf(HasSubstr("<td>drowned by noise</td><td>1,000 ± 402</td>"), Not(HasSubstr("1096."))));
}

// The clip of long units makes it another number than that of the same documents at hand.
TEST_F(PageTest, APerplexitySaysWhatWasAssumedOfAUnit) {
  const std::string html = RenderPage(Gather());
  EXPECT_THAT(html, AllOf(HasSubstr(">words assumed of a unit</th>"), HasSubstr("<td>40.0</td>"),
                          HasSubstr("and more, count for less")));
}

TEST_F(PageTest, APerplexitySaysThatItsErrorIsOfTheNoiseAlone) {
  EXPECT_THAT(
      RenderPage(Gather()),
      AllOf(HasSubstr("of a perplexity by the noise alone: another split of the words gives "
                      "another number"),
            HasSubstr("Of words: by the noise and the split")));
}

// 13 % of a share is what fits of public documents were off by: no noise of this model's.
TEST_F(PageTest, OfTopicsSharesItIsSaidWhatOfThemIsMeasuredElsewhere) {
  v1::Report report = Gather();
  const std::string drift = "by the noise and a drift of 13 % of the share";
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr(drift), HasSubstr("as measured on public documents"),
                    HasSubstr("of the average of the releases, older ones among them; a fit that "
                              "went on would have more")));
  for (v1::ReportedTopic& topic : *report.mutable_topics()) topic.clear_share_margin();
  EXPECT_THAT(RenderPage(report), Not(HasSubstr(drift)));
}

// e to the 27006th times as likely is not nearly as likely.
TEST_F(PageTest, APromiseOfALargeEpsilonIsNoneOfBeingNearlyAsLikely) {
  v1::Report report = Gather();
  report.mutable_ledger()->mutable_sum()->set_epsilon(27006);
  EXPECT_THAT(GuaranteeSentence(report),
              AllOf(HasSubstr("as likely, but for a factor of at most e^ε and a chance of δ, "
                              "whether or not any one document is in it"),
                    HasSubstr("27006"), Not(HasSubstr("nearly"))));
}

// A pair of δ = 1 holds of anything; its ε would look like a promise.
TEST_F(PageTest, WhereDeltaIsOneNoEpsilonIsPrinted) {
  v1::Report report = Gather();
  report.mutable_ledger()->set_replace_one_epsilon(48);
  report.mutable_ledger()->set_replace_one_delta(1);
  report.mutable_ledger()->mutable_groups(1)->set_epsilon(40);
  report.mutable_ledger()->mutable_groups(1)->set_delta(1);
  const std::string html = RenderPage(report);
  EXPECT_THAT(html, AllOf(HasSubstr("one unit replaced</th><td>no promise</td>"),
                          HasSubstr("5 units together</th><td>no promise</td>"),
                          Not(HasSubstr("48.0000")), Not(HasSubstr("40.0000"))));
}

TEST_F(PageTest, WhereTheDeltasOfBudgetsAddUpToOneNothingIsPromisedOfThemTogether) {
  v1::Report report = Gather();
  v1::BudgetSum& sum = *report.mutable_ledger()->mutable_sum();  // with one already
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(121.3458);
  sum.set_delta(1.01);
  *report.mutable_model()->mutable_sum() = sum;
  const std::string html = RenderPage(report);
  EXPECT_THAT(html, AllOf(HasSubstr("Of all that all analysts together ever learn from this corpus "
                                    "and from 2 other budgets that may concern the same people "
                                    "nothing is promised (δ would be 1); the budget of the corpus "
                                    "alone promises ε"),
                          HasSubstr("<td>no promise with 2 others that may"),
                          Not(HasSubstr("121.3458, δ"))));
  report.clear_ledger();
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("that may concern the same people promise nothing (δ would be 1) "
                              "together."),
                    Not(HasSubstr("121.3458, δ"))));
}

TEST_F(PageTest, WhatOthersTookIsInTheHeadlineOrSaidNotToBeKnown) {
  v1::Report report = Gather();
  v1::ReportedLedger& ledger = *report.mutable_ledger();
  ledger.set_epsilon(8);
  ledger.set_spent(0.7704);
  EXPECT_THAT(RenderPage(report), AllOf(HasSubstr("<dd>0.7704 of 8.0000</dd>"),
                                        HasSubstr("taken so far, by everybody")));
  ledger.set_unseen_entries(12);
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("<dd>at least 0.7704 of 8.0000</dd>"),
                    HasSubstr("taken so far; entries of others are not known"),
                    HasSubstr("<td>at least ε 0.7704 of 8.0000 so far; 12 entries of others"),
                    HasSubstr("the least that it was")));
  ledger.set_spent_by_all(4.633);
  EXPECT_THAT(RenderPage(report), AllOf(HasSubstr("<dd>4.6330 of 8.0000</dd>"),
                                        HasSubstr("<td>ε 4.6330 of 8.0000 so far, by everybody"),
                                        Not(HasSubstr("0.7704 of"))));
}

// A mock's report says so in its title, at its head and on the sheet that is signed.
TEST_F(PageTest, AMocksReportSaysSoWhereverAPromiseWouldStand) {
  v1::Report report = Gather();
  EXPECT_THAT(RenderPage(report), Not(HasSubstr("MOCK")));
  report.mutable_model()->set_custodian_id("MOCK");
  const std::string html = RenderPage(report);
  EXPECT_THAT(html, HasSubstr("<title>MOCK: 3 topics of notes"));
  EXPECT_THAT(html, HasSubstr("<h1>MOCK: 3 topics"));
  EXPECT_EQ(Occurrences(html, "<p class=\"lead mock\">MOCK: made of documents"), 2);
  EXPECT_THAT(html, Not(HasSubstr("differentially private")));
}

// Below a half it is weak, and a half is what it is not.
TEST_F(PageTest, AWeakTopicIsNotSaidToComeAgainInAHalfOfTheFits) {
  v1::Report report = Gather();
  report.mutable_topics(0)->set_recurs(0.497);
  report.mutable_topics(0)->set_is_weak(true);
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("comes again: 49 %"), Not(HasSubstr("comes again: 50 %"))));
}

TEST(NumbersTest, AreWrittenAsPeopleReadThem) {
  EXPECT_EQ(Fixed(-0.001, 2), "0.00");
  EXPECT_EQ(Fixed(-1.4999, 2), "-1.50");
  EXPECT_EQ(ShortPercent(0.00013), "0.013 %");
  EXPECT_EQ(ShortPercent(0.021), "2.1 %");
  EXPECT_EQ(ShortPercent(0.14), "14 %");
  EXPECT_EQ(PercentAtLeast(0.497), "49 %");
  EXPECT_EQ(PercentAtLeast(0.5), "50 %");
  EXPECT_EQ(PercentAtLeast(0.57), "57 %");
  EXPECT_EQ(DeltaText(1e-6), "10⁻⁶");
  EXPECT_EQ(DeltaText(1.25e-5), "1.25·10⁻⁵");
  EXPECT_EQ(DeltaText(0.019), "0.019");
  EXPECT_EQ(DeltaText(3e-12), "3·10⁻¹²");
  EXPECT_EQ(Rounded(0.03124), "0.0312");
  EXPECT_EQ(Rounded(9.999), "10.00");
  EXPECT_EQ(Rounded(12345), "12,300");
  EXPECT_EQ(Rounded(0), "0");
  EXPECT_EQ(Thousands(-1234567), "-1,234,567");
  EXPECT_EQ(Thousands(999), "999");
  EXPECT_EQ(TimeText(1795484160000), "2026-11-24 01:36 UTC");
}

}  // namespace
}  // namespace topicwall::client
