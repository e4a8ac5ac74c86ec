// The paper's plan, σ = 1.24, ν = 0.05, 20 releases, by the exact accountant: ε at δ = 1e-4.
#include <cstdio>

#include "accountant/accountants.h"

int main() {
  namespace accountant = topicwall::accountant;
  const auto release =
      accountant::SubsampledGaussian::Create({.sampling_rate = 0.05, .noise_multipliers = {1.24}});
  const auto pld = accountant::MakeAccountant("pld");
  if (!release.ok() || !pld.ok()) return 1;
  if (!(*pld)->Compose({.release = *release, .count = 20}).ok()) return 1;
  const auto epsilon = (*pld)->Epsilon(1e-4);
  if (!epsilon.ok()) return 1;
  std::printf("%.4f\n", epsilon->upper);
}
