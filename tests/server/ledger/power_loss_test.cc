// What the ledger promises about disks, on a disk that keeps only what was synced, tears
// what was not, fills up and fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "proto/sha256.h"
#include "tests/server/ledger/power_cut_vfs.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using testing::LedgerForTests;
using testing::PublicationOf;
using testing::ReserveRequestFor;
using testing::SmallHeader;
using testing::SmallPlan;
using testing::StatusIs;

// Everything readers see, and what a restart finds to publish.
std::string Shown(SqliteLedger& ledger) {
  auto budget = ledger.Budget({.corpus_version = testing::kNotesVersion, .reader = {"ann", true}});
  EXPECT_OK(budget);
  std::string shown = budget->SerializeAsString();
  auto plans = ledger.ListPlans("alice", "");
  EXPECT_OK(plans);
  for (const auto& plan : *plans) {
    shown += plan.SerializeAsString();
    for (const auto& iteration : plan.iterations()) {
      testing::CollectedRelease read;
      if (!iteration.readable()) continue;
      EXPECT_OK(ledger.ReadRelease("alice", plan.plan_id(), iteration.iteration(), read));
      shown += read.header.SerializeAsString() + read.bytes;
    }
  }
  auto unfinished = ledger.Unfinished();
  EXPECT_OK(unfinished);
  for (const auto& release : *unfinished) shown += "unfinished " + release.plan_id;
  // A digest, so that a difference does not print a release.
  return absl::BytesToHexString(proto::DigestBytes(proto::Sha256Of(shown)));
}

// The ledger as a restart would find it on this picture of the disk.
std::string ShownAfterRestart(const DiskPicture& picture, const std::string& directory) {
  testing::TemporaryDirectory elsewhere;
  std::filesystem::copy_file(directory + "/ledger.id", elsewhere.path() + "/ledger.id");
  for (const auto& [path, content] : picture) {
    if (path.rfind(directory, 0) != 0) continue;
    testing::WriteWholeFile(elsewhere.path() + path.substr(directory.size()), content);
  }
  auto lock = DataDirectoryLock::Acquire(elsewhere.path());
  EXPECT_OK(lock);
  auto opened = SqliteLedger::Open(*std::move(lock), testing::LedgerKeysForTests());
  EXPECT_OK(opened);
  return opened.ok() ? Shown(**opened) : "";
}

class PowerLossTest : public ::testing::Test {
 protected:
  // Puts one act under the camera: on every picture the ledger is what it was before the act
  // or what it is after it; and once the act was answered, only the latter.
  void ExpectAllOrNothing(const std::function<void()>& act) {
    const std::string before = Shown(*wall_);
    disk_.StartPictures();
    act();
    const std::set<DiskPicture> pictures = disk_.TakePictures();
    const std::string after = Shown(*wall_);
    EXPECT_GT(pictures.size(), 9);
    for (const DiskPicture& picture : pictures) {
      EXPECT_THAT(ShownAfterRestart(picture, wall_.directory()), ::testing::AnyOf(before, after));
    }
    EXPECT_EQ(ShownAfterRestart(disk_.Synced(), wall_.directory()), after);
  }

  v1::PlanState Reserve(int number) {
    auto plan = wall_->Reserve(ReserveRequestFor("alice", number, SmallPlan(3)));
    EXPECT_OK(plan);
    return plan.ok() ? *plan : v1::PlanState();
  }

  NoisedReceipt Charge(const v1::PlanState& plan, int iteration) {
    auto outcome = wall_->Charge(ChargeRequestFor(plan, iteration));
    EXPECT_OK(outcome);
    return ChargeReceiptTestPeer::Noised(std::get<ChargeReceipt>(*std::move(outcome)));
  }

  PowerCutVfs& disk_ = PowerCutVfs::Install();
  LedgerForTests wall_;
};

TEST_F(PowerLossTest, EveryActIsAllOrNothingAndDurableWhenItIsAnswered) {
  v1::PlanState plan;
  std::optional<NoisedReceipt> receipt;
  ExpectAllOrNothing([&] { plan = Reserve(1); });
  ExpectAllOrNothing([&] { receipt.emplace(Charge(plan, 1)); });
  const std::vector<float> statistics(20000, 1.5f);
  ExpectAllOrNothing(
      [&] { EXPECT_OK(wall_->Store(*std::move(receipt), SmallHeader(), statistics)); });
  ExpectAllOrNothing([&] { EXPECT_OK(wall_->Publish(PublicationOf(plan, 1))); });
  ExpectAllOrNothing([&] { EXPECT_OK(wall_->Cancel("alice", plan.plan_id(), 9000)); });
}

// Fails the n-th write (sync) of an act, for every n until the act succeeds without it.
template <typename FailAt>
void FailEachInTurn(LedgerForTests& wall, const FailAt& fail_at,
                    const std::function<absl::Status()>& act) {
  const std::string before = Shown(*wall);
  for (int which = 1;; ++which) {
    ASSERT_LT(which, 200) << "the act never succeeds";
    fail_at(which);
    const absl::Status status = act();
    fail_at(0);
    if (status.ok()) {
      EXPECT_GT(which, 1);
      return;
    }
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_EQ(Shown(*wall), before) << "after failure " << which;
    // A commit whose sync failed may or may not be on the disk after a crash. Charges are
    // safe either way; what is checked here is that the ledger itself stays sound.
    EXPECT_OK(wall->VerifyWholeLedger());
  }
}

TEST_F(PowerLossTest, AFullDiskChangesNothing) {
  const auto fail_at = [&](int which) { disk_.FailWrites(which, SQLITE_FULL); };
  FailEachInTurn(wall_, fail_at, [&] {
    return wall_->Reserve(ReserveRequestFor("alice", 1, SmallPlan(3))).status();
  });
  const v1::PlanState plan = Reserve(1);
  FailEachInTurn(wall_, fail_at, [&] { return wall_->Charge(ChargeRequestFor(plan, 1)).status(); });
  const std::vector<float> statistics(20000, 1.5f);
  // A receipt is used up by the attempt; the same one is had again, as after a crash.
  NoisedReceipt receipt = Charge(plan, 2);
  disk_.FailWrites(3, SQLITE_FULL);
  EXPECT_THAT(wall_->Store(std::move(receipt), SmallHeader(), statistics),
              StatusIs(absl::StatusCode::kUnavailable));
  disk_.FailWrites(0, 0);
  wall_.Reopen();
  EXPECT_OK(wall_->Store(Charge(plan, 2), SmallHeader(), statistics));
  FailEachInTurn(wall_, fail_at, [&] { return wall_->Publish(PublicationOf(plan, 2)); });
  wall_.Reopen();
}

TEST_F(PowerLossTest, AFailedSyncIsAFailedAct) {
  const auto fail_at = [&](int which) { disk_.FailSyncs(which, SQLITE_IOERR_FSYNC); };
  FailEachInTurn(wall_, fail_at, [&] {
    return wall_->Reserve(ReserveRequestFor("alice", 1, SmallPlan(3))).status();
  });
  const v1::PlanState plan = Reserve(1);
  FailEachInTurn(wall_, fail_at, [&] { return wall_->Charge(ChargeRequestFor(plan, 1)).status(); });
  FailEachInTurn(wall_, fail_at,
                 [&] { return wall_->Cancel("alice", plan.plan_id(), 1).status(); });
  wall_.Reopen();
}

}  // namespace
}  // namespace topicwall::ledger
