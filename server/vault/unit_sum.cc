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
#include "server/mechanism/keyed_unit_bits.h"
#include "server/vault/unit_cut.h"

namespace topicwall::server {
namespace {

// One thread's work, in buffers that are reused from unit to unit.
class UnitWorker {
 public:
  UnitWorker(const UnitWork& work, const UnitCut& cut, mechanism::LatticeSum* sum,
             UnitBuffers* buffers)
      : work_(work),
        coins_(sum->coins()),
        cut_(cut),
        bits_(coins_.NewUnitBits()),
        buffers_(*buffers),
        adder_(sum, &buffers->clipped) {}

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
  absl::Status AddUnit(const corpus::UnitBlock& block, mechanism::SampledUnit unit) {
    TW_RETURN_IF_ERROR(ReadUnit(block, unit));
    const model::Unit read = {.documents = buffers_.documents, .abandoned = work_.abandoned};
    bits_.StartUnit(unit.id());
    buffers_.inference->Infer(read, bits_, &buffers_.statistic);
    if (read.Abandoned()) return absl::CancelledError("the release was abandoned");
    TW_RETURN_IF_ERROR(bits_.status());
    adder_.Add(std::move(unit), buffers_.statistic);
    return absl::OkStatus();
  }

  // Into buffers_.documents, cut to the caps.
  absl::Status ReadUnit(const corpus::UnitBlock& block, const mechanism::SampledUnit& unit) {
    const int position = static_cast<int>(unit.position());
    const int max_documents = static_cast<int>(
        std::min<int64_t>(work_.max_documents_per_unit, std::numeric_limits<int>::max()));
    TW_RETURN_IF_ERROR(cut_.ChooseDocuments(unit.id(), block.num_documents(position), max_documents,
                                            &buffers_.chosen));
    buffers_.documents.clear();
    buffers_.cut_words.clear();
    for (const int number : buffers_.chosen) {
      const lda::DocumentView whole = block.document(position, number);
      TW_ASSIGN_OR_RETURN(lda::DocumentView words,
                          cut_.CutWords(unit.id(), number, whole, &buffers_.cut));
      if (words.data() != whole.data()) {
        TW_ASSIGN_OR_RETURN(words, Keep(words));
      }
      buffers_.documents.push_back({.counts = words, .number = number});
    }
    return absl::OkStatus();
  }

  // A copy that stays until the next unit.
  absl::StatusOr<lda::DocumentView> Keep(lda::DocumentView words) {
    std::vector<lda::TermCount>& kept = buffers_.cut_words;
    // Others point into it: it must not move. UnitMemory has room for every unit.
    if (words.size() > kept.capacity() - kept.size()) {
      return absl::InternalError("a unit is larger than the limits that memory was taken for");
    }
    const size_t first = kept.size();
    kept.insert(kept.end(), words.begin(), words.end());
    return lda::DocumentView(kept.data() + first, words.size());
  }

  const UnitWork& work_;
  const mechanism::ReleaseCoins& coins_;
  const UnitCut& cut_;
  mechanism::KeyedUnitBits bits_;
  UnitBuffers& buffers_;
  mechanism::LatticeSum::Adder adder_;
};

// What the threads of one sum share.
struct Progress {
  UnitCut cut;
  corpus::BlockFeed feed;
  std::atomic<bool> unreadable = false;
};

absl::Status AddBlocks(const UnitWork& work, mechanism::LatticeSum* sum, Progress* progress,
                       size_t thread) {
  UnitWorker worker(work, progress->cut, sum, &work.memory.buffers(thread));
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
  TW_ASSIGN_OR_RETURN(random::SecretKey cut_key, sum.coins().TruncationKey());
  TW_ASSIGN_OR_RETURN(UnitCut cut,
                      UnitCut::Create(std::move(cut_key), sum.coins().mechanism().max_words));
  Progress progress{.cut = std::move(cut),
                    .feed = {work.corpus, work.decoded, &work.memory.reading()}};
  std::vector<absl::Status> results(static_cast<size_t>(work.num_threads));
  lda::ForEachBlock(results.size(), work.num_threads, [&](size_t share, size_t /*thread*/) {
    results[share] = AddBlocks(work, &sum, &progress, share);
  });
  for (const absl::Status& result : results) TW_RETURN_IF_ERROR(result);
  return UnitSum{.sum = std::move(sum), .unreadable = progress.unreadable};
}

}  // namespace topicwall::server
