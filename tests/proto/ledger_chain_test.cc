#include "proto/ledger_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/strict_parse.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace ledger_chain_test {

using ::testing::HasSubstr;
using testing::StatusIs;

std::vector<v1::LedgerEntry> Chain(int length) {
  std::vector<v1::LedgerEntry> entries;
  std::string head = GenesisHead();
  for (int sequence = 1; sequence <= length; ++sequence) {
    v1::LedgerEvent event;
    event.set_sequence(sequence);
    event.set_budget_id("b");
    event.set_time_ms(1000 * sequence);
    v1::LedgerEntry& entry = entries.emplace_back();
    entry.set_sequence(sequence);
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(kEventSaltSize, static_cast<char>(sequence)));
    entry.set_commitment(EventCommitment(entry.salt(), entry.event()));
    head = NextHead(head, entry.commitment());
    entry.set_head(head);
  }
  return entries;
}

// Golden values from Python's hashlib:
//   sha256(b'topicwall.v1.commitment\0' + bytes(range(16)) + b'event')
//   sha256(b'topicwall.v1.head\0' + bytes(32) + commitment)
TEST(LedgerChainTest, HashesAreThoseOfAnIndependentImplementation) {
  std::string salt;
  for (char byte = 0; byte < 16; ++byte) salt.push_back(byte);
  const std::string commitment = EventCommitment(salt, "event");
  EXPECT_EQ(absl::BytesToHexString(commitment),
            "fda2dca61fa46ca41fe9e788b2a9bfcdab1477eb86207b150b811f8af89d75e1");
  EXPECT_EQ(absl::BytesToHexString(NextHead(GenesisHead(), commitment)),
            "efecbac993972d6251d70783d01c5aac9e03783631c6ab7c6fc5b736cd53670b");
}

TEST(LedgerChainTest, AWholeChainVerifies) {
  ChainVerifier chain;
  const auto entries = Chain(5);
  for (const v1::LedgerEntry& entry : entries) {
    ASSERT_OK(chain.Add(entry));
    EXPECT_EQ(chain.event().time_ms(), 1000 * entry.sequence());
  }
  EXPECT_EQ(chain.length(), 5);
  EXPECT_EQ(chain.head(), entries.back().head());
  EXPECT_EQ(chain.budget_id(), "b");
}

TEST(LedgerChainTest, HiddenEventsAreFollowedByTheirCommitments) {
  ChainVerifier chain;
  auto entries = Chain(4);
  for (v1::LedgerEntry& entry : entries) {
    if (entry.sequence() % 2 == 0) {
      entry.clear_event();
      entry.clear_salt();
    }
    ASSERT_OK(chain.Add(entry));
    EXPECT_EQ(chain.event().sequence(), entry.event().empty() ? 0 : entry.sequence());
  }
  EXPECT_EQ(chain.head(), Chain(4).back().head());
}

TEST(LedgerChainTest, AReaderGoesOnFromAHeadNotedBefore) {
  const auto entries = Chain(4);
  ChainVerifier chain(2, entries[1].head());
  ASSERT_OK(chain.Add(entries[2]));
  ASSERT_OK(chain.Add(entries[3]));
  ChainVerifier elsewhere(2, entries[0].head());
  EXPECT_THAT(elsewhere.Add(entries[2]), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(LedgerChainTest, EveryByteOfAnEntryCounts) {
  const auto entries = Chain(3);
  const v1::LedgerEntry& good = entries[1];
  const auto flipped = [](std::string bytes, std::size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
  };
  const auto expect_refused = [&](const v1::LedgerEntry& bad) {
    ChainVerifier chain;
    ASSERT_OK(chain.Add(entries[0]));
    EXPECT_THAT(chain.Add(bad), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 2")));
    EXPECT_EQ(chain.length(), 1);
    EXPECT_EQ(chain.head(), entries[0].head()) << "nothing is taken";
    EXPECT_OK(chain.Add(good));
  };
  for (std::size_t at = 0; at < good.event().size(); ++at) {
    v1::LedgerEntry bad = good;
    bad.set_event(flipped(good.event(), at));
    expect_refused(bad);
  }
  for (std::size_t at = 0; at < kHashSize; ++at) {
    v1::LedgerEntry bad = good;
    bad.set_commitment(flipped(good.commitment(), at));
    expect_refused(bad);
    bad = good;
    bad.set_head(flipped(good.head(), at));
    expect_refused(bad);
    bad = good;
    bad.set_salt(flipped(good.salt(), at % kEventSaltSize));
    expect_refused(bad);
  }
}

TEST(LedgerChainTest, ARightHashOverTheWrongEventIsRefused) {
  const auto entries = Chain(2);
  const auto sealed = [&](const v1::LedgerEvent& event) {
    v1::LedgerEntry entry;
    entry.set_sequence(2);
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(kEventSaltSize, 'x'));
    entry.set_commitment(EventCommitment(entry.salt(), entry.event()));
    entry.set_head(NextHead(entries[0].head(), entry.commitment()));
    return entry;
  };
  v1::LedgerEvent wrong_number, wrong_budget;
  wrong_number.set_sequence(3);
  wrong_number.set_budget_id("b");
  wrong_budget.set_sequence(2);
  wrong_budget.set_budget_id("other");
  for (const v1::LedgerEvent& event : {wrong_number, wrong_budget}) {
    ChainVerifier chain;
    ASSERT_OK(chain.Add(entries[0]));
    EXPECT_THAT(chain.Add(sealed(event)), StatusIs(absl::StatusCode::kDataLoss));
  }
  // Bytes may not wander between salt and event.
  v1::LedgerEntry shifted = entries[1];
  shifted.set_salt(entries[1].salt() + entries[1].event().substr(0, 2));
  shifted.set_event(entries[1].event().substr(2));
  ChainVerifier chain;
  ASSERT_OK(chain.Add(entries[0]));
  EXPECT_THAT(chain.Add(shifted), StatusIs(absl::StatusCode::kDataLoss));
}

// Whose event it is the hash does not say, so it is neither taken nor called damaged.
TEST(LedgerChainTest, AnEventThatSaysMoreThanIsKnownIsNewerAndOneThatIsNoEventIsDamaged) {
  const auto entries = Chain(1);
  const auto sealed = [&](const std::string& event) {
    v1::LedgerEntry entry;
    entry.set_sequence(2);
    entry.set_event(event);
    entry.set_salt(std::string(kEventSaltSize, 'x'));
    entry.set_commitment(EventCommitment(entry.salt(), entry.event()));
    entry.set_head(NextHead(entries[0].head(), entry.commitment()));
    return entry;
  };
  v1::LedgerEvent event;
  event.set_sequence(2);
  event.set_budget_id("b");
  const std::string kUnknownAct = std::string("\xc2\x3e\x02hi", 5);  // field 1000
  ChainVerifier chain;
  ASSERT_OK(chain.Add(entries[0]));
  const absl::Status newer = chain.Add(sealed(event.SerializeAsString() + kUnknownAct));
  EXPECT_TRUE(IsWrittenByNewer(newer)) << newer;
  EXPECT_THAT(newer,
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("entry 2 says more")));
  v1::ReleasePublished* act = event.mutable_release_published();
  act->GetReflection()->MutableUnknownFields(act)->AddVarint(1000, 1);
  EXPECT_TRUE(IsWrittenByNewer(chain.Add(sealed(event.SerializeAsString())))) << "at any depth";
  EXPECT_EQ(chain.length(), 1);
  EXPECT_EQ(chain.head(), entries[0].head()) << "nothing is taken";
  EXPECT_THAT(chain.Add(sealed("\x08")), StatusIs(absl::StatusCode::kDataLoss));
  event.set_sequence(3);
  EXPECT_THAT(chain.Add(sealed(event.SerializeAsString())), StatusIs(absl::StatusCode::kDataLoss))
      << "what contradicts its place is no newer program's";
}

TEST(LedgerChainTest, MissingSwappedAndRepeatedEntriesAreNamed) {
  const auto entries = Chain(4);
  ChainVerifier chain;
  EXPECT_THAT(chain.Add(entries[1]), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 1")));
  ASSERT_OK(chain.Add(entries[0]));
  EXPECT_THAT(chain.Add(entries[0]), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 2")));
  EXPECT_THAT(chain.Add(entries[2]), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("entry 2")));
}

}  // namespace ledger_chain_test
}  // namespace topicwall::proto
