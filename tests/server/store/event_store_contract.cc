#include "tests/server/store/event_store_contract.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace topicwall::store {
namespace {

using testing::StatusIs;

const std::string kGenesis(32, '\0');  // the head of a budget that is not there yet

std::string Head(char letter) { return std::string(32, letter); }

v1::LedgerEntry Entry(int64_t sequence, char head) {
  v1::LedgerEntry entry;
  entry.set_sequence(sequence);
  entry.set_event(absl::StrCat(absl::string_view("event\0 ", 7), sequence));
  entry.set_salt(std::string(16, 's'));
  entry.set_commitment(std::string(32, 'c'));
  entry.set_head(Head(head));
  return entry;
}

Change Grow(const std::string& budget, const std::string& expected,
            std::vector<v1::LedgerEntry> entries) {
  return {.name = "grow",
          .chains = {{.budget_id = budget, .expected_head = expected, .entries = entries}}};
}

OpenCharge Row(int64_t sequence) {
  return {.budget_id = "b1", .sequence = sequence, .sealed_key = std::string("k\0y", 3)};
}

Change Replace(std::optional<OpenCharge> before, std::optional<OpenCharge> after) {
  return {.name = "row",
          .open_charges = {{.before = std::move(before), .after = std::move(after)}}};
}

PlanRecord Plan(const std::string& id, const std::string& request) {
  return {.plan_id = id, .principal = "alice", .request_id = request};
}

}  // namespace

EventStoreContract::EventStoreContract() {
  auto made = GetParam().create(directory_.path(), {.ledger_id = "l1", .key_check = "check"});
  EXPECT_OK(made);
  store_ = *std::move(made);
}

void EventStoreContract::Reopen() {
  store_.reset();
  ASSERT_OK_AND_ASSIGN(auto opened, GetParam().open(directory_.path()));
  store_ = std::move(opened);
}

std::unique_ptr<EventStore> EventStoreContract::Reader() {
  auto opened = GetParam().open_read_only(directory_.path());
  EXPECT_OK(opened);
  return *std::move(opened);
}

std::string EventStoreContract::Picture(EventStore& store) {
  const Identity identity = *store.ReadIdentity();
  std::string all = absl::StrCat(identity.ledger_id, identity.epoch, identity.is_backup,
                                 identity.key_check, "\n");
  const std::vector<Chain> chains = *store.Chains();
  for (const Chain& chain : chains) {
    absl::StrAppend(&all, chain.budget_id, chain.length, chain.head, "\n");
    const std::vector<v1::LedgerEntry> entries = *store.ReadEntries(chain.budget_id, 1, 1000);
    for (const v1::LedgerEntry& entry : entries) absl::StrAppend(&all, entry.SerializeAsString());
  }
  const std::vector<OpenCharge> rows = *store.OpenCharges();
  for (const OpenCharge& row : rows) {
    absl::StrAppend(&all, row.budget_id, row.sequence, row.sealed_key, row.header_sha256,
                    row.release_sha256, "\n");
  }
  for (const char* id : {"p1", "p2"}) {
    const auto plan = *store.FindPlan(id);
    if (plan.has_value()) absl::StrAppend(&all, plan->plan_id, plan->request_id, "\n");
  }
  for (const int64_t part : {0, 1}) absl::StrAppend(&all, store.ReadBlob("d1", part)->value_or(""));
  return absl::CHexEscape(all);
}

TEST_P(EventStoreContract, WhatWasAppendedIsReadAsItIsAndStays) {
  ASSERT_OK(store().Append(Grow("b1", kGenesis, {Entry(1, 'a'), Entry(2, 'b')})));
  ASSERT_OK(store().Append(Grow("b0", kGenesis, {Entry(1, 'x')})));
  ASSERT_OK(store().Append(Grow("b1", Head('b'), {Entry(3, 'c')})));
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK_AND_ASSIGN(const auto chains, store().Chains());
    ASSERT_EQ(chains.size(), 2);
    EXPECT_EQ(chains[0].budget_id, "b1") << "in the order of opening";
    EXPECT_EQ(chains[0].length, 3);
    EXPECT_EQ(chains[0].head, Head('c'));
    EXPECT_EQ(chains[1].budget_id, "b0");
    ASSERT_OK_AND_ASSIGN(const auto middle, store().ReadEntries("b1", 2, 1));
    ASSERT_EQ(middle.size(), 1);
    EXPECT_EQ(middle[0].SerializeAsString(), Entry(2, 'b').SerializeAsString());
    EXPECT_EQ(store().ReadEntries("b1", 3, 100)->size(), 1);
    EXPECT_EQ(store().ReadEntries("b1", 4, 100)->size(), 0);
    EXPECT_EQ(store().ReadEntries("nobody", 1, 100)->size(), 0);
    EXPECT_EQ(Picture(*Reader()), Picture(store()));
    Reopen();
  }
}

TEST_P(EventStoreContract, AChainThatHasMovedIsNotAppendedTo) {
  ASSERT_OK(store().Append(Grow("b1", kGenesis, {Entry(1, 'a')})));
  const std::string before = Picture(store());
  for (const std::string& expected : {kGenesis, Head('b'), std::string(), Head('a') + "a"}) {
    EXPECT_THAT(store().Append(Grow("b1", expected, {Entry(2, 'b')})),
                StatusIs(absl::StatusCode::kAborted));
  }
  EXPECT_THAT(store().Append(Grow("new", Head('a'), {Entry(1, 'a')})),
              StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(Picture(store()), before);
}

// Several chains, rows, a plan and blobs in one act: the last part decides for all.
TEST_P(EventStoreContract, AnActIsAllOrNothing) {
  ASSERT_OK(store().Append(Grow("b1", kGenesis, {Entry(1, 'a')})));
  const std::string before = Picture(store());
  Change act = Grow("b1", Head('a'), {Entry(2, 'b')});
  act.plan = Plan("p1", "r1");
  act.blobs = {{.sha256 = "d1", .part = 0, .bytes = "bytes"}};
  act.identity = {.ledger_id = "l1", .epoch = 2, .key_check = "check"};
  act.open_charges = {{.before = std::nullopt, .after = Row(2)}};
  Change refused = act;
  refused.chains.push_back({.budget_id = "b2", .expected_head = Head('z'), .entries = {}});
  EXPECT_THAT(store().Append(refused), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(Picture(store()), before);
  refused = act;
  refused.open_charges.push_back({.before = Row(9), .after = std::nullopt});
  EXPECT_THAT(store().Append(refused), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(Picture(store()), before);
  EXPECT_OK(store().Append(act));
  const std::string after = Picture(store());
  EXPECT_NE(after, before);
  Reopen();
  EXPECT_EQ(Picture(store()), after);
}

// Acts that are decided on all budgets: one that was opened meanwhile was not among them.
TEST_P(EventStoreContract, AnActOnAllChainsIsRefusedOnceThereIsAnother) {
  Change first = Grow("b1", kGenesis, {Entry(1, 'a')});
  first.num_chains = 0;
  ASSERT_OK(store().Append(first));
  Change second = Grow("b2", kGenesis, {Entry(1, 'a')});
  second.num_chains = 0;
  EXPECT_THAT(store().Append(second), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(store().Chains()->size(), 1);
  second.num_chains = 1;
  EXPECT_OK(store().Append(second));
}

TEST_P(EventStoreContract, ARowIsReplacedOnlyByWhoKnowsIt) {
  ASSERT_OK(store().Append(Replace(std::nullopt, Row(1))));
  EXPECT_THAT(store().Append(Replace(std::nullopt, Row(1))), StatusIs(absl::StatusCode::kAborted));
  OpenCharge stale = Row(1);
  stale.sealed_key = "another";
  EXPECT_THAT(store().Append(Replace(stale, std::nullopt)), StatusIs(absl::StatusCode::kAborted));
  OpenCharge stored = Row(1);
  stored.sealed_key.clear();
  stored.header_sha256 = std::string(32, '\0');
  stored.release_sha256 = Head('r');
  ASSERT_OK(store().Append(Replace(Row(1), stored)));
  ASSERT_OK(store().Append(Replace(std::nullopt, Row(2))));
  EXPECT_THAT(*store().OpenCharges(), ::testing::ElementsAre(stored, Row(2)));
  ASSERT_OK(store().Append(Grow("b1", kGenesis, {Entry(1, 'a')})));
  ASSERT_OK(store().Append(Grow("b0", kGenesis, {Entry(1, 'x')})));
  ASSERT_OK_AND_ASSIGN(const auto moment, store().ReadMoment());
  EXPECT_EQ(moment.chains, *store().Chains());
  EXPECT_THAT(moment.open_charges, ::testing::ElementsAre(stored, Row(2)));
  ASSERT_OK(store().Append(Replace(stored, std::nullopt)));
  EXPECT_THAT(store().Append(Replace(stored, std::nullopt)), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(*store().OpenCharges(), ::testing::ElementsAre(Row(2)));
}

TEST_P(EventStoreContract, PlansAreFoundByIdAndByTheRequestOfTheirAnalyst) {
  Change change{.name = "plan"};
  change.plan = Plan("p1", std::string("r\0one", 5));
  ASSERT_OK(store().Append(change));
  change.plan = Plan("p2", std::string("r\0two", 5));
  ASSERT_OK(store().Append(change));
  EXPECT_EQ((*store().FindPlan("p2"))->request_id, std::string("r\0two", 5));
  EXPECT_EQ((*store().FindPlanByRequest("alice", std::string("r\0one", 5)))->plan_id, "p1");
  EXPECT_EQ(*store().FindPlanByRequest("bob", std::string("r\0one", 5)), std::nullopt);
  EXPECT_EQ(*store().FindPlanByRequest("alice", "r"), std::nullopt);
  EXPECT_EQ(*store().FindPlan("p3"), std::nullopt);
  // The same request twice is nobody's act; it changes nothing.
  change.plan = Plan("p3", std::string("r\0two", 5));
  EXPECT_FALSE(store().Append(change).ok());
  EXPECT_EQ(*store().FindPlan("p3"), std::nullopt);
}

TEST_P(EventStoreContract, ABlobThatIsThereStaysAsItIs) {
  const auto add = [&](int64_t part, absl::string_view bytes) {
    Change change{.name = "blob"};
    change.blobs = {{.sha256 = "d1", .part = part, .bytes = bytes}};
    return store().Append(change);
  };
  const std::string large(3 << 20, '\7');
  ASSERT_OK(add(0, absl::string_view("a\0b", 3)));
  ASSERT_OK(add(1, large));
  ASSERT_OK(add(0, "other"));
  EXPECT_EQ(**store().ReadBlob("d1", 0), std::string("a\0b", 3));
  EXPECT_EQ(**store().ReadBlob("d1", 1), large);
  EXPECT_EQ(*store().ReadBlob("d1", 2), std::nullopt);
  EXPECT_EQ(*store().ReadBlob("d2", 0), std::nullopt);
}

TEST_P(EventStoreContract, AReaderWritesNothingAndSeesWhatIsWrittenBesideIt) {
  const std::unique_ptr<EventStore> reader = Reader();
  EXPECT_THAT(reader->Append(Grow("b1", kGenesis, {Entry(1, 'a')})),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_TRUE(store().Chains()->empty());
  ASSERT_OK(store().Append(Grow("b1", kGenesis, {Entry(1, 'a')})));
  EXPECT_EQ(Picture(*reader), Picture(store()));
}

TEST_P(EventStoreContract, ASoundStoreIsSoundAndInItsPlace) {
  ASSERT_OK(store().Append(Grow("b1", kGenesis, {Entry(1, 'a')})));
  EXPECT_OK(store().CheckStructure());
  EXPECT_OK(store().RequireInPlace());
  EXPECT_OK(Reader()->CheckStructure());
}

}  // namespace topicwall::store
