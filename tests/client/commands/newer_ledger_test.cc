// What a program says of a ledger, and of receipts, that say more than it knows: neither that they
// are sound nor that somebody forged them, but that it is to be upgraded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/client/program.h"
#include "tests/client/receipt_press.h"
#include "tests/client/seen_wall.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/json_page.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace newer_ledger_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename Message>
void AddUnknown(Message& message) {
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000, 1);
}

class NewerLedgerTest : public ProgramFrame {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    testing::WriteWholeFile(Path("ann.textproto"), service_.profile());
    std::filesystem::create_directory(Path("exports"));
    wall_.chain = ChainBuilder(wall_.chain.policy(), "b0d9e7");
    wall_.chain.Reserve("alice", "a", 40, 3);
  }
  Finished AsAnn(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--profile", Path("ann.textproto")});
    return Run(arguments);
  }
  void AppendNewer() {
    v1::LedgerEvent event;
    event.mutable_corpus_joined()->set_corpus("more");
    AddUnknown(event);
    wall_.chain.Append(event);
  }

  SeenWall wall_;
  WallServiceDouble service_{wall_, folder_.path()};
  const testing::JsonPage page_{"client/JSON.md"};
};

const auto kNewer = AllOf(HasSubstr("ledger entry 4 says more than this program knows"),
                          HasSubstr("upgrade this program"), HasSubstr("nothing of it is verified"),
                          Not(HasSubstr("BROKEN")), Not(HasSubstr("custodian")));

TEST_F(NewerLedgerTest, IsNotVerifiedAndNotCalledBroken) {
  ASSERT_EQ(AsAnn({"watch", "notes"}).exit_code, 0);
  AppendNewer();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"ledger", "notes", "--verify"},
        {"watch", "notes"},
        {"watch", "notes", "--events", Path("exports")},
        {"budget", "notes"},
        {"plans", "notes"}}) {
    const Finished said = AsAnn(command);
    EXPECT_EQ(said.exit_code, 1) << command.front() << ": " << said.output;
    EXPECT_THAT(said.output + said.errors, kNewer) << command.front();
  }
  EXPECT_TRUE(std::filesystem::is_empty(Path("exports")));
  const Finished watched = AsAnn({"watch", "notes"});
  EXPECT_THAT(watched.output, HasSubstr("notes: NOT VERIFIED: "));
  EXPECT_THAT(watched.errors, HasSubstr("1 of 1 ledgers were not verified"));
  const Finished json = AsAnn({"watch", "notes", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_THAT(json.output, HasSubstr(R"("written_by_newer":true)"));
  EXPECT_EQ(page_.Mismatch("watch", json.output), "") << json.output;
}

TEST_F(NewerLedgerTest, ReceiptsOfItAreNotVerifiedAndNobodyIsAccused) {
  const ReceiptPress press;
  v1::Receipt receipt;
  ASSERT_TRUE(receipt.ParseFromString(press.Of(wall_.chain.entries(), 3).receipt()));
  AddUnknown(receipt);
  v1::ReceiptFile file;
  file.set_format_version(1);
  file.set_signing_key(press.key());
  *file.add_receipts() = press.Sign(receipt);
  testing::WriteWholeFile(Path("receipts.pb"), file.SerializeAsString());
  const Finished said = Run({"ledger", "--verify", Path("receipts.pb")});
  EXPECT_EQ(said.exit_code, 1) << said.output;
  EXPECT_THAT(
      said.output + said.errors,
      AllOf(HasSubstr("what 1 of 1 receipts hold says more"), HasSubstr("upgrade this program"),
            Not(HasSubstr("do not fit")), Not(HasSubstr("ask the custodian"))));
}

// Neither is any ledger to blame where what was noted of them cannot be read, whether it is named
// or not.
TEST_F(NewerLedgerTest, NotesThatAreDamagedOrNewerAreToldAsSuchAndNoLineIsAboutALedger) {
  ASSERT_EQ(AsAnn({"watch", "notes"}).exit_code, 0);
  const std::string notes = testing::ReadWholeFile(Path("heads-ann.pb"));
  for (const std::string& bytes : {std::string("x"), notes + "\x80\x7d\x01"}) {
    testing::WriteWholeFile(Path("heads-ann.pb"), bytes);
    const Finished all = AsAnn({"watch"}), one = AsAnn({"watch", "notes"});
    EXPECT_EQ(all.exit_code, 1);
    EXPECT_THAT(all.errors, HasSubstr("heads-ann.pb"));
    EXPECT_EQ(one.exit_code, all.exit_code);
    EXPECT_EQ(one.errors, all.errors);
    EXPECT_EQ(one.output, "") << "no line about the ledger";
  }
}

TEST_F(NewerLedgerTest, AFolderOfExportsThatIsMissingIsNamedAndNotWaitedFor) {
  const Finished said = AsAnn({"watch", "notes", "--events", Path("nowhere")});
  EXPECT_EQ(said.exit_code, 1) << "another try makes no folder";
  EXPECT_THAT(said.errors, AllOf(HasSubstr("mkdir -p " + Path("nowhere")),
                                 HasSubstr("no ledger was looked at")));
  EXPECT_EQ(said.output, "");
}

}  // namespace newer_ledger_test
}  // namespace topicwall::client
