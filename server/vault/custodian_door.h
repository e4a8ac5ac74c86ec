// What the custodian may do to a ledger while the server runs.
//
//   CustodianDoor door(wall->custodian(), wall->clock());
//   ActServer(door, {}).Serve(connection);          // the custodian's own, never the gate's
//
// Acts of the gate's are refused here, and the custodian's by the vault (vault.h): a gate that an
// enemy has taken over is nobody's custodian.
//
// PUBLIC. Threads: any.
#ifndef TOPICWALL_SERVER_VAULT_CUSTODIAN_DOOR_H_
#define TOPICWALL_SERVER_VAULT_CUSTODIAN_DOOR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/vault.pb.h"
#include "server/acts/act_handler.h"
#include "server/ledger/custodian_acts.h"
#include "server/release/clock.h"

namespace topicwall::server {

// Does the act, whoever carried it here. Errors as of CustodianActs; INVALID_ARGUMENT for none.
absl::StatusOr<v1::CustodianAnswer> Perform(ledger::CustodianActs& ledger,
                                            const v1::CustodianAct& act, int64_t now_ms);

class CustodianDoor final : public acts::ActHandler {
 public:
  // Both must outlive it.
  CustodianDoor(ledger::CustodianActs& ledger, release::Clock& clock)
      : ledger_(ledger), clock_(clock) {}

  absl::Status Handle(const v1::Act& act, acts::ActStream& stream) override;
  // An act of the custodian's waits for nobody.
  void Drain() override {}
  void Interrupt() override {}

 private:
  ledger::CustodianActs& ledger_;
  release::Clock& clock_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_CUSTODIAN_DOOR_H_
