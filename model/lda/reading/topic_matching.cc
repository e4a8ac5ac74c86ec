#include "model/lda/reading/topic_matching.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace topicwall::lda {
namespace {

// Of a topic's words. What is less beyond the corpus is the rounding of float32 sums.
constexpr double kLeastBeyond = 1e-6;

// So many terms are multiplied in float32, which adds them up to some 1e-6; their sums in float64.
constexpr Eigen::Index kTermsAtOnce = 256;
// Below it two topics are not equal, and need not be compared term by term.
constexpr double kNearlyEqual = 0.999;

using Roots =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
Roots RootsOf(const OwnWords& own) { return {own.roots.data(), own.num_topics, own.num_terms}; }

Eigen::MatrixXd Products(const OwnWords& a, const OwnWords& b) {
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(a.num_topics, b.num_topics);
  Eigen::MatrixXf part(a.num_topics, b.num_topics);
  for (Eigen::Index first = 0; first < a.num_terms; first += kTermsAtOnce) {
    const Eigen::Index terms = std::min<Eigen::Index>(kTermsAtOnce, a.num_terms - first);
    const auto of_a = RootsOf(a).middleCols(first, terms);
    if (&a == &b) {
      part.setZero();
      part.selfadjointView<Eigen::Lower>().rankUpdate(of_a);
      products.triangularView<Eigen::Lower>() += part.cast<double>();
    } else {
      part.noalias() = of_a * RootsOf(b).middleCols(first, terms).transpose();
      products += part.cast<double>();
    }
  }
  if (&a == &b) products = products.selfadjointView<Eigen::Lower>();
  return products;
}

}  // namespace

OwnWords OwnWordsOf(const TopicModel& model, absl::Span<const double> corpus) {
  OwnWords own = {
      .num_topics = model.num_topics(), .num_terms = model.vocabulary_size(), .roots = {}};
  own.roots.reserve(model.topic_parameters().size());
  for (int k = 0; k < model.num_topics(); ++k) {
    const absl::Span<const float> lambda = model.topic(k);
    double sum = 0;
    std::vector<double> beyond(lambda.size());
    for (size_t v = 0; v < lambda.size(); ++v) {
      beyond[v] = std::max(lambda[v] / model.topic_sum(k) - corpus[v], 0.0);
      sum += beyond[v];
    }
    for (const double x : beyond) {
      // Roots, so that the product of two is Bhattacharyya's coefficient. A topic that is the
      // corpus has no words of its own.
      own.roots.push_back(sum > kLeastBeyond ? static_cast<float>(std::sqrt(x / sum)) : 0.0F);
    }
  }
  return own;
}

double Likeness(const OwnWords& a, int topic_of_a, const OwnWords& b, int topic_of_b) {
  const auto terms = static_cast<size_t>(a.num_terms);
  const float* const x = a.roots.data() + static_cast<size_t>(topic_of_a) * terms;
  const float* const y = b.roots.data() + static_cast<size_t>(topic_of_b) * terms;
  if (std::equal(x, x + terms, y)) return 1;  // two that are the corpus, too
  double sum = 0;
  for (size_t v = 0; v < terms; ++v) sum += double{x[v]} * y[v];
  return std::min(sum, 1.0);  // beside rounding
}

std::vector<double> Likenesses(const OwnWords& a, const OwnWords& b) {
  const Eigen::MatrixXd products = Products(a, b);
  std::vector<double> likenesses;
  likenesses.reserve(static_cast<size_t>(products.size()));
  for (int i = 0; i < a.num_topics; ++i) {
    const bool is_corpus = !HasOwnWords(a, i);
    for (int j = 0; j < b.num_topics; ++j) {
      const double product = products(i, j);
      likenesses.push_back(is_corpus || product > kNearlyEqual ? Likeness(a, i, b, j) : product);
    }
  }
  return likenesses;
}

bool HasOwnWords(const OwnWords& own, int topic) {
  const auto terms = static_cast<size_t>(own.num_terms);
  const float* const roots = own.roots.data() + static_cast<size_t>(topic) * terms;
  return std::any_of(roots, roots + terms, [](float root) { return root > 0; });
}

double CarryingWords(const OwnWords& own, int topic) {
  const auto terms = static_cast<size_t>(own.num_terms);
  const float* const roots = own.roots.data() + static_cast<size_t>(topic) * terms;
  double squares = 0;
  for (size_t v = 0; v < terms; ++v) {
    const double own_share = double{roots[v]} * roots[v];
    squares += own_share * own_share;
  }
  // Simpson's index, inverted.
  return squares > 0 ? std::max(1 / squares, 1.0) : 1;  // beside rounding
}

TopicPair MostAlike(const OwnWords& a, int topic_of_a, const OwnWords& b) {
  TopicPair best = {.of_a = topic_of_a, .of_b = 0, .likeness = -1};
  for (int k = 0; k < b.num_topics; ++k) {
    const double likeness = Likeness(a, topic_of_a, b, k);
    if (likeness > best.likeness) best = {.of_a = topic_of_a, .of_b = k, .likeness = likeness};
  }
  return best;
}

std::vector<TopicPair> MatchTopics(const OwnWords& a, const OwnWords& b, double least) {
  std::vector<TopicPair> candidates;
  const std::vector<double> likenesses = Likenesses(a, b);
  for (int i = 0, place = 0; i < a.num_topics; ++i) {
    for (int j = 0; j < b.num_topics; ++j, ++place) {
      const double likeness = likenesses[static_cast<size_t>(place)];
      if (likeness >= least) candidates.push_back({.of_a = i, .of_b = j, .likeness = likeness});
    }
  }
  // The most alike first, each topic once; of equal ones by number, so that it comes out the same.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const TopicPair& x, const TopicPair& y) { return x.likeness > y.likeness; });
  std::vector<bool> taken_a(static_cast<size_t>(a.num_topics));
  std::vector<bool> taken_b(static_cast<size_t>(b.num_topics));
  std::vector<TopicPair> pairs;
  for (const TopicPair& pair : candidates) {
    const auto i = static_cast<size_t>(pair.of_a), j = static_cast<size_t>(pair.of_b);
    if (taken_a[i] || taken_b[j]) continue;
    taken_a[i] = taken_b[j] = true;
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace topicwall::lda
