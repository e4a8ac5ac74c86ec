// A whole wall in this process, on documents that the audit made up: ledger, sealed corpora, TLS
// and gRPC on loopback, all of it the server's own code.
//
//   TW_ASSIGN_OR_RETURN(auto wall, AuditedWall::Start(&folder, {.corpora = …, .budget = …}));
//   wall->alice().Reserve(wall->PlanOf("with"));
//
// Principals: alice, an analyst; bob, an analyst capped at `bob_epsilon_cap`; ann, an auditor.
// Time is simulated unless a real interval is given: releases become readable an interval after
// their charge, and that costs no waiting unless the clock holds sleepers.
//
// Threads: the probes, any; the wall itself one. Cost: some 100 ms to start.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_AUDITED_WALL_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_AUDITED_WALL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/events/privacy_params.h"
#include "proto/models/lda_options.h"
#include "proto/wall_config.pb.h"
#include "server/audit/scratch_folder.h"
#include "server/audit/walls/planted_corpus.h"
#include "server/audit/walls/simulated_clock.h"
#include "server/audit/walls/throwaway_certificates.h"
#include "server/audit/walls/wall_probe.h"
#include "server/gate/wall_server.h"
#include "server/vault/vault.h"
#include "server/release/clock.h"
#include "server/vault/wall.h"

namespace topicwall::audit {

struct NamedCorpus {
  std::string name;
  PlantedCorpus planted;
};

// Of the model "lda": K topics, α = 1/2.
inline std::string OptionsOfTopics(int num_topics, int max_iterations = 20,
                                   double mean_change_threshold = 1e-3) {
  return proto::LdaOptionBytes(num_topics, {0.5}, max_iterations, mean_change_threshold);
}

class AuditedWall {
 public:
  struct Params {
    std::vector<NamedCorpus> corpora;
    accountant::PrivacyParams budget;  // of every corpus, adaptive
    double bob_epsilon_cap = 1;
    int e_step_threads = 2;
    int64_t real_interval_ms =
        0;  // T by the machine's clock; 0: simulated time, and kReleaseIntervalMs
    bool timing_protection = true;  // else releases come by the machine's clock when they are ready
    bool serves = true;  // else nobody is connected, and there are neither probes nor address
  };
  static constexpr char kAlice[] = "spiffe://topicwall/audit/alice";
  static constexpr int64_t kReleaseIntervalMs = 60'000;
  static constexpr int64_t kMostDocuments = 20;  // of a unit

  // Errors as of the parts of a wall.
  static absl::StatusOr<std::unique_ptr<AuditedWall>> Start(ScratchFolder* folder,
                                                            const Params& params);
  ~AuditedWall();

  SimulatedClock& clock() { return clock_; }
  server::Wall& wall() { return *wall_; }
  WallProbe& alice() { return *alice_; }
  WallProbe& bob() { return *bob_; }
  WallProbe& ann() { return *ann_; }

  // Where it listens, and the authority it trusts (PEM).
  const std::string& address() const { return server_->address(); }
  const std::string& authority() const { return authority_->certificate(); }

  // What the custodian's log has so far. UNAVAILABLE if it cannot be read.
  absl::StatusOr<std::string> EventLog() const;

  // A plan for the corpus, to be changed: full batch, σ = 1, one iteration, K = 1.
  absl::StatusOr<v1::ReleaseSpec> PlanOf(const std::string& corpus) const;

 private:
  AuditedWall() = default;
  absl::Status WriteTlsFiles(const std::string& directory);
  absl::Status WriteData(const Params& params, const sealing::CustodianKey& key);
  absl::Status Connect();

  SimulatedClock clock_;
  std::unique_ptr<release::Clock> real_clock_;  // instead, if there is one
  v1::WallConfig config_;
  std::unique_ptr<ThrowawayAuthority> authority_;
  std::unique_ptr<server::Wall> wall_;
  std::unique_ptr<server::Vault> vault_;
  std::unique_ptr<server::WallServer> server_;
  std::unique_ptr<WallProbe> alice_, bob_, ann_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_AUDITED_WALL_H_
