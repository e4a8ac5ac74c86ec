// A page as it is seen on a telephone, on a large screen and on paper, and as it is read aloud: of
// a report with little in it, and of one with much (crowded_report.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "client/report/page/page.h"
#include "tests/client/report/browser.h"
#include "tests/client/report/crowded_report.h"
#include "tests/client/report/made_up_report.h"
#include "tests/client/report/made_up_vectors_report.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace screens_test {

using ::testing::IsEmpty;

constexpr int kTelephone = 390;  // px, as wide as most of them are
constexpr int kPaper = 680;      // px: A4 but for the page's margins

class ScreensTest : public MadeUpReport {
 protected:
  void SetUp() override {
    MadeUpReport::SetUp();
    few_ = Path("few.html");
    many_ = Path("many.html");
    testing::WriteWholeFile(few_, RenderPage(Gather()));
    testing::WriteWholeFile(many_, RenderPage(CrowdedReport(Gather())));
    browser_.emplace(Path("."));
  }
  // With all that is folded open.
  void Open(const std::string& path, const Browser::View& view) {
    browser_->Open(path, view);
    browser_->Evaluate("for (const d of document.querySelectorAll('details')) d.open = true");
  }

  std::string few_, many_;
  std::optional<Browser> browser_;
};

// Each part by itself, the comparison of models among them; wide tables scroll in their own frames.
TEST_F(ScreensTest, NoPartOfThePageIsWiderThanTheScreen) {
  for (const std::string& path : {few_, many_}) {
    for (const int width : {1280, 768, kTelephone}) {
      Open(path, {.width = width});
      EXPECT_LE(browser_->Evaluate("document.documentElement.scrollWidth").get<int>(), width);
      EXPECT_EQ(browser_->Evaluate(R"js((() => {
        const wide = [];
        const parts = document.querySelectorAll("main > header, main > section");
        for (const part of parts) {
          for (const node of part.querySelectorAll("*")) {
            const box = node.getBoundingClientRect();
            const frame = node.parentElement.closest(".wide, svg");
            if (!frame && (box.left < -1 || box.right > innerWidth + 1)) {
              wide.push(`${part.id}: ${node.outerHTML.slice(0, 60)}`);
            }
          }
        }
        return parts.length === 9 ? wide : ["a part is missing"];
      })())js"),
                nlohmann::json::array())
          << path << " at " << width;
    }
  }
}

// A budget of 2.4400 whose first digit is cut off is another budget; a white number that is wider
// than its dark disc is none.
TEST_F(ScreensTest, PicturesNeitherCutNorCoverTheirText) {
  for (const std::string& path : {few_, many_}) {
    for (const int width : {1280, kTelephone}) {
      Open(path, {.width = width});
      EXPECT_EQ(browser_->Evaluate(R"js((() => {
        const bad = [];
        let looked = 0;
        for (const picture of document.querySelectorAll("main svg")) {
          const frame = picture.getBoundingClientRect();
          const texts = Array.from(picture.querySelectorAll("text"))
            .filter((text) => getComputedStyle(text).display !== "none");
          const boxes = texts.map((text) => text.getBoundingClientRect());
          boxes.forEach((box, i) => {
            const text = texts[i].textContent;
            looked += 1;
            if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
                box.top < frame.top - 2 || box.bottom > frame.bottom + 2) {
              bad.push(`${text} is cut off`);
            }
            if (box.height < 9) bad.push(`${text} is too small to read`);
            const disc = texts[i].matches(".number") && texts[i].previousElementSibling;
            if (disc && box.width > disc.getBoundingClientRect().width) {
              bad.push(`${text} is wider than its disc`);
            }
            for (const circle of picture.querySelectorAll("a circle")) {
              const on_top = circle.compareDocumentPosition(texts[i]) === 2;
              const other = circle.getBoundingClientRect();
              const [x, y, r] = [(other.left + other.right) / 2, (other.top + other.bottom) / 2,
                                 other.width / 2];
              const [dx, dy] = [(box.left + box.right) / 2 - x, (box.top + box.bottom) / 2 - y];
              if (on_top && Math.hypot(dx, dy) < r) bad.push(`${text} is below another disc`);
            }
            for (let j = 0; j < i; ++j) {
              if (Math.min(box.right, boxes[j].right) - Math.max(box.left, boxes[j].left) > 1 &&
                  Math.min(box.bottom, boxes[j].bottom) - Math.max(box.top, boxes[j].top) > 2) {
                bad.push(`${text} covers ${texts[j].textContent}`);
              }
            }
          });
        }
        return looked > 5 ? bad : ["nothing was looked at"];
      })())js"),
                nlohmann::json::array())
          << path << " at " << width;
    }
  }
}

// Who took what is no less of a question on a telephone.
TEST_F(ScreensTest, ATelephoneShowsAllThatALargeScreenDoes) {
  const char kShown[] = R"js(Array.from(document.querySelectorAll(
      "main h2, main h3, main h4, main p, main dt, main dd, main th, main td, main li"))
    .filter((node) => node.checkVisibility()).map((node) => node.textContent))js";
  Open(many_, {});
  const nlohmann::json large = browser_->Evaluate(kShown);
  Open(many_, {.width = kTelephone});
  EXPECT_GT(large.size(), 1000U);
  EXPECT_EQ(browser_->Evaluate(kShown), large);
}

// A browser that makes pages dark by itself alters the legend of the map and leaves its discs.
TEST_F(ScreensTest, NoBrowserMakesHalfOfThePageDark) {
  Open(few_, {});
  EXPECT_EQ(browser_->Evaluate("getComputedStyle(document.documentElement).colorScheme"),
            "light only");
}

// WCAG 2, 1.4.3 (AA): 4.5 to 1 for each colour that text has, in pictures too, against what lies
// behind it; what is folded, too, and on paper.
constexpr char kWeakText[] = R"js((() => {
    const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = (colour) => {
      const [r, g, b] = parts(colour).map((c) => c / 255).map(
        (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
      for (let at = node; at; at = at.parentElement) {
        const shape = at.parentElement && at.matches("text.number, svg.cell text")
          && at.parentElement.querySelector("circle, rect");
        if (shape) return getComputedStyle(shape).fill;
        const colour = getComputedStyle(at).backgroundColor;
        if (parts(colour)[3] !== 0) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    const weak = [];
    let looked = 0;
    for (const node of document.querySelectorAll("main *, main svg text")) {
      const drawn = node instanceof SVGTextElement;
      if (!drawn && (!node.innerText || node.closest("svg"))) continue;
      const style = getComputedStyle(node);
      const a = luminance(drawn ? style.fill : style.color) + 0.05;
      const b = luminance(behind(node)) + 0.05;
      const contrast = Math.max(a, b) / Math.min(a, b);
      if (!(contrast >= 4.5)) weak.push(`${node.textContent.slice(0, 40)}: ${contrast}`);
      looked += 1;
    }
    return looked > 100 ? weak : ["nothing was looked at"];
  })())js";

TEST_F(ScreensTest, AllTextStandsOutFromWhatIsBehindIt) {
  for (const Browser::View& view :
       {Browser::View(), Browser::View{.width = kTelephone}, Browser::View{.medium = "print"}}) {
    Open(few_, view);
    EXPECT_EQ(browser_->Evaluate(kWeakText), nlohmann::json::array()) << view.width << view.medium;
  }
}

// Of a mixture of Gaussians, whose page has a table in place of cards and no script to run.
class VectorsScreensTest : public MadeUpVectorsReport {};

TEST_F(VectorsScreensTest, APageOfVectorsFitsEveryScreenStandsOutAndIsReadAloud) {
  const auto report = ReportOfFaces();
  ASSERT_OK(report);
  testing::WriteWholeFile(Path("faces.html"), RenderPage(*report));
  Browser browser(Path("."));
  for (const int width : {1280, kTelephone}) {
    browser.Open(Path("faces.html"), {.width = width});
    EXPECT_LE(browser.Evaluate("document.documentElement.scrollWidth").get<int>(), width);
    EXPECT_EQ(browser.Evaluate(kWeakText), nlohmann::json::array()) << width;
    EXPECT_THAT(browser.complaints(), IsEmpty());
  }
  // Its links lead to the rows, and each is read with its share.
  EXPECT_EQ(browser.Evaluate(R"js(Array.from(document.querySelectorAll("svg.map a"), (a) =>
      [document.querySelector(a.getAttribute("href")).tagName, a.querySelector("title").textContent
        ]))js"),
            nlohmann::json::parse(R"([["TR", "2 component 2, 75.0 %"],
                                      ["TR", "1 component 1, 25.0 %"]])"));
}

// WCAG 2, 4.1.2 and 1.1.1: whatever can be followed, opened, changed, scrolled or looked at.
TEST_F(ScreensTest, EveryControlAndPictureHasANameThatIsReadAloud) {
  const std::set<std::string> named = {"link",    "button",  "slider",     "searchbox",
                                       "textbox", "image",   "SvgRoot",    "DisclosureTriangle",
                                       "region",  "heading", "navigation", "RootWebArea"};
  Open(few_, {.width = kTelephone});
  std::vector<std::string> nameless;
  std::map<std::string, int> seen;
  for (const nlohmann::json& node : browser_->AccessibleNodes()) {
    const std::string role = node["role"].value("value", "");
    ++seen[role];
    const std::string name =
        node.contains("name") ? node["name"].value("value", "") : std::string();
    if (named.count(role) > 0 && name.empty()) nameless.push_back(node.dump().substr(0, 300));
  }
  EXPECT_THAT(nameless, IsEmpty());
  for (const char* role : {"link", "slider", "searchbox", "image", "SvgRoot", "region", "heading",
                           "navigation", "DisclosureTriangle"}) {
    EXPECT_GT(seen[role], 0) << role << ": does Chromium call it otherwise now?";
  }
}

// Twelve months side by side, or a smear.
TEST_F(ScreensTest, OnPaperNoGroupOfAPrevalenceIsPrintedOverAnother) {
  v1::Report report = CrowdedReport(Gather());
  *report.mutable_prevalences(0) = crowded::Prevalence(true, 61, report);
  for (int g = 0; g < 60; ++g) {
    report.mutable_prevalences(0)->mutable_groups(g)->set_label(
        absl::StrFormat("%d-%02d-01", 2020 + g / 12, 1 + g % 12));
  }
  *report.mutable_prevalences(1) = crowded::Prevalence(false, 13, report);
  testing::WriteWholeFile(many_, RenderPage(report));
  Open(many_, {.width = kPaper, .medium = "print"});
  EXPECT_EQ(browser_->Evaluate(R"js((() => {
    const bad = [];
    let looked = 0;
    for (const table of document.querySelectorAll("table.heat")) {
      if (table.getBoundingClientRect().right > innerWidth + 1) bad.push("a table is cut off");
      for (const row of table.querySelectorAll("thead tr")) {
        const boxes = Array.from(row.children).map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return range.getBoundingClientRect();
        });
        looked += boxes.length;
        for (let i = 1; i < boxes.length; ++i) {
          if (boxes[i - 1].right > boxes[i].left + 0.5) {
            bad.push(`${row.children[i - 1].textContent} and ${row.children[i].textContent}`);
          }
        }
      }
    }
    return looked > 148 ? bad : ["not all was looked at"];
  })())js"),
            nlohmann::json::array());
}

// What is paid for and folded on the screen is no less of a result.
TEST_F(ScreensTest, OnPaperWeakTopicsAreThere) {
  v1::Report report = Gather();
  report.mutable_topics(1)->set_is_weak(true);
  testing::WriteWholeFile(few_, RenderPage(report));
  browser_->Open(few_, {.width = kPaper, .medium = "print"});
  EXPECT_EQ(browser_->Evaluate("document.querySelector('.weak').open"), false);
  EXPECT_EQ(browser_->Evaluate("document.getElementById('t2').getBoundingClientRect().height > 50 "
                               "&& document.getElementById('t2').checkVisibility("
                               "{contentVisibilityAuto: true, visibilityProperty: true})"),
            true);
  browser_->Open(few_, {});
  EXPECT_EQ(browser_->Evaluate("document.getElementById('t2').checkVisibility()"), false);
}

// A word that is written from right to left, and the numbers behind it, which are not of it.
TEST_F(ScreensTest, NumbersBehindAWordOfTheOtherDirectionStayBehindIt) {
  v1::Report report = Gather();
  const std::string word = "\u05E9\u05DC\u05D5\u05DD";
  report.mutable_common_words(0)->set_term(word);
  for (v1::ReportedTopic& topic : *report.mutable_topics()) {
    topic.mutable_words(0)->set_term(word);
    topic.set_label(word);
  }
  testing::WriteWholeFile(few_, RenderPage(report));
  Open(few_, {});
  EXPECT_EQ(browser_->Evaluate(R"js((() => {
    const places = (text) => {
      const range = document.createRange();
      return Array.from(text.data, (c, i) => {
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        return [c, range.getBoundingClientRect()];
      }).filter(([c, box]) => /[0-9]/.test(c) && box.width > 0);
    };
    const bad = [];
    let looked = 0;
    for (const part of document.querySelectorAll(".index li, .common li, .near, figcaption")) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      let last = null;
      while (texts.nextNode()) {
        for (const [c, box] of places(texts.currentNode)) {
          looked += 1;
          // On the same line further right, or on a line below.
          if (last && box.left < last.left && box.top < last.bottom - 2) bad.push(part.textContent);
          last = box;
        }
      }
    }
    return looked > 30 ? Array.from(new Set(bad)) : ["nothing was looked at"];
  })())js"),
            nlohmann::json::array());
}

// The title of a cell is all that is read of it.
TEST_F(ScreensTest, ACellOfPrevalenceIsReadWithItsShare) {
  Open(few_, {});
  EXPECT_EQ(browser_->Evaluate(R"js((() => {
    const cells = Array.from(document.querySelectorAll("svg.cell"));
    return cells.length === 6 && cells.every((cell) => cell.querySelector("title").textContent
      .startsWith(cell.querySelector("text").textContent + " %, 95 %: "));
  })())js"),
            true);
}

// WCAG 2, 1.3.1: one title, and no step of headings is left out.
TEST_F(ScreensTest, HeadingsAreInOrder) {
  Open(few_, {});
  std::vector<int> levels;
  for (const nlohmann::json& node : browser_->AccessibleNodes()) {
    if (node["role"].value("value", "") != "heading") continue;
    for (const nlohmann::json& property : node["properties"]) {
      if (property["name"] == "level") levels.push_back(property["value"]["value"].get<int>());
    }
  }
  ASSERT_GT(levels.size(), 10U);
  EXPECT_EQ(levels[0], 1);
  for (size_t i = 1; i < levels.size(); ++i) {
    EXPECT_GT(levels[i], 1);
    EXPECT_LE(levels[i], levels[i - 1] + 1) << "heading " << i;
  }
}

}  // namespace screens_test
}  // namespace topicwall::client
