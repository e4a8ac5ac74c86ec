// What the denoised algorithm keeps between two releases (proto/model.proto, DenoisedState), part
// by part. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_STATE_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_STATE_H_

#include "absl/status/statusor.h"
#include "model/lda/denoise/prior/related_terms.h"
#include "model/lda/denoise/private_unigram.h"
#include "proto/model.pb.h"

namespace topicwall::client {

void SaveUnigram(const lda::PrivateUnigramState& unigram, v1::DenoisedState& state);
// INVALID_ARGUMENT if it is not one of so many terms.
absl::StatusOr<lda::PrivateUnigram> UnigramOf(const v1::DenoisedState& state, int terms);

void SaveRelatedTerms(const lda::RelatedTerms& related, v1::DenoisedState& state);
// Whole pairs, which IsOfItsStages looks at; the trainer checks what they say.
lda::RelatedTerms RelatedTermsOf(const v1::DenoisedState& state);

// Whether the parts are whole, and the checkpoint's stages have come as far as the state says.
bool IsOfItsStages(const v1::DenoisedState& state, const v1::CheckpointFile& checkpoint);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_STATE_H_
