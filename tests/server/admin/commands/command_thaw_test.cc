#include "server/admin/commands/command_thaw.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <poll.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/hex.h"
#include "proto/ledger.pb.h"
#include "proto/model.pb.h"
#include "proto/receipt.h"
#include "server/acts/act_server.h"
#include "server/admin/commands/command_backup.h"
#include "server/admin/commands/command_restore.h"
#include "server/admin/custody.h"
#include "server/local_doors.h"
#include "server/release/clock.h"
#include "server/vault/custodian_door.h"
#include "server/wall_config.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StatusIs;

// As a program of a later version does.
template <typename Message>
std::string WithAnUnknownField(Message message) {
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000, 1);
  return message.SerializeAsString();
}

// "notes" and "letters" have budgets. A backup is made, then a plan is charged that the backup
// does not know; then the ledger is lost and restored.
class ThawTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(world_.Ingest("notes", {"ann"}));
    ASSERT_OK(world_.Ingest("letters", {"bob"}));
    ASSERT_OK(world_.Open("notes"));
    ASSERT_OK(world_.Open("letters"));
    ASSERT_OK(MakeBackup({.config = world_.config(), .output = world_.Path("backup")}));
  }
  void LoseAndRestore() const {
    for (const char* name : {"data/ledger.db", "data/ledger.db-wal", "data/ledger.db-shm"}) {
      std::filesystem::remove(world_.Path(name));
    }
    ASSERT_OK(RestoreBackup({.config = world_.config(), .input = world_.Path("backup")}));
  }
  ThawFlags Flags() const {
    return {.config = world_.config(),
            .head = "",
            .events = "",
            .forfeit = false,
            .acknowledge_overruns = false,
            .corpus = ""};
  }
  ThawFlags HeadFlags(const std::string& head) const {
    ThawFlags flags = Flags();
    flags.head = head;
    return flags;
  }
  std::string HeadOf(const std::string& corpus) const {
    const auto corpus_status = world_.StatusOfCorpus(corpus);
    EXPECT_OK(corpus_status);
    return base::Hex(corpus_status->head);
  }
  v1::CorpusState StateOf(const std::string& corpus) const {
    const auto corpus_status = world_.StatusOfCorpus(corpus);
    EXPECT_OK(corpus_status);
    return corpus_status->state;
  }
  // As an auditor's `topicwall ledger notes --events` writes it.
  std::string ExportNotes() const {
    v1::LedgerExport exported;
    exported.set_corpus("notes");
    const auto corpus_status = world_.StatusOfCorpus("notes");
    EXPECT_OK(world_.Ledger()->ReadEvents(corpus_status->corpus_version,
                                          {.principal = "ann", .is_auditor = true}, 1,
                                          [&exported](const v1::LedgerEntry& entry) {
                                            *exported.add_entries() = entry;
                                            return absl::OkStatus();
                                          }));
    const int last = exported.entries_size() - 1;
    *exported.mutable_signed_head() = exported.entries(last).signed_head();
    world_.Write("notes.events", exported.SerializeAsString());
    return world_.Path("notes.events");
  }

  // As the clients of these principals keep them.
  std::string ReceiptsOf(const std::vector<std::string>& principals) const {
    v1::ReceiptFile file;
    file.set_format_version(proto::kReceiptFileFormat);
    const auto evidence = testing::ReceiptsOf(*world_.Ledger(), principals);
    for (const v1::SignedReceipt& receipt : evidence.receipts) *file.add_receipts() = receipt;
    world_.Write("notes.receipts", file.SerializeAsString());
    return world_.Path("notes.receipts");
  }

  const CustodianWorld world_;
};

TEST_F(ThawTest, ByTheHeadOfABackupThatMissesNothing) {
  const std::string head = HeadOf("notes");
  LoseAndRestore();
  const auto outcome = Thaw(HeadFlags(head));
  ASSERT_OK(outcome);
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(StateOf("letters"), v1::CORPUS_STATE_FROZEN);  // has a head of its own
  EXPECT_THAT(outcome->json.Text(), HasSubstr(R"("still_frozen":["letters"],"lost_budgets":[])"));
}

// By a server that runs; the program cannot read the ledger.
TEST_F(ThawTest, WhatIsDoneIsNotAnErrorIfNothingCanBeReadAfterwards) {
  const std::string head = HeadOf("notes");
  LoseAndRestore();
  const auto ledger = world_.Ledger();
  ASSERT_OK_AND_ASSIGN(const auto config, server::ReadWallConfig(world_.config()));
  ASSERT_OK_AND_ASSIGN(const auto listener, server::Listen(server::Door::kCustodian, config));
  std::thread server([&] {
    pollfd waiting = {.fd = listener.get(), .events = POLLIN, .revents = 0};
    poll(&waiting, 1, -1);
    server::CustodianDoor door(*ledger, release::SystemClock());
    acts::ActServer(door, {})
        .Serve(server::Accept(listener.get(), server::Door::kCustodian, config))
        .IgnoreError();
  });
  std::filesystem::remove(world_.Path("data/ledger.id"));
  const auto outcome = Thaw(HeadFlags(head));
  server.join();
  ASSERT_OK(outcome);
  EXPECT_THAT(outcome->text, HasSubstr("may be spent again"));
  EXPECT_THAT(outcome->warnings, ElementsAre(HasSubstr("cannot be read now")));
}

TEST_F(ThawTest, ByAHeadThatTheBackupDoesNotHaveIsRefused) {
  world_.ReserveAndChargeOne("notes", 3);
  const std::string later = HeadOf("notes");
  LoseAndRestore();
  EXPECT_THAT(Thaw(HeadFlags(later)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("forfeit")));
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_FROZEN);
}

TEST_F(ThawTest, AHeadIsSixtyFourDigits) {
  LoseAndRestore();
  const std::string too_short(63, 'a');
  std::string no_digits(64, 'a');
  no_digits.back() = 'g';
  for (const std::string& bad : {too_short, no_digits, std::string(66, 'a')}) {
    EXPECT_THAT(Thaw(HeadFlags(bad)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--head")));
  }
}

TEST_F(ThawTest, ByEventsTakesOverWhatWasCharged) {
  world_.ReserveAndChargeOne("notes", 3);
  ASSERT_OK_AND_ASSIGN(const auto lost, world_.StatusOfCorpus("notes"));
  ThawFlags flags = Flags();
  flags.events = ExportNotes();
  const std::string receipts = ReceiptsOf({"alice"});
  LoseAndRestore();
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("alice")));
  flags.receipts = {world_.Path("missing")};
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kNotFound));
  flags.receipts = {receipts};
  ASSERT_OK(Thaw(flags));
  ASSERT_OK_AND_ASSIGN(const auto thawed, world_.StatusOfCorpus("notes"));
  EXPECT_EQ(thawed.state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(thawed.EpsilonSpent(), lost.EpsilonSpent());
}

// Nothing else on the custodian's desk knows of it any more.
TEST_F(ThawTest, ByEventsNamesTheBudgetsThatWereLostWithTheLedger) {
  ASSERT_OK(world_.Ingest("cards", {"cid"}));
  ASSERT_OK(world_.Open("cards"));
  ASSERT_OK_AND_ASSIGN(const auto cards, world_.StatusOfCorpus("cards"));
  ThawFlags flags = Flags();
  flags.events = ExportNotes();
  LoseAndRestore();
  ASSERT_OK_AND_ASSIGN(const auto outcome, Thaw(flags));
  EXPECT_THAT(outcome.text, HasSubstr("Lost with the ledger, and counted in every sum: 1 budget, " +
                                      cards.budget_id + "\n"));
  EXPECT_THAT(outcome.json.Text(), HasSubstr("\"lost_budgets\":[\"" + cards.budget_id + "\"]"));
}

TEST_F(ThawTest, WithoutSomebodysReceiptsEverythingLeftIsForfeited) {
  world_.ReserveAndChargeOne("notes", 3);
  ThawFlags flags = Flags();
  flags.events = ExportNotes();
  flags.forfeit_unseen = true;
  LoseAndRestore();
  ASSERT_OK(Thaw(flags));
  ASSERT_OK_AND_ASSIGN(const auto thawed, world_.StatusOfCorpus("notes"));
  EXPECT_GE(thawed.EpsilonSpent(), thawed.policy->budget().epsilon);
}

TEST_F(ThawTest, ByAFileThatIsNoExportChangesNothing) {
  LoseAndRestore();
  ThawFlags flags = Flags();
  flags.events = world_.Path("wall.textproto");
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kInvalidArgument));
  flags.events = world_.Path("missing");
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kNotFound));
  world_.Write("huge", "");
  std::filesystem::resize_file(world_.Path("huge"), (uint64_t{1} << 30) + 1);
  flags.events = world_.Path("huge");
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most")));
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_FROZEN);
}

// Whoever gives a file believes that somebody's receipts were looked at.
TEST_F(ThawTest, ByAFileThatHasNoReceiptsInItChangesNothing) {
  const std::string head = HeadOf("notes");
  world_.ReserveAndChargeOne("notes", 3);
  const std::string events = ExportNotes();
  LoseAndRestore();
  v1::ReceiptFile none;
  none.set_format_version(proto::kReceiptFileFormat);
  v1::ModelFile model;
  model.set_format_version(1);
  world_.Write("empty", "");
  world_.Write("none", none.SerializeAsString());
  world_.Write("model", model.SerializeAsString());
  for (const std::string& path : {world_.Path("empty"), world_.Path("none"), world_.Path("model"),
                                  events, world_.Path("wall.textproto")}) {
    ThawFlags flags = HeadFlags(head);
    flags.receipts = {path};
    EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kInvalidArgument,
                                      AllOf(HasSubstr(path), HasSubstr("receipts.pb"))));
  }
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_FROZEN);
}

TEST_F(ThawTest, ByReceiptsOrEventsOfANewerVersionChangesNothing) {
  const std::string head = HeadOf("notes");
  world_.ReserveAndChargeOne("notes", 3);
  const std::string events = ExportNotes();
  const std::string receipts = ReceiptsOf({"alice"});
  LoseAndRestore();
  v1::ReceiptFile file;
  ASSERT_TRUE(file.ParseFromString(world_.Read("notes.receipts")));
  world_.Write("more.receipts", WithAnUnknownField(file));
  file.set_format_version(proto::kReceiptFileFormat + 1);
  world_.Write("later.receipts", file.SerializeAsString());
  const auto newer = [&](const std::string& name) {
    return StatusIs(absl::StatusCode::kFailedPrecondition,
                    AllOf(HasSubstr(world_.Path(name)), HasSubstr("upgrade topicwall-admin")));
  };
  for (const char* name : {"more.receipts", "later.receipts"}) {
    ThawFlags flags = HeadFlags(head);
    flags.receipts = {receipts, world_.Path(name)};
    EXPECT_THAT(Thaw(flags), newer(name));
  }
  v1::LedgerExport exported;
  ASSERT_TRUE(exported.ParseFromString(world_.Read("notes.events")));
  world_.Write("more.events", WithAnUnknownField(exported));
  ThawFlags flags = Flags();
  flags.receipts = {receipts};
  flags.events = world_.Path("more.events");
  EXPECT_THAT(Thaw(flags), newer("more.events"));
  flags.events = world_.Path("notes.receipts");
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--events")));
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_FROZEN);
}

TEST_F(ThawTest, ByForfeitingSpendsEverything) {
  LoseAndRestore();
  ThawFlags flags = Flags();
  flags.forfeit = true;
  flags.corpus = "notes";
  ASSERT_OK(Thaw(flags));
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_OPEN);
  v1::ReleaseSpec plan = testing::SmallPlan(1, 1000);
  plan.set_corpus_version(world_.StatusOfCorpus("notes")->corpus_version);
  EXPECT_THAT(world_.Ledger()->Reserve(testing::ReserveRequestFor("bob", 1, plan)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(world_.Run("statement --config wall.textproto --corpus notes").output,
              AllOf(HasSubstr("\nepsilon: 2.44\n"), HasSubstr("\nodometer epsilon: 2.44, at")));
  EXPECT_THAT(world_.Run("status --config wall.textproto").output,
              HasSubstr("notes: open, epsilon 2.4400 of 2.4400"));
}

TEST_F(ThawTest, OfWhatIsNotFrozenIsAnError) {
  ThawFlags flags = Flags();
  flags.forfeit = true;
  flags.corpus = "notes";
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(Thaw(HeadFlags(HeadOf("notes"))), StatusIs(absl::StatusCode::kFailedPrecondition));
  flags.corpus = "other";
  EXPECT_THAT(Thaw(flags), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(ThawTest, AcknowledgedOverrunsLetACorpusReleaseAgain) {
  {
    v1::ReleaseSpec spec = testing::SmallPlan(3);
    spec.set_corpus_version(world_.StatusOfCorpus("notes")->corpus_version);
    const auto ledger = world_.Ledger();
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         ledger->Reserve(testing::ReserveRequestFor("alice", 1, spec)));
    for (int iteration = 1; iteration <= 3; ++iteration) {
      ASSERT_OK_AND_ASSIGN(auto outcome,
                           ledger->Charge(testing::ChargeRequestFor(plan, iteration)));
      ASSERT_OK(ledger->Store(ledger::ChargeReceiptTestPeer::Noised(
                                  std::get<ledger::ChargeReceipt>(std::move(outcome))),
                              testing::SmallHeader(), {1, 2, 3, 4, 5, 6}));
      ASSERT_OK(ledger->Publish(testing::PublicationOf(plan, iteration, /*intervals_waited=*/2)));
    }
  }
  ASSERT_EQ(StateOf("notes"), v1::CORPUS_STATE_PAUSED);
  ThawFlags flags = Flags();
  flags.acknowledge_overruns = true;
  flags.corpus = "notes";
  ASSERT_OK(Thaw(flags));
  EXPECT_EQ(StateOf("notes"), v1::CORPUS_STATE_OPEN);
  const int64_t events = world_.StatusOfCorpus("notes")->events;
  EXPECT_THAT(Thaw(flags)->text, HasSubstr("no overruns to acknowledge; nothing was written"));
  EXPECT_EQ(world_.StatusOfCorpus("notes")->events, events);
}

}  // namespace
}  // namespace topicwall::admin
