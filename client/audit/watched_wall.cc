// The look comes before the call: what was spent cannot be taken back, and the answer of a wall
// whose ledger was put back is not worth having. Calls that spend look every time, and so does
// GetBudget, which commands ask last to note the head with their own act in it. Those that read
// look once in the life of the object, or a list of plans would cost a walk along each of their
// chains.
//
// Answers that show a piece of the chain themselves are held against the note as well. A wall might
// show one history to the look and another to the call right behind it.
#include "client/audit/watched_wall.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"

namespace topicwall::client {
namespace {

absl::Status TwoHistories(absl::string_view corpus, const v1::NotedHead& note,
                          absl::string_view shown) {
  return absl::DataLossError(absl::StrCat(
      "the wall shows two histories of ", corpus, ": ", DescribeNote(note), ", and ", shown,
      ". Keep this output and ask the custodian, by another way than this wall."));
}

class WatchedWall : public WallPort {
 public:
  WatchedWall(std::unique_ptr<WallPort> wall, HeadBook book, WatchOptions options)
      : wall_(std::move(wall)), book_(std::move(book)), options_(std::move(options)) {}

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    TW_RETURN_IF_ERROR(LookOnce(corpus));
    return wall_->DescribeCorpus(corpus);
  }

  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                         int64_t max_terms) override {
    TW_RETURN_IF_ERROR(LookOnce(corpus));
    return wall_->GetVocabulary(corpus, max_terms);
  }

  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    TW_RETURN_IF_ERROR(LookOnce(plan.corpus()));
    return wall_->PricePlan(plan);
  }

  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override {
    TW_RETURN_IF_ERROR(Look(request.plan().corpus()));
    TW_ASSIGN_OR_RETURN(v1::PlanState plan, wall_->ReservePlan(request));
    corpora_[plan.plan_id()] = request.plan().corpus();
    return plan;
  }

  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) override {
    TW_ASSIGN_OR_RETURN(const std::string corpus, CorpusOf(std::string(plan_id)));
    TW_RETURN_IF_ERROR(Look(corpus));
    return wall_->CancelPlan(plan_id);
  }

  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override {
    TW_ASSIGN_OR_RETURN(const std::string corpus, CorpusOf(std::string(plan_id)));
    TW_RETURN_IF_ERROR(LookOnce(corpus));
    return wall_->GetPlan(plan_id);
  }

  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) override {
    if (!corpus.empty()) TW_RETURN_IF_ERROR(LookOnce(corpus));
    TW_ASSIGN_OR_RETURN(std::vector<v1::PlanState> plans, wall_->ListPlans(corpus));
    for (const v1::PlanState& plan : plans) {
      const absl::Status looked = LookOnce(plan.plan().corpus());
      // A plan may be of a corpus that is not served to this caller any more.
      if (!absl::IsPermissionDenied(looked)) TW_RETURN_IF_ERROR(looked);
    }
    return plans;
  }

  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> log_topics,
                                     const ReleaseShape& shape) override {
    TW_ASSIGN_OR_RETURN(const std::string corpus, CorpusOf(header.plan_id()));
    TW_RETURN_IF_ERROR(Look(corpus));
    return wall_->RunRelease(header, log_topics, shape);
  }

  absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                     const ReleaseShape& shape) override {
    TW_ASSIGN_OR_RETURN(const std::string corpus, CorpusOf(std::string(plan_id)));
    TW_RETURN_IF_ERROR(LookOnce(corpus));
    return wall_->GetRelease(plan_id, iteration, shape);
  }

  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
    TW_RETURN_IF_ERROR(Look(std::string(corpus)));
    TW_ASSIGN_OR_RETURN(v1::BudgetStatus budget, wall_->GetBudget(corpus));
    const v1::NotedHead& note = NoteOf(corpus);
    if (note.budget_id().empty()) return budget;  // opened just now, if at all
    // A longer chain may be an honest one: others went on meanwhile, and the next look will follow
    // it.
    if (budget.events() < note.sequence() ||
        (budget.events() == note.sequence() && budget.chain_head() != note.head())) {
      return TwoHistories(corpus, note,
                          absl::StrCat("a budget whose ledger ends at entry ", budget.events(),
                                       ", head ", base::Hex(budget.chain_head())));
    }
    if (budget.has_signed_head()) {
      v1::NotedHead stated = note;
      stated.set_sequence(budget.events());
      stated.set_head(budget.chain_head());
      TW_RETURN_IF_ERROR(CheckSignedHead(budget.signed_head(), stated));
    }
    return budget;
  }

  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override {
    TW_RETURN_IF_ERROR(LookOnce(corpus));
    TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEntry> entries,
                        wall_->ReadLedger(corpus, first_sequence));
    const v1::NotedHead& note = NoteOf(corpus);
    for (const v1::LedgerEntry& entry : entries) {
      if (entry.sequence() == note.sequence() && entry.head() != note.head()) {
        return TwoHistories(
            corpus, note,
            absl::StrCat("another entry ", entry.sequence(), ", head ", base::Hex(entry.head())));
      }
    }
    // Whoever reads from behind the note may be given nothing; from before it, the note must be
    // reached.
    const int64_t last = first_sequence - 1 + static_cast<int64_t>(entries.size());
    if (last < note.sequence() && first_sequence <= note.sequence()) {
      return TwoHistories(corpus, note, absl::StrCat("a ledger that ends at entry ", last));
    }
    return entries;
  }

 private:
  absl::Status Look(const std::string& corpus) {
    TW_ASSIGN_OR_RETURN(
        const ChainSight sight,
        LookAtChain({.wall = *wall_, .book = book_, .signing_key = options_.signing_key}, corpus));
    notes_[corpus] = sight.head;
    if (sight.replaced.has_value() && options_.on_new_budget) options_.on_new_budget(sight);
    return absl::OkStatus();
  }

  absl::Status LookOnce(absl::string_view corpus) {
    return notes_.count(corpus) != 0 ? absl::OkStatus() : Look(std::string(corpus));
  }

  // On the wall's word. That the plan is what it says is for its receipt to show
  // (receipted_wall.h).
  absl::StatusOr<std::string> CorpusOf(const std::string& plan_id) {
    const auto known = corpora_.find(plan_id);
    if (known != corpora_.end()) return known->second;
    TW_ASSIGN_OR_RETURN(const v1::PlanState plan, wall_->GetPlan(plan_id));
    corpora_[plan_id] = plan.plan().corpus();
    return plan.plan().corpus();
  }

  const v1::NotedHead& NoteOf(absl::string_view corpus) const {
    // There is one after every look.
    return notes_.find(corpus)->second;
  }

  const std::unique_ptr<WallPort> wall_;
  HeadBook book_;
  const WatchOptions options_;
  std::map<std::string, v1::NotedHead, std::less<>> notes_;  // by corpus
  std::map<std::string, std::string> corpora_;               // by plan
};

}  // namespace

std::unique_ptr<WallPort> Watched(std::unique_ptr<WallPort> wall, HeadBook book,
                                  WatchOptions options) {
  return std::make_unique<WatchedWall>(std::move(wall), std::move(book), std::move(options));
}

}  // namespace topicwall::client
