// A unit's way: its coin, its documents, its cuts, its statistic, its clipped vector, the sum.
// Every step is a function of the unit and of keys of the release, and works in buffers that were
// taken for the largest unit there can be; so neither threads nor neighbours change a bit, and
// nothing asks for memory that a document could make large. What goes wrong comes in two kinds: a
// block that cannot be read counts as nothing and is told in `unreadable`; a failure of the machine
// ends the sum.
#include "server/executor/thread_executor.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "server/corpus/block_feed.h"
#include "server/corpus/unit_block.h"
#include "server/mechanism/keyed_unit_bits.h"

namespace topicwall::executor {
namespace {

// One thread's work, in buffers that are reused from unit to unit.
class UnitWorker {
 public:
  UnitWorker(const WorkOrder& order, const UnitCut& cut, mechanism::PartialSum* sum,
             UnitBuffers* buffers)
      : order_(order),
        coins_(order.coins),
        cut_(cut),
        bits_(coins_.NewUnitBits()),
        buffers_(*buffers),
        adder_(sum, &buffers->clipped) {}

  absl::Status AddBlock(const corpus::UnitBlock& block) {
    buffers_.ids.clear();
    for (int unit = 0; unit < block.size(); ++unit) buffers_.ids.push_back(block.id(unit));
    // For the whole block at once: what costs time is calling the cipher, not the coin of a unit.
    TW_RETURN_IF_ERROR(coins_.Sample(buffers_.ids, &buffers_.sampled));
    for (mechanism::SampledUnit& unit : buffers_.sampled) {
      TW_RETURN_IF_ERROR(AddUnit(block, std::move(unit)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddUnit(const corpus::UnitBlock& block, mechanism::SampledUnit unit) {
    TW_RETURN_IF_ERROR(ReadUnit(block, unit));
    const model::Unit read = {.documents = buffers_.documents, .abandoned = order_.abandoned};
    bits_.StartUnit(unit.id());
    buffers_.inference->Infer(read, bits_, &buffers_.statistic);
    // Asked after it, too: the model may have stopped in the middle, and half a statistic must not
    // be added.
    if (read.Abandoned()) return absl::CancelledError("the release was abandoned");
    // The model cannot look at errors: where its bits failed, it has computed with zeros.
    TW_RETURN_IF_ERROR(bits_.status());
    adder_.Add(std::move(unit), buffers_.statistic);
    return absl::OkStatus();
  }

  // Into buffers_.documents, cut to the caps.
  // Documents first, words afterwards: a document that is left out costs nothing. A cut is copied
  // (Keep) because the next one is made in the same workspace; a document that is whole stays in
  // its block.
  absl::Status ReadUnit(const corpus::UnitBlock& block, const mechanism::SampledUnit& unit) {
    const int position = static_cast<int>(unit.position());
    const int max_documents = static_cast<int>(
        std::min<int64_t>(order_.max_documents_per_unit, std::numeric_limits<int>::max()));
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
      buffers_.documents.push_back({.counts = words,
                                    .number = number,
                                    .attributes = block.attributes(position, number),
                                    .vector = block.vector(position, number)});
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

  const WorkOrder& order_;
  const mechanism::ReleaseCoins& coins_;
  const UnitCut& cut_;
  mechanism::KeyedUnitBits bits_;
  UnitBuffers& buffers_;
  mechanism::PartialSum::Adder adder_;
};

// What the threads of one shard share.
struct Shard {
  const WorkOrder& order;
  const UnitCut& cut;
  corpus::BlockFeed feed;
  mechanism::PartialSum* sum;
  std::atomic<bool>* unreadable;
};

// One thread's part of a shard.
// To the end of the feed, also after a block that is lost: the release is void then, and what there
// is to tell is told at its last instant, not earlier.
absl::Status AddBlocks(Shard* shard, UnitBuffers* buffers, corpus::BlockFeed::Buffer* buffer) {
  UnitWorker worker(shard->order, shard->cut, shard->sum, buffers);
  while (true) {
    const absl::StatusOr<const corpus::UnitBlock*> block = shard->feed.Next(buffer);
    if (absl::IsDataLoss(block.status())) {
      *shard->unreadable = true;
      continue;
    }
    TW_RETURN_IF_ERROR(block.status());
    if (*block == nullptr) return absl::OkStatus();
    TW_RETURN_IF_ERROR(worker.AddBlock(**block));
  }
}

}  // namespace

absl::StatusOr<ThreadExecutor> ThreadExecutor::Reserve(const model::Inference& inference,
                                                       const Params& params) {
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseMemory sum_memory,
                      ReserveSum(inference, params.bounds.num_threads, params.has_directions));
  TW_ASSIGN_OR_RETURN(UnitMemory unit_memory, UnitMemory::Reserve(inference, params.bounds));
  return ThreadExecutor(params, std::move(sum_memory), std::move(unit_memory));
}

absl::StatusOr<UnitSum> ThreadExecutor::Sum(const WorkOrder& order) {
  if (!sum_memory_.has_value()) return absl::InternalError("an executor sums once");
  TW_ASSIGN_OR_RETURN(mechanism::PartialSum sum,
                      mechanism::PartialSum::Create(order.coins, *std::move(sum_memory_),
                                                    {.clip_norm = order.clip_norm,
                                                     .direction_noise = order.direction_noise}));
  sum_memory_.reset();
  TW_ASSIGN_OR_RETURN(const UnitCut cut, UnitCut::Create(&order.coins.truncation_key(),
                                                         order.coins.mechanism().max_words));
  std::atomic<bool> unreadable = false;
  for (const int shard : order.shards) {
    TW_RETURN_IF_ERROR(sum.CountShard(shard));  // first: it refuses what is none
    TW_RETURN_IF_ERROR(AddShard(order, cut, shard, &sum, &unreadable));
  }
  return UnitSum{.sum = std::move(sum), .unreadable = unreadable};
}

absl::Status ThreadExecutor::AddShard(const WorkOrder& order, const UnitCut& cut, int shard,
                                      mechanism::PartialSum* sum, std::atomic<bool>* unreadable) {
  const corpus::BlockRange blocks =
      BlocksOf(shard, order.coins.tag().num_shards, params_.corpus.num_blocks());
  Shard shared{.order = order,
               .cut = cut,
               .feed = {params_.corpus, params_.decoded, blocks, &unit_memory_.reading()},
               .sum = sum,
               .unreadable = unreadable};
  const int num_threads = params_.bounds.num_threads;
  std::vector<absl::Status> results(static_cast<size_t>(num_threads));
  // One piece of work for each thread's buffers. Whichever thread does it, also two of them one
  // behind the other where the machine has too few, no two use the same buffers at once.
  lda::ForEachBlock(results.size(), num_threads, [&](size_t thread, size_t /*worker*/) {
    results[thread] = AddBlocks(&shared, &unit_memory_.buffers(thread),
                                &unit_memory_.reading().buffer(static_cast<int>(thread)));
  });
  for (const absl::Status& result : results) TW_RETURN_IF_ERROR(result);
  return absl::OkStatus();
}

}  // namespace topicwall::executor
