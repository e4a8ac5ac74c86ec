#include "server/worker/rank_sums.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/models.h"
#include "proto/matrix_codec.h"
#include "server/corpus/corpus_description.h"
#include "server/executor/unit_memory.h"
#include "server/mechanism/release_coins.h"
#include "server/sealing/custodian_key.h"
#include "server/wall_config.h"

namespace topicwall::worker {

// A corpus that is not here may be served from another place, or not at all: who needs it is told.
absl::StatusOr<std::unique_ptr<RankSums>> RankSums::Open(const v1::WallConfig& config,
                                                         const Params& params) {
  std::unique_ptr<RankSums> sums(new RankSums(params));
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key,
                      sealing::CustodianKey::Read(config.key_file()));
  absl::Status not_there;
  for (const v1::CorpusConfig& corpus : config.corpora()) {
    auto store = corpus::CorpusStore::Open(server::CorpusFile(config, corpus.name()), key);
    absl::Status opened = store.status();
    if (opened.ok()) opened = sums->UnsealPart(**store);
    not_there.Update(opened);
    if (opened.ok()) sums->stores_.push_back(*std::move(store));
  }
  if (sums->stores_.empty()) return not_there;
  return sums;
}

// What a job's start takes longest for. That units are in order and all there was for the vault to
// verify: a block is sealed for its version and its place, and cannot be another one.
absl::Status RankSums::UnsealPart(const corpus::CorpusStore& store) const {
  struct Reader {
    corpus::UnitBlock block;
    corpus::CorpusStore::ReadSpace space;
    absl::Status status;
  };
  const corpus::BlockRange blocks =
      executor::BlocksOf(params_.shard, params_.num_shards, store.num_blocks());
  std::vector<Reader> readers(static_cast<size_t>(params_.num_threads));
  lda::ForEachBlock(static_cast<size_t>(blocks.end - blocks.first), params_.num_threads,
                    [&](size_t block, size_t thread) {
                      Reader& reader = readers[thread];
                      reader.status.Update(store.ReadBlock(blocks.first + static_cast<int>(block),
                                                           &reader.block, &reader.space));
                    });
  for (const Reader& reader : readers) TW_RETURN_IF_ERROR(reader.status);
  return absl::OkStatus();
}

absl::StatusOr<const corpus::CorpusStore*> RankSums::StoreOf(const v1::ReleaseSpec& plan) const {
  for (const auto& store : stores_) {
    const corpus::CorpusVersion& version = store->description().version;
    if (plan.corpus_version() == std::string(version.begin(), version.end())) return store.get();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("a rank has not the version of corpus ", plan.corpus(),
                   " that the vault serves; bring its file to every host and start the job again"));
}

absl::Status RankSums::Prepare(const v1::PrepareSum& order) {
  prepared_.reset();  // its memory first
  try {
    TW_ASSIGN_OR_RETURN(prepared_, TryToPrepare(order));
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory on a rank for a release of this size now; nothing was charged; try "
        "again later");
  }
}

absl::StatusOr<std::unique_ptr<RankSums::Prepared>> RankSums::TryToPrepare(
    const v1::PrepareSum& order) const {
  const v1::ReleaseSpec& plan = order.plan();
  auto prepared = std::make_unique<Prepared>();
  TW_ASSIGN_OR_RETURN(prepared->store, StoreOf(plan));
  // Beside the vault's own look: each host may have a file of its own.
  TW_RETURN_IF_ERROR(prepared->store->RequireUndamaged());
  prepared->max_documents_per_unit = order.max_documents_per_unit();
  prepared->direction_noise = order.direction_noise();
  const corpus::CorpusDescription& description = prepared->store->description();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.model(), plan.options(), corpus::ShapeOf(description)));
  TW_ASSIGN_OR_RETURN(const std::vector<float> parameters,
                      proto::FloatsFromLittleEndian(order.parameters()));
  TW_ASSIGN_OR_RETURN(prepared->inference, model->Bind(parameters, params_.num_threads));
  TW_ASSIGN_OR_RETURN(
      executor::ThreadExecutor executor,
      executor::ThreadExecutor::Reserve(
          *prepared->inference,
          {.corpus = *prepared->store,
           .decoded = prepared->decoded,
           .bounds = executor::BoundsOf(description,
                                        {.max_words = plan.max_tokens(),
                                         .max_documents_per_owner = order.max_documents_per_unit(),
                                         .has_weights = !plan.weights().empty()},
                                        params_.num_threads),
           .has_directions = order.direction_noise() != 0}));
  prepared->executor.emplace(std::move(executor));
  return prepared;
}

// An exception's text might tell of documents, and would end the job at a time that depends on
// them.
absl::StatusOr<RankSums::Part> RankSums::Sum(const v1::BeginSum& order) {
  if (prepared_ == nullptr) {
    return absl::FailedPreconditionError("a sum is prepared before it is begun");
  }
  // Whatever comes of it: an executor's memory is used up by one sum.
  const std::unique_ptr<Prepared> prepared = std::move(prepared_);
  try {
    TW_ASSIGN_OR_RETURN(
        const mechanism::ReleaseCoins coins,
        mechanism::ReleaseCoins::Parse(order.coins(), &prepared->store->held_out_key()));
    TW_ASSIGN_OR_RETURN(
        const executor::UnitSum units,
        prepared->executor->Sum({.coins = coins,
                                 .clip_norm = order.clip_norm(),
                                 .max_documents_per_unit = prepared->max_documents_per_unit,
                                 .shards = {params_.shard},
                                 .direction_noise = prepared->direction_noise}));
    return Part{.bytes = units.sum.Serialise(), .unreadable = units.unreadable};
  } catch (...) {
    return absl::InternalError("a rank cannot sum its shard");
  }
}

}  // namespace topicwall::worker
