// The client's own sums over a ledger's events (client/audit/budget_auditor.h, ledger_replay.h): a
// wall that lies is found out, and can neither lower what counts as spent nor bring the auditor
// down.
//
// Input: a byte, then pieces, each a serialized v1::LedgerEvent; they are appended to an honest
// ledger's first events (of vouchers, if the byte is odd) with hashes that are right. An empty
// piece is an event that came as a commitment.
#include <cmath>

#include "client/audit/budget_auditor.h"
#include "client/audit/ledger_replay.h"
#include "tests/client/chain_builder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"

namespace topicwall::fuzz {
namespace {

using client::ChainBuilder;

// Each reservation of another kind is priced anew, at about a millisecond.
constexpr int kMostEvents = 12;

const ChainBuilder& HonestFilter() {
  static const auto& chain = *[] {
    auto* made = new ChainBuilder();
    made->Reserve("alice", "plan", 20, 10);
    made->Charge("alice", "plan", 1);
    return made;
  }();
  return chain;
}

const ChainBuilder& HonestVouchers() {
  static const auto& chain = *[] {
    auto* made = new ChainBuilder(ChainBuilder::Vouchers());
    made->Reserve("alice", "plan", 40, 7);
    made->Charge("alice", "plan", 1);
    return made;
  }();
  return chain;
}

bool GivesBack(const v1::LedgerEvent& event) { return event.has_plan_cancelled(); }

// Applies one event and holds the sums against those before it.
void RequireNothingLost(client::LedgerReplay& replay, const v1::LedgerEvent& event) {
  const accountant::CostVector before = replay.spent();
  replay.Apply(event);
  Require(replay.spent().size() == before.size(), "what is spent keeps its shape");
  for (size_t i = 0; i < before.size(); ++i) {
    Require(GivesBack(event) || replay.spent()[i] >= before[i],
            "only a cancel lowers what is spent");
  }
  for (const std::string& finding : replay.findings()) {
    Require(!finding.empty() && finding.size() <= 1000, "a finding is a short text");
  }
}

void RequireSoundAudit(ChainBuilder& chain) {
  const absl::StatusOr<client::LedgerAudit> audit =
      client::AuditLedger(chain.entries(), chain.Budget());
  if (!audit.ok()) {
    Refuse(audit.status(),
           {.codes = {absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition}});
    return;
  }
  Require(audit->entries == static_cast<int64_t>(chain.entries().size()), "every entry is counted");
  Require(audit->epsilon_upper_bound >= 0, "a bound is a number, or infinite");
  for (const client::AuditedPlan& plan : audit->plans) {
    Require(plan.epsilon_upper_bound >= 0, "a plan's bound is a number, or infinite");
  }
}

Verdict Run(absl::string_view input) {
  InputCursor cursor(input);
  ChainBuilder chain = cursor.Take<uint8_t>() % 2 == 1 ? HonestVouchers() : HonestFilter();
  v1::LedgerEvent event;
  Require(event.ParseFromString(chain.entries()[0].event()), "an honest event parses");
  client::LedgerReplay replay = *client::LedgerReplay::Create(event);
  for (size_t i = 1; i < chain.entries().size(); ++i) {
    event.ParseFromString(chain.entries()[i].event());
    RequireNothingLost(replay, event);
  }
  Require(replay.findings().empty(), "honest events are no finding");
  for (int i = 0; i < kMostEvents && !cursor.at_end(); ++i) {
    const absl::string_view piece = cursor.Piece();
    if (piece.empty()) {
      replay.ApplyUnseen();
    } else if (event.ParseFromArray(piece.data(), static_cast<int>(piece.size()))) {
      chain.Append(event);
      RequireNothingLost(replay, event);
    }
  }
  RequireSoundAudit(chain);
  return replay.findings().empty() ? Verdict::kAccepted : Verdict::kRefused;
}

std::string Piece(const v1::LedgerEvent& event) { return PieceOf(event.SerializeAsString()); }

std::vector<std::string> Seeds() {
  v1::LedgerEvent charged;
  charged.set_principal("alice");
  charged.mutable_iteration_charged()->set_plan_id("plan");
  charged.mutable_iteration_charged()->set_iteration(2);
  charged.mutable_iteration_charged()->set_release_key_sha256(std::string(32, 'k'));
  v1::LedgerEvent published;
  published.set_principal("alice");
  published.mutable_release_published()->set_plan_id("plan");
  published.mutable_release_published()->set_iteration(1);
  v1::LedgerEvent cancelled;
  cancelled.set_principal("alice");
  cancelled.mutable_plan_cancelled()->set_plan_id("plan");
  cancelled.mutable_plan_cancelled()->set_iterations_returned(5);
  v1::LedgerEvent restored;
  restored.mutable_budget_restored()->set_epoch(2);
  v1::LedgerEvent thawed;
  thawed.mutable_budget_thawed()->set_ground(v1::BudgetThawed::FORFEITED);
  return {NumberOf<uint8_t>(0) + Piece(charged) + Piece(published) + Piece(cancelled),
          NumberOf<uint8_t>(1) + Piece(charged) + Piece(cancelled),
          NumberOf<uint8_t>(0) + PieceOf("") + Piece(restored) + Piece(thawed)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "ledger_replay", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
