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
#include "base/sha256.h"
#include "server/ledger/ledger_backup.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
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
std::string Shown(FoldedLedger& ledger) {
  auto budget = ledger.Budget({.corpus_version = testing::kNotesVersion, .reader = {"ann", true}});
  EXPECT_OK(budget);
  if (!budget.ok()) return budget.status().ToString();
  std::string shown = budget->SerializeAsString();
  auto plans = ledger.ListPlans({.principal = "alice"});
  EXPECT_OK(plans);
  for (const auto& plan : plans->plans) {
    shown += plan.SerializeAsString();
    for (const auto& iteration : plan.iterations()) {
      testing::CollectedRelease read;
      // Writes nothing, whatever the state: with another build nothing is computed.
      ChargeRequest look = ChargeRequestFor(plan, iteration.iteration());
      look.computed_with.set_build("another build");
      const auto outcome = ledger.Charge(look);
      const bool ok = outcome.ok();
      if (ok && std::holds_alternative<AwaitingPublication>(*outcome)) shown += "stored";
      if (!iteration.readable()) continue;
      EXPECT_OK(ledger.ReadRelease("alice", plan.plan_id(), iteration.iteration(), read));
      shown += read.header.SerializeAsString() + read.bytes;
    }
  }
  // A digest, so that a difference does not print a release.
  return absl::BytesToHexString(base::DigestBytes(base::Sha256Of(shown)));
}

// Puts the files of `directory` in the picture into the folder `to`.
void Develop(const DiskPicture& picture, const std::string& directory, const std::string& to) {
  std::filesystem::copy_file(directory + "/ledger.id", to + "/ledger.id");
  for (const auto& [path, content] : picture) {
    if (path.rfind(directory, 0) != 0) continue;
    testing::WriteWholeFile(to + path.substr(directory.size()), content);
  }
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> OpenIn(const std::string& directory) {
  auto lock = store::DataDirectoryLock::Acquire(directory);
  if (!lock.ok()) return lock.status();
  return FoldedLedger::Open(*std::move(lock), testing::LedgerKeysForTests());
}

// The ledger as a restart would find it on this picture of the disk.
std::string ShownAfterRestart(const DiskPicture& picture, const std::string& directory) {
  testing::TemporaryDirectory elsewhere;
  Develop(picture, directory, elsewhere.path());
  auto opened = OpenIn(elsewhere.path());
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
    return testing::Noised(std::move(outcome));
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
  ExpectAllOrNothing([&] {
    EXPECT_OK(wall_->Store(*std::move(receipt), SmallHeader(statistics.size()), statistics));
  });
  ExpectAllOrNothing([&] { EXPECT_OK(wall_->Publish(PublicationOf(plan, 1))); });
  ExpectAllOrNothing([&] { EXPECT_OK(wall_->Cancel("alice", plan.plan_id(), 9000)); });
}

// Fails the n-th write (sync) of an act, for every n until the act succeeds without it. After each
// failure nothing has changed and the ledger is sound; after the success, all of it is on the
// disk, also what was written while the fault lasted.
class DiskFaultTest : public PowerLossTest {
 protected:
  using FailAt = std::function<void(int)>;
  void FailEachInTurn(const FailAt& fail_at, const std::function<absl::Status()>& act) {
    const std::string before = Shown(*wall_);
    for (int which = 1;; ++which) {
      ASSERT_LT(which, 200) << "the act never succeeds";
      fail_at(which);
      const absl::Status status = act();
      fail_at(0);
      if (status.ok()) {
        ASSERT_GT(which, 1) << "nothing was written (synced) at all";
        break;
      }
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
      EXPECT_EQ(Shown(*wall_), before) << "after failure " << which;
      EXPECT_OK(wall_->VerifyWholeLedger());
    }
    EXPECT_EQ(ShownAfterRestart(disk_.Synced(), wall_.directory()), Shown(*wall_));
  }

  // Every act of a plan's life under the fault.
  void FailEverywhere(const FailAt& fail_at) {
    FailEachInTurn(fail_at, [&] {
      return wall_->Reserve(ReserveRequestFor("alice", 1, ManyIterations())).status();
    });
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         wall_->Reserve(ReserveRequestFor("alice", 1, ManyIterations())));
    FailEachInTurn(fail_at, [&] { return wall_->Charge(ChargeRequestFor(plan, 1)).status(); });
    FailEachStore(fail_at, plan);
    FailEachInTurn(fail_at, [&] { return wall_->Publish(PublicationOf(plan, stored_)); });
    FailEachInTurn(fail_at, [&] { return wall_->Cancel("alice", plan.plan_id(), 9000).status(); });
    wall_.Reopen();
  }

 private:
  static v1::ReleaseSpec ManyIterations() { return SmallPlan(60, 60); }

  // A receipt is used up by each attempt, so each is of an iteration of its own.
  void FailEachStore(const FailAt& fail_at, const v1::PlanState& plan) {
    const std::vector<float> statistics(3000, 1.5f);
    absl::Status status = absl::UnavailableError("");
    for (int which = 1; !status.ok(); ++which) {
      ASSERT_LT(which, 60) << "the store never succeeds";
      stored_ = which;
      NoisedReceipt receipt = Charge(plan, stored_);
      const std::string before = Shown(*wall_);
      fail_at(which);
      status = wall_->Store(std::move(receipt), SmallHeader(statistics.size()), statistics);
      fail_at(0);
      if (status.ok()) break;
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
      EXPECT_EQ(Shown(*wall_), before) << "after failure " << which;
      EXPECT_OK(wall_->VerifyWholeLedger());
    }
    EXPECT_GT(stored_, 1);
    EXPECT_EQ(ShownAfterRestart(disk_.Synced(), wall_.directory()), Shown(*wall_));
    // What could not be stored is paid for, and can be computed again.
    EXPECT_OK(wall_->Store(Charge(plan, 1), SmallHeader(statistics.size()), statistics));
  }

  int stored_ = 0;  // an iteration
};

// The first write after a restore makes of a file that was copied one that a server uses.
TEST_F(PowerLossTest, WhateverStopsTheFirstWriteAfterARestoreTheLedgerCanBeRead) {
  const testing::TemporaryDirectory backup, data;
  ASSERT_OK(BackupLedger(wall_.directory(), backup.path(), testing::LedgerKeysForTests()));
  ASSERT_OK(InstallBackup(backup.path(), *store::DataDirectoryLock::Acquire(data.path()),
                          testing::LedgerKeysForTests(), 95000));
  disk_.StartPictures();
  ASSERT_OK_AND_ASSIGN(const auto ledger, OpenIn(data.path()));
  ASSERT_OK(ledger->ThawByForfeiting(wall_.budget_id(), 96000));
  const std::set<DiskPicture> pictures = disk_.TakePictures();
  EXPECT_GT(pictures.size(), 3);
  for (const DiskPicture& picture : pictures) {
    const testing::TemporaryDirectory elsewhere;
    Develop(picture, data.path(), elsewhere.path());
    EXPECT_OK(FoldedLedger::OpenReadOnly(elsewhere.path()).status());
  }
}

TEST_F(DiskFaultTest, AFullDiskChangesNothing) {
  FailEverywhere([&](int which) { disk_.FailWrites(which, SQLITE_FULL); });
}

TEST_F(DiskFaultTest, AShortWriteChangesNothing) {
  FailEverywhere([&](int which) { disk_.FailWrites(which, SQLITE_FULL, /*half=*/true); });
}

TEST_F(DiskFaultTest, AFailedWriteChangesNothing) {
  FailEverywhere([&](int which) { disk_.FailWrites(which, SQLITE_IOERR_WRITE, /*half=*/true); });
}

TEST_F(DiskFaultTest, AFailedSyncIsAFailedActAndIsNotTrustedLater) {
  FailEverywhere([&](int which) { disk_.FailSyncs(which, SQLITE_IOERR_FSYNC); });
}

// A disk that drops a write and says nothing. A ledger that has lost one either is what it was
// before or after the act, or is noticed to be damaged: when it is opened, or, where only a
// release is damaged, when that is read. It is never something else, and above all no iteration
// that was charged can be charged anew.
TEST_F(PowerLossTest, ALostWriteIsNoticedOrWithoutConsequence) {
  const v1::PlanState plan = Reserve(1);
  NoisedReceipt receipt = Charge(plan, 1);
  const std::vector<float> statistics(2000, 1.5f);
  const std::vector<std::function<void()>> acts = {
      [&] { Reserve(2); }, [&] { Charge(plan, 2); },
      [&] {
        EXPECT_OK(wall_->Store(std::move(receipt), SmallHeader(statistics.size()), statistics));
      },
      [&] { EXPECT_OK(wall_->Publish(PublicationOf(plan, 1))); },
      [&] { EXPECT_OK(wall_->Cancel("alice", plan.plan_id(), 9000)); }};
  int noticed = 0, harmless = 0;
  for (const auto& act : acts) {
    const std::string before = Shown(*wall_);
    disk_.StartPictures();
    act();
    const std::vector<DiskPicture> pictures = disk_.LostWritePictures();
    disk_.TakePictures();
    const std::string after = Shown(*wall_);
    for (const DiskPicture& picture : pictures) {
      testing::TemporaryDirectory elsewhere;
      Develop(picture, wall_.directory(), elsewhere.path());
      auto opened = OpenIn(elsewhere.path());
      if (!opened.ok()) {
        EXPECT_THAT(opened, StatusIs(absl::StatusCode::kDataLoss));
        ++noticed;
        continue;
      }
      if (!(*opened)->VerifyWholeLedger().ok()) {
        ++noticed;
      } else {
        EXPECT_THAT(Shown(**opened), ::testing::AnyOf(before, after));
        ++harmless;
      }
      const auto again = (*opened)->Charge(ChargeRequestFor(plan, 1, /*content=*/8));
      EXPECT_FALSE(again.ok()) << "charged anew";
    }
  }
  EXPECT_GT(noticed, 20);
  EXPECT_GT(harmless, 5);
}

}  // namespace
}  // namespace topicwall::ledger
