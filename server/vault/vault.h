// Answers acts from the corpora, the ledger and the configuration: all that an analyst can cause.
//
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<Wall> wall, Wall::Open(config, release::SystemClock()));
//   Vault vault(wall.get());
//   absl::Status answered = vault.Handle(act, stream);
//
// It takes the gate's word for who calls, and for nothing else: whether that principal is listed,
// which corpora and plans are theirs, what fits and what it costs is decided here, for every act.
// Whatever goes wrong inside becomes a status without a detail.
//
// Privacy: answers are functions of configuration, public description and ledger, and releases are
// read back from the store once they are public. When acts are answered: private_e_step.h.
// Threads: any number of acts at once; one of its own publishes what an earlier run left.
#ifndef TOPICWALL_SERVER_VAULT_VAULT_H_
#define TOPICWALL_SERVER_VAULT_VAULT_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/authorizer.h"
#include "server/acts/act_handler.h"
#include "server/vault/wall.h"

namespace topicwall::server {

class Vault final : public acts::ActHandler {
 public:
  // Begins anew the instants of what was stored but not published when the server went down, and
  // publishes each at its instant. `wall` must outlive the vault.
  explicit Vault(Wall* wall);
  // Interrupts what is still waiting. No act may run any more.
  ~Vault() override;

  // Of any request of the gate's: PUBLIC, as vocabularies and limits are.
  int64_t LargestRequestBytes() const;

  absl::Status Handle(const v1::Act& act, acts::ActStream& stream) override;
  void Drain() override;
  void Interrupt() override;

 private:
  // A caller's right to a corpus, with the corpus.
  struct Admitted {
    CorpusGrant grant;
    ServedCorpus* corpus;
  };

  absl::Status Answer(const v1::Act& act, acts::ActStream& stream);
  absl::Status AnswerReader(const Caller& caller, const v1::Act& act, acts::ActStream& stream);
  absl::Status AnswerAnalyst(const Caller& caller, const v1::Act& act, acts::ActStream& stream);

  absl::StatusOr<Admitted> Admit(const Caller& caller, absl::string_view corpus, Activity activity);
  // The plan's state if its corpus is still the caller's.
  absl::StatusOr<v1::PlanState> OwnPlan(const Caller& caller, absl::string_view plan_id);

  absl::Status GetLimits(acts::ActStream& stream);
  absl::Status AwaitMove(const v1::AwaitMoveRequest& request, acts::ActStream& stream);
  void LookAtTime();  // once a minute, however often it is called
  absl::Status GetVocabulary(const ServedCorpus& corpus, acts::ActStream& stream);
  absl::Status ReadLedger(const Admitted& admitted, const v1::ReadLedgerRequest& request,
                          acts::ActStream& stream);
  absl::StatusOr<v1::PlanPrice> PricePlan(const Caller& caller, const v1::PricePlanRequest& request,
                                          acts::ActStream& stream);
  absl::StatusOr<v1::PlanState> ReservePlan(const Caller& caller,
                                            const v1::ReservePlanRequest& request,
                                            acts::ActStream& stream);
  absl::StatusOr<v1::PlanState> CancelPlan(const Caller& caller, absl::string_view plan_id);
  absl::StatusOr<v1::ListPlansResponse> ListPlans(const Caller& caller,
                                                  const v1::ListPlansRequest& request);
  absl::Status GetRelease(const Caller& caller, const v1::GetReleaseRequest& request,
                          acts::ActStream& stream);

  Wall& wall_;
  std::atomic<bool> draining_ = false;
  std::atomic<int64_t> next_look_ms_ = 0;  // by the wall's clock
  std::atomic<bool> was_ahead_ = false;    // the ledger's last event, of that clock
  std::thread publisher_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_VAULT_H_
