// What prices cost in time. "Cold" starts from a plan never seen before.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "accountant/accountants.h"
#include "accountant/accountants/moments_accountant.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/accountants/renyi_accountant.h"
#include "accountant/filters/budget_filter.h"
#include "accountant/pld/pld_accountant.h"
#include "tests/accountant/releases.h"

namespace topicwall::accountant {
namespace {

// The paper's headline plan, and one that needs many more nodes.
const SubsampledGaussian kHeadline = Release(0.05, 1.24);
const SubsampledGaussian kQuiet = Release(0.01, 6.3);

SubsampledGaussian Chosen(const benchmark::State& state) {
  return state.range(0) == 0 ? kHeadline : kQuiet;
}

// `count` plans, no two alike: σ from 0.8 to 20, ν from 0.001 to 0.3.
std::vector<DpEvent> DistinctPlans(int count) {
  std::vector<DpEvent> plans;
  for (int i = 0; i < count; ++i) {
    const double x = (i + 0.5) / count;
    const double y = std::fmod(i * 0.6180339887, 1.0);
    plans.push_back(
        {.release = Release(0.001 * std::pow(300, y), 0.8 * std::pow(25, x)), .count = 1 + i % 20});
  }
  return plans;
}

void FilterPriceCold(benchmark::State& state) {
  const BudgetFilter filter =
      *BudgetFilter::Create(*BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}));
  for (auto _ : state) benchmark::DoNotOptimize(filter.CostPerRelease(Chosen(state)));
}
BENCHMARK(FilterPriceCold)->Arg(0)->Arg(1);

void RenyiCold(benchmark::State& state) {
  for (auto _ : state) {
    RenyiAccountant accountant;
    (void)accountant.Compose({.release = Chosen(state), .count = 20});
    benchmark::DoNotOptimize(accountant.Epsilon(1e-4));
  }
}
BENCHMARK(RenyiCold)->Arg(0)->Arg(1);

void RenyiAnotherDelta(benchmark::State& state) {
  RenyiAccountant accountant;
  (void)accountant.Compose({.release = Chosen(state), .count = 20});
  for (auto _ : state) benchmark::DoNotOptimize(accountant.Epsilon(1e-6));
}
BENCHMARK(RenyiAnotherDelta)->Arg(0)->Arg(1);

void RenyiComposeSameKindAgain(benchmark::State& state) {
  RenyiAccountant accountant;
  for (auto _ : state) (void)accountant.Compose({.release = Chosen(state), .count = 1});
}
BENCHMARK(RenyiComposeSameKindAgain)->Arg(0)->Arg(1);

void RenyiLedger(benchmark::State& state) {
  const std::vector<DpEvent> plans = DistinctPlans(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    RenyiAccountant accountant;
    for (const DpEvent& plan : plans) (void)accountant.Compose(plan);
    benchmark::DoNotOptimize(accountant.Epsilon(1e-6));
  }
}
BENCHMARK(RenyiLedger)->Arg(1000)->Unit(benchmark::kMillisecond);

void RenyiLedgerAnotherDelta(benchmark::State& state) {
  RenyiAccountant accountant;
  for (const DpEvent& plan : DistinctPlans(static_cast<int>(state.range(0)))) {
    (void)accountant.Compose(plan);
  }
  for (auto _ : state) benchmark::DoNotOptimize(accountant.Epsilon(1e-5));
}
BENCHMARK(RenyiLedgerAnotherDelta)->Arg(1000)->Unit(benchmark::kMillisecond);

void MomentsCold(benchmark::State& state) {
  for (auto _ : state) {
    const auto accountant = *MomentsAccountant::Create({});
    (void)accountant->Compose({.release = Chosen(state), .count = 20});
    benchmark::DoNotOptimize(accountant->Epsilon(1e-4));
  }
}
BENCHMARK(MomentsCold)->Arg(0)->Arg(1);

void CalibrateNoise(benchmark::State& state, const char* name) {
  const auto accountant = *MakeAccountant(name);
  const NoiseTarget target = {
      .budget = {.epsilon = 2.44, .delta = 1e-6}, .sampling_rate = 0.05, .steps = 20};
  for (auto _ : state) benchmark::DoNotOptimize(SmallestNoiseMultiplier(target, *accountant));
}
BENCHMARK_CAPTURE(CalibrateNoise, renyi, "renyi")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CalibrateNoise, moments, "moments")->Unit(benchmark::kMillisecond);

void FilterCalibrateNoise(benchmark::State& state) {
  const BudgetFilter filter =
      *BudgetFilter::Create(*BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        filter.SmallestNoiseMultiplier({.epsilon = 2, .sampling_rate = 0.05, .releases = 20}));
  }
}
BENCHMARK(FilterCalibrateNoise)->Unit(benchmark::kMillisecond);

void PldHeadline(benchmark::State& state) {
  PldAccountant accountant;
  (void)accountant.Compose({.release = kHeadline, .count = 20});
  for (auto _ : state) benchmark::DoNotOptimize(accountant.Epsilon(1e-4));
}
BENCHMARK(PldHeadline)->Unit(benchmark::kMillisecond);

void PldLedger(benchmark::State& state) {
  PldAccountant accountant;
  for (const DpEvent& plan : DistinctPlans(static_cast<int>(state.range(0)))) {
    (void)accountant.Compose(plan);
  }
  for (auto _ : state) benchmark::DoNotOptimize(accountant.Epsilon(1e-6));
}
BENCHMARK(PldLedger)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace topicwall::accountant
