// Runs one neighbouring pair through the code between charge and reply, and compares integers.
//
//   TW_ASSIGN_OR_RETURN(auto replay, PairReplay::Create(attack));
//   TW_ASSIGN_OR_RETURN(const ReplayedPair result, replay->Run(pair));
//   if (!result.within_bound) …                                  // the guarantee is broken
//
// Four sums are made under receipts of one charge of a real ledger, so with the same coins, cuts
// and noise: with the unit (two threads), without it, of the unit alone, and with it once more
// (other order of documents, three threads, four shards, blocks kept decoded), each by the server's
// executor, and noised by its AddNoise.
//
// With Δ the entrywise difference of the integers with and without the unit, modulo 2^64 and read
// as signed: Σ Δ² <= M² is the sensitivity that is accounted for, checked in unsigned 128 bits
// against an M of the audit's own arithmetic (grid_reading.h). Where the pair asks for noise along
// topics, the left side of (*) takes the place of Σ Δ² (direction_length.h). That Δ is also the
// unit's sum alone, and the difference of the two *released* matrices (where the same noise drops
// out, up to float32), holds everything between charge and reply to it: nothing after the sum may
// depend on it in another way.
//
// Threads: one at a time. Cost: some 60 ms a small pair, most of it in the ledger; 2 s and 350 MB
// at K = 100 and V = 50,000.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_PAIR_REPLAY_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_PAIR_REPLAY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/attack.h"
#include "server/audit/finding.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/audit/walls/audited_wall.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/charge_receipt.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::audit {

struct ReplayedPair {
  bool moved;                   // Δ is not 0: the unit took part
  double length;                // of Δ ÷ M, or of what it is with the noise along directions
  bool within_bound;            // that is at most 1, exactly
  double histogram_length;      // the same of the norm histogram, ÷ M_h; 0 without one
  bool histogram_within_bound;  // one bin by M_h, or nothing
  bool full_length;             // length 1 up to rounding down
  bool independent;             // Δ is what the unit gives alone
  bool repeatable;              // same sum, same release, the second time
  bool released_as_summed;      // releases differ by Δ and by nothing else
  std::string release_key;      // of the charge: to see that none comes twice

  bool AllHolds() const {
    return within_bound && histogram_within_bound && independent && repeatable &&
           released_as_summed;
  }
};

// Corpora sealed under one key: what is compared.
struct PairStores {
  std::unique_ptr<corpus::CorpusStore> with;
  std::unique_ptr<corpus::CorpusStore> without;
  std::unique_ptr<corpus::CorpusStore> alone;  // the unit's; null if that leaves no document
  std::unique_ptr<corpus::CorpusStore> again;  // with the unit, made once more
};

class PairReplay {
 public:
  // `attack` must outlive this.
  static absl::StatusOr<std::unique_ptr<PairReplay>> Create(Attack& attack);

  // INVALID_ARGUMENT for a pair outside the wall's limits.
  absl::StatusOr<ReplayedPair> Run(const NeighbouringPair& pair);

  // The same of corpora that were made elsewhere under key(), asked as `asked` says; its documents
  // are not looked at.
  absl::StatusOr<ReplayedPair> Compare(const NeighbouringPair& asked, const PairStores& stores);
  const sealing::CustodianKey& key() const { return key_; }

 private:
  PairReplay(Attack& attack, sealing::CustodianKey key) : attack_(attack), key_(std::move(key)) {}
  // Of the same release key, as after a crash: as many as a ledger gives.
  absl::StatusOr<std::vector<ledger::ChargeReceipt>> Pay(const ledger::PaidMechanism& mechanism);
  absl::StatusOr<v1::PlanState> Reserve(const ledger::PaidMechanism& mechanism);
  absl::Status OpenLedger();

  Attack& attack_;
  const sealing::CustodianKey key_;
  std::unique_ptr<AuditedWall> payer_;  // whose ledger is charged
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_PAIR_REPLAY_H_
