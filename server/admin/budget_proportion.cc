#include "server/admin/budget_proportion.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace topicwall::admin {

std::string OutOfProportion(const accountant::PrivacyParams& budget,
                            const v1::CorpusConfig& corpus) {
  std::string lines;
  if (!(budget.epsilon <= kLargestUsualEpsilon)) {
    absl::StrAppend(&lines, "Epsilon ", budget.epsilon,
                    " hardly protects anybody: analysts may become e^", budget.epsilon,
                    " times surer that somebody is in the corpus. Usual are 0.1 to ",
                    kLargestUsualEpsilon, ".\n");
  }
  // With δ = 1/n a mechanism that hands out one of n units, drawn at random, keeps (0, δ). So δ·n
  // is how many may be given away in full, and a promise with more than one of them protects nobody
  // in particular. n is the size that is stated; the true one is private and must not show in a
  // question.
  const bool sized = corpus.has_nominal_size();
  const double most = sized ? 1 / static_cast<double>(corpus.nominal_size()) : kLargestUsualDelta;
  if (!(budget.delta <= most)) {
    absl::StrAppend(&lines, "Delta ", budget.delta, " is above ",
                    sized ? absl::StrCat("one in the nominal size of ", corpus.nominal_size())
                          : absl::StrCat(kLargestUsualDelta),
                    ": a server that gave away ",
                    sized ? absl::StrCat(std::ceil(budget.delta / most)) : std::string("some"),
                    " of the privacy units in full would keep this promise.\n");
  }
  return lines;
}

}  // namespace topicwall::admin
