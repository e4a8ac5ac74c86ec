// Everything the running server holds, opened once and passed to whoever serves.
//
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<Wall> wall, Wall::Open(config, release::SystemClock()));
//   TW_ASSIGN_OR_RETURN(ServedCorpus* corpus, wall->Find("notes"));
//
// Opening takes the data directory's lock, reads the custodian's key, opens and checks
// the ledger, unseals every block of every corpus once, and keeps those decoded that the
// configuration has memory for. If key or ledger are damaged, missing or held by another process,
// nothing is served; a corpus that is damaged or was not ingested is an alarm, and the others are
// served without it, if there are any (start_checks.h).
//
// Privacy: PRIVATE but for the configuration: it holds the corpora.
// Threads: immutable after Open; each part says for itself what may be shared.
#ifndef TOPICWALL_SERVER_VAULT_WALL_H_
#define TOPICWALL_SERVER_VAULT_WALL_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/wall_config.pb.h"
#include "server/access/authorizer.h"
#include "server/acts/answer_cache.h"
#include "server/cluster/sum_job.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/decoded_blocks.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/log/event_log.h"
#include "server/log/storage_watch.h"
#include "server/release/clock.h"
#include "server/release/processors.h"
#include "server/release/release_queue.h"
#include "server/release/release_schedule.h"
#include "server/store/event_store.h"
#include "server/vault/attack_bounds_cache.h"
#include "server/vault/computing_thread.h"
#include "server/vault/lines/pricing_gate.h"
#include "server/vault/lines/unstored_release.h"
#include "server/vault/lines/upload_room.h"

namespace topicwall::server {

// One corpus with its public rules.
struct ServedCorpus {
  v1::CorpusConfig config;
  std::unique_ptr<corpus::CorpusStore> store;
  corpus::DecodedBlocks decoded;  // of the store, as far as the configuration allows
  std::string version;            // 16 bytes
  release::ReleaseSchedule schedule;
};

class Wall {
 public:
  // `clock` must outlive the wall. The log is the configuration's or, if it is given, `log`. The
  // store is there if config.ledger is, and it is its. Errors as the parts give them;
  // FAILED_PRECONDITION if another process holds the data directory.
  static absl::StatusOr<std::unique_ptr<Wall>> Open(const v1::WallConfig& config,
                                                    release::Clock& clock,
                                                    std::unique_ptr<EventLog> log = nullptr,
                                                    std::unique_ptr<store::EventStore> = nullptr);

  // Alarms, and what expired: at the start moment, for Open's end tells when documents were read.
  absl::Status BeginServing();
  void CloseLedger() { ledger_.reset(); }  // the last call: a computation may still run

  // The same PERMISSION_DENIED as for a corpus that is somebody else's; UNAVAILABLE if it is not
  // ready.
  absl::StatusOr<ServedCorpus*> Find(absl::string_view corpus);
  // Those that are ready.
  const std::vector<ServedCorpus>& corpora() const { return corpora_; }
  // By version; null if it is not served.
  ServedCorpus* FindVersion(absl::string_view version);

  const v1::WallConfig& config() const { return config_; }
  const Authorizer& authorizer() const { return authorizer_; }
  ledger::PrivacyLedger& ledger() { return *ledger_; }
  // The same ledger, for the custodian's door alone.
  ledger::CustodianActs& custodian() { return *ledger_; }
  AttackBoundsCache& attack_bounds() { return attack_bounds_; }
  // Where whoever asks the accountants waits for their turn, and what was worked out.
  PricingGate& pricing() { return pricing_; }
  acts::AnswerCache& answers() { return answers_; }
  EventLog& log() { return *log_; }
  StorageWatch& storage() { return *storage_; }
  release::Clock& clock() { return clock_; }
  // Of all corpora: one release is computed at a time, by one thread.
  release::ReleaseQueue& queue() { return queue_; }
  // For whoever has the turn.
  std::optional<UnstoredRelease>& unstored() { return unstored_; }
  UploadRoom& uploads() { return uploads_; }
  ComputingThread& computing() { return *computing_; }
  // Who sums in this process's stead; null: nobody.
  cluster::SumJob* job() { return job_.get(); }
  // What a release of the corpus is computed under now. Fewer processors free than at start are an
  // alarm.
  v1::Protection ProtectionOf(const ServedCorpus& corpus);

  // The server goes down: nobody gets a turn any more, and who waits for an instant or a
  // computation waits no longer.
  void Interrupt();

  // `answer` to an act (a reservation, its end, a release that is refused), at a time that tells no
  // more than when it was asked for: the next multiple of 10 ms.
  absl::Status AnswerAct(const ServedCorpus& corpus, absl::Status answer);

  // Of all corpora: whatever depends on what is left sees it without reservations that nobody uses.
  absl::Status CancelExpired();

  // What a grant may spend from, by the configuration alone. An auditor has no share of releases.
  ledger::Purse PurseOf(const CorpusGrant& grant, const ServedCorpus& corpus) const;

 private:
  Wall(const v1::WallConfig& config, release::Clock& clock);
  int FreeProcessors();
  absl::Status OpenCorpora(const sealing::CustodianKey& key);
  absl::Status OpenCorpus(const v1::CorpusConfig& config, const sealing::CustodianKey& key,
                          absl::Span<const ledger::CorpusStatus> budgets);

  const v1::WallConfig config_;
  const Authorizer authorizer_;
  release::Clock& clock_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<ledger::FoldedLedger> ledger_;
  std::unique_ptr<StorageWatch> storage_;
  AttackBoundsCache attack_bounds_;
  PricingGate pricing_;
  acts::AnswerCache answers_{size_t{4} << 20};
  std::vector<ServedCorpus> corpora_;
  std::set<std::string, std::less<>> not_ready_;
  const release::Processors processors_;
  std::atomic<bool> has_fewer_free_{false};
  release::ReleaseQueue queue_;
  std::optional<UnstoredRelease> unstored_;
  UploadRoom uploads_;
  const std::unique_ptr<cluster::SumJob> job_;
  std::unique_ptr<ComputingThread> computing_;  // last: what it computes uses the corpora
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_WALL_H_
