// `topicwall ledger --verify RECEIPTS` as a script runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/audit/ledger_export.h"
#include "tests/client/chain_builder.h"
#include "tests/client/program.h"
#include "tests/client/receipt_press.h"
#include "tests/support/json_page.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Of a corpus that was replaced, and has another budget since, which counts the first one.
class ReceiptsOfAReplacedCorpusTest : public ProgramFrame {
 protected:
  void SetUp() override {
    first_.Reserve("alice", "plan", 20, 2);
    first_.Charge("alice", "plan", 1);
    second_.TellSum(second_.SumWith(2.44, 1e-6, "first"));
    v1::ReceiptFile file;
    file.set_format_version(1);
    file.set_signing_key(press_.key());
    for (const int64_t sequence : {3, 4}) {
      *file.add_receipts() = press_.Of(first_.entries(), sequence);
    }
    testing::WriteWholeFile(Path("receipts.pb"), file.SerializeAsString());
    ASSERT_OK(ExtendExport(Path("first.events"), "notes", first_.entries()));
    ASSERT_OK(ExtendExport(Path("second.events"), "notes", second_.SeenBy("alice")));
  }
  Finished Verify(const std::string& events, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"ledger", "--verify", Path("receipts.pb"), "--events", Path(events)});
    return Run(more);
  }

  ReceiptPress press_;
  ChainBuilder first_{ChainBuilder::Vouchers(), "first", press_.key()};
  ChainBuilder second_{ChainBuilder::Vouchers(), "second", press_.key()};
  const testing::JsonPage page_{"client/JSON.md"};
};

TEST_F(ReceiptsOfAReplacedCorpusTest, AreNotVerifiedByTheNewLedgerAndAccuseNobody) {
  const Finished told = Verify("second.events", {"--explain"});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.output,
              AllOf(HasSubstr("2 receipts of budget first, of corpus "),
                    HasSubstr("which the ledger shown knows"), Not(HasSubstr("FINDING")),
                    Not(HasSubstr("put back")), Not(HasSubstr("entry 0"))));
  EXPECT_THAT(told.errors, AllOf(HasSubstr("were not verified"), HasSubstr("--events FILE"),
                                 Not(HasSubstr("ask the custodian"))));
  const Finished json = Verify("second.events", {"--explain", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(page_.Mismatch("receipts", json.output), "");
  EXPECT_THAT(json.output, AllOf(HasSubstr("\"verified\":false"), HasSubstr("\"known\":true"),
                                 HasSubstr("\"findings\":[]"), Not(HasSubstr("last_head"))));
}

TEST_F(ReceiptsOfAReplacedCorpusTest, AreVerifiedByAnExportOfTheirOwnLedger) {
  const Finished told = Verify("first.events");
  EXPECT_EQ(told.exit_code, 0) << told.output << told.errors;
  EXPECT_THAT(told.output, HasSubstr("entry 4, head "));
  const Finished json = Verify("first.events", {"--json"});
  EXPECT_EQ(page_.Mismatch("receipts", json.output), "");
  EXPECT_THAT(json.output, AllOf(HasSubstr("\"verified\":true"), HasSubstr("\"last_sequence\":4")));
}

TEST_F(ReceiptsOfAReplacedCorpusTest, AnotherLedgerThatDoesNotKnowThemHasForgottenThem) {
  const ChainBuilder third(ChainBuilder::Vouchers(), "third", press_.key());
  ASSERT_OK(ExtendExport(Path("third.events"), "notes", third.SeenBy("alice")));
  const Finished told = Verify("third.events");
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.output, AllOf(HasSubstr("FINDING"), HasSubstr("has forgotten first"),
                                 Not(HasSubstr("entry 0"))));
}

}  // namespace
}  // namespace topicwall::client
