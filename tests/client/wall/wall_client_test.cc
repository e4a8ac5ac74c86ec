// What can be said of the connection without a wall; with one: tests/e2e.
#include "client/wall/wall_client.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "client/exit_code.h"
#include "client/wall/admission.h"
#include "tests/client/chain_wall.h"
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
