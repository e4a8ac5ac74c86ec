// What a mixture of Gaussians says of its components, in the units of the vectors as they were
// given and not of their norm bound: all that is shown of them.
//
// Where all counts together are no more than three deviations of their noise, no share is known, as
// of topics (model/lda/reading/topic_quality.h); nor where components are one: what each has of it
// is then where the fit began. That of an only component is 1.
//
// `model` is one of algorithm `gaussian`, parsed (client/fit/model_file.h). PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_TOPICS_COMPONENT_READING_H_
#define TOPICWALL_CLIENT_TOPICS_COMPONENT_READING_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "model/gaussian/component_estimate.h"
#include "proto/model.pb.h"

namespace topicwall::client {

gaussian::Components ComponentsAsGiven(const v1::ModelFile& model);
// Whether noise left nothing of what tells several components apart: the estimate then draws each
// to what they have in common, and only rounding differs.
bool AreOne(const v1::ModelFile& model);
struct ReadComponent {
  std::optional<double> share;  // of all components or of none
  // Half the width of its 95 % interval, by the noise alone; another fit may divide the vectors
  // otherwise.
  std::optional<double> margin;
  double size;      // of its mean
  double spread;    // √ of the summed variances: of its vectors' mean squared distance from it
  double distance;  // of its mean from that of the whole
};
// In the order of the model.
std::vector<ReadComponent> ReadComponents(const v1::ModelFile& model);

// Half the width of the 95 % interval of a component's number of vectors, by the noise alone.
double CountMargin(const v1::ModelFile& model);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_COMPONENT_READING_H_
