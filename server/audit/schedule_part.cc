#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/audit/parts.h"
#include "server/audit/statistics/ledger_recount.h"
#include "server/audit/walls/audited_wall.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "scheduled";
constexpr int kTerms = 50;
constexpr int kReleases = 3;
constexpr int64_t kIntervalMs = 1'500;  // T
constexpr double kRate = 0.01;          // at which a corpus of one unit gives empty batches
// How often both corpora are watched until their releases take as many intervals, without which
// their logs differ: those say how many it were, as the chain does. Other work on the machine must
// not look like the corpus. Everything else has to hold each time.
constexpr int kAttempts = 5;

PlantedCorpus DocumentsOf(uint32_t documents) {
  PlantedCorpus planted = {.vocabulary_size = kTerms, .documents = {}};
  for (uint32_t i = 0; i < documents; ++i) {
    planted.documents.push_back({.id = absl::StrCat("document-", i), .counts = {{i % kTerms, 5}}});
  }
  return planted;
}

// What was seen of one corpus.
struct Observed {
  std::set<std::string> early;    // paths by which a release was readable before its instant
  std::vector<int64_t> waits;     // readable - charged, ms
  std::vector<int64_t> readable;  // instants, as releases state them
  LedgerRecount chain = {};
  std::string description;                              // without what is random
  std::string log;                                      // the custodian's, likewise
  std::vector<std::vector<std::size_t>> message_sizes;  // of every release
};

// Times and random names differ whatever the corpus.
std::string WithoutChance(const std::string& log) {
  static const auto* const chance = new std::regex(R"re("time_ms":\d+|[0-9a-f]{32})re");
  return std::regex_replace(log, *chance, "*");
}

// Looks for the iteration on every path, until it has been answered.
absl::Status LookWhile(AuditedWall& wall, const std::string& plan_id, int iteration,
                       std::future<absl::StatusOr<ReceivedRelease>>& answer, Observed* seen) {
  const Principal& alice = wall.alice();
  while (true) {
    const bool answered =
        answer.wait_for(std::chrono::milliseconds(5)) == std::future_status::ready;
    const bool read = alice.GetRelease(plan_id, iteration).ok();
    TW_ASSIGN_OR_RETURN(const v1::PlanState state, alice.GetPlan(plan_id));
    TW_ASSIGN_OR_RETURN(const auto entries, wall.ann().ReadLedger(kCorpus));
    TW_ASSIGN_OR_RETURN(const LedgerRecount chain, LedgerRecount::Of(entries));
    // Read last: what was seen by then was readable by then, so nothing is called early that was
    // not.
    const int64_t now_ms = wall.wall().clock().NowMs();  // when all that was over
    if (state.iterations_size() < iteration) continue;   // not charged yet
    const v1::IterationState& shown = state.iterations(iteration - 1);
    const bool is_early = now_ms < shown.charged_at_ms() + kIntervalMs;
    if (is_early && answered) seen->early.insert("the stream");
    if (is_early && read) seen->early.insert("GetRelease");
    if (is_early && (shown.readable() || !shown.release_sha256().empty())) {
      seen->early.insert("GetPlan");
    }
    if (is_early && static_cast<int>(chain.published_at_ms.size()) >= iteration) {
      seen->early.insert("the chain");
    }
    if (answered) return absl::OkStatus();
  }
}

absl::StatusOr<Observed> Watch(uint32_t documents, Attack& attack) {
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<AuditedWall> wall,
      AuditedWall::Start(attack.NewPath("wall"), {.corpora = {{kCorpus, DocumentsOf(documents)}},
                                                  .interval_ms = kIntervalMs}));
  const Principal& alice = wall->alice();
  Observed seen;
  TW_ASSIGN_OR_RETURN(v1::CorpusDescription description, alice.Describe(kCorpus));
  // Both are drawn afresh for every wall; what is left must not depend on the documents.
  description.clear_corpus_version();
  description.clear_signing_key();
  seen.description = description.SerializeAsString();
  v1::ReleaseSpec spec = wall->PlanOf(kCorpus);
  spec.set_iterations(kReleases);
  spec.set_sampling_rate(kRate);
  TW_ASSIGN_OR_RETURN(const v1::PlanState plan, alice.Reserve(spec));
  for (int i = 1; i <= kReleases; ++i) {
    auto answer = std::async(std::launch::async, [&] {
      return alice.RunRelease(plan, i,
                              {.parameters = std::vector<float>(kTerms, -1), .clip_norm = 2});
    });
    TW_RETURN_IF_ERROR(LookWhile(*wall, plan.plan_id(), i, answer, &seen));
    TW_ASSIGN_OR_RETURN(const ReceivedRelease release, answer.get());
    seen.readable.push_back(release.header.readable_at_ms());
    seen.waits.push_back(release.header.readable_at_ms() - release.header.charged_at_ms());
    seen.message_sizes.push_back(release.message_sizes);
  }
  TW_ASSIGN_OR_RETURN(const auto entries, wall->ann().ReadLedger(kCorpus));
  TW_ASSIGN_OR_RETURN(seen.chain, LedgerRecount::Of(entries));
  TW_ASSIGN_OR_RETURN(const std::string log, wall->EventLog());
  seen.log = WithoutChance(log);
  return seen;
}

// t0 + m·T, m the first of 1, 2, 4, 8, 16 for which the machine was fast enough.
bool AreScheduled(const Observed& seen) {
  for (std::size_t i = 0; i < seen.waits.size(); ++i) {
    const int64_t m = seen.waits[i] / kIntervalMs;
    const bool is_level = m >= 1 && m <= 16 && (m & (m - 1)) == 0;
    if (!is_level || seen.waits[i] != m * kIntervalMs || seen.chain.intervals_waited[i] != m) {
      return false;
    }
  }
  return seen.chain.published_at_ms == seen.readable;
}

}  // namespace

Findings AttackSchedule(Attack& attack) {
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Generate());
  std::set<corpus::CorpusVersion> versions;
  for (int i = 0; i < 2; ++i) {
    TW_ASSIGN_OR_RETURN(const auto written,
                        WritePlanted(DocumentsOf(1), attack.NewPath("corpus"), key));
    versions.insert(written.version);
  }
  Observed few, many;
  std::set<std::string> early;
  bool scheduled = true, description = true, sizes = true;
  for (int i = 0; i < kAttempts && (i == 0 || few.waits != many.waits); ++i) {
    TW_ASSIGN_OR_RETURN(few, Watch(1, attack));
    TW_ASSIGN_OR_RETURN(many, Watch(400, attack));
    early.insert(few.early.begin(), few.early.end());
    early.insert(many.early.begin(), many.early.end());
    scheduled = scheduled && AreScheduled(few) && AreScheduled(many);
    description = description && few.description == many.description;
    sizes = sizes && few.message_sizes == many.message_sizes;
  }
  // Two logs that say nothing would be equal, too.
  const bool log = few.log == many.log && !few.log.empty();
  const auto differs = [](bool equal) { return equal ? "equal" : "different"; };
  return std::vector<Finding>{
      {"before its instant a release is readable by no path",
       "the stream, GetRelease, GetPlan and the chain, while it waits",
       early.empty() ? "by none" : absl::StrCat("by ", absl::StrJoin(early, ", ")), "none",
       "1 path", HoldsIf(early.empty())},
      {"a release is readable at t0 + m·T, as the chain says, whatever is computed",
       absl::StrFormat("%d releases of each corpus, T = %d ms", kReleases, kIntervalMs),
       absl::StrFormat("after %s and %s ms", absl::StrJoin(few.waits, " "),
                       absl::StrJoin(many.waits, " ")),
       "m of 1, 2, 4, 8, 16", "1 ms", HoldsIf(scheduled)},
      {"descriptions, sizes of messages and the log are equal, also where nobody is drawn",
       "the same acts on a corpus of one unit and on one of 400",
       absl::StrCat("description ", differs(description), ", sizes ", differs(sizes), ", log ",
                    differs(log)),
       "equal but for chance", "1 byte", HoldsIf(description && sizes && log)},
      {"a corpus's version is drawn, and says nothing of its documents",
       "the same documents ingested twice under one key",
       absl::StrCat(versions.size(), " versions"), "2", "a digest for a name",
       HoldsIf(versions.size() == 2)}};
}

}  // namespace topicwall::audit
