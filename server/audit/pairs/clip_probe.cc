#include "server/audit/pairs/clip_probe.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/sparse_statistic.h"
#include "server/audit/pairs/grid_reading.h"
#include "server/mechanism/unit_clipper.h"

namespace topicwall::audit {
namespace {

using mechanism::ClipKernel;
using mechanism::ClippedUnit;
using mechanism::UnitClipper;

constexpr int kRows = 3;
constexpr int kColumns = 4;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Unit {
  model::SparseStatistic statistic;
  bool bad;
};

std::vector<Unit> Units() {
  std::vector<Unit> units = {{{{1, 1}, {0}, {5, 5}}, true},     // a column twice
                             {{{2, 1}, {0}, {5, 5}}, true},     // descending
                             {{{kColumns}, {0}, {5}}, true},    // beyond P
                             {{{0}, {1, 1}, {5, 5}}, true},     // a row twice
                             {{{0}, {1, 0}, {5, 5}}, true},     // descending
                             {{{0}, {kRows}, {5}}, true},       // beyond D/P
                             {{{0, 1}, {0, 1}, {5, 5}}, true},  // too few values
                             {{{0}, {0}, {5, 5}}, true}};       // too many
  // One bad value among good ones, at every place.
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
    for (std::size_t place = 0; place < 12; ++place) {
      units.push_back({{{0, 1, 2, 3}, {0, 1, 2}, std::vector<float>(12, 100)}, true});
      units.back().statistic.values[place] = value;
    }
  }
  for (const float value :
       {0.0F, std::numeric_limits<float>::denorm_min(), 1e-38F, 1.0F, 3.1F, 1e30F,
        std::numeric_limits<float>::max(), -1e-3F, -1e30F, std::numeric_limits<float>::lowest()}) {
    units.push_back({{{0, 1, 2, 3}, {0, 1, 2}, std::vector<float>(12, value)}, false});
    units.push_back({{{2}, {1}, {value}}, false});
  }
  return units;
}

// σ with exactly this M.
double MultiplierOf(uint64_t bound) {
  double sigma = 0x1p30 / static_cast<double>(bound);
  // The quotient may round to a σ whose M is one less.
  while (ExactIntegerSensitivity(sigma) < bound) sigma = std::nextafter(sigma, 0);
  return sigma;
}

// A unit, column by column, for which floating point alone would let Σ q² pass M².
struct RoundingTrap {
  uint64_t bound;  // M
  uint32_t rows;
  std::vector<float> values;
};

std::vector<RoundingTrap> RoundingTraps() {
  std::vector<RoundingTrap> traps;
  // M² = n m² - 1 (Pell's equation): n equal entries are m - 1/(2nm) each, which a double calls m.
  const std::pair<std::size_t, uint64_t> solutions[] = {
      {2, 318'281'039}, {2, 63'018'038'201}, {10, 243'289'797}, {41, 537'526'432}};
  for (const auto& [entries, bound] : solutions) {
    for (int value = 1; value <= 16; ++value) {
      traps.push_back({bound, 1, std::vector<float>(entries, static_cast<float>(value))});
    }
  }
  // Squares that a sum in double loses beside a large one, and that are there in the integers.
  traps.push_back({uint64_t{1} << 36, 1, std::vector<float>(100, 1)});
  traps.back().values[50] = 0x1p36F;
  // The same where M² is just below a multiple of 2^64, so that 64 bits would see a small sum: all
  // in one of the eight partial sums of the norm.
  traps.push_back({57'942'276'633, 8, std::vector<float>(1600, 0)});
  for (std::size_t i = 0; i < 1600; i += 8) traps.back().values[i] = i == 0 ? 0x1p36F : 712;
  return traps;
}

absl::Status Try(const UnitClipper::Params& params, const ClipKernel& kernel,
                 const std::vector<Unit>& units, ClipProbe* probe) {
  TW_ASSIGN_OR_RETURN(const UnitClipper clipper, UnitClipper::Create(params, kernel));
  const absl::uint128 bound = ExactIntegerSensitivity(params.noise_multiplier);
  ClippedUnit clipped;
  for (const Unit& unit : units) {
    ++probe->units;
    if (!clipper.Clip(unit.statistic, &clipped)) continue;
    // As integers modulo 2^64, by arithmetic other than the clip's own.
    const std::vector<uint64_t> nothing(clipped.values.size(), 0);
    probe->bad_units_let_in += unit.bad ? 1 : 0;
    probe->too_long += SquaredLength(clipped.values, nothing) > bound * bound ? 1 : 0;
  }
  return absl::OkStatus();
}

absl::Status TryRounding(const ClipKernel& kernel, ClipProbe* probe) {
  for (const RoundingTrap& trap : RoundingTraps()) {
    const std::size_t columns = trap.values.size() / trap.rows;
    Unit unit = {{std::vector<uint32_t>(columns), std::vector<uint32_t>(trap.rows), trap.values},
                 false};
    std::iota(unit.statistic.columns.begin(), unit.statistic.columns.end(), 0U);
    std::iota(unit.statistic.rows.begin(), unit.statistic.rows.end(), 0U);
    TW_RETURN_IF_ERROR(Try({.shape = {.dimension = static_cast<int64_t>(trap.values.size()),
                                      .period = static_cast<int64_t>(columns)},
                            .clip_norm = 1,
                            .weights = {},
                            .noise_multiplier = MultiplierOf(trap.bound)},
                           kernel, {unit}, probe));
  }
  return absl::OkStatus();
}

// Runs whose squares need up to 76 bits.
void TrySums(const ClipKernel& kernel, random::Keystream& choices, ClipProbe* probe) {
  for (const std::size_t size : {1U, 7U, 64U, 1000U}) {
    for (const int bits : {10, 31, 33, 36}) {
      std::vector<float> values;
      for (std::size_t i = 0; i < size; ++i) {
        values.push_back(static_cast<float>(choices.NextBits(24)) * 0x1p-24F);
      }
      std::vector<uint64_t> q(size);
      const mechanism::RoundedRun run = kernel.plain.truncate(
          values.data(), size, std::ldexp(1.0, bits), std::ldexp(1.0, bits + 1), q.data());
      const absl::uint128 exact = SquaredLength(q, std::vector<uint64_t>(size, 0));
      probe->wrong_sums += run.in_range && run.sum_of_squares == exact ? 0 : 1;
      // An integer of 38 bits is out of range whatever the floating-point limit says.
      values.back() = 1;
      const mechanism::RoundedRun large =
          kernel.plain.truncate(values.data(), size, 0x1p37, 0x1p60, q.data());
      probe->wrong_sums += large.in_range ? 1 : 0;
      probe->sums += 2;
    }
  }
}

}  // namespace

absl::StatusOr<ClipProbe> ProbeClip(random::Keystream& choices) {
  ClipProbe probe = {};
  for (const ClipKernel& kernel : mechanism::SupportedClipKernels()) {
    // The ends, where M is 2^36 and 2^10, and one between.
    for (const double sigma : {0x1p-6, 1.24, 0x1p20}) {
      for (const auto& weights : {std::vector<float>{}, {0x1p-20F, 0.7F, 3, 0x1p20F}}) {
        TW_RETURN_IF_ERROR(Try({.shape = model::GridOf(kRows, kColumns),
                                .clip_norm = 2,
                                .weights = weights,
                                .noise_multiplier = sigma},
                               kernel, Units(), &probe));
      }
    }
    TW_RETURN_IF_ERROR(TryRounding(kernel, &probe));
    TrySums(kernel, choices, &probe);
  }
  TW_RETURN_IF_ERROR(choices.status());
  return probe;
}

}  // namespace topicwall::audit
