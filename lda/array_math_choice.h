// Which array_math.h this processor can run. A matter of speed alone: all give the same bits.
// Threads: safe from many.
#ifndef TOPICWALL_LDA_ARRAY_MATH_CHOICE_H_
#define TOPICWALL_LDA_ARRAY_MATH_CHOICE_H_

#include "absl/types/span.h"
#include "lda/array_math.h"

namespace topicwall::lda {

// The fastest first; the portable one, which runs everywhere, is always the last.
absl::Span<const ArrayMath> SupportedArrayMath();

inline const ArrayMath& FastestArrayMath() { return SupportedArrayMath().front(); }

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_ARRAY_MATH_CHOICE_H_
