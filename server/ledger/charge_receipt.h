// What proves inside the server that a release is paid for.
//
//   PrivacyLedger::Charge ──> ChargeReceipt ──> coins, partial sum, noise ──> NoisedReceipt
//                                  (server/mechanism)                             │
//   PrivacyLedger::Store  <───────────────────────────────────────────────────────┘
//
// Only the ledger can make a ChargeReceipt, after the charge is durable; the sampling
// step takes it, and nothing gives it back. Only the noise step can turn it into a
// NoisedReceipt, and the ledger stores a release against nothing else. So sampling
// before charging, and storing what was not noised, do not compile.
//
// A receipt carries everything that the price depends on (PaidMechanism), so that the
// mechanism cannot run with other numbers than those that were charged.
//
// Both kinds are move-only: one charge, one release. Losing one is safe: the iteration
// stays charged, and the ledger may hand out a receipt with the same release key again,
// from which the very same release is computed. Nor is a release stored twice against one: the
// ledger compares and sets.
//
// Privacy: every field but the release key is PUBLIC to the plan's owner. Who knows the
// release key can take the noise off: it is never printed or sent, rests only sealed, and
// is erased once the release is stored.
// Threads: const methods may be called from many threads at once.
#ifndef TOPICWALL_SERVER_LEDGER_CHARGE_RECEIPT_H_
#define TOPICWALL_SERVER_LEDGER_CHARGE_RECEIPT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/random/secret_key.h"

namespace topicwall::mechanism {
class NoisyStatistics;
}

namespace topicwall::ledger {

// One release as it was priced: a Poisson-subsampled Gaussian. Ranges and meaning:
// server/mechanism/mechanism_limits.h; the ledger has checked them before charging.
struct PaidMechanism {
  double sampling_rate;     // ν in (0, 1]
  double noise_multiplier;  // σ: standard deviation ÷ L2 sensitivity, unitless
  std::optional<double> histogram_noise_multiplier;  // σ_h; none = no norm histogram
  int64_t max_words;                                 // N: longer documents are cut to N words
  std::vector<float> weights;                        // w, one per column; empty = all 1
  // h: share of the units that a release leaves out, in [0, 1) …
  double held_out_share = 0;
  // … or, in (0, 1], the only ones that take part.
  bool held_out_only = false;
};

// What both receipts know. Plain values, so that the ledger fills it in by name.
struct ChargeTerms {
  int64_t charge_id;
  std::string plan_id;
  int iteration;                           // 1…J
  std::array<uint8_t, 32> request_digest;  // of plan, iteration, options and parameters
  std::array<uint8_t, 16> corpus_version;
  PaidMechanism mechanism;
  // What its instants are counted from, the charge or the last restart; Unix time.
  int64_t begun_at_ms = 0;
};

class ChargeReceipt {
 public:
  ChargeReceipt(ChargeReceipt&&) = default;
  ChargeReceipt& operator=(ChargeReceipt&&) = default;

  int64_t charge_id() const { return terms_.charge_id; }
  const std::string& plan_id() const { return terms_.plan_id; }
  int iteration() const { return terms_.iteration; }
  const std::array<uint8_t, 32>& request_digest() const { return terms_.request_digest; }
  const std::array<uint8_t, 16>& corpus_version() const { return terms_.corpus_version; }
  int64_t begun_at_ms() const { return terms_.begun_at_ms; }
  const PaidMechanism& mechanism() const { return terms_.mechanism; }
  const random::SecretKey& release_key() const { return release_key_; }

 private:
  friend class PrivacyLedger;           // makes it, in its protected static MakeReceipt
  friend class NoisedReceipt;           // consumes it
  friend struct ChargeReceiptTestPeer;  // tests/support/receipt_for_tests.h

  ChargeReceipt(ChargeTerms terms, random::SecretKey release_key)
      : terms_(std::move(terms)), release_key_(std::move(release_key)) {}

  ChargeTerms terms_;
  random::SecretKey release_key_;
};

// A receipt whose release has its noise. The release key is gone.
class NoisedReceipt {
 public:
  NoisedReceipt(NoisedReceipt&&) = default;
  NoisedReceipt& operator=(NoisedReceipt&&) = default;

  int64_t charge_id() const { return terms_.charge_id; }
  const std::string& plan_id() const { return terms_.plan_id; }
  int iteration() const { return terms_.iteration; }
  const std::array<uint8_t, 32>& request_digest() const { return terms_.request_digest; }
  const PaidMechanism& mechanism() const { return terms_.mechanism; }

 private:
  friend class mechanism::NoisyStatistics;  // makes it when the noise is in
  friend struct ChargeReceiptTestPeer;

  // By value, so that the release key is wiped when this returns.
  explicit NoisedReceipt(ChargeReceipt receipt) : terms_(std::move(receipt.terms_)) {}

  ChargeTerms terms_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_CHARGE_RECEIPT_H_
