// The step between receipt and noise: what the model makes of every sampled unit, clipped and
// summed.
//
//   TW_ASSIGN_OR_RETURN(mechanism::LatticeSum sum,
//                       SumUnits(std::move(coins), std::move(memory), work));
//
// Threads take blocks of the corpus one by one from a feed that reads ahead
// (server/corpus/block_feed.h); every unit is read, cut to its public caps, run through the model
// (model/statistic_model.h), clipped and added as integers. The sum is bit-identical for any number
// of threads, any order of blocks, any layout of the corpus file and any part of it kept decoded in
// memory, because a unit's integers depend on that unit alone and integers add in any order.
//
// Nothing of one unit can fail a sum: units of a block that cannot be unsealed contribute zero, and
// `unreadable` is set: the release is then void (private_e_step.h). Only a failure of the machine
// (the cipher, memory) is an error.
//
// Privacy: everything here is PRIVATE; the time it takes is hidden by the schedule.
// Cost: one pass over the corpus, whatever the sampling rate: units that were not drawn cost
// their reading and one coin, some 5 % of a short document's E-step. Memory: one decoded block and
// one workspace a thread and the blocks read ahead, however large the corpus: all of it `memory`.
#ifndef TOPICWALL_SERVER_VAULT_UNIT_SUM_H_
#define TOPICWALL_SERVER_VAULT_UNIT_SUM_H_

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/decoded_blocks.h"
#include "server/mechanism/lattice_sum.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"
#include "server/vault/unit_memory.h"

namespace topicwall::server {

struct UnitWork {
  const corpus::CorpusStore& corpus;
  const corpus::DecodedBlocks& decoded;  // of the corpus; may be none
  const model::Inference& inference;
  double clip_norm;                // C
  int64_t max_documents_per_unit;  // public cap, >= 1
  int num_threads;                 // >= 1
  UnitMemory& memory;              // for so many threads, and these bounds
  // Once it is set the sum ends with CANCELLED, after the document at hand.
  const std::atomic<bool>* abandoned = nullptr;
};

struct UnitSum {
  mechanism::LatticeSum sum;
  bool unreadable;  // some units could not be unsealed
};

absl::StatusOr<UnitSum> SumUnits(mechanism::ReleaseCoins&& coins, mechanism::ReleaseMemory&& memory,
                                 const UnitWork& work);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_UNIT_SUM_H_
