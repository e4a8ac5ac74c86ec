#include "client/report/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "client/report/page/page.h"
#include "tests/client/report/made_up_report.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VerificationTest : public MadeUpReport {
 protected:
  void SetUp() override {
    MadeUpReport::SetUp();
    report_ = Gather();
    html_ = RenderPage(report_);
  }

  bool IsFound(const std::string& altered) const {
    const auto told = ReportInPage(altered);
    return !told.ok() || !DifferencesOfPage(altered, *told, "1.2.3").empty() ||
           !DifferencesOfNumbers(*told, report_).empty();
  }

  // Where numbers end: behind each place is no digit.
  static std::vector<size_t> LastDigits(const std::string& text) {
    std::vector<size_t> places;
    const auto is_digit = [&text](size_t i) {
      return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    };
    for (size_t i = 0; i < text.size(); ++i) {
      if (is_digit(i) && !is_digit(i + 1)) places.push_back(i);
    }
    return places;
  }

  static std::string WithAnotherDigit(std::string text, size_t place) {
    text[place] = text[place] == '9' ? '0' : static_cast<char>(text[place] + 1);
    return text;
  }

  v1::Report report_;
  std::string html_;
};

TEST_F(VerificationTest, NothingIsFoundInAPageAsItWasWritten) {
  ASSERT_OK_AND_ASSIGN(const auto told, ReportInPage(html_));
  EXPECT_THAT(DifferencesOfPage(html_, told, "1.2.3"), IsEmpty());
  EXPECT_THAT(DifferencesOfNumbers(told, Gather()), IsEmpty());
}

// Every number of the file, where people read it and in its data, in its last digit.
TEST_F(VerificationTest, EveryNumberThatIsAlteredIsFound) {
  const std::vector<size_t> places = LastDigits(html_);
  EXPECT_GT(places.size(), 3000u);
  for (const size_t place : places) {
    ASSERT_TRUE(IsFound(WithAnotherDigit(html_, place)))
        << html_.substr(place < 60 ? 0 : place - 60, 80);
  }
}

// A forger who draws the page anew from the altered numbers leaves no trace in it: then the sources
// tell. Only the program's version is of no source.
TEST_F(VerificationTest, EveryNumberThatIsAlteredInThePageAndItsDataAlikeIsFoundByTheSources) {
  const std::string json = PageJson(report_);
  const size_t begin = html_.find(json);
  ASSERT_NE(begin, std::string::npos);
  for (const size_t place : LastDigits(json)) {
    const auto told = ReportInPage(WithAnotherDigit(html_, begin + place));
    if (!told.ok() || told->program_version() != "1.2.3") continue;
    ASSERT_FALSE(DifferencesOfNumbers(*told, report_).empty())
        << json.substr(place < 60 ? 0 : place - 60, 80);
  }
}

TEST_F(VerificationTest, ADifferenceSaysWhereAndWhat) {
  v1::Report forged = report_;
  forged.mutable_topics(1)->set_share(0.25);
  const std::vector<std::string> numbers = DifferencesOfNumbers(forged, report_);
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_THAT(numbers[0], HasSubstr("topics[1].share: 0.25 -> "));

  const size_t place = html_.find("ε\u00a02.4400");
  ASSERT_NE(place, std::string::npos);
  std::string altered = html_;
  altered.replace(place, 10, "ε\u00a01.4400");
  EXPECT_THAT(DifferencesOfPage(altered, report_, "1.2.3"), ElementsAre(HasSubstr("it says “")));
  EXPECT_THAT(DifferencesOfPage(altered, report_, "2.0.0")[0], HasSubstr("Verify it with that"));
}

TEST_F(VerificationTest, AnAddedScriptIsFound) {
  std::string altered = html_;
  altered.insert(altered.find("</main>"), "<script>alert(1)</script>");
  EXPECT_TRUE(IsFound(altered));
  EXPECT_TRUE(IsFound(html_ + "<!-- -->"));
}

TEST_F(VerificationTest, OfALongerChainTheBeginningIsComparedAndAShorterOneIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto same, BeginningOf(chain_.entries(), report_.ledger()));
  chain_.Reserve("spiffe://topicwall/analyst/bob", "a plan of later", 200, 1);
  ASSERT_OK_AND_ASSIGN(const auto beginning, BeginningOf(chain_.entries(), report_.ledger()));
  EXPECT_EQ(beginning.size(), same.size());
  std::vector<v1::LedgerEntry> shorter = same;
  shorter.pop_back();
  EXPECT_FALSE(BeginningOf(shorter, report_.ledger()).ok());
}

}  // namespace
}  // namespace topicwall::client
