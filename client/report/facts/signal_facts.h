// What a fit gave beside what it was expected to give: signal and noise of words by their rank.
//
// Got, of a rank r: of the words whose ranks are within a factor of 1.5 of r, by the private
// unigram, the mean of what the three topics have that have most of a word (fewer, if there are
// fewer), denoised; and the mean deviation of their noise. Expected: by the planner's formula for
// the plan that the model says was bought, of a corpus with as many words as were counted, in
// documents of the words that it assumed, as far as they count: so the two differ by the corpus's
// shape and by what training did, and not by its size.
//
// Nothing of a model that knows no noise. INVALID_ARGUMENT if its noise is no matrix. PUBLIC: a
// function of the released model. Cost: K·V.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_SIGNAL_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_SIGNAL_FACTS_H_

#include "absl/status/status.h"
#include "proto/model.pb.h"
#include "proto/report.pb.h"

namespace topicwall::client {

absl::Status AddSignalFacts(const v1::ModelFile& file, v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_SIGNAL_FACTS_H_
