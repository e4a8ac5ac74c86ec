#include "model/lda/topics/dirichlet_prior.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::lda {

absl::Status CheckPrior(absl::string_view name, double value) {
  if (value >= kMinPrior && value <= kMaxPrior) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be in [1e-6, 1e6]; got ", value,
                                                 ". One over the number of topics is usual."));
}

absl::Status DocumentTopicPrior::CheckCount(int num_topics) const {
  if (values_.size() == 1 || values_.size() == static_cast<size_t>(num_topics)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("document_topic_prior must be one number, or one for each of ", num_topics,
                   " topics; got ", values_.size(), " numbers."));
}

absl::Status DocumentTopicPrior::Check(int num_topics) const {
  TW_RETURN_IF_ERROR(CheckCount(num_topics));
  for (const double alpha : values_) {
    TW_RETURN_IF_ERROR(CheckPrior("document_topic_prior", alpha));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::lda
