#include "server/audit/pairs/pair_replay.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <variant>

#include "base/status_macros.h"
#include "model/statistic_model.h"
#include "proto/matrix_codec.h"
#include "server/audit/pairs/direction_length.h"
#include "server/audit/pairs/grid_reading.h"
#include "server/corpus/decoded_blocks.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/random/secure_random.h"

namespace topicwall::audit {
namespace {

constexpr char kCorpus[] = "paid";
constexpr int64_t kEverythingDecoded = int64_t{1} << 30;
// Half a unit in the last place of a float32, relative, and a little for the doubles on the way.
constexpr double kFloatError = 0x1p-24 * 1.001;

struct SummedRelease {
  GridReading sum;
  std::vector<float> statistics;  // D
  std::vector<float> histogram;

  friend bool operator==(const SummedRelease&, const SummedRelease&) = default;
};

// What must not matter.
struct SummedHow {
  int num_threads = 1;
  int num_shards = 1;
  int64_t decoded_bytes = 0;  // of the corpus kept decoded
};

// What lies between charge and reply, without a wall around it.
absl::StatusOr<SummedRelease> SumAndRelease(const NeighbouringPair& asked,
                                            const model::Inference& inference,
                                            const corpus::CorpusStore& store,
                                            ledger::ChargeReceipt receipt, const SummedHow& how) {
  TW_ASSIGN_OR_RETURN(const corpus::DecodedBlocks decoded,
                      corpus::DecodedBlocks::Fill(store, how.decoded_bytes));
  TW_ASSIGN_OR_RETURN(
      mechanism::ReleaseKeys keys,
      mechanism::SplitReceipt(std::move(receipt), how.num_shards, &store.held_out_key()));
  const executor::UnitBounds bounds = {.unit = {.vocabulary_size = asked.vocabulary_size,
                                                .max_words = asked.mechanism.max_words,
                                                .max_documents = asked.max_documents_per_unit},
                                       .has_weights = !asked.mechanism.weights.empty(),
                                       .num_threads = how.num_threads,
                                       .attribute_sizes = asked.attribute_sizes,
                                       .vector_dimension = asked.vector_dimension()};
  TW_ASSIGN_OR_RETURN(
      executor::ThreadExecutor executor,
      executor::ThreadExecutor::Reserve(inference, {.corpus = store,
                                                    .decoded = decoded,
                                                    .bounds = bounds,
                                                    .has_directions = asked.direction_noise != 0}));
  TW_ASSIGN_OR_RETURN(executor::UnitSum units,
                      executor.Sum({.coins = keys.coins,
                                    .clip_norm = asked.clip_norm,
                                    .max_documents_per_unit = asked.max_documents_per_unit,
                                    .shards = executor::AllShards(keys.coins),
                                    .direction_noise = asked.direction_noise}));
  if (units.unreadable) return absl::InternalError("a corpus just written could not be read");
  TW_ASSIGN_OR_RETURN(GridReading sum, GridReading::Parse(units.sum.Serialise()));
  TW_ASSIGN_OR_RETURN(
      const mechanism::NoisyStatistics noisy,
      mechanism::AddNoise(std::move(units.sum), std::move(keys.noise), how.num_threads));
  return SummedRelease{.sum = std::move(sum),
                       .statistics = {noisy.statistics().begin(), noisy.statistics().end()},
                       .histogram = {noisy.norm_histogram().begin(), noisy.norm_histogram().end()}};
}

// At most one bin differs, by M_h.
bool OneBin(const std::vector<uint64_t>& with, const std::vector<uint64_t>& without,
            uint64_t bound) {
  int changed = 0;
  for (std::size_t bin = 0; bin < with.size(); ++bin) {
    // Modulo 2^64, as sums are kept: a unit that takes a count away is seen as another number than
    // M_h.
    const uint64_t change = with[bin] - without[bin];
    if (change != 0 && change != bound) return false;
    changed += change != 0 ? 1 : 0;
  }
  return changed <= 1;
}

bool IsSum(const std::vector<uint64_t>& sum, const std::vector<uint64_t>& a,
           const std::vector<uint64_t>& b) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] != a[i] + b[i]) return false;
  }
  return true;
}

void Measure(const NeighbouringPair& pair, const mechanism::RowDirections& directions,
             const GridReading& with, const GridReading& without, ReplayedPair* result) {
  const auto length = [](absl::uint128 squared, double m) {
    return std::sqrt(static_cast<double>(squared)) / m;
  };
  const uint64_t bound = ExactIntegerSensitivity(pair.mechanism.noise_multiplier);
  const auto m = static_cast<double>(bound);
  const absl::uint128 squared =
      SquaredLengthAlong(directions, pair.rows(), with.statistics, without.statistics);
  result->moved = squared != 0;
  result->within_bound = squared <= absl::uint128(bound) * bound;
  result->length = length(squared, m);
  // Rounding toward zero takes less than a step from every entry; with directions the clip keeps
  // room for that, besides.
  const auto entries = static_cast<double>(with.statistics.size());
  const double times = pair.direction_noise > 0 ? 2 : 1;
  const double lost =
      times * std::sqrt(entries) / m + LostToRounding(pair.direction_noise, pair.rows());
  result->full_length = result->length >= 1 - 1e-9 - lost;
  const double sigma_h = pair.mechanism.histogram_noise_multiplier.value_or(1);
  const uint64_t bound_h = ExactIntegerSensitivity(sigma_h);
  result->histogram_within_bound = OneBin(with.histogram, without.histogram, bound_h);
  result->histogram_length =
      length(SquaredLength(with.histogram, without.histogram), static_cast<double>(bound_h));
}

// Whether the floats a and b, each rounded once, can be as far apart as the integers, in steps.
bool CanDiffer(float a, float b, double step, uint64_t with, uint64_t without) {
  const auto steps = static_cast<double>(static_cast<int64_t>(with - without));
  const double measured = (static_cast<double>(a) - static_cast<double>(b)) / step;
  // Both releases were rounded to float32, each relative to itself, noise included.
  const double most_off = (std::fabs(a) + std::fabs(b)) / step * kFloatError + 0x1p-20;
  return std::fabs(measured - steps) <= most_off;  // NaN fails
}

bool ReleasedAsSummed(const NeighbouringPair& pair, const SummedRelease& with,
                      const SummedRelease& without) {
  const ledger::PaidMechanism& paid = pair.mechanism;
  const auto rows = static_cast<std::size_t>(pair.rows());
  const std::size_t columns = with.sum.statistics.size() / rows;
  const auto bound = static_cast<double>(ExactIntegerSensitivity(paid.noise_multiplier));
  if (with.statistics.size() != rows * columns) return false;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const std::size_t column = i / rows;
    const std::size_t released = i % rows * columns + column;
    const double weight = paid.weights.empty() ? 1.0 : static_cast<double>(paid.weights[column]);
    if (!CanDiffer(with.statistics[released], without.statistics[released],
                   pair.clip_norm / bound / weight, with.sum.statistics[i],
                   without.sum.statistics[i])) {
      return false;
    }
  }
  if (!paid.histogram_noise_multiplier.has_value()) return with.histogram.empty();
  const double step =
      1 / static_cast<double>(ExactIntegerSensitivity(*paid.histogram_noise_multiplier));
  for (std::size_t bin = 0; bin < with.histogram.size(); ++bin) {
    if (!CanDiffer(with.histogram[bin], without.histogram[bin], step, with.sum.histogram[bin],
                   without.sum.histogram[bin])) {
      return false;
    }
  }
  return with.histogram.size() == with.sum.histogram.size();
}

}  // namespace

absl::StatusOr<std::unique_ptr<PairReplay>> PairReplay::Create(Attack& attack) {
  TW_ASSIGN_OR_RETURN(sealing::CustodianKey key, sealing::CustodianKey::Generate());
  std::unique_ptr<PairReplay> replay(new PairReplay(attack, std::move(key)));
  TW_RETURN_IF_ERROR(replay->OpenLedger());
  return replay;
}

// Its corpus is never summed: a budget is opened of a corpus, and here only receipts are wanted.
absl::Status PairReplay::OpenLedger() {
  const PlantedCorpus any = {.vocabulary_size = 1,
                             .documents = {{.id = "any", .counts = {{0, 1}}}}};
  TW_ASSIGN_OR_RETURN(payer_,
                      AuditedWall::Start(attack_.NewPath("ledger"), {.corpora = {{kCorpus, any}}}));
  return absl::OkStatus();
}

absl::StatusOr<v1::PlanState> PairReplay::Reserve(const ledger::PaidMechanism& mechanism) {
  v1::ReleaseSpec plan = payer_->PlanOf(kCorpus);
  plan.set_sampling_rate(mechanism.sampling_rate);
  plan.mutable_gaussian()->set_noise_multiplier(mechanism.noise_multiplier);
  if (mechanism.histogram_noise_multiplier.has_value()) {
    plan.mutable_gaussian()->set_histogram_noise_multiplier(*mechanism.histogram_noise_multiplier);
  }
  plan.set_max_tokens(mechanism.max_words);
  plan.set_weights(proto::FloatsToLittleEndian(mechanism.weights));
  plan.set_held_out_share(mechanism.held_out_share);
  plan.set_held_out_only(mechanism.held_out_only);
  TW_ASSIGN_OR_RETURN(const auto id, random::Random128());
  // To the ledger itself: the vault would hold the weights to its corpus's vocabulary, and the pair
  // has another.
  ledger::ReserveRequest request;
  request.purse.principal = payer_->alice().name();
  request.purse.max_releases = std::numeric_limits<int64_t>::max();
  request.request_id.assign(id.begin(), id.end());
  request.plan = std::move(plan);
  request.now_ms = payer_->wall().clock().NowMs();
  return payer_->wall().ledger().Reserve(request);
}

absl::StatusOr<std::vector<ledger::ChargeReceipt>> PairReplay::Pay(
    const ledger::PaidMechanism& mechanism) {
  absl::StatusOr<v1::PlanState> plan = Reserve(mechanism);
  if (absl::IsFailedPrecondition(plan.status())) {  // all is spent: another ledger
    TW_RETURN_IF_ERROR(OpenLedger());
    plan = Reserve(mechanism);
  }
  TW_RETURN_IF_ERROR(plan.status());
  TW_ASSIGN_OR_RETURN(const auto digest, random::Random256());
  std::vector<ledger::ChargeReceipt> receipts;
  for (int i = 0; i <= ledger::kMaxRecomputations; ++i) {
    TW_ASSIGN_OR_RETURN(ledger::ChargeOutcome outcome,
                        payer_->wall().ledger().Charge({.principal = payer_->alice().name(),
                                                        .plan_id = plan->plan_id(),
                                                        .iteration = 1,
                                                        .request_digest = digest,
                                                        .now_ms = payer_->wall().clock().NowMs()}));
    auto* receipt = std::get_if<ledger::ChargeReceipt>(&outcome);
    if (receipt == nullptr) return absl::InternalError("a charge gave no receipt");
    receipts.push_back(std::move(*receipt));
  }
  return receipts;
}

absl::StatusOr<ReplayedPair> PairReplay::Run(const NeighbouringPair& pair) {
  const auto store = [&](const PlantedDocuments& documents)
      -> absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> {
    const std::string path = attack_.NewPath("corpus");
    TW_RETURN_IF_ERROR(WritePlanted({.vocabulary_size = pair.vocabulary_size,
                                     .privacy_unit = pair.privacy_unit,
                                     .documents = documents,
                                     .attribute_sizes = pair.attribute_sizes,
                                     .of_vectors = pair.vector_dimension() > 0},
                                    path, key_)
                           .status());
    auto opened = corpus::CorpusStore::Open(path, key_);
    std::error_code ignored;
    // Thousands of pairs would fill the folder.
    std::filesystem::remove(path, ignored);  // the store keeps it open
    return opened;
  };
  PlantedDocuments all = pair.others;
  all.insert(all.end(), pair.unit.begin(), pair.unit.end());
  PairStores stores;
  TW_ASSIGN_OR_RETURN(stores.with, store(all));
  TW_ASSIGN_OR_RETURN(stores.without, store(pair.others));
  TW_ASSIGN_OR_RETURN(stores.alone, store(pair.unit));
  // The order in which documents come must say nothing of the sum.
  std::reverse(all.begin(), all.end());
  TW_ASSIGN_OR_RETURN(stores.again, store(all));
  return Compare(pair, stores);
}

absl::StatusOr<ReplayedPair> PairReplay::Compare(const NeighbouringPair& asked,
                                                 const PairStores& stores) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference, InferenceOf(asked));
  TW_ASSIGN_OR_RETURN(const mechanism::RowDirections directions, DirectionsOf(asked, *inference));
  TW_ASSIGN_OR_RETURN(std::vector<ledger::ChargeReceipt> receipts, Pay(asked.mechanism));
  ReplayedPair result = {};
  const auto key = receipts[0].release_key().ExposeBytes();
  result.release_key.assign(key.begin(), key.end());
  const auto release = [&](const corpus::CorpusStore& store, const SummedHow& how) {
    ledger::ChargeReceipt receipt = std::move(receipts.back());
    receipts.pop_back();
    return SumAndRelease(asked, *inference, store, std::move(receipt), how);
  };
  TW_ASSIGN_OR_RETURN(const SummedRelease with, release(*stores.with, {.num_threads = 2}));
  {  // as large as any of them, and not needed any more
    TW_ASSIGN_OR_RETURN(
        const SummedRelease again,
        release(*stores.again,
                {.num_threads = 3, .num_shards = 4, .decoded_bytes = kEverythingDecoded}));
    result.repeatable = again == with;
  }
  TW_ASSIGN_OR_RETURN(const SummedRelease without, release(*stores.without, {}));
  Measure(asked, directions, with.sum, without.sum, &result);
  result.released_as_summed = ReleasedAsSummed(asked, with, without);
  if (stores.alone == nullptr) {
    result.independent = with.sum == without.sum;
    return result;
  }
  TW_ASSIGN_OR_RETURN(const SummedRelease alone, release(*stores.alone, {}));
  result.independent = IsSum(with.sum.statistics, without.sum.statistics, alone.sum.statistics) &&
                       IsSum(with.sum.histogram, without.sum.histogram, alone.sum.histogram);
  return result;
}

}  // namespace topicwall::audit
