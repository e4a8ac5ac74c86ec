#include "server/vault/unit_sum.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/for_each_block.h"
#include "base/status_macros.h"
#include "server/corpus/block_feed.h"
#include "server/corpus/unit_block.h"

namespace topicwall::server {
namespace {

// One thread's work, in buffers that are reused from unit to unit.
class UnitWorker {
 public:
  UnitWorker(const UnitWork& work, mechanism::LatticeSum* sum, UnitBuffers* buffers)
      : work_(work), coins_(sum->coins()), buffers_(*buffers), adder_(sum, &buffers->clipped) {}

  absl::Status AddBlock(const corpus::UnitBlock& block) {
    buffers_.ids.clear();
    for (int unit = 0; unit < block.size(); ++unit) buffers_.ids.push_back(block.id(unit));
    TW_RETURN_IF_ERROR(coins_.Sample(buffers_.ids, &buffers_.sampled));
    for (mechanism::SampledUnit& unit : buffers_.sampled) {
      TW_RETURN_IF_ERROR(AddUnit(block, std::move(unit)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status GoOn() const {
    if (work_.abandoned == nullptr || !*work_.abandoned) return absl::OkStatus();
    return absl::CancelledError("the release was abandoned");
  }

  absl::Status AddUnit(const corpus::UnitBlock& block, mechanism::SampledUnit unit) {
    const int position = static_cast<int>(unit.position());
    const mechanism::UnitCut& cut = coins_.cut();
    const int max_documents = static_cast<int>(
        std::min<int64_t>(work_.max_documents_per_unit, std::numeric_limits<int>::max()));
    TW_RETURN_IF_ERROR(cut.ChooseDocuments(unit.id(), block.num_documents(position), max_documents,
                                           &buffers_.chosen));
    if (coins_.mechanism().document_completion) return AddScore(block, std::move(unit));
    buffers_.rows.Reset(work_.e_step.num_topics(), &buffers_.statistic);
    for (const int number : buffers_.chosen) {
      TW_RETURN_IF_ERROR(GoOn());
      TW_ASSIGN_OR_RETURN(
          lda::DocumentView document,
          cut.CutWords(unit.id(), number, block.document(position, number), &buffers_.cut));
      work_.e_step.Infer(document, buffers_.workspace);
      buffers_.rows.Add(document, buffers_.workspace);
    }
    buffers_.rows.Finish();
    adder_.Add(std::move(unit), buffers_.statistic);
    return absl::OkStatus();
  }

  // Of the chosen documents.
  absl::Status AddScore(const corpus::UnitBlock& block, mechanism::SampledUnit unit) {
    const int position = static_cast<int>(unit.position());
    buffers_.score.Reset();
    for (const int number : buffers_.chosen) {
      TW_RETURN_IF_ERROR(GoOn());
      TW_ASSIGN_OR_RETURN(const lda::DocumentView words,
                          coins_.cut().CutWords(unit.id(), number, block.document(position, number),
                                                &buffers_.cut));
      TW_ASSIGN_OR_RETURN(const mechanism::TokenHalves::Halves halves,
                          coins_.halves().Split(unit.id(), number, words, &buffers_.halves));
      buffers_.score.Add(halves.observed, halves.scored);
    }
    buffers_.score.Write(&buffers_.statistic);
    adder_.Add(std::move(unit), buffers_.statistic);
    return absl::OkStatus();
  }

  const UnitWork& work_;
  const mechanism::ReleaseCoins& coins_;
  UnitBuffers& buffers_;
  mechanism::LatticeSum::Adder adder_;
};

// What the threads of one sum share.
struct Progress {
  corpus::BlockFeed feed;
  std::atomic<bool> unreadable = false;
};

absl::Status AddBlocks(const UnitWork& work, mechanism::LatticeSum* sum, Progress* progress,
                       size_t thread) {
  UnitWorker worker(work, sum, &work.memory.buffers(thread));
  corpus::BlockFeed::Buffer& buffer = work.memory.reading().buffer(static_cast<int>(thread));
  while (true) {
    const absl::StatusOr<const corpus::UnitBlock*> block = progress->feed.Next(&buffer);
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
  Progress progress{.feed = {work.corpus, work.decoded, &work.memory.reading()}};
  std::vector<absl::Status> results(static_cast<size_t>(work.num_threads));
  lda::ForEachBlock(results.size(), work.num_threads, [&](size_t share, size_t /*thread*/) {
    results[share] = AddBlocks(work, &sum, &progress, share);
  });
  for (const absl::Status& result : results) TW_RETURN_IF_ERROR(result);
  return UnitSum{.sum = std::move(sum), .unreadable = progress.unreadable};
}

}  // namespace topicwall::server
