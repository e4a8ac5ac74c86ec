#include "server/audit/pairs/summed_release.h"

#include <utility>

#include "base/status_macros.h"
#include "model/models.h"
#include "proto/models/lda_options.h"
#include "server/corpus/decoded_blocks.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/noise_mechanism.h"

namespace topicwall::audit {
namespace {

executor::UnitBounds BoundsOf(const NeighbouringPair& asked, int num_threads) {
  return {.unit = {.vocabulary_size = asked.vocabulary_size,
                   .max_words = asked.mechanism.max_words,
                   .max_documents = asked.max_documents_per_unit},
          .has_weights = !asked.mechanism.weights.empty(),
          .num_threads = num_threads};
}

}  // namespace

absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const NeighbouringPair& asked) {
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<model::StatisticModel> model,
      model::MakeModel(
          asked.evaluates ? "document_completion" : "lda",
          proto::LdaOptionBytes(asked.num_topics(), asked.document_topic_prior,
                                asked.max_e_step_iterations, asked.mean_change_threshold),
          asked.vocabulary_size));
  return model->Bind(asked.log_topics, /*num_threads=*/1);
}

absl::StatusOr<SummedRelease> SumAndRelease(const NeighbouringPair& asked,
                                            const model::Inference& inference,
                                            const corpus::CorpusStore& store,
                                            ledger::ChargeReceipt receipt, const SummedHow& how) {
  TW_ASSIGN_OR_RETURN(const corpus::DecodedBlocks decoded,
                      corpus::DecodedBlocks::Fill(store, how.decoded_bytes));
  TW_ASSIGN_OR_RETURN(
      mechanism::ReleaseKeys keys,
      mechanism::SplitReceipt(std::move(receipt), how.num_shards, &store.held_out_key()));
  TW_ASSIGN_OR_RETURN(
      executor::ThreadExecutor executor,
      executor::ThreadExecutor::Reserve(
          inference,
          {.corpus = store, .decoded = decoded, .bounds = BoundsOf(asked, how.num_threads)}));
  TW_ASSIGN_OR_RETURN(executor::UnitSum units,
                      executor.Sum({.coins = keys.coins,
                                    .clip_norm = asked.clip_norm,
                                    .max_documents_per_unit = asked.max_documents_per_unit,
                                    .shards = executor::AllShards(keys.coins)}));
  if (units.unreadable) return absl::InternalError("a corpus just written could not be read");
  TW_ASSIGN_OR_RETURN(LatticeReading sum, LatticeReading::Parse(units.sum.Serialise()));
  TW_ASSIGN_OR_RETURN(
      const mechanism::NoisyStatistics noisy,
      mechanism::AddNoise(std::move(units.sum), std::move(keys.noise), how.num_threads));
  return SummedRelease{.sum = std::move(sum),
                       .statistics = {noisy.statistics().begin(), noisy.statistics().end()},
                       .histogram = {noisy.norm_histogram().begin(), noisy.norm_histogram().end()}};
}

}  // namespace topicwall::audit
