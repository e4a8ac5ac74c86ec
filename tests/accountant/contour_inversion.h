// The privacy curve by another way, for tests: inverting the moment generating function.
//
// With M(λ) = E_P[e^{λS}], S the sum of all losses on removal, and any c > 0,
//   δ(ε) = (1/π) ∫_0^∞ Re[M(c + it) e^{−(c+it)ε} / ((c + it)(c + it + 1))] dt,
// since e^{−λε}/(λ(λ+1)) is the transform of (1 − e^{ε−s})⁺ in s. M is a trapezoidal sum in the
// outcome x, the integral one in t; both converge faster than any power. No lattice, no Fourier
// transform, no tilt by a grid: nothing in common with what is tested but the definition.
#ifndef TOPICWALL_TESTS_ACCOUNTANT_CONTOUR_INVERSION_H_
#define TOPICWALL_TESTS_ACCOUNTANT_CONTOUR_INVERSION_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

class ContourInversion {
 public:
  explicit ContourInversion(const std::vector<DpEvent>& events) {
    for (const DpEvent& event : events) {
      Kind kind = {.nu = event.release.sampling_rate(),
                   .sigma = event.release.noise_multiplier(),
                   .count = static_cast<double>(event.count),
                   .losses = {},
                   .log_weights = {}};
      if (kind.nu < 1) Tabulate(kind);
      kinds_.push_back(kind);
    }
  }

  // δ(ε) on removal; good to about 1e-9 relative, for ε > 0 and twenty releases or more: the
  // transform of fewer falls off too slowly for the steps in x.
  double Delta(double epsilon) const {
    const double c = Saddle(epsilon);
    const auto log_integrand = [&](double t) {
      const std::complex<double> lambda(c, t);
      return LogMoment(lambda) - lambda * epsilon - std::log(lambda) - std::log(lambda + 1.0);
    };
    const double peak = log_integrand(0).real();
    const double h = 1e-3 * c;
    const double curvature =
        (Exponent(c + h, epsilon) - 2 * Exponent(c, epsilon) + Exponent(c - h, epsilon)) / h / h;
    const double step = 0.12 / std::sqrt(curvature);
    double sum = 0.5;
    double recent = 1;  // decaying maximum of the modulus
    for (int i = 1; i < 200000 && recent > 1e-15; ++i) {
      const std::complex<double> value = std::exp(log_integrand(i * step) - peak);
      sum += value.real();
      recent = std::max(0.8 * recent, std::abs(value));
    }
    return std::exp(peak) * sum * step / M_PI;
  }

 private:
  struct Kind {
    double nu;
    double sigma;
    double count;
    std::vector<double> losses;
    std::vector<double> log_weights;
  };

  static void Tabulate(Kind& kind) {
    const double variance = kind.sigma * kind.sigma;
    const double step = std::min(kind.sigma, variance) / 16;
    const double low = -14 * kind.sigma;
    const double high = 14 * kind.sigma + 60;
    for (double x = low; x <= high; x += step) {
      const double t = (2 * x - 1) / (2 * variance);
      const double loss = t > 30 ? t + std::log(kind.nu + (1 - kind.nu) * std::exp(-t))
                                 : std::log1p(kind.nu * std::expm1(t));
      const double log_density =
          -x * x / 2 / variance + std::log(step / kind.sigma / std::sqrt(2 * M_PI));
      if (log_density + 2 * std::max(loss, 0.0) < -800) continue;
      kind.losses.push_back(loss);
      kind.log_weights.push_back(log_density + loss);
    }
  }

  std::complex<double> LogMoment(std::complex<double> lambda) const {
    std::complex<double> sum = 0;
    for (const Kind& kind : kinds_) {
      if (kind.nu == 1) {
        sum += kind.count * lambda * (lambda + 1.0) / 2.0 / kind.sigma / kind.sigma;
        continue;
      }
      double largest = -HUGE_VAL;
      for (size_t i = 0; i < kind.losses.size(); ++i) {
        largest = std::max(largest, kind.log_weights[i] + lambda.real() * kind.losses[i]);
      }
      std::complex<double> moment = 0;
      for (size_t i = 0; i < kind.losses.size(); ++i) {
        const double size = kind.log_weights[i] + lambda.real() * kind.losses[i] - largest;
        if (size < -45) continue;
        moment += std::polar(std::exp(size), lambda.imag() * kind.losses[i]);
      }
      sum += kind.count * (largest + std::log(moment));
    }
    return sum;
  }

  double Exponent(double c, double epsilon) const {
    return LogMoment(c).real() - c * epsilon - std::log(c) - std::log1p(c);
  }

  // The least value of a convex function, by golden section in ln c.
  double Saddle(double epsilon) const {
    double low = std::log(1e-2);
    double high = std::log(400.0);
    for (int i = 0; i < 60; ++i) {
      const double left = high - 0.618 * (high - low);
      const double right = low + 0.618 * (high - low);
      const bool keep_left =
          Exponent(std::exp(left), epsilon) <= Exponent(std::exp(right), epsilon);
      (keep_left ? high : low) = keep_left ? right : left;
    }
    return std::exp((low + high) / 2);
  }

  std::vector<Kind> kinds_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_TESTS_ACCOUNTANT_CONTOUR_INVERSION_H_
