#include "server/unit_sum.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "accountant/status_macros.h"
#include "lda/for_each_block.h"
#include "lda/sufficient_statistics.h"
#include "server/completion_score.h"
#include "server/corpus/block_feed.h"
#include "server/corpus/unit_block.h"

namespace topicwall::server {
namespace {

// One thread's buffers, reused from unit to unit.
class UnitWorker {
 public:
  UnitWorker(const UnitWork& work, mechanism::LatticeSum* sum)
      : work_(work), coins_(sum->coins()), adder_(sum), score_(&work.e_step) {}

  absl::Status AddBlock(const corpus::UnitBlock& block) {
    ids_.clear();
    for (int unit = 0; unit < block.size(); ++unit) ids_.push_back(block.id(unit));
    TW_RETURN_IF_ERROR(coins_.Sample(ids_, &sampled_));
    for (mechanism::SampledUnit& unit : sampled_) {
      TW_RETURN_IF_ERROR(AddUnit(block, std::move(unit)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddUnit(const corpus::UnitBlock& block, mechanism::SampledUnit unit) {
    const int position = static_cast<int>(unit.position());
    const mechanism::UnitCut& cut = coins_.cut();
    const int max_documents = static_cast<int>(
        std::min<int64_t>(work_.max_documents_per_unit, std::numeric_limits<int>::max()));
    TW_RETURN_IF_ERROR(
        cut.ChooseDocuments(unit.id(), block.num_documents(position), max_documents, &chosen_));
    if (coins_.mechanism().document_completion) return AddScore(block, std::move(unit));
    statistic_.Reset(work_.e_step.num_topics());
    for (const int number : chosen_) {
      TW_ASSIGN_OR_RETURN(
          lda::DocumentView document,
          cut.CutWords(unit.id(), number, block.document(position, number), &cut_workspace_));
      work_.e_step.Infer(document, workspace_);
      statistic_.Add(document, workspace_);
    }
    adder_.Add(std::move(unit), statistic_);
    return absl::OkStatus();
  }

  // Of the chosen documents.
  absl::Status AddScore(const corpus::UnitBlock& block, mechanism::SampledUnit unit) {
    const int position = static_cast<int>(unit.position());
    score_.Reset();
    for (const int number : chosen_) {
      TW_ASSIGN_OR_RETURN(const lda::DocumentView words,
                          coins_.cut().CutWords(unit.id(), number, block.document(position, number),
                                                &cut_workspace_));
      TW_ASSIGN_OR_RETURN(const mechanism::TokenHalves::Halves halves,
                          coins_.halves().Split(unit.id(), number, words, &halves_workspace_));
      score_.Add(halves.observed, halves.scored);
    }
    adder_.Add(std::move(unit), score_.entries());
    return absl::OkStatus();
  }

  const UnitWork& work_;
  const mechanism::ReleaseCoins& coins_;
  mechanism::LatticeSum::Adder adder_;
  std::vector<random::UnitId> ids_;
  std::vector<mechanism::SampledUnit> sampled_;
  std::vector<int> chosen_;
  mechanism::UnitCut::Workspace cut_workspace_;
  lda::EStep::Workspace workspace_;
  lda::UnitStatistic statistic_;
  // Of an evaluation.
  mechanism::TokenHalves::Workspace halves_workspace_;
  CompletionScore score_;
};

// What the threads of one sum share.
struct Progress {
  corpus::BlockFeed feed;
  std::atomic<bool> unreadable = false;
};

absl::Status AddBlocks(const UnitWork& work, mechanism::LatticeSum* sum, Progress* progress,
                       corpus::BlockFeed::Buffer* buffer) {
  UnitWorker worker(work, sum);
  while (true) {
    const absl::StatusOr<const corpus::UnitBlock*> block = progress->feed.Next(buffer);
    if (!block.ok()) {
      progress->unreadable = true;
      continue;
    }
    if (*block == nullptr) return absl::OkStatus();
    TW_RETURN_IF_ERROR(worker.AddBlock(**block));
  }
}

}  // namespace

absl::StatusOr<UnitSum> SumUnits(mechanism::ReleaseCoins&& coins, mechanism::ReleaseMemory&& memory,
                                 const UnitWork& work) {
  TW_ASSIGN_OR_RETURN(mechanism::LatticeSum sum,
                      mechanism::LatticeSum::Create(std::move(coins), std::move(memory),
                                                    {.clip_norm = work.clip_norm}));
  TW_ASSIGN_OR_RETURN(
      corpus::ReadMemory reading,
      corpus::ReadMemory::Reserve(work.corpus.vocabulary().size(), work.num_threads));
  Progress progress{.feed = {work.corpus, work.decoded, &reading}};
  std::vector<absl::Status> results(static_cast<size_t>(work.num_threads));
  lda::ForEachBlock(results.size(), work.num_threads, [&](size_t share, size_t /*thread*/) {
    results[share] = AddBlocks(work, &sum, &progress, &reading.buffer(static_cast<int>(share)));
  });
  for (const absl::Status& result : results) TW_RETURN_IF_ERROR(result);
  return UnitSum{.sum = std::move(sum), .unreadable = progress.unreadable};
}

}  // namespace topicwall::server
