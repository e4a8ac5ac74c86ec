// A page as a browser shows and prints it: Debian's Chromium, and pdftotext of poppler-utils.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/report/page/page.h"
#include "tests/client/report/browser.h"
#include "tests/client/report/made_up_report.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChromiumTest : public MadeUpReport {
 protected:
  void SetUp() override {
    MadeUpReport::SetUp();
    path_ = Path("notes.html");
    report_ = Gather();
    testing::WriteWholeFile(path_, RenderPage(report_));
    browser_.emplace(Path("."));
  }

  // "the first word, the second, …" that the card of topic 1 shows.
  std::string WordsOnTheFirstCard() {
    return browser_
        ->Evaluate(
            "Array.from(document.querySelectorAll('#t1 tbody tr'))"
            ".filter((row) => row.checkVisibility())"
            ".map((row) => row.querySelector('th').textContent).join(' ')")
        .get<std::string>();
  }
  std::string FirstTen(const std::function<double(const v1::ReportedWord&)>& value) {
    std::vector<const v1::ReportedWord*> words;
    for (const v1::ReportedWord& word : report_.topics(0).words()) words.push_back(&word);
    std::stable_sort(words.begin(), words.end(),
                     [&value](const auto* a, const auto* b) { return value(*a) > value(*b); });
    words.resize(std::min<size_t>(words.size(), 10));
    return absl::StrJoin(words, " ", [](std::string* text, const v1::ReportedWord* word) {
      absl::StrAppend(text, word->term());
    });
  }
  void SetTo(const std::string& id, const std::string& value) {
    browser_->Evaluate(absl::StrCat("{ const field = document.getElementById('", id,
                                    "'); field.value = '", value,
                                    "'; field.dispatchEvent(new Event('input')); }"));
  }
  std::string TextOf(const std::string& id) {
    return browser_->Evaluate(absl::StrCat("document.getElementById('", id, "').value"))
        .get<std::string>();
  }
  std::vector<std::string> PrintedPages() {
    testing::WriteWholeFile(Path("notes.pdf"), browser_->Print());
    const std::string command =
        absl::StrCat("pdftotext -layout ", Path("notes.pdf"), " ", Path("notes.txt"));
    EXPECT_EQ(std::system(command.c_str()), 0) << "is the package poppler-utils installed?";
    return absl::StrSplit(testing::ReadWholeFile(Path("notes.txt")), '\f');
  }

  v1::Report report_;
  std::string path_;
  std::optional<Browser> browser_;
};

// Its own script and style run, so their hashes in the policy are right; nothing else is asked for.
TEST_F(ChromiumTest, ThePageAsksForNothingAndItsConsoleIsClean) {
  browser_->Open(path_, {});
  EXPECT_EQ(browser_->Evaluate("document.getElementById('order').checkVisibility()"), true);
  EXPECT_EQ(browser_->Evaluate("getComputedStyle(document.querySelector('h1')).fontWeight"), "650");
  EXPECT_THAT(browser_->requests(), ElementsAre("file://" + path_));
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

// What a page with another's script in it would do, were it not for the policy.
TEST_F(ChromiumTest, AnotherScriptOrStyleOrPictureIsRefusedByThePolicy) {
  std::string html = testing::ReadWholeFile(path_);
  html.insert(html.find("</main>"),
              "<script>document.title = 'taken'</script><style>h1 { color: red }</style>"
              "<img src=\"https://example.org/x.png\" onerror=\"document.title = 'taken'\">");
  testing::WriteWholeFile(path_, html);
  browser_->Open(path_, {});
  EXPECT_EQ(browser_->Evaluate("document.title"), "3 topics of notes");
  EXPECT_NE(browser_->Evaluate("getComputedStyle(document.querySelector('h1')).color"),
            "rgb(255, 0, 0)");
  EXPECT_THAT(browser_->complaints(), Each(HasSubstr("Content Security Policy")));
  EXPECT_GE(browser_->complaints().size(), 3u);
}

// By frequency, by lift, and as before: as sorted here, from the report's numbers.
TEST_F(ChromiumTest, TheSliderOrdersWordsAnewAndTheSearchFindsThem) {
  browser_->Open(path_, {});
  const std::string usual = WordsOnTheFirstCard();
  SetTo("step", "1");
  EXPECT_EQ(TextOf("step-shown"), "1.0");
  EXPECT_EQ(WordsOnTheFirstCard(), FirstTen([](const v1::ReportedWord& word) {
              return static_cast<double>(word.probability());
            }));
  SetTo("step", "0");
  EXPECT_EQ(WordsOnTheFirstCard(), FirstTen([](const v1::ReportedWord& word) {
              return static_cast<double>(word.probability()) /
                     static_cast<double>(word.corpus_share());
            }));
  SetTo("step", "0.6");
  EXPECT_EQ(WordsOnTheFirstCard(), usual);
  SetTo("word", "wordab");
  EXPECT_EQ(TextOf("found"), "1 found");
  EXPECT_EQ(browser_->Evaluate("Array.from(document.querySelectorAll('#index li'))"
                               ".filter((item) => item.checkVisibility())"
                               ".map((item) => item.querySelector('a').textContent).join()"),
            "1");
  SetTo("word", "nowhere");
  EXPECT_EQ(TextOf("found"), "not among the words of the cards");
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

TEST_F(ChromiumTest, ThePageIsReadWithoutScripts) {
  browser_->Open(path_, {.runs_scripts = false});
  EXPECT_EQ(browser_->Evaluate("document.getElementById('order').checkVisibility()"), false);
  EXPECT_THAT(WordsOnTheFirstCard(), HasSubstr("word"));
}

// WCAG 2, 2.1.1 and 2.4.7: Tab comes to everything that can be followed, opened or changed, and
// each shows that it is there.
TEST_F(ChromiumTest, TheKeyboardReachesEveryControlAndEachShowsItsFocus) {
  browser_->Open(path_, {});
  const int count = browser_
                        ->Evaluate(R"js((() => {
    window.controls = Array.from(document.querySelectorAll("a[href], input, summary, [tabindex]"))
      .filter((control) => control.checkVisibility());
    return window.controls.length;
  })())js")
                        .get<int>();
  ASSERT_GT(count, 20);
  for (int i = 0; i < count; ++i) {
    browser_->Press("Tab");
    EXPECT_EQ(browser_->Evaluate(R"js((() => {
      const at = document.activeElement;
      window.controls = window.controls.filter((control) => control !== at);
      const style = getComputedStyle(at);
      const circle = at.querySelector("circle");
      const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
        || circle !== null && parseFloat(getComputedStyle(circle).strokeWidth) >= 3;
      return shown ? "" : at.outerHTML.slice(0, 80);
    })())js"),
              "");
  }
  EXPECT_EQ(browser_->Evaluate("window.controls.map((control) => control.outerHTML)"),
            nlohmann::json::array());
}

TEST_F(ChromiumTest, TheKeyboardMovesTheSliderOpensWhatIsFoldedAndSearches) {
  browser_->Open(path_, {});
  browser_->Evaluate("document.getElementById('step').focus()");
  browser_->Press("ArrowRight");
  EXPECT_EQ(TextOf("step-shown"), "0.8");
  browser_->Evaluate("document.querySelector('#index summary').focus()");
  EXPECT_EQ(browser_->Evaluate("document.getElementById('index').open"), false);
  browser_->Press("Enter");
  EXPECT_EQ(browser_->Evaluate("document.getElementById('index').open"), true);
  browser_->Evaluate("document.getElementById('word').focus()");
  for (const char* key : {"z", "z", "z"}) browser_->Press(key);
  EXPECT_EQ(TextOf("found"), "not among the words of the cards");
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

// Of ten plans, of which the sheet shows the last ones, by somebody of a long name, with a sum,
// restores and entries of others.
TEST_F(ChromiumTest, TheCommitteesSheetIsOnePage) {
  v1::ReportedLedger& ledger = *report_.mutable_ledger();
  for (int restore = 0; restore < 5; ++restore) {
    ledger.add_restores(
        "at entry 12, of 2026-11-24 01:36 UTC: a copy of entry 9 was put back, 3 entries are gone");
  }
  ledger.set_unseen_entries(12);
  ledger.set_time_ms(1795484160000);
  ledger.set_forfeited(true);
  for (v1::ReportedPlan& plan : *ledger.mutable_plans()) {
    plan.set_principal("spiffe://university.example/department/analyst/a-long-name");
    plan.set_model("document_completion");
    plan.set_time_ms(1795484160000);
    plan.set_histogram_noise_multiplier(70);
    plan.set_returned(1);
  }
  testing::WriteWholeFile(path_, RenderPage(report_));
  browser_->Open(path_, {});
  int sheets = 0;
  for (const std::string& page : PrintedPages()) {
    if (page.find("sheet for the committee") == std::string::npos) continue;
    ++sheets;
    EXPECT_THAT(page, AllOf(HasSubstr("Who took what, and when"), HasSubstr("Not protected"),
                            HasSubstr("Recounted from"), HasSubstr("verified by")));
    EXPECT_EQ(page.find("Method\n"), std::string::npos);
  }
  EXPECT_EQ(sheets, 1);
}

}  // namespace
}  // namespace topicwall::client
