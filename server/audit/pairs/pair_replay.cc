#include "server/audit/pairs/pair_replay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/status_macros.h"
#include "model/statistic_model.h"
#include "server/audit/pairs/lattice_reading.h"
#include "server/audit/pairs/summed_release.h"

namespace topicwall::audit {
namespace {

constexpr int64_t kEverythingDecoded = int64_t{1} << 30;
// Half a unit in the last place of a float32, relative, and a little for the doubles on the way.
constexpr double kFloatError = 0x1p-24 * 1.001;

double AsDouble(absl::uint128 value) { return static_cast<double>(value); }

// |a - b| modulo 2^64, the shorter way round.
uint64_t Distance(uint64_t a, uint64_t b) { return std::min(a - b, b - a); }

double Signed(uint64_t a, uint64_t b) { return static_cast<double>(static_cast<int64_t>(a - b)); }

// At most one bin differs, by M_h.
bool OneBin(const LatticeReading& with, const LatticeReading& without, uint64_t bound) {
  int changed = 0;
  for (std::size_t bin = 0; bin < with.histogram().size(); ++bin) {
    const uint64_t change = with.histogram()[bin] - without.histogram()[bin];
    if (change == 0) continue;
    ++changed;
    if (change != bound) return false;
  }
  return changed <= 1;
}

// Whether the floats a and b, each rounded once, can be two numbers `steps` steps apart.
bool CanDiffer(float a, float b, double step, double steps) {
  const double measured = (static_cast<double>(a) - static_cast<double>(b)) / step;
  const double most_off = (std::fabs(a) + std::fabs(b)) / step * kFloatError + 0x1p-20;
  return std::fabs(measured - steps) <= most_off;  // NaN fails
}

ReplayedPair Measure(const NeighbouringPair& pair, const SummedRelease& with,
                     const SummedRelease& without) {
  ReplayedPair result = {};
  const uint64_t bound = ExactLatticeBound(pair.mechanism.noise_multiplier);
  const absl::uint128 squared = SquaredLength(with.sum.statistics(), without.sum.statistics());
  result.moved = squared != 0;
  result.within_bound = squared <= absl::uint128(bound) * bound;
  result.length = std::sqrt(AsDouble(squared)) / static_cast<double>(bound);
  // Rounding down takes less than a step from every entry.
  const double entries = static_cast<double>(with.sum.statistics().size());
  result.full_length = result.length >= 1 - 1e-9 - std::sqrt(entries) / static_cast<double>(bound);
  result.histogram_within_bound = true;
  const std::optional<double>& sigma = pair.mechanism.histogram_noise_multiplier;
  if (!sigma.has_value()) return result;
  const uint64_t histogram_bound = ExactLatticeBound(*sigma);
  result.histogram_within_bound = OneBin(with.sum, without.sum, histogram_bound);
  result.histogram_length =
      std::sqrt(AsDouble(SquaredLength(with.sum.histogram(), without.sum.histogram()))) /
      static_cast<double>(histogram_bound);
  return result;
}

bool IsSum(const std::vector<uint64_t>& sum, const std::vector<uint64_t>& a,
           const std::vector<uint64_t>& b) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] != a[i] + b[i]) return false;
  }
  return true;
}

bool ReleasedAsSummed(const NeighbouringPair& pair, const SummedRelease& with,
                      const SummedRelease& without) {
  const ledger::PaidMechanism& paid = pair.mechanism;
  const auto num_topics = static_cast<std::size_t>(pair.rows());
  const auto num_terms = with.sum.statistics().size() / num_topics;
  const auto bound = static_cast<double>(ExactLatticeBound(paid.noise_multiplier));
  if (with.statistics.size() != num_topics * num_terms) return false;
  for (std::size_t term = 0; term < num_terms; ++term) {
    const double weight = paid.weights.empty() ? 1.0 : static_cast<double>(paid.weights[term]);
    const double step = pair.clip_norm / bound / weight;
    for (std::size_t topic = 0; topic < num_topics; ++topic) {
      const std::size_t summed = term * num_topics + topic;
      const std::size_t released = topic * num_terms + term;
      const double steps = Signed(with.sum.statistics()[summed], without.sum.statistics()[summed]);
      if (!CanDiffer(with.statistics[released], without.statistics[released], step, steps)) {
        return false;
      }
    }
  }
  if (!paid.histogram_noise_multiplier.has_value()) return with.histogram.empty();
  const double step = 1 / static_cast<double>(ExactLatticeBound(*paid.histogram_noise_multiplier));
  for (std::size_t bin = 0; bin < with.histogram.size(); ++bin) {
    const double steps = Signed(with.sum.histogram()[bin], without.sum.histogram()[bin]);
    if (!CanDiffer(with.histogram[bin], without.histogram[bin], step, steps)) return false;
  }
  return with.histogram.size() == with.sum.histogram().size();
}

}  // namespace

uint64_t ExactLatticeBound(double noise_multiplier) {
  int exponent = 0;
  const double fraction = std::frexp(noise_multiplier, &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));  // σ = mantissa·2^shift
  const int shift = exponent - 53;
  const absl::uint128 most = absl::uint128(1) << (30 - shift);  // M·mantissa <= 2^(30 - shift)
  uint64_t fits = 0;
  for (int bit = 40; bit >= 0; --bit) {
    const uint64_t tried = fits | (uint64_t{1} << bit);
    if (absl::uint128(tried) * mantissa <= most) fits = tried;
  }
  return fits;
}

absl::uint128 SquaredLength(const std::vector<uint64_t>& with,
                            const std::vector<uint64_t>& without) {
  absl::uint128 sum = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    const uint64_t change = std::min(Distance(with[i], without[i]), uint64_t{1} << 48);
    sum += absl::uint128(change) * change;
  }
  return sum;
}

PairReplay::PairReplay(ScratchFolder* folder, sealing::CustodianKey key,
                       std::unique_ptr<PaidReceipts> receipts)
    : folder_(folder), key_(std::move(key)), receipts_(std::move(receipts)) {}

absl::StatusOr<std::unique_ptr<PairReplay>> PairReplay::Create(ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(sealing::CustodianKey key, sealing::CustodianKey::Generate());
  TW_ASSIGN_OR_RETURN(std::unique_ptr<PaidReceipts> receipts, PaidReceipts::Open(*folder, key));
  return std::unique_ptr<PairReplay>(new PairReplay(folder, std::move(key), std::move(receipts)));
}

absl::StatusOr<ReplayedPair> PairReplay::Run(const NeighbouringPair& pair) {
  const auto store = [&](const PlantedDocuments& documents) {
    const std::string path = folder_->NewPath("corpus");
    auto opened = StorePlanted({.vocabulary_size = pair.vocabulary_size,
                                .privacy_unit = pair.privacy_unit,
                                .documents = documents},
                               path, key_);
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // the store keeps it open
    return opened;
  };
  PlantedDocuments all = pair.others;
  all.insert(all.end(), pair.unit.begin(), pair.unit.end());
  PairStores stores;
  TW_ASSIGN_OR_RETURN(stores.with, store(all));
  TW_ASSIGN_OR_RETURN(stores.without, store(pair.others));
  TW_ASSIGN_OR_RETURN(stores.alone, store(pair.unit));
  std::reverse(all.begin(), all.end());
  TW_ASSIGN_OR_RETURN(stores.again, store(all));
  return Compare(pair, stores);
}

absl::StatusOr<ReplayedPair> PairReplay::Compare(const NeighbouringPair& asked,
                                                 const PairStores& stores) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference, InferenceOf(asked));
  TW_ASSIGN_OR_RETURN(std::vector<ledger::ChargeReceipt> receipts,
                      receipts_->Pay(asked.mechanism, kMostReceiptsOfOneKey));
  const absl::Span<const uint8_t> key = receipts[0].release_key().ExposeBytes();
  const std::vector<uint8_t> key_copy(key.begin(), key.end());
  const auto release = [&](const corpus::CorpusStore& store, const SummedHow& how) {
    ledger::ChargeReceipt receipt = std::move(receipts.back());
    receipts.pop_back();
    return SumAndRelease(asked, *inference, store, std::move(receipt), how);
  };
  TW_ASSIGN_OR_RETURN(const SummedRelease with, release(*stores.with, {.num_threads = 2}));
  bool repeatable = false;
  {  // as large as any of them, and not needed any more
    TW_ASSIGN_OR_RETURN(
        const SummedRelease again,
        release(*stores.again,
                {.num_threads = 3, .num_shards = 4, .decoded_bytes = kEverythingDecoded}));
    repeatable = again == with;
  }
  TW_ASSIGN_OR_RETURN(const SummedRelease without, release(*stores.without, {}));
  ReplayedPair result = Measure(asked, with, without);
  result.repeatable = repeatable;
  result.released_as_summed = ReleasedAsSummed(asked, with, without);
  result.release_key = key_copy;
  if (stores.alone == nullptr) {
    result.independent = with.sum == without.sum;
    return result;
  }
  TW_ASSIGN_OR_RETURN(const SummedRelease alone, release(*stores.alone, {}));
  result.independent =
      IsSum(with.sum.statistics(), without.sum.statistics(), alone.sum.statistics()) &&
      IsSum(with.sum.histogram(), without.sum.histogram(), alone.sum.histogram());
  return result;
}

}  // namespace topicwall::audit
