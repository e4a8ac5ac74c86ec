#include "lda/dirichlet_prior.h"

#include "absl/strings/str_cat.h"

namespace topicwall::lda {

absl::Status CheckPrior(absl::string_view name, double value) {
  if (value >= kMinPrior && value <= kMaxPrior) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be in [1e-6, 1e6]; got ", value,
                                                 ". One over the number of topics is usual."));
}

}  // namespace topicwall::lda
