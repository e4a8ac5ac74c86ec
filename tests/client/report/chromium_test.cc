// A page as a browser shows and prints it: Debian's Chromium, and pdftotext of poppler-utils.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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
    testing::WriteWholeFile(path_, RenderPage(Gather()));
    browser_.emplace(Path("."));
  }

  // "the first word, the second, …" that the card of topic 1 shows.
  std::string WordsOnTheFirstCard() {
    return browser_
        ->Evaluate("Array.from(document.querySelectorAll('#t1 tbody tr'))"
                   ".filter((row) => row.checkVisibility())"
                   ".map((row) => row.querySelector('th').textContent).join(' ')")
        .get<std::string>();
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

// "the" is the most frequent word of each topic, and the least particular.
TEST_F(ChromiumTest, TheSliderOrdersWordsAnew) {
  browser_->Open(path_, {});
  const std::string usual = WordsOnTheFirstCard();
  EXPECT_EQ(std::count(usual.begin(), usual.end(), ' '), 4) << usual;
  SetTo("step", "1");
  EXPECT_EQ(TextOf("step-shown"), "1.0");
  SetTo("step", "0");
  EXPECT_EQ(TextOf("step-shown"), "0.0");
  SetTo("step", "0.6");
  EXPECT_EQ(WordsOnTheFirstCard(), usual);
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

TEST_F(ChromiumTest, TheSearchShowsTheWordsThatAreMeantAndTheTopicsThatHaveThem) {
  browser_->Open(path_, {});
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

// Wide tables scroll by themselves.
TEST_F(ChromiumTest, OnATelephoneNothingIsWiderThanTheScreen) {
  for (const int width : {390, 768, 1280}) {
    browser_->Open(path_, {.width = width});
    EXPECT_LE(browser_->Evaluate("document.documentElement.scrollWidth").get<int>(), width);
  }
}

// Of ten plans, of which the sheet shows eight; with a sum, a restore and entries of others.
TEST_F(ChromiumTest, TheCommitteesSheetIsOnePage) {
  v1::Report report = Gather();
  report.mutable_ledger()->add_restores(
      "at entry 12, of 2026-11-24 01:36 UTC: a copy of entry 9 was put back, 3 entries are gone");
  report.mutable_ledger()->set_unseen_entries(12);
  testing::WriteWholeFile(path_, RenderPage(report));
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

// WCAG 2, 1.4.3: 4.5 to 1 for text, of each colour that text has against what lies behind it.
TEST_F(ChromiumTest, TextStandsOutFromWhatIsBehindIt) {
  browser_->Open(path_, {});
  const nlohmann::json weakest = browser_->Evaluate(R"js((() => {
    const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = (colour) => {
      const [r, g, b] = parts(colour).map((c) => c / 255).map(
        (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
      for (let at = node; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (parts(colour)[3] !== 0) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    let weakest = 21;
    for (const node of document.querySelectorAll("main *")) {
      if (!node.innerText || node.closest("svg")) continue;
      const a = luminance(getComputedStyle(node).color) + 0.05;
      const b = luminance(behind(node)) + 0.05;
      weakest = Math.min(weakest, Math.max(a, b) / Math.min(a, b));
    }
    return weakest;
  })())js");
  ASSERT_TRUE(weakest.is_number());
  EXPECT_GE(weakest.get<double>(), 4.5);
  EXPECT_LE(weakest.get<double>(), 21);
}

}  // namespace
}  // namespace topicwall::client
