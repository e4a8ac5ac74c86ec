// An exported chain of events (proto/ledger_chain.h, v1::LedgerExport), entry by entry.
//
// Input: a byte, then a serialized v1::LedgerExport. If the byte is odd, sequence numbers,
// commitments and heads are made right first, so that what lies behind the hashes is reached.
#include "proto/ledger_chain.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"

namespace topicwall::fuzz {
namespace {

void MakeHashesRight(const proto::ChainVerifier& chain, v1::LedgerEntry& entry) {
  entry.set_sequence(chain.length() + 1);
  if (!entry.event().empty()) {
    entry.set_commitment(proto::EventCommitment(entry.salt(), entry.event()));
  }
  entry.set_head(proto::NextHead(chain.head(), entry.commitment()));
}

// An entry one bit away from `entry` must not be taken behind the same head.
void RequireTamperingSeen(const proto::ChainVerifier& before, v1::LedgerEntry entry) {
  entry.mutable_head()->front() = static_cast<char>(entry.head().front() ^ 1);
  proto::ChainVerifier chain = before;
  Require(!chain.Add(entry).ok(), "another head is noticed");
  entry.mutable_head()->front() = static_cast<char>(entry.head().front() ^ 1);
  if (entry.event().empty()) return;
  entry.mutable_event()->back() = static_cast<char>(entry.event().back() ^ 1);
  Require(!chain.Add(entry).ok(), "another event is noticed");
}

Verdict Run(absl::string_view input) {
  static const RefusalRules& rules = *new RefusalRules{
      .codes = {absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition}};
  InputCursor cursor(input);
  const bool mend = cursor.Take<uint8_t>() % 2 == 1;
  const absl::string_view bytes = cursor.Rest();
  v1::LedgerExport parsed;
  if (!parsed.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Verdict::kRefused;
  }
  proto::ChainVerifier chain;
  for (v1::LedgerEntry& entry : *parsed.mutable_entries()) {
    if (mend) MakeHashesRight(chain, entry);
    const proto::ChainVerifier before = chain;
    const absl::Status added = chain.Add(entry);
    if (!added.ok()) {
      Require(chain.length() == before.length() && chain.head() == before.head() &&
                  chain.budget_id() == before.budget_id(),
              "an entry that is refused leaves nothing");
      return Refuse(added, rules);
    }
    Require(chain.length() == before.length() + 1 && chain.head() == entry.head(),
            "an entry that is taken is the last one");
    Require(chain.head().size() == proto::kHashSize, "a head is a hash");
    Require(entry.event().empty() || chain.event().budget_id() == chain.budget_id(),
            "a chain is of one budget");
    RequireTamperingSeen(before, entry);
  }
  return parsed.entries_size() > 0 ? Verdict::kAccepted : Verdict::kRefused;
}

std::vector<std::string> Seeds() {
  v1::LedgerExport made;
  made.set_corpus("notes");
  proto::ChainVerifier chain;
  for (int i = 1; i <= 3; ++i) {
    v1::LedgerEvent event;
    event.set_sequence(i);
    event.set_budget_id("budget");
    event.mutable_iteration_charged()->set_iteration(i);
    v1::LedgerEntry& entry = *made.add_entries();
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(proto::kEventSaltSize, 's'));
    MakeHashesRight(chain, entry);
    chain = proto::ChainVerifier(i, entry.head());
  }
  v1::LedgerExport hidden = made;
  hidden.mutable_entries(1)->clear_event();
  hidden.mutable_entries(1)->clear_salt();
  return {NumberOf<uint8_t>(0) + made.SerializeAsString(),
          NumberOf<uint8_t>(1) + hidden.SerializeAsString()};
}

[[maybe_unused]] const bool registered =
    Register({.name = "ledger_chain", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
