#include "server/store/stores.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <utility>

#include "server/store/ledger_files.h"
#include "tests/server/store/event_store_contract.h"

namespace topicwall::store {
namespace {

using testing::StatusIs;
using testing::TemporaryDirectory;

INSTANTIATE_TEST_SUITE_P(
    OneFile, EventStoreContract,
    ::testing::Values(StoreKind{
        .name = "sqlite",
        .create = [](const std::string& directory, const Identity& identity) -> StoreKind::Opened {
          auto lock = DataDirectoryLock::Acquire(directory);
          if (!lock.ok()) return lock.status();
          return CreateStore(*std::move(lock), identity);
        },
        .open = [](const std::string& directory) -> StoreKind::Opened {
          auto lock = DataDirectoryLock::Acquire(directory);
          if (!lock.ok()) return lock.status();
          return OpenStore(*std::move(lock));
        },
        .open_read_only =
            [](const std::string& directory) { return OpenStoreReadOnly(directory); }}),
    [](const auto& test) { return test.param.name; });

std::unique_ptr<EventStore> Made(const TemporaryDirectory& directory, const std::string& id) {
  auto store = CreateStore(*DataDirectoryLock::Acquire(directory.path()), {.ledger_id = id});
  EXPECT_OK(store);
  return *std::move(store);
}

std::set<std::string> NamesIn(const TemporaryDirectory& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.insert(entry.path().filename());
  }
  return names;
}

TEST(StoresTest, WhereAStoreIsOrWasNoneIsCreated) {
  TemporaryDirectory directory;
  Made(directory, "l1").reset();
  const auto create = [&] {
    return CreateStore(*DataDirectoryLock::Acquire(directory.path()), {.ledger_id = "l2"}).status();
  };
  EXPECT_THAT(create(), StatusIs(absl::StatusCode::kAlreadyExists));
  std::filesystem::remove(DatabasePath(directory.path()));
  EXPECT_THAT(create(), StatusIs(absl::StatusCode::kAlreadyExists)) << "it has lost its file";
}

TEST(StoresTest, AnInterruptedCreationIsFinishedUnlessItHasABudget) {
  TemporaryDirectory directory;
  auto store = Made(directory, "l1");
  store.reset();
  std::filesystem::remove(IdentityPath(directory.path()));
  store = Made(directory, "l2");
  EXPECT_EQ(store->ReadIdentity()->ledger_id, "l1") << "the one that was begun";
  v1::LedgerEntry entry;
  entry.set_sequence(1);
  entry.set_head(std::string(32, 'a'));
  ASSERT_OK(store->Append(
      {.name = "open",
       .chains = {
           {.budget_id = "b", .expected_head = std::string(32, '\0'), .entries = {entry}}}}));
  store.reset();
  std::filesystem::remove(IdentityPath(directory.path()));
  EXPECT_THAT(CreateStore(*DataDirectoryLock::Acquire(directory.path()), {.ledger_id = "l2"}),
              StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST(StoresTest, ACopyThatIsNotPutInPlaceLeavesNothing) {
  TemporaryDirectory from, to;
  const auto store = Made(from, "l1");
  {
    ASSERT_OK_AND_ASSIGN(auto copy, StoreCopy::Make(from.path(), to.path()));
    EXPECT_EQ(copy.store().ReadIdentity()->ledger_id, "l1");
    EXPECT_OK(RequireNoStore(to.path())) << "nobody takes it for a store";
  }
  EXPECT_THAT(NamesIn(to), ::testing::IsEmpty());
  ASSERT_OK_AND_ASSIGN(auto copy, StoreCopy::Make(from.path(), to.path()));
  ASSERT_OK(std::move(copy).PutInPlace());
  EXPECT_THAT(NamesIn(to), ::testing::ElementsAre("ledger.db", "ledger.id"));
  EXPECT_THAT(RequireNoStore(to.path()), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_OK(OpenStoreReadOnly(to.path()));
}

TEST(StoresTest, AStoreWhoseFileLostItsNameTellsNothing) {
  TemporaryDirectory directory;
  const auto store = Made(directory, "l1");
  const std::string path = DatabasePath(directory.path());
  for (const bool replaced : {false, true}) {
    SCOPED_TRACE(replaced);
    std::filesystem::rename(path, path + ".away");
    if (replaced) std::filesystem::copy_file(path + ".away", path);
    EXPECT_THAT(store->RequireInPlace(), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_THAT(store->Chains(), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_THAT(store->Append({.name = "any"}), StatusIs(absl::StatusCode::kDataLoss));
    std::filesystem::rename(path + ".away", path);
    EXPECT_OK(store->RequireInPlace());
    EXPECT_OK(store->Chains());
  }
}

TEST(StoresTest, AStoreUnderAnothersIdentityIsNotOpenedNorCopied) {
  TemporaryDirectory directory, to;
  Made(directory, "l1").reset();
  testing::WriteWholeFile(IdentityPath(directory.path()), "l2\n");
  EXPECT_THAT(OpenStoreReadOnly(directory.path()), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(OpenStore(*DataDirectoryLock::Acquire(directory.path())),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(StoreCopy::Make(directory.path(), to.path()).status(),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(NamesIn(to), ::testing::IsEmpty());
}

}  // namespace
}  // namespace topicwall::store
