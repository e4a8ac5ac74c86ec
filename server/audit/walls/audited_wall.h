// A whole vault in this process, on documents that the audit made up: ledger, sealed corpora,
// schedule and acts, all of it the server's own code. The audit sits where the gate sits.
//
//   TW_ASSIGN_OR_RETURN(auto wall, AuditedWall::Start(attack.NewPath("wall"), {.corpora = …}));
//   TW_ASSIGN_OR_RETURN(v1::PlanState plan, wall->alice().Reserve(wall->PlanOf("notes")));
//
// Principals: alice, an analyst; bob, an analyst capped at `bob_epsilon_cap`; ann, an auditor.
// Time is the machine's. Unless an interval is given there is no schedule: releases come when they
// are ready, so that thousands can be looked at.
//
// Threads: the principals, any; the wall itself one. Cost: some 100 ms to start.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_AUDITED_WALL_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_AUDITED_WALL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/models/lda_options.h"
#include "proto/wall_config.pb.h"
#include "server/audit/walls/planted_corpus.h"
#include "server/audit/walls/principal.h"
#include "server/release/clock.h"
#include "server/vault/vault.h"
#include "server/vault/wall.h"

namespace topicwall::audit {

// Of the model "lda": K topics, α = 1/2.
inline std::string OptionsOfTopics(int num_topics, int max_iterations = 20,
                                   double mean_change_threshold = 1e-3) {
  return proto::LdaOptionBytes(num_topics, {0.5}, max_iterations, mean_change_threshold);
}

class AuditedWall {
 public:
  static constexpr int64_t kMostDocuments = 20;  // of a unit
  static constexpr double kAnyEpsilon = 0x1p20;  // more than any part spends

  struct Params {
    struct Corpus {
      std::string name;
      PlantedCorpus planted;
    };
    std::vector<Corpus> corpora;
    double epsilon = kAnyEpsilon;  // of every corpus, adaptive, δ = 1e-6
    double bob_epsilon_cap = kAnyEpsilon;
    int e_step_threads = 2;
    int64_t interval_ms = 0;  // T; 0: no schedule
  };

  // `folder` is made. Errors as of the parts of a wall.
  static absl::StatusOr<std::unique_ptr<AuditedWall>> Start(const std::string& folder,
                                                            const Params& params);

  server::Wall& wall() { return *wall_; }
  const Principal& alice() const { return *alice_; }
  const Principal& bob() const { return *bob_; }
  const Principal& ann() const { return *ann_; }

  // What the custodian's log has so far. UNAVAILABLE if it cannot be read.
  absl::StatusOr<std::string> EventLog() const;

  // A plan for the corpus, to be changed: full batch, σ = 1, one iteration, K = 1. Of a corpus that
  // is not there no version, so that it is refused.
  v1::ReleaseSpec PlanOf(const std::string& corpus) const;

 private:
  AuditedWall() = default;
  absl::Status WriteData(const Params& params);

  std::unique_ptr<release::Clock> clock_;  // its own, which may be interrupted
  v1::WallConfig config_;
  std::unique_ptr<server::Wall> wall_;
  std::unique_ptr<server::Vault> vault_;
  std::unique_ptr<Principal> alice_, bob_, ann_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_AUDITED_WALL_H_
