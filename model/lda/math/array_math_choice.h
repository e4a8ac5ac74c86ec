// Which array_math.h this processor can run. A matter of speed alone: all give the same bits.
// Threads: safe from many.
#ifndef TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_CHOICE_H_
#define TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_CHOICE_H_

#include "absl/types/span.h"
#include "model/lda/math/array_math.h"

namespace topicwall::lda {

// The fastest first; the portable one, which runs everywhere, is always the last.
absl::Span<const ArrayMath> SupportedArrayMath();

inline const ArrayMath& FastestArrayMath() { return SupportedArrayMath().front(); }

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_CHOICE_H_
