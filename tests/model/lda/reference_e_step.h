// The E-step of model/lda/topics/e_step.h again, by other means: float64 in the log domain, libm,
// digamma from its Bernoulli series. Slow and plain; shares no code with the library.
#ifndef TOPICWALL_TESTS_MODEL_LDA_REFERENCE_E_STEP_H_
#define TOPICWALL_TESTS_MODEL_LDA_REFERENCE_E_STEP_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda::testing {

// ψ(x) = ln x − 1/2x − Σ B_2n / (2n x^2n), after steps up to x >= 40; error below 1e-18·(1 + 1/x).
inline long double ReferenceDigamma(long double x) {
  long double shift = 0;
  for (; x < 40; x += 1) shift -= 1 / x;
  const long double y = 1 / (x * x);
  const long double series =
      y * (1.0L / 12 - y * (1.0L / 120 - y * (1.0L / 252 - y * (1.0L / 240 - y / 132))));
  return std::log(x) - 1 / (2 * x) - series + shift;
}

struct ReferenceResult {
  std::vector<double> gamma;                   // K
  std::vector<std::vector<double>> statistic;  // distinct terms × K
  int iterations = 0;
  double last_mean_change = 0;
};

class ReferenceEStep {
 public:
  ReferenceEStep(const LogTopics& log_topics, const EStepOptions& options)
      : log_topics_(log_topics), options_(options) {}

  ReferenceResult Infer(DocumentView document) const {
    const auto topics = static_cast<size_t>(log_topics_.num_topics());
    ReferenceResult result;
    result.gamma.assign(topics, 1.0);
    std::vector<std::vector<double>> past;  // γ after each iteration
    for (result.iterations = 1;; ++result.iterations) {
      result.statistic = Statistic(document, result.gamma);
      double change = 0;
      for (size_t k = 0; k < topics; ++k) {
        double updated = options_.document_topic_prior.of(k);
        for (const std::vector<double>& row : result.statistic) updated += row[k];
        change += std::fabs(updated - result.gamma[k]);
        result.gamma[k] = updated;
      }
      result.last_mean_change = change / static_cast<double>(topics);
      if (result.last_mean_change < options_.mean_change_threshold ||
          result.iterations >= options_.max_iterations) {
        break;
      }
      past.push_back(result.gamma);
      if (result.iterations % 3 == 2 && past.size() >= 5) result.gamma = Jump(past);
    }
    result.statistic = Statistic(document, result.gamma);
    return result;
  }

 private:
  // SQUAREM from the last three γ, as model/lda/kernel/extrapolation.h states it.
  std::vector<double> Jump(const std::vector<std::vector<double>>& past) const {
    const std::vector<double>& x0 = past[past.size() - 3];
    const std::vector<double>& x1 = past[past.size() - 2];
    const std::vector<double>& x2 = past.back();
    const double limit = std::pow(2.0, -20) / static_cast<double>(x0.size());
    double r2 = 0, v2 = 0;
    for (size_t k = 0; k < x0.size(); ++k) {
      if (x2[k] - options_.document_topic_prior.of(k) <= limit) continue;
      r2 += std::pow(x1[k] - x0[k], 2);
      v2 += std::pow(x2[k] - 2 * x1[k] + x0[k], 2);
    }
    const double s = v2 > 0 ? std::clamp(std::sqrt(r2 / v2), 1.0, 4.0) : 1.0;
    std::vector<double> jumped = x2;
    for (size_t k = 0; k < x0.size(); ++k) {
      const double prior = options_.document_topic_prior.of(k);
      if (x2[k] - prior <= limit) continue;
      const double ahead = x0[k] + 2 * s * (x1[k] - x0[k]) + s * s * (x2[k] - 2 * x1[k] + x0[k]);
      jumped[k] = std::max(prior + (x2[k] - prior) / 16, ahead);
    }
    return jumped;
  }

  std::vector<std::vector<double>> Statistic(DocumentView document,
                                             const std::vector<double>& gamma) const {
    std::vector<double> log_e;
    for (const double entry : gamma) log_e.push_back(static_cast<double>(ReferenceDigamma(entry)));
    std::vector<std::vector<double>> rows;
    for (const TermCount& entry : document) rows.push_back(Row(entry, log_e));
    return rows;
  }

  std::vector<double> Row(const TermCount& entry, const std::vector<double>& log_e) const {
    const size_t topics = log_e.size();
    std::vector<double> log_b(topics);
    double largest_topic = -HUGE_VAL;
    for (size_t k = 0; k < topics; ++k) {
      log_b[k] =
          log_topics_.values()[k * static_cast<size_t>(log_topics_.vocabulary_size()) + entry.term];
      largest_topic = std::max(largest_topic, log_b[k]);
    }
    double largest = -HUGE_VAL;
    for (size_t k = 0; k < topics; ++k) {
      log_b[k] -= largest_topic;
      log_b[k] = log_b[k] < -80 ? -HUGE_VAL : log_b[k] + log_e[k];
      largest = std::max(largest, log_b[k]);
    }
    double sum = 0;
    for (double& value : log_b) sum += value = std::exp(value - largest);
    for (double& value : log_b) value *= entry.count / sum;
    return log_b;
  }

  const LogTopics& log_topics_;
  EStepOptions options_;
};

}  // namespace topicwall::lda::testing

#endif  // TOPICWALL_TESTS_MODEL_LDA_REFERENCE_E_STEP_H_
