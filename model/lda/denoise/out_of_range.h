// How a number that a caller gave is refused: its name, what it must be, and the value. PUBLIC.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_OUT_OF_RANGE_H_
#define TOPICWALL_MODEL_LDA_DENOISE_OUT_OF_RANGE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace topicwall::lda {

// INVALID_ARGUMENT: "NAME must be RANGE; got VALUE."
inline absl::Status OutOfRange(absl::string_view name, absl::string_view range, double value) {
  return absl::InvalidArgumentError(absl::StrCat(name, " must be ", range, "; got ", value, "."));
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_OUT_OF_RANGE_H_
