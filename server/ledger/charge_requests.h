// What is asked of the ledger about one iteration of a plan, from charge to publication, and what
// it answers, as plain values. All PUBLIC. Times: Unix times in milliseconds.
#ifndef TOPICWALL_SERVER_LEDGER_CHARGE_REQUESTS_H_
#define TOPICWALL_SERVER_LEDGER_CHARGE_REQUESTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "accountant/ledger/charge_acts.h"
#include "proto/ledger.pb.h"
#include "server/ledger/charge_receipt.h"

namespace topicwall::ledger {

using accountant::ledger::kMaxRecomputations;
using accountant::ledger::Publication;
using accountant::ledger::Voiding;

struct ChargeRequest {
  std::string principal;
  std::string plan_id;
  int iteration;                           // 1…J
  std::array<uint8_t, 32> request_digest;  // see proto/request_digest.h
  int64_t now_ms;
  v1::Protection protection = {};       // of the charge, or of this time that it is begun again
  v1::ComputedWith computed_with = {};  // the charge fixes what alone may compute it
};

// Paid and computed: the server publishes it at its instant.
struct AwaitingPublication {
  int64_t charge_id;
  int64_t begun_at_ms;  // what its instants are counted from
  int64_t interval_ms;  // T of its instants, as it was begun: the configuration may be another
};
// Paid, and attempted as often as may be, or its key cannot be read: to be voided at the last of
// its instants.
struct GivenUp {
  int64_t charge_id;
  int64_t begun_at_ms;
};
// Readable now, free of charge.
struct AlreadyPublished {};

// A receipt means: compute it (again). The others mean: do not.
using ChargeOutcome = std::variant<ChargeReceipt, AwaitingPublication, GivenUp, AlreadyPublished>;

// One charged iteration, as its schedule and the ledger name it.
struct ChargedRelease {
  std::string corpus;  // its name
  std::string plan_id;
  int iteration;
  int64_t charge_id;
  int64_t begun_at_ms;  // what its instants are counted from
  int64_t interval_ms;  // T of them; 0 without timing protection
};
// One that is stored and waits for its instant, for instance since before a crash.
struct UnpublishedRelease : ChargedRelease {
  std::string corpus_version;
  std::string principal;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_CHARGE_REQUESTS_H_
