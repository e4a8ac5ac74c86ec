// What can be said of the connection without a wall; with one: tests/e2e.
#include "client/wall/wall_client.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "client/audit/chain_watch.h"
#include "client/audit/head_book.h"
#include "client/audit/ledger_export.h"
#include "client/exit_code.h"
#include "client/wall/admission.h"
#include "client/wall/receipt_book.h"
#include "proto/ledger.pb.h"
#include "proto/strict_parse.h"
#include "tests/client/chain_wall.h"
#include "tests/client/receipt_press.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/environment_variable.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

Credentials SomeCredentials() {
  return {.ca = "-----BEGIN CERTIFICATE-----\n",
          .certificate = "-----BEGIN CERTIFICATE-----\n",
          .private_key = "-----BEGIN PRIVATE KEY-----\n"};
}

TEST(WallClientTest, ThereIsNoConnectionWithoutAllThreeCredentials) {
  for (std::string Credentials::*part :
       {&Credentials::ca, &Credentials::certificate, &Credentials::private_key}) {
    Credentials credentials = SomeCredentials();
    (credentials.*part).clear();
    EXPECT_THAT(ConnectWall({.server = "localhost:1", .credentials = credentials, .on_wait = {}}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(WallClientTest, AnAbsentServerIsUnavailableAfterAFewTriesAndEachIsTold) {
  int waits = 0;
  const auto wall = ConnectWall({.server = "127.0.0.1:1",
                                 .credentials = SomeCredentials(),
                                 .on_wait = [&waits](const absl::Status& error) {
                                   ++waits;
                                   EXPECT_FALSE(error.ok());
                                 }});
  ASSERT_OK(wall);
  const absl::Status absent = (*wall)->DescribeCorpus("notes").status();
  EXPECT_THAT(absent, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Explain(absent), ::testing::HasSubstr("check the profile's server"));
  EXPECT_GE(waits, 2);
}

// Nobody who sees "connect failed" thinks of it.
TEST(WallClientTest, AProxyOfTheEnvironmentIsNamedAndItsPasswordIsNot) {
  const testing::EnvironmentVariable none("grpc_proxy", nullptr);
  const testing::EnvironmentVariable proxy("https_proxy", "http://me:secret@127.0.0.1:1");
  const auto wall =
      ConnectWall({.server = "wall.invalid:1", .credentials = SomeCredentials(), .on_wait = {}});
  ASSERT_OK(wall);
  const std::string absent = Explain((*wall)->DescribeCorpus("notes").status());
  const std::string login(ExplainNoConnection("wall.invalid:1", "Connection refused").message());
  for (const std::string& text : {absent, login}) {
    EXPECT_THAT(text, ::testing::AllOf(::testing::HasSubstr("https_proxy is set"),
                                       ::testing::Not(::testing::HasSubstr("secret"))));
  }
}

TEST(WallClientTest, WhoeverIsToldToStopWaitsForNoFurtherTry) {
  int waits = 0;
  const auto wall = ConnectWall({.server = "127.0.0.1:1",
                                 .credentials = SomeCredentials(),
                                 .on_wait = [&waits](const absl::Status&) { ++waits; },
                                 .should_stop = [&waits] { return waits == 1; }});
  ASSERT_OK(wall);
  EXPECT_THAT((*wall)->DescribeCorpus("notes"),
              StatusIs(absl::StatusCode::kCancelled, ::testing::HasSubstr("did not answer")));
  EXPECT_EQ(waits, 1);
}

// Answers when it is told to, which is after whoever asked has gone.
class SilentWall : public ChainWall {
 public:
  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    asked.Notify();
    answers.WaitForNotification();
    return ChainWall::DescribeCorpus(corpus);
  }
  absl::Notification asked, answers;
};

TEST(WallClientTest, ACallThatIsUnderWayEndsWhenAnotherThreadEndsIt) {
  const testing::TemporaryDirectory folder;
  SilentWall wall;
  const WallServiceDouble service(wall, folder.path());
  ASSERT_TRUE(service.is_up());
  absl::Mutex mutex;
  std::function<void()> end_call;
  const auto client = ConnectWall({.server = service.address(),
                                   .credentials = service.credentials(),
                                   .on_wait = {},
                                   .should_stop = [] { return true; },
                                   .on_call =
                                       [&](std::function<void()> end) {
                                         const absl::MutexLock lock(&mutex);
                                         end_call = std::move(end);
                                       }});
  ASSERT_OK(client);
  std::thread other([&] {
    wall.asked.WaitForNotification();
    const absl::MutexLock lock(&mutex);
    end_call();
  });
  EXPECT_THAT((*client)->DescribeCorpus("notes"), StatusIs(absl::StatusCode::kCancelled));
  other.join();
  EXPECT_FALSE(end_call) << "of a call that is over";
  wall.answers.Notify();
}

// Entries and plans without an end, as it seems to whoever asks.
class LongWall : public ChainWall {
 public:
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view, int64_t) override {
    v1::LedgerEntry entry;
    entry.set_event(std::string(1000, 'e'));
    return std::vector<v1::LedgerEntry>(static_cast<size_t>(entries), entry);
  }
  int entries = 0;
};

TEST(WallClientTest, ALedgerOrAListOfPlansWithoutAnEndIsRefusedBeforeItFillsTheMemory) {
  const testing::TemporaryDirectory folder;
  LongWall wall;
  for (int plan = 0; plan < 1000; ++plan) wall.plans.push_back(absl::StrCat("plan-", plan));
  WallServiceDouble service(wall, folder.path());
  ASSERT_TRUE(service.is_up());
  ASSERT_OK_AND_ASSIGN(const auto client, ConnectWall({.server = service.address(),
                                                       .credentials = service.credentials(),
                                                       .on_wait = {},
                                                       .most_bytes = 100'000}));
  const auto refused =
      StatusIs(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr("at most 100000 bytes"));
  wall.entries = 50;
  EXPECT_EQ(client->ReadLedger("notes", 1)->size(), 50u);
  wall.entries = 200;
  EXPECT_THAT(client->ReadLedger("notes", 1), refused);
  EXPECT_THAT(client->ListPlans("notes"), refused);
  EXPECT_LT(service.pages_asked, 500) << "not all of them";
}

TEST(WallClientTest, AnotherCorpusThanWasAskedForIsNotDescribed) {
  const testing::TemporaryDirectory folder;
  ChainWall wall;
  const WallServiceDouble service(wall, folder.path());
  ASSERT_TRUE(service.is_up());
  ASSERT_OK_AND_ASSIGN(const auto client, ConnectWall({.server = service.address(),
                                                       .credentials = service.credentials(),
                                                       .on_wait = {}}));
  EXPECT_OK(client->DescribeCorpus("notes"));
  wall.description.set_corpus("mail");
  EXPECT_THAT(client->DescribeCorpus("notes"),
              StatusIs(absl::StatusCode::kInternal, ::testing::HasSubstr("another corpus")));
}

template <typename Message>
void AddUnknown(Message& message) {
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000, 1);
}

// Signs everything, and adds fields to what stands around the signed bytes: as a newer wall may,
// and as a gate can that was taken over.
class WiderWall : public ChainWall {
 public:
  WiderWall() {
    chain = ChainBuilder(chain.policy(), "budget", signer.key());
    chain.Reserve("alice", "plan", 40, 1);
    chain.Charge("alice", "plan", 1);
    chain.Publish("alice", "plan", 1);
    press = &signer;
    description.set_signing_key(signer.key());
    *description.mutable_sum() = chain.SumWith(1, 1e-6);
    AddUnknown(*description.mutable_sum());
    spoil = [](std::vector<v1::LedgerEntry>& entries) {
      for (v1::LedgerEntry& entry : entries) AddUnknown(entry);
      AddUnknown(*entries.back().mutable_signed_head());
    };
    budget = [this] {
      v1::BudgetStatus status = chain.Budget();
      *status.mutable_signed_head() = SignedHeadOf(signer, chain.entries().back());
      AddUnknown(*status.mutable_signed_head());
      return status;
    };
  }
  // Of an entry of the chain.
  v1::SignedReceipt Receipt(int64_t sequence) {
    v1::SignedReceipt receipt = signer.Of(chain.entries(), sequence);
    AddUnknown(receipt);
    return receipt;
  }
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view id) override {
    TW_ASSIGN_OR_RETURN(v1::PlanState plan, ChainWall::GetPlan(id));
    *plan.mutable_reservation_receipt() = Receipt(3);
    return plan;
  }
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest&) override {
    return GetPlan("plan");
  }
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view id) override { return GetPlan(id); }
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view) override {
    TW_ASSIGN_OR_RETURN(const v1::PlanState plan, GetPlan("plan"));
    return std::vector<v1::PlanState>{plan};
  }
  absl::StatusOr<Release> GetRelease(absl::string_view, int32_t, const ReleaseShape&) override {
    Release release = {.header = {}, .statistics = {1, 2}};
    *release.header.mutable_charge_receipt() = Receipt(4);
    *release.header.mutable_release_receipt() = Receipt(5);
    return release;
  }

  const ReceiptPress signer;
};

class WiderWallTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    ASSERT_OK_AND_ASSIGN(client_, ConnectWall({.server = service_.address(),
                                               .credentials = service_.credentials(),
                                               .on_wait = {}}));
  }
  static v1::SignedReceipt ReceiptOf(const absl::StatusOr<v1::PlanState>& plan) {
    return plan.ok() ? plan->reservation_receipt() : v1::SignedReceipt();
  }
  std::string Path(const char* name) const { return folder_.path() + "/" + name; }
  template <typename Message>
  proto::Reading ReadingOf(const char* name) const {
    Message message;
    return proto::ReadStrictly(testing::ReadWholeFile(Path(name)), &message);
  }

  const testing::TemporaryDirectory folder_;
  WiderWall wall_;
  const WallServiceDouble service_{wall_, folder_.path()};
  std::unique_ptr<WallPort> client_;
};

// Each of these files was refused ever after: it said more than the program knew.
TEST_F(WiderWallTest, ReceiptsWithFieldsThatNobodySignedLeaveABookThatOpensAgain) {
  const std::string path = Path("receipts.pb");
  ASSERT_OK_AND_ASSIGN(auto plans, client_->ListPlans("notes"));
  ASSERT_OK_AND_ASSIGN(const Release release, client_->GetRelease("plan", 1, {2, 2}));
  std::vector<v1::SignedReceipt> receipts = {
      ReceiptOf(client_->ReservePlan({})), ReceiptOf(client_->GetPlan("plan")),
      ReceiptOf(client_->CancelPlan("plan")), ReceiptOf(plans.front())};
  for (const v1::SignedReceipt& receipt : receipts) {
    EXPECT_EQ(receipt.SerializeAsString(),
              wall_.signer.Of(wall_.chain.entries(), 3).SerializeAsString())
        << "what is signed is as it came";
  }
  receipts.push_back(release.header.charge_receipt());
  receipts.push_back(release.header.release_receipt());
  ASSERT_OK_AND_ASSIGN(auto book, ReceiptBook::Open(path, wall_.signer.key()));
  ASSERT_OK(book.Keep(receipts));
  ASSERT_OK_AND_ASSIGN(const auto again, ReceiptBook::Open(path, wall_.signer.key()));
  EXPECT_EQ(again.file().receipts_size(), 3);
}

TEST_F(WiderWallTest, AChainWithFieldsThatNobodyHashedLeavesAnExportThatIsReadWhole) {
  ASSERT_OK_AND_ASSIGN(const auto entries, client_->ReadLedger("notes", 1));
  ASSERT_OK(ExtendExport(Path("notes.events"), "notes", entries));
  EXPECT_EQ(ReadingOf<v1::LedgerExport>("notes.events"), proto::Reading::kWhole);
  EXPECT_OK(OpenExport(Path("notes.events"), {}));
}

TEST_F(WiderWallTest, HeadsWithFieldsThatNobodySignedLeaveNotesThatAreReadAgain) {
  HeadBook book(Path("heads.pb"));
  ASSERT_OK(LookAtChain({.wall = *client_, .book = book}, "notes"));
  ASSERT_OK_AND_ASSIGN(const auto notes, book.Read());
  EXPECT_TRUE(NoteOfCorpus(notes, "notes")->has_signed_head());
  ASSERT_OK_AND_ASSIGN(const auto budget, client_->GetBudget("notes"));
  EXPECT_EQ(budget.signed_head().SerializeAsString(),
            SignedHeadOf(wall_.signer, wall_.chain.entries().back()).SerializeAsString());
}

// It stands in the file of whatever is bought.
TEST_F(WiderWallTest, ASumIsTakenWithoutTheFieldsThatAreNotKnown) {
  ASSERT_OK_AND_ASSIGN(const auto description, client_->DescribeCorpus("notes"));
  EXPECT_EQ(description.sum().SerializeAsString(),
            wall_.chain.SumWith(1, 1e-6).SerializeAsString());
}

// What the field is in was hashed: it may mean anything.
TEST_F(WiderWallTest, AnEventOrAReceiptThatItselfSaysMoreIsStillOfANewerWall) {
  v1::LedgerEvent event;
  event.mutable_corpus_joined()->set_corpus("more");
  AddUnknown(event);
  wall_.chain.Append(event);
  ASSERT_OK_AND_ASSIGN(const auto entries, client_->ReadLedger("notes", 1));
  EXPECT_TRUE(proto::IsWrittenByNewer(ExtendExport(Path("notes.events"), "notes", entries)));
  EXPECT_EQ(entries.back().event(), wall_.chain.entries().back().event());
}

// As a server ends calls that are under way when it is told to go, and is started again.
class GoingWall : public ChainWall {
 public:
  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    if (++asked <= ends) return absl::CancelledError("CANCELLED");
    return ChainWall::DescribeCorpus(corpus);
  }
  int asked = 0;
  int ends = 1;
};

TEST(WallClientTest, ACallThatAGoingServerEndedIsSentAgainAndIsUnavailableInTheEnd) {
  const testing::TemporaryDirectory folder;
  GoingWall wall;
  const WallServiceDouble service(wall, folder.path());
  ASSERT_TRUE(service.is_up());
  ASSERT_OK_AND_ASSIGN(const auto client, ConnectWall({.server = service.address(),
                                                       .credentials = service.credentials(),
                                                       .on_wait = {}}));
  ASSERT_OK_AND_ASSIGN(const auto described, client->DescribeCorpus("notes"));
  EXPECT_EQ(described.corpus(), "notes");
  EXPECT_EQ(wall.asked, 2);
  wall.ends = 1000;
  EXPECT_THAT(client->DescribeCorpus("notes"), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::client
