#include "server/audit/schedule_part.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <regex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/audit/walls/audited_wall.h"
#include "server/release/release_schedule.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "scheduled";
constexpr accountant::PrivacyParams kBudget = {.epsilon = 100, .delta = 1e-6};
constexpr int kTerms = 50;
constexpr int kReleases = 4;  // the first is looked at while it waits, the last overruns
constexpr int64_t kInterval = AuditedWall::kReleaseIntervalMs;
constexpr int64_t kWorkMs = 40;            // that the smaller corpus takes
constexpr int64_t kBeforeInstant = 5'000;  // more than readings of the clock take meanwhile

struct Size {
  int documents;
  uint32_t words;  // of each
};
constexpr Size kFew = {.documents = 40, .words = 5};
constexpr Size kMany = {.documents = 80, .words = 25};  // ten times the tokens

PlantedCorpus DocumentsOf(const Size& size) {
  PlantedCorpus planted = {.vocabulary_size = kTerms, .documents = {}};
  for (uint32_t i = 0; i < static_cast<uint32_t>(size.documents); ++i) {
    planted.documents.push_back(
        {.id = absl::StrCat("document-", i), .counts = {{i % kTerms, size.words}}});
  }
  return planted;
}

// What was seen of one corpus.
struct Observed {
  std::vector<std::string> early;  // paths by which a release was readable before its instant
  std::vector<int64_t> waits;      // readable - charged, ms
  std::vector<int64_t> intervals;  // m, as the chain has them
  bool chain_agrees = true;        // times in the chain are those of the release headers
  std::string description;         // without what is random
  std::string log;                 // the custodian's, likewise
  std::vector<std::vector<std::size_t>> message_sizes;  // of every release
};

// Times, random names, certificates and ports differ whatever the corpus, and so does what gRPC has
// to say of its connections.
std::string WithoutChance(const std::string& log) {
  static const auto* const of_grpc = new std::regex(R"re([^\n]*"event":"grpc"[^\n]*\n)re");
  static const auto* const chance = new std::regex(
      R"re("time_ms":\d+|"certificate":"[0-9A-F]+"|[0-9a-f]{32}|127\.0\.0\.1:\d+)re");
  return std::regex_replace(std::regex_replace(log, *of_grpc, ""), *chance, "*");
}

class Watcher {
 public:
  Watcher(std::unique_ptr<AuditedWall> wall, int64_t work_ms)
      : wall_(std::move(wall)), work_ms_(work_ms) {}

  absl::StatusOr<Observed> Watch() {
    TW_ASSIGN_OR_RETURN(v1::CorpusDescription description, wall_->alice().Describe(kCorpus));
    description.clear_corpus_version();
    description.clear_signing_key();
    observed_.description = description.SerializeAsString();
    TW_ASSIGN_OR_RETURN(v1::ReleaseSpec plan, wall_->PlanOf(kCorpus));
    plan.set_iterations(kReleases);
    TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall_->alice().Reserve(plan));
    plan_id_ = state.plan_id();
    wall_->clock().SetCostOfReading(work_ms_);
    TW_RETURN_IF_ERROR(WatchWaiting());
    for (int i = 2; i < kReleases; ++i) TW_RETURN_IF_ERROR(Release(i));
    wall_->clock().SetCostOfReading(kInterval + kInterval / 2);
    TW_RETURN_IF_ERROR(Release(kReleases));
    TW_RETURN_IF_ERROR(ReadChain());
    TW_ASSIGN_OR_RETURN(const std::string log, wall_->EventLog());
    observed_.log = WithoutChance(log);
    return std::move(observed_);
  }

 private:
  absl::Status Release(int iteration) {
    const ReleaseQuestion question = {.log_topics = std::vector<float>(kTerms, -1), .clip_norm = 2};
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release,
                        wall_->alice().RunRelease(plan_id_, iteration, question));
    observed_.waits.push_back(release.header.readable_at_ms() - release.header.charged_at_ms());
    readable_at_.push_back(release.header.readable_at_ms());
    observed_.message_sizes.push_back(release.message_sizes);
    return absl::OkStatus();
  }

  // The first release, held at the door.
  absl::Status WatchWaiting() {
    wall_->clock().HoldSleepers();
    auto waiting = std::async(std::launch::async, [this] { return Release(1); });
    const bool sleeps = wall_->clock().WaitForSleeper();
    absl::Status looked = sleeps ? LookAtWaiting(waiting) : absl::OkStatus();
    wall_->clock().LetSleepersJump();
    TW_RETURN_IF_ERROR(waiting.get());
    if (!sleeps) observed_.early.push_back("the stream");
    return looked;
  }

  absl::Status LookAtWaiting(std::future<absl::Status>& waiting) {
    TW_ASSIGN_OR_RETURN(v1::PlanState state, wall_->alice().GetPlan(plan_id_));
    if (state.iterations_size() != 1) {
      return absl::InternalError("a release that waits is not charged");
    }
    const int64_t instant = state.iterations(0).charged_at_ms() + kInterval;
    TW_RETURN_IF_ERROR(TryToRead());
    // Past its store moment: once it sleeps again it is stored. What never does is looked at, too.
    wall_->clock().AdvanceTo(instant - kBeforeInstant);
    wall_->clock().WaitForSleeper(/*nth=*/2);
    TW_RETURN_IF_ERROR(TryToRead());
    if (waiting.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) {
      observed_.early.push_back("the stream");
    }
    wall_->clock().AdvanceTo(instant);
    return absl::OkStatus();
  }

  absl::Status TryToRead() {
    if (!absl::IsNotFound(wall_->alice().GetRelease(plan_id_, 1).status())) {
      observed_.early.push_back("GetRelease");
    }
    TW_ASSIGN_OR_RETURN(const v1::PlanState state, wall_->alice().GetPlan(plan_id_));
    for (const v1::IterationState& iteration : state.iterations()) {
      if (iteration.readable() || iteration.readable_at_ms() != 0 ||
          !iteration.release_sha256().empty()) {
        observed_.early.push_back("the plan");
      }
    }
    TW_ASSIGN_OR_RETURN(const auto events, wall_->ann().ReadLedger(kCorpus));
    for (const v1::LedgerEvent& event : events) {
      if (event.has_release_published()) observed_.early.push_back("the chain");
    }
    return absl::OkStatus();
  }

  absl::Status ReadChain() {
    TW_ASSIGN_OR_RETURN(const auto events, wall_->ann().ReadLedger(kCorpus));
    std::vector<int64_t> times;
    for (const v1::LedgerEvent& event : events) {
      if (!event.has_release_published()) continue;
      times.push_back(event.time_ms());
      observed_.intervals.push_back(event.release_published().intervals_waited());
    }
    observed_.chain_agrees = times == readable_at_;
    return absl::OkStatus();
  }

  const std::unique_ptr<AuditedWall> wall_;
  const int64_t work_ms_;
  std::string plan_id_;
  std::vector<int64_t> readable_at_;
  Observed observed_;
};

absl::StatusOr<Observed> Watch(const Size& size, int64_t work_ms, ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(folder, {.corpora = {{.name = kCorpus, .planted = DocumentsOf(size)}},
                                  .budget = kBudget}));
  return Watcher(std::move(wall), work_ms).Watch();
}

Finding NotEarly(const Observed& few, const Observed& many) {
  std::vector<std::string> early = few.early;
  early.insert(early.end(), many.early.begin(), many.early.end());
  return Finding{Part::kSchedule,
                 "before its instant a release is readable by no path",
                 "the stream, GetRelease, GetPlan and the chain, while it waits",
                 early.empty() ? "by none" : absl::StrCat("by ", absl::StrJoin(early, ", ")),
                 "none",
                 "1 path",
                 HoldsIf(early.empty())};
}

Finding SameInstants(const Observed& few, const Observed& many) {
  std::vector<int64_t> expected(kReleases, kInterval);
  expected.back() = 2 * kInterval;
  std::vector<int64_t> intervals(kReleases, 1);
  intervals.back() = 2;
  const bool holds = few.waits == expected && many.waits == expected &&
                     few.intervals == intervals && many.intervals == intervals &&
                     few.chain_agrees && many.chain_agrees;
  return Finding{
      Part::kSchedule,
      "a release is readable at t0 + T, after 10 times the work too; beyond T at t0 + 2T",
      absl::StrFormat("%d releases of each corpus, work of %d and %d ms, the last 1.5 T", kReleases,
                      kWorkMs, 10 * kWorkMs),
      absl::StrFormat("after %s and %s ms; chain %s", absl::StrJoin(few.waits, " "),
                      absl::StrJoin(many.waits, " "),
                      few.chain_agrees && many.chain_agrees ? "agrees" : "differs"),
      absl::StrFormat("after %s ms", absl::StrJoin(expected, " ")),
      "1 ms",
      HoldsIf(holds)};
}

// The schedule alone, for every duration.
Finding Grid() {
  const release::ReleaseSchedule schedule = release::ReleaseSchedule::Every(kInterval);
  constexpr int64_t kCharged = SimulatedClock::kStartMs + 12'345;
  const int64_t store_ms = schedule.StoreMs(4 * kTerms);
  int off = 0;
  for (int64_t took = 0; took <= 3 * kInterval; ++took) {
    int64_t level = 1;
    while (took >= level * kInterval - store_ms) level *= 2;
    const auto instant = schedule.InTime(kCharged, kCharged + took, store_ms);
    if (!instant.has_value() || instant->readable_at_ms != kCharged + level * kInterval ||
        instant->store_at_ms != instant->readable_at_ms - store_ms) {
      ++off;
    }
  }
  return Finding{Part::kSchedule,
                 "store moment and instant depend on the level that work was in time for alone",
                 "all durations up to 3 T, by the millisecond",
                 absl::StrCat(off, " elsewhere"),
                 "none",
                 "1 ms",
                 HoldsIf(off == 0)};
}

Finding LookAlike(const Observed& few, const Observed& many) {
  const bool description = few.description == many.description;
  const bool sizes = few.message_sizes == many.message_sizes;
  const bool log = few.log == many.log && !few.log.empty();
  return Finding{Part::kSchedule,
                 "descriptions, sizes of messages and the log are equal, whatever the corpora hold",
                 "the same acts on two corpora, twice the documents, 10 times the tokens",
                 absl::StrCat("description ", description ? "equal" : "different", ", sizes ",
                              sizes ? "equal" : "different", ", log ", log ? "equal" : "different"),
                 "equal but for chance",
                 "1 byte",
                 HoldsIf(description && sizes && log)};
}

absl::StatusOr<Finding> Versions(ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
  const PlantedCorpus planted = DocumentsOf(kFew);
  TW_ASSIGN_OR_RETURN(const auto first, WritePlanted(planted, folder->NewPath("version"), key));
  TW_ASSIGN_OR_RETURN(const auto second, WritePlanted(planted, folder->NewPath("version"), key));
  const bool differ = first.version != second.version;
  return Finding{Part::kSchedule,
                 "a corpus's version is drawn, and says nothing of its documents",
                 "the same documents ingested twice under one key",
                 differ ? "two versions" : "one version",
                 "two",
                 "a digest for a name",
                 HoldsIf(differ)};
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditSchedule(ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(const Observed few, Watch(kFew, kWorkMs, folder));
  TW_ASSIGN_OR_RETURN(const Observed many, Watch(kMany, 10 * kWorkMs, folder));
  TW_ASSIGN_OR_RETURN(Finding versions, Versions(folder));
  std::vector<Finding> findings = {NotEarly(few, many), SameInstants(few, many), Grid(),
                                   LookAlike(few, many)};
  findings.push_back(std::move(versions));
  return findings;
}

}  // namespace topicwall::audit
