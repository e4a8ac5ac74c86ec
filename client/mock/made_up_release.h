// One release over made-up documents: what the plan's model makes of each, clipped, added up, with
// ordinary noise.
//
// The arithmetic of the wall (model/, clip by the weighted norm, coins at ν, the share held out, a
// norm histogram where the plan has one, noise along the rows where it is asked for) without what
// makes it private: coins and noise are a function of what is asked for, from a generator that
// anybody can run, and nothing is rounded. The same question has the same answer, whatever its plan
// is called.
//
// PUBLIC. Errors: INVALID_ARGUMENT for what no model takes, and for noise along rows of a model
// that has no directions. Threads: any. Cost: the E-step of kMadeUpUnits documents, about a second
// at K = 50.
#ifndef TOPICWALL_CLIENT_MOCK_MADE_UP_RELEASE_H_
#define TOPICWALL_CLIENT_MOCK_MADE_UP_RELEASE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/mock/made_up_corpus.h"
#include "client/wall/wall_port.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// Without times and receipts.
absl::StatusOr<Release> MakeUpRelease(const MadeUpCorpus& corpus, const v1::ReleaseSpec& plan,
                                      const v1::RunReleaseHeader& header,
                                      absl::Span<const float> parameters);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_MOCK_MADE_UP_RELEASE_H_
