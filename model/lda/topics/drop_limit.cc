#include "model/lda/topics/drop_limit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "model/lda/math/exp_digamma.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {
namespace {

// Dropping is prepared for documents whose ratios c_w / Σ_j e_j b_jw add up to no more than this,
// as nearly all do; where they add up to more, what was dropped is looked at topic by topic.
constexpr double kUsualRatioSum = 1e4;

// exp(ψ(γ)).
double WeightAt(double gamma) {
  const ScaledValue weight = ScaledExpDigamma(gamma);
  return weight.factor * PortableExp(weight.log_scale);
}

// The largest γ <= 1 at which a topic holds at most `most_words` of a usual document after one more
// iteration.
double LimitOfUsualDocuments(double most_words) {
  double low = 0, high = 1;
  for (int i = 0; i < 48; ++i) {
    const double middle = 0.5 * (low + high);
    (WeightAt(middle) * kUsualRatioSum <= most_words ? low : high) = middle;
  }
  return low;
}

}  // namespace

DropRule MakeDropRule(absl::Span<const float> priors, float list_limit) {
  const double list = double{list_limit}, most_words = 0.25 * list;
  std::vector<float> falling(priors.begin(), priors.end());
  std::sort(falling.begin(), falling.end(), std::greater<float>());
  double limit = LimitOfUsualDocuments(most_words);
  for (const float prior : falling) {
    if (!(WeightAt(double{prior} + list) < most_words)) continue;
    limit = std::max(limit, double{prior} + list);
    break;
  }
  // Upwards: float32 may have rounded α + d down, and that α would be in doubt below.
  float rounded = std::nextafterf(static_cast<float>(limit), 2.0F);
  for (const float prior : falling) {
    // An α within d below g: a topic of at most d words might stand on either side of g, which the
    // proof of dropped_topics.h excludes. So g goes below it; since α fall, a lower g is held
    // against the rest.
    const bool in_doubt = prior <= rounded && !(double{prior} + list <= double{rounded});
    if (in_doubt) rounded = std::nextafterf(prior, 0.0F);
  }
  const double weight = WeightAt(double{rounded});
  return {.limit = rounded,
          .weight = static_cast<float>(weight),
          .may_drop = falling.back() <= rounded && weight < most_words};
}

}  // namespace topicwall::lda
