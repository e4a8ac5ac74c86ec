#include "server/audit/pairs/summed_release.h"

#include <utility>

#include "base/status_macros.h"
#include "server/corpus/decoded_blocks.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"
#include "server/vault/asked_model.h"
#include "server/vault/unit_sum.h"

namespace topicwall::audit {
namespace {

server::UnitBounds BoundsOf(const NeighbouringPair& asked, int num_threads) {
  return {.unit = {.vocabulary_size = asked.vocabulary_size,
                   .max_words = asked.mechanism.max_words,
                   .max_documents = asked.max_documents_per_unit},
          .has_weights = !asked.mechanism.term_weights.empty(),
          .num_threads = num_threads};
}

}  // namespace

absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const NeighbouringPair& asked) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      server::AskedModel({.evaluates = asked.mechanism.document_completion,
                                          .num_topics = static_cast<int>(asked.log_topics.size()) /
                                                        asked.vocabulary_size,
                                          .document_topic_prior = asked.document_topic_prior,
                                          .max_iterations = asked.max_e_step_iterations,
                                          .mean_change_threshold = asked.mean_change_threshold},
                                         asked.vocabulary_size));
  return model->Bind(asked.log_topics, /*num_threads=*/1);
}

absl::StatusOr<SummedRelease> SumAndRelease(const NeighbouringPair& asked,
                                            const model::Inference& inference,
                                            const corpus::CorpusStore& store,
                                            ledger::ChargeReceipt receipt, const SummedHow& how) {
  TW_ASSIGN_OR_RETURN(const corpus::DecodedBlocks decoded,
                      corpus::DecodedBlocks::Fill(store, how.decoded_bytes));
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseCoins coins,
                      mechanism::ReleaseCoins::Create(std::move(receipt), &store.held_out_key()));
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseMemory memory,
                      mechanism::ReleaseMemory::Reserve(
                          {.shape = inference.shape(), .num_threads = how.num_threads}));
  TW_ASSIGN_OR_RETURN(server::UnitMemory units_memory,
                      server::UnitMemory::Reserve(inference, BoundsOf(asked, how.num_threads)));
  TW_ASSIGN_OR_RETURN(server::UnitSum units,
                      server::SumUnits(std::move(coins), std::move(memory),
                                       {.corpus = store,
                                        .decoded = decoded,
                                        .inference = inference,
                                        .clip_norm = asked.clip_norm,
                                        .max_documents_per_unit = asked.max_documents_per_unit,
                                        .num_threads = how.num_threads,
                                        .memory = units_memory}));
  if (units.unreadable) return absl::InternalError("a corpus just written could not be read");
  LatticeReading sum(units.sum);
  TW_ASSIGN_OR_RETURN(const mechanism::NoisyStatistics noisy,
                      mechanism::AddNoise(std::move(units.sum), how.num_threads));
  return SummedRelease{.sum = std::move(sum),
                       .statistics = {noisy.statistics().begin(), noisy.statistics().end()},
                       .histogram = {noisy.norm_histogram().begin(), noisy.norm_histogram().end()}};
}

}  // namespace topicwall::audit
